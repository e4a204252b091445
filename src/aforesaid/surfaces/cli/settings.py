"""`aforesaid settings` and `aforesaid completion`: all settings, and shell completion."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
from click.shell_completion import get_completion_class

from aforesaid.surfaces.cli.app import App
from aforesaid.surfaces.cli.options import command

if TYPE_CHECKING:
    from aforesaid.settings import SettingInfo

UNWRAPPED_COLUMNS = 1000  # one setting a line, for grep


@command("settings", "aforesaid settings --changed\n  aforesaid settings --toml > aforesaid.toml")
@click.option("--changed", is_flag=True, help="Only settings that differ from the default.")
@click.option("--toml", is_flag=True, help="Print a commented settings file.")
@click.pass_obj
def settings(app: App, changed: bool, toml: bool) -> None:
    """List every setting. Shows its value, range, meaning, and where it was changed."""
    from aforesaid.surfaces.formats.settings import settings_dict, settings_text, settings_toml

    rows: list[SettingInfo] = [row for row in app.settings().rows() if not changed or row.value != row.default]
    columns = app.columns if sys.stdout.isatty() else UNWRAPPED_COLUMNS
    app.say(settings_dict(rows), settings_toml(rows) if toml else settings_text(rows, columns))


@command("completion", 'eval "$(aforesaid completion bash)"    # in ~/.bashrc')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script for shell completion."""
    made = get_completion_class(shell)
    assert made is not None
    script = made(ctx.find_root().command, {}, "aforesaid", "_AFORESAID_COMPLETE").source()
    ctx.ensure_object(App).say({"shell": shell, "script": script}, script)
