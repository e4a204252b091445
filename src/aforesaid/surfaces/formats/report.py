"""The text of any result: its fields one below the other, lists of results as tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from aforesaid.surfaces.formats.columns import clip, one_line, table, width_of

LISTED_ROWS = 100  # rows of one table; --json has all of them
LAST_COLUMN = 40  # least columns for the last cell of a row; with less, each row becomes a block
EMPTY: tuple[Any, ...] = (None, "", {})


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 turn, 2 turns."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(number: float) -> str:
    """Bytes for people."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{number:.0f} bytes" if unit == "bytes" else f"{number:.1f} {unit}"


def report_text(found: Any, columns: int) -> str:
    """A result for people, from its JSON form. Empty fields are left out."""
    return "\n".join(_lines(found, columns))


def report_line(found: Mapping[str, Any]) -> str:
    """A flat result on one line, for a log."""
    return _cell("", dict(found))


def _lines(found: Any, columns: int) -> list[str]:
    if isinstance(found, list):
        left = len(found) - LISTED_ROWS
        return _rows(found[:LISTED_ROWS], columns) + ([f"… and {left} more; --json lists them"] if left > 0 else [])
    facts = {name: value for name, value in found.items() if value not in EMPTY and not _is_block(value)}
    lines = table([(_label(name), _cell(name, value)) for name, value in facts.items()])
    for name, value in found.items():
        if _is_block(value):
            lines += [f"{_label(name)}:", *(f"  {line}".rstrip() for line in _lines(value, columns - 2))]
    return lines


def _rows(rows: Sequence[Mapping[str, Any]], columns: int) -> list[str]:
    """A table with a row for each dict; blocks when that would not fit."""
    used = {name: None for row in rows for name, value in row.items() if value not in (*EMPTY, [])}
    names = [name for name in rows[0] if name in used] if rows else []
    if not names:
        return []
    head = [_label(name) for name in names]
    cells = [head, *([_cell(name, row.get(name)) for name in names] for row in rows)]
    widths = [max(map(width_of, column)) + 2 for column in zip(*cells, strict=True)]
    if any(map(_is_block, (value for row in rows for value in row.values()))) or (
        sum(widths[:-1]) + min(widths[-1], LAST_COLUMN) > columns + 2
    ):
        blocks = [_lines(row, columns) for row in rows]
        return [line for number, block in enumerate(blocks) for line in ([""] if number else []) + block]
    return [clip(line, columns) for line in table(cells)]


def _is_block(value: Any) -> bool:
    """Whether a value needs lines of its own: a list of results, or a result that holds other results."""
    if isinstance(value, list):
        return any(isinstance(each, dict) for each in value)
    nested = isinstance(value, dict) and "line" not in value
    return nested and any(isinstance(each, dict | list) for each in value.values())


def _label(name: str) -> str:
    return one_line(name if "." in name else name.replace("_", " "))  # a dot: the name of a setting


def _cell(name: str, value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return size(value) if "bytes" in name else str(value)
        case float() if 0 < abs(value) < 0.001:
            return f"{value:.3g}"
        case float():
            return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}".rstrip("0").rstrip(".")
        case list():
            return ", ".join(_cell("", each) for each in value) or "none"
        case {"line": str(line)}:
            return one_line(line)
        case dict():
            return ", ".join(f"{_label(key)} {_cell(key, each)}" for key, each in value.items() if each not in EMPTY)
        case None:
            return "–"
    return one_line(value if isinstance(value, str) else json.dumps(value))
