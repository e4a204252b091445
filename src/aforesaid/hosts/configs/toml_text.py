"""Adds a table at the end of TOML files of other programs, and changes no other byte.

A host that edits the file itself may move tables and drop comments. So we find our table by its name and its values.
The comments around it are only for people.
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

    outer: str
    inner: str
    lines: Sequence[str]
    is_ours: Callable[[Any], bool]

    def is_in(self, text: str) -> bool:
        """Whether our table is in the file."""
        return self.is_ours(self._values(parse(text)))

    def add_to(self, text: str | None) -> str:
        """The text with our table: unchanged if the table has these values already, else with the table at the end."""
        wanted = tomllib.loads("\n".join(self.lines))
        now = self._values(parse(text or ""))
        if text is not None and isinstance(now, dict) and {**now, **wanted} == now:
            return text
        bare = self.remove_from(text or "") or ""
        gap = "" if not bare else "\n" if bare.endswith("\n") else "\n\n"
        result = bare + gap + "\n".join([BEGIN, f"[{self.outer}.{self.inner}]", *self.lines, END, ""])
        try:
            fits = self._values(tomllib.loads(result)) == wanted
        except tomllib.TOMLDecodeError:
            fits = False
        if not fits:
            what = f"It has {self.outer}.{self.inner} already, or something that excludes it."
            raise FormatError(what, "Remove that, or use --no-mcp.")
        return result

    def remove_from(self, text: str) -> str | None:
        """The text without our table, its comments, and the empty line before them; None if nothing else is in it."""
        values = parse(text)
        if not self.is_ours(self._values(values)):
            return text or None
        kept: list[str] = []
        inside = False
        for line in text.splitlines(keepends=True):
            content = line.strip()
            if content.startswith("["):
                before, inside = inside, self._is_header(content)
                if inside and not before and kept and not kept[-1].strip():
                    kept.pop()
            if content in (BEGIN, END):
                inside = inside and content == BEGIN
            elif not inside or content.startswith("#"):  # comments above the next table belong to it
                kept.append(line)
        left = "".join(kept)
        if parse(left) != self._without_ours(values):
            raise FormatError(f"{self.outer}.{self.inner} has a form that we did not write.", "Remove it by hand.")
        return left or None

    def _is_header(self, line: str) -> bool:
        name = line.partition("#")[0].replace(" ", "").replace('"', "")
        return name.startswith((f"[{self.outer}.{self.inner}]", f"[{self.outer}.{self.inner}."))

    def _values(self, values: dict[str, Any]) -> Any:
        """The values of the table; None if it is not there."""
        around = values.get(self.outer)
        return around.get(self.inner) if isinstance(around, dict) else None

    def _without_ours(self, values: dict[str, Any]) -> dict[str, Any]:
        """The values without the table, and without the outer table if that is empty then."""
        rest = {name: kept for name, kept in values[self.outer].items() if name != self.inner}
        others = {name: kept for name, kept in values.items() if name != self.outer}
        return {**others, self.outer: rest} if rest else others


def parse(text: str) -> dict[str, Any]:
    """Parse a file. Raises FormatError with the line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"It is not TOML: {error}.", "Repair that line.") from None


def quoted(value: str) -> str:
    """A TOML string. It is a JSON string, except for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
