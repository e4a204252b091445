"""Options that several commands share, and the way a command is declared."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

import click

from aforesaid.errors import InputError
from aforesaid.surfaces.cli.app import App

F = TypeVar("F", bound=Callable[..., Any])

DATE = re.compile(r"\d{4}-?\d\d-?\d\d")
SECONDS = re.compile(r"\d+\.\d*|\d{9,}")


def moment(value: str) -> datetime:
    """A time as it is typed: ISO 8601 or Unix seconds; a date alone is its first moment."""
    from aforesaid.types import as_time

    try:
        return as_time(float(value) if SECONDS.fullmatch(value) else value)
    except InputError:
        raise click.BadParameter(
            f"{value!r} is not a time; write 2026-05-03, 2026-05-03T10:00Z or Unix seconds."
        ) from None


def last_moment(value: str) -> datetime:
    """The same, but a date alone is its last moment."""
    return moment(value) + (timedelta(days=1, microseconds=-1) if DATE.fullmatch(value) else timedelta(0))


def time_option(flag: str, text: str, *, end: bool = False) -> Callable[[F], F]:
    """An option that takes a time."""
    return click.option(flag, type=last_moment if end else moment, metavar="TIME", help=text)


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
    """The options of `aforesaid` itself; each command takes them too, shown only where they belong."""
    shared: dict[str, Any] = {"expose_value": False, "hidden": hidden, "callback": _keep}
    return [
        click.Option(
            ["--store"], metavar="PATH", envvar=None if hidden else "AFORESAID_STORE", **shared,
            help="The store's file.  [env: AFORESAID_STORE; default: memory.db in the user's data folder]",
        ),
        click.Option(["--config"], metavar="FILE", help="A settings file (TOML).", **shared),
        click.Option(
            ["--set", "arguments"], metavar="NAME=VALUE", multiple=True, **{**shared, "callback": _keep_settings},
            help="Change a setting for this call; may be repeated.",
        ),
        click.Option(["--tenant"], metavar="NAME", help="Whose memory; nothing crosses tenants.", **shared),
        click.Option(["--purpose"], metavar="TAG", help="What for; the policy says who may see what.", **shared),
        click.Option(["--request-id", "request"], metavar="ID", help="Noted with every event.", **shared),
        click.Option(
            ["--json"], is_flag=True, **{**shared, "hidden": False}, help="Answer, and fail, in JSON."
        ),
    ]  # fmt: skip


class Verb(click.Command):
    """A command that takes the global options too, so that they may stand anywhere."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += global_options(hidden=True)


def verb(name: str, example: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Declare a command: its docstring is the help, the example stands under it."""
    return click.command(name, cls=Verb, epilog=f"\b\nExample:\n  {example}")


def caller(*names: str) -> Callable[[F], F]:
    """Who calls: any of --user, --project and --session."""
    options = {
        "user": click.option("--user", metavar="NAME", envvar="AFORESAID_USER", help="Whose.  [env: AFORESAID_USER]"),
        "project": click.option("--project", metavar="NAME", help="The project whose shared records count too."),
        "session": click.option("--session", metavar="NAME", help="One session only."),
    }

    def decorate(function: F) -> F:
        for name in reversed(names):
            function = options[name](function)
        return function

    return decorate


def page(limit: int | None) -> Callable[[F], F]:
    """--limit and --offset."""
    told = "a setting" if limit is None else limit
    how_many = click.option(
        "--limit", type=click.IntRange(1), metavar="N", default=limit, help=f"How many.  [default: {told}]"
    )
    after = click.option("--offset", type=click.IntRange(0), metavar="N", default=0, help="Leave out the first ones.")
    return lambda function: how_many(after(function))


def span(function: F) -> F:
    """--since and --until."""
    until = time_option("--until", "Nothing later; a date alone is its end.", end=True)
    return time_option("--since", "Nothing earlier; UTC unless it has a zone.")(until(function))


def numbers(value: str) -> tuple[int, ...]:
    """Whole numbers with commas between them, smallest first; 0 stands for none."""
    try:
        found = sorted({int(part) for part in value.split(",")} - {0})
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list of numbers like 5,10,20.") from None
    if any(number < 0 for number in found):
        raise click.BadParameter("numbers cannot be negative.")
    return tuple(found)
