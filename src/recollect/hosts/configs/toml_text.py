"""TOML files that belong to somebody else: a block between two marks, and every other byte as it was."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.errors import FormatError

BEGIN = "# >>> recollect: written by `recollect install`, removed by `--undo` >>>"
END = "# <<< recollect <<<"


@dataclass(frozen=True, slots=True)
class TomlEdit:
    """A table that is added at the end of a file, and the way back."""

    table: str
    lines: Sequence[str]

    def holds(self, text: str, name: str) -> bool:
        """Whether our block is in the file."""
        return without_block(text, name) != text

    def added(self, text: str | None, name: str) -> str:
        """The file with our block behind the rest, as TOML that says what it said and our table."""
        bare = without_block(text or "", name)
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
        """The file without our block; None when nothing else is in it."""
        bare = without_block(text, name)
        parse(bare, name)
        return bare or None


def parse(text: str, name: str) -> dict[str, object]:
    """What the file says; FormatError with the line when it is no TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{name}: it is not TOML: {error}.", "Mend that line; nothing was written.") from None


def without_block(text: str, name: str) -> str:
    """The text without what stands between our marks, and without the empty line before them."""
    start = text.find(BEGIN)
    if start < 0:
        return text
    end = text.find(END, start)
    if end < 0:
        line = text.count("\n", 0, start) + 1
        raise FormatError(f"{name}:{line}: recollect's block has lost its end.", "Delete it by hand.")
    end = text.find("\n", end) + 1 or len(text)
    head = text[:start]
    return (head[:-1] if head.endswith("\n\n") else head) + text[end:]


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
