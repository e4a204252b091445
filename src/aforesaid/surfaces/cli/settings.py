"""`aforesaid settings` and `aforesaid completion`: all settings, and shell completion."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click
from click.shell_completion import get_completion_class

from aforesaid.surfaces.cli.app import App
from aforesaid.surfaces.cli.options import command
from aforesaid.surfaces.formats.columns import table, wrapped
from aforesaid.surfaces.formats.values import to_json

if TYPE_CHECKING:
    from aforesaid.settings import SettingInfo


@command("settings", "aforesaid settings --changed\n  aforesaid settings --toml > aforesaid.toml")
@click.option("--changed", is_flag=True, help="Only settings that differ from the default.")
@click.option("--toml", is_flag=True, help="Print a commented settings file.")
@click.pass_obj
def settings(app: App, changed: bool, toml: bool) -> None:
    """List every setting. Shows its value, range, meaning, and where it was changed."""
    rows = [row for row in app.settings().rows() if not changed or row.value != row.default]
    app.say({"settings": to_json(rows)}, settings_toml(rows) if toml else settings_text(rows, app.columns))


def settings_text(rows: Sequence[SettingInfo], columns: int) -> str:
    """Name, value and range of each setting, and its meaning below; a changed one with its default and origin."""
    heads = table((row.name, _shown(row.value), row.range) for row in rows)
    lines = []
    for head, row in zip(heads, rows, strict=True):
        changed = f" [default {_shown(row.default)}, set by {row.origin}]" if row.origin != "default" else ""
        lines += [wrapped(head, columns), wrapped(row.help + changed, columns, "    ")]
    return "\n".join(lines) or "every setting has its default"


def settings_toml(rows: Sequence[SettingInfo]) -> str:
    """A settings file with every setting explained; unchanged ones are commented out."""
    lines = ["## Settings of aforesaid. Remove the # before a line to change it."]
    for group, members in groupby(rows, key=lambda row: row.name.split(".")[0]):
        lines += ["", f"[{group}]"]
        for row in members:
            mark = "# " if row.value == row.default else ""
            value = json.dumps(row.value, ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON does not escape it
            lines += [f"## {row.help} ({row.range})", f"{mark}{row.name.split('.')[1]} = {value}"]
    return "\n".join(lines)


def _shown(value: float | int | str | bool) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value) or '""'


@command("completion", 'eval "$(aforesaid completion bash)"    # in ~/.bashrc')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script for shell completion."""
    made = get_completion_class(shell)
    assert made is not None
    script = made(ctx.find_root().command, {}, "aforesaid", "_AFORESAID_COMPLETE").source()
    ctx.ensure_object(App).say({"shell": shell, "script": script}, script)
