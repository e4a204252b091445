"""Settings as a table, or as a file to start from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from aforesaid.settings import SettingInfo
from aforesaid.surfaces.formats.columns import pad, width_of, wrapped
from aforesaid.surfaces.formats.values import to_json

VALUE_COLUMNS = 10
RANGE_COLUMNS = 16


def settings_dict(rows: Iterable[SettingInfo]) -> dict[str, Any]:
    """Every row by name."""
    return {"settings": [to_json(row) for row in rows]}


def settings_text(rows: Sequence[SettingInfo], columns: int) -> str:
    """One setting a line: name, value, range and meaning; a changed one with its default and origin."""
    if not rows:
        return "every setting has its default"
    names = max(width_of(row.name) for row in rows)
    values = max(min(max(width_of(_shown(row.value)) for row in rows), VALUE_COLUMNS), 5)
    ranges = min(max(width_of(row.range) for row in rows), RANGE_COLUMNS)
    lines = []
    for row in rows:
        head = f"{pad(row.name, names)}  {pad(_shown(row.value), values)}  {pad(row.range, ranges)}  "
        changed = f" [default {_shown(row.default)}, set by {row.origin}]" if row.origin != "default" else ""
        lines.append(_beside(head, row.help + changed, columns))
    return "\n".join(lines)


def settings_toml(rows: Iterable[SettingInfo]) -> str:
    """A settings file with every setting explained; unchanged ones are commented out."""
    lines = ["## Settings of aforesaid. Remove the # before a line to change it."]
    group = ""
    for row in rows:
        table, _, name = row.name.partition(".")
        if table != group:
            group = table
            lines += ["", f"[{table}]"]
        mark = "# " if row.value == row.default else ""
        lines += [f"## {row.help} ({row.range})", f"{mark}{name} = {_toml(row.value)}"]
    return "\n".join(lines)


def _beside(head: str, text: str, columns: int) -> str:
    """A text beside a head if it fits, else under it."""
    room = columns - width_of(head)
    if room < 24:
        return f"{head.rstrip()}\n{wrapped(text, columns, '    ')}"
    return (head + wrapped(text, columns, " " * width_of(head)).lstrip()).rstrip()


def _shown(value: float | int | str | bool) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value) or '""'


def _toml(value: float | int | str | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML escapes this, JSON does not
    return repr(value)
