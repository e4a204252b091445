"""Adds a table at the end of TOML files of other programs, and changes no other byte.

A host that edits the file itself may move tables and drop comments. So we find our table by its contents, and its last
line by parsing what would be left. The comments around it are only for people.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from aforesaid.errors import FormatError

BEGIN = "# >>> aforesaid: written by `aforesaid install`, removed by `--undo` >>>"
END = "# <<< aforesaid <<<"


@dataclass(frozen=True, slots=True)
class TomlEdit:
    """Adds a table `outer.inner` at the end of a file, and removes it. `is_ours` recognises it by its values."""

    table: str
    lines: Sequence[str]
    is_ours: Callable[[Any], bool]

    def is_in(self, text: str, name: str) -> bool:
        """Whether our table is in the file."""
        return self._without_table(text, name) != text

    def add_to(self, text: str | None, name: str) -> str:
        """The text with our table: unchanged if the table has these values already, else with the table at the end."""
        wanted = tomllib.loads("\n".join(self.lines))
        now = table_in(parse(text or "", name), self.table)
        if text is not None and isinstance(now, dict) and {**now, **wanted} == now:
            return text
        bare = self._without_table(text or "", name)
        before = parse(bare, name)
        block = "\n".join([BEGIN, f"[{self.table}]", *self.lines, END, ""])
        gap = "" if not bare else "\n" if bare.endswith("\n") else "\n\n"
        result = bare + gap + block
        try:
            after = tomllib.loads(result)
        except tomllib.TOMLDecodeError:
            raise FormatError(
                f"{name} has {self.table} already, or something that excludes it.",
                "Remove that, or use --no-mcp; nothing was written.",
            ) from None
        if _without(after, self.table) != _without(before, self.table):
            raise FormatError(f"The change would alter other parts of {name}.", "Nothing was written.")
        return result

    def remove_from(self, text: str, name: str) -> str | None:
        """The text without our table; None if nothing else is in it."""
        bare = self._without_table(text, name)
        parse(bare, name)
        return bare or None

    def _without_table(self, text: str, name: str) -> str:
        """The text without our table, its comments, and the empty line before them."""
        values = parse(text, name)
        if not self.is_ours(table_in(values, self.table)):
            return text
        lines = text.splitlines(keepends=True)
        start, end = _find_table(lines, self.table, _without(values, self.table), name)
        if start and lines[start - 1].strip() == BEGIN:
            start -= 1
        head, rest = "".join(lines[:start]), lines[end:]
        tail = "".join(line for line in rest if line.strip() != END)
        return (head[:-1] if head.endswith("\n\n") else head) + tail


def _find_table(lines: Sequence[str], table: str, left: dict[str, object], name: str) -> tuple[int, int]:
    """The first line of a table, and the first line after it such that cutting it leaves exactly the other values."""
    heads = [number for number, line in enumerate(lines) if line.lstrip().startswith("[")]
    for start in heads:
        if _table_name(lines[start]) != table:
            continue
        for end in (*(number for number in heads if number > start), len(lines)):
            while end > start + 1 and _is_blank_or_comment(lines[end - 1]):
                end -= 1  # comments above the next table belong to it
            if _parses_to([*lines[:start], *lines[end:]], left):
                return start, end
    raise FormatError(f"{name} has {table} in a form that we did not write.", "Remove it by hand.")


def _table_name(line: str) -> str:
    return line.partition("#")[0].strip().removeprefix("[").removesuffix("]").replace(" ", "").replace('"', "")


def _is_blank_or_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _parses_to(lines: Sequence[str], wanted: dict[str, object]) -> bool:
    try:
        return tomllib.loads("".join(lines)) == wanted
    except tomllib.TOMLDecodeError:
        return False


def parse(text: str, name: str) -> dict[str, object]:
    """Parse the file. Raises FormatError with the line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{name}: it is not TOML: {error}.", "Repair that line; nothing was written.") from None


def table_in(values: dict[str, Any], table: str) -> Any:
    """The values of a table; None if it is not there."""
    outer, _, inner = table.partition(".")
    around = values.get(outer)
    return around.get(inner) if isinstance(around, dict) else None


def quoted(value: str) -> str:
    """A TOML string. It is a JSON string, except for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _without(value: dict[str, object], table: str) -> dict[str, object]:
    """The values without a table, and without the outer table if that is empty then."""
    outer, _, inner = table.partition(".")
    around = value.get(outer)
    if not isinstance(around, dict):
        return value
    rest = {name: kept for name, kept in around.items() if name != inner}
    return {**{name: kept for name, kept in value.items() if name != outer}, **({outer: rest} if rest else {})}
