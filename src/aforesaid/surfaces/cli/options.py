"""Options that every command has, and how typed values are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

import click

from aforesaid.errors import InputError
from aforesaid.surfaces.cli.app import App

F = TypeVar("F", bound=Callable[..., Any])

SECONDS = re.compile(r"\d+\.\d*|\d{9,}")
USER_HELP = "The user whose memory to use.  [env: AFORESAID_USER]"
PROJECT_HELP = "The project; its shared records are included."


def moment(value: str) -> datetime:
    """A time as it is typed: ISO 8601 or Unix seconds. A date alone means its first moment."""
    return _read(value, "as_time")


def last_moment(value: str) -> datetime:
    """The same, but a date alone means its last moment."""
    return _read(value, "as_end")


def _read(value: str, how: str) -> datetime:
    from aforesaid import types

    try:
        found: datetime = getattr(types, how)(float(value) if SECONDS.fullmatch(value) else value)
        return found
    except InputError:
        raise click.BadParameter(
            f"{value!r} is not a time; write 2026-05-03, 2026-05-03T10:00Z or Unix seconds."
        ) from None


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Write a global option that was given into the App."""
    if value:
        setattr(ctx.ensure_object(App), str(param.name), value)


def _keep_settings(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> None:
    for value in values:
        name, sign, setting = value.partition("=")
        if not sign:
            raise click.BadParameter(f"{value!r} is not name=value.", ctx, param)
        ctx.ensure_object(App).arguments[name.strip()] = setting.strip()


def global_options(*, hidden: bool) -> list[click.Parameter]:
    """The options of `aforesaid` itself. Each command takes them too, but hides them in its help."""
    shared: dict[str, Any] = {"expose_value": False, "hidden": hidden, "callback": _keep}
    return [
        click.Option(
            ["--store"], metavar="PATH", envvar=None if hidden else "AFORESAID_STORE", **shared,
            help="The file of the store.  [env: AFORESAID_STORE; default: memory.db in the user's data folder]",
        ),
        click.Option(["--config"], metavar="FILE", help="A settings file (TOML).", **shared),
        click.Option(
            ["--set", "arguments"], metavar="NAME=VALUE", multiple=True, **{**shared, "callback": _keep_settings},
            help="Change a setting for this call; may be repeated.",
        ),
        click.Option(["--tenant"], metavar="NAME", help="The tenant. Tenants share nothing.", **shared),
        click.Option(
            ["--purpose"], metavar="TAG", **shared, help="The purpose of this call; the policy may restrict it.",
        ),
        click.Option(
            ["--request-id", "request"], metavar="ID", help="An id that is stored with every audit event.", **shared
        ),
        click.Option(
            ["--json"], is_flag=True, **{**shared, "hidden": False}, help="Print results and errors as JSON."
        ),
    ]  # fmt: skip


class Command(click.Command):
    """A command that takes the global options too, so that they may stand anywhere."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += global_options(hidden=True)


def command(name: str, example: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Declare a hand-written command: its docstring is the help, the example stands under it."""
    return click.command(name, cls=Command, epilog=f"\b\nExample:\n  {example}")


def user_option(function: F) -> F:
    """--user."""
    return click.option("--user", metavar="NAME", envvar="AFORESAID_USER", help=USER_HELP)(function)
