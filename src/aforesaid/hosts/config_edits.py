"""Edits JSON and TOML files of other programs, and keeps the rest: of JSON its indentation, of TOML every byte.

A host that edits its TOML file itself may move tables and drop comments. So we find our table by its name and its
values. The comments around it are only for people.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from aforesaid.errors import FormatError

INDENT = re.compile(r"^[\[{]\r?\n([ \t]{1,16})\S")
DEFAULT_INDENT = 2
MARK = "\ufeff"  # a byte order mark
BEGIN = "# >>> aforesaid: written by `aforesaid install`, removed by `--undo` >>>"
END = "# <<< aforesaid <<<"

Change = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class JsonEdit:
    """Adds our part to a JSON object, and removes it."""

    add: Change
    remove: Change

    def is_in(self, text: str) -> bool:
        """Whether our part is in the file."""
        value = parse_json(text)
        return self.remove(value) != value

    def add_to(self, text: str | None) -> str:
        """The text with our part in it. A missing file counts as an empty object."""
        value = parse_json(text)
        new = self.add(value)
        return text if text is not None and new == value else _written(new, text)

    def remove_from(self, text: str) -> str | None:
        """The text without our part; None if nothing else is in it."""
        left = self.remove(parse_json(text))
        return _written(left, text) if left else None


def parse_json(text: str | None) -> dict[str, Any]:
    """Parse an object. Raises FormatError if it is none, or cannot be written back without loss."""
    content = (text or "").removeprefix(MARK)
    if not content.strip():
        return {}
    try:
        value = json.loads(content, object_pairs_hook=_without_repeats)
        json.dumps(value, allow_nan=False)
    except json.JSONDecodeError as error:
        raise FormatError(f"Line {error.lineno} is not JSON: {error.msg}.", "Repair that line.") from None
    except FormatError:
        raise
    except (RecursionError, ValueError):
        raise FormatError("It is nested too deeply, or contains a number such as NaN.") from None
    if not isinstance(value, dict):
        raise FormatError("It is not an object.")
    return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise FormatError(f"{name!r} is there twice, and we would lose one.", "Remove one of them.")
        found[name] = value
    return found


def _written(value: dict[str, Any], like: str | None) -> str:
    """The value as text, with the indentation and line ends of the old text."""
    old = (like or "").removeprefix(MARK)
    found = INDENT.match(old)
    indent: int | str = found[1] if found else DEFAULT_INDENT
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate can be written only as an escape
        text = json.dumps(value, indent=indent)
    if "\r\n" in old:
        text = text.replace("\n", "\r\n")
    end = "" if old.strip() and not old.endswith("\n") else "\r\n" if "\r\n" in old else "\n"
    return (MARK if (like or "").startswith(MARK) else "") + text + end


def object_in(value: dict[str, Any], *names: str) -> dict[str, Any]:
    """The object under these names; empty if there is none. Raises FormatError if something else is there."""
    here: Any = value
    for depth, name in enumerate(names, start=1):
        here = here.get(name, {})
        if not isinstance(here, dict):
            raise FormatError(f"{'.'.join(names[:depth])} is not an object but {json.dumps(here)[:40]}.")
    return dict(here)


def with_object(value: dict[str, Any], inner: dict[str, Any], *names: str) -> dict[str, Any]:
    """The value with this object under these names. Empty objects are removed."""
    name, rest = names[0], names[1:]
    if rest:
        inner = with_object(object_in(value, name), inner, *rest)
    if not inner:
        return {other: kept for other, kept in value.items() if other != name}
    return {**value, name: inner}


@dataclass(frozen=True, slots=True)
class TomlEdit:
    """Adds a table `outer.inner` at the end of a file, and removes it. `is_ours` recognises it by its values."""

    outer: str
    inner: str
    lines: Sequence[str]
    is_ours: Callable[[Any], bool]

    def is_in(self, text: str) -> bool:
        """Whether our table is in the file."""
        return self.is_ours(self._values(parse_toml(text)))

    def add_to(self, text: str | None) -> str:
        """The text with our table: unchanged if the table has these values already, else with the table at the end."""
        wanted = tomllib.loads("\n".join(self.lines))
        now = self._values(parse_toml(text or ""))
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
        values = parse_toml(text)
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
        if parse_toml(left) != self._without_ours(values):
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


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a file. Raises FormatError with the line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"It is not TOML: {error}.", "Repair that line.") from None


def quoted(value: str) -> str:
    """A TOML string. It is a JSON string, except for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
