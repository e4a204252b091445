"""TOML files that belong to somebody else: a table of ours at the end, and every other byte as it was.

A host that edits the file itself moves tables about and drops comments. So our table is found by what it says, and
how far it reaches by parsing what would be left; the marks around it are for people.
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
    """A table `outer.inner` that is added at the end of a file, and the way back; `ours` tells it from others'."""

    table: str
    lines: Sequence[str]
    ours: Callable[[Any], bool]

    def holds(self, text: str, name: str) -> bool:
        """Whether our table is in the file."""
        return self._bare(text, name) != text

    def added(self, text: str | None, name: str) -> str:
        """The file with our table in it: where it is if it says all that already, else behind the rest."""
        wanted = tomllib.loads("\n".join(self.lines))
        now = held(parse(text or "", name), self.table)
        if text is not None and isinstance(now, dict) and {**now, **wanted} == now:
            return text
        bare = self._bare(text or "", name)
        before = parse(bare, name)
        block = "\n".join([BEGIN, f"[{self.table}]", *self.lines, END, ""])
        gap = "" if not bare else "\n" if bare.endswith("\n") else "\n\n"
        result = bare + gap + block
        try:
            after = tomllib.loads(result)
        except tomllib.TOMLDecodeError:
            raise FormatError(
                f"{name} has {self.table} already, or something that leaves no room for it.",
                "Take that out, or use --no-mcp; nothing was written.",
            ) from None
        if _without(after, self.table) != _without(before, self.table):
            raise FormatError(f"{name} would say something else afterwards.", "Nothing was written.")
        return result

    def removed(self, text: str, name: str) -> str | None:
        """The file without our table; None when nothing else is in it."""
        bare = self._bare(text, name)
        parse(bare, name)
        return bare or None

    def _bare(self, text: str, name: str) -> str:
        """The text without our table and its marks, and without the empty line before them."""
        values = parse(text, name)
        if not self.ours(held(values, self.table)):
            return text
        lines = text.splitlines(keepends=True)
        start, end = _reach(lines, self.table, _without(values, self.table), name)
        if start and lines[start - 1].strip() == BEGIN:
            start -= 1
        head, rest = "".join(lines[:start]), lines[end:]
        tail = "".join(line for line in rest if line.strip() != END)
        return (head[:-1] if head.endswith("\n\n") else head) + tail


def _reach(lines: Sequence[str], table: str, left: dict[str, object], name: str) -> tuple[int, int]:
    """The lines of a table: from its head to the first place where cutting leaves all the rest, and only that."""
    heads = [number for number, line in enumerate(lines) if line.lstrip().startswith("[")]
    for start in heads:
        if _named(lines[start]) != table:
            continue
        for end in (*(number for number in heads if number > start), len(lines)):
            while end > start + 1 and _is_apart(lines[end - 1]):
                end -= 1  # what people wrote above the next table is theirs
            if _says([*lines[:start], *lines[end:]], left):
                return start, end
    raise FormatError(f"{name} has {table} in a form that we did not write.", "Take it out by hand.")


def _named(line: str) -> str:
    return line.partition("#")[0].strip().removeprefix("[").removesuffix("]").replace(" ", "").replace('"', "")


def _is_apart(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _says(lines: Sequence[str], wanted: dict[str, object]) -> bool:
    try:
        return tomllib.loads("".join(lines)) == wanted
    except tomllib.TOMLDecodeError:
        return False


def parse(text: str, name: str) -> dict[str, object]:
    """What the file says; FormatError with the line when it is no TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{name}: it is not TOML: {error}.", "Mend that line; nothing was written.") from None


def held(values: dict[str, Any], table: str) -> Any:
    """What a table says; None when it is not there."""
    outer, _, inner = table.partition(".")
    around = values.get(outer)
    return around.get(inner) if isinstance(around, dict) else None


def quoted(value: str) -> str:
    """A text as TOML writes it; JSON's strings are TOML's, but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _without(value: dict[str, object], table: str) -> dict[str, object]:
    """The value without our table, and without what is empty then."""
    outer, _, inner = table.partition(".")
    held = value.get(outer)
    if not isinstance(held, dict):
        return value
    rest = {name: kept for name, kept in held.items() if name != inner}
    return {**{name: kept for name, kept in value.items() if name != outer}, **({outer: rest} if rest else {})}
