"""JSON files that belong to somebody else: read with care, written with the indentation they had."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aforesaid.errors import FormatError

INDENT = re.compile(r"^[\[{]\r?\n([ \t]{1,16})\S")
DEFAULT_INDENT = 2
MARK = "\ufeff"  # a byte order mark

Change = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class JsonEdit:
    """A change of a JSON object and the way back, as changes of its text."""

    add: Change
    remove: Change

    def holds(self, text: str, name: str) -> bool:
        """Whether our part is in the file."""
        value = parse(text, name)
        return self._changed(self.remove, value, name) != value

    def added(self, text: str | None, name: str) -> str:
        """The file with our part in it; it begins as an empty object."""
        value = parse(text, name)
        new = self._changed(self.add, value, name)
        return text if text is not None and new == value else _written(new, text)

    def removed(self, text: str, name: str) -> str | None:
        """The file without our part; None when nothing else is in it."""
        left = self._changed(self.remove, parse(text, name), name)
        return _written(left, text) if left else None

    def _changed(self, change: Change, value: dict[str, Any], name: str) -> dict[str, Any]:
        try:
            return change(value)
        except FormatError as error:
            raise FormatError(f"{name}: {error.message}", error.remedy) from None


def parse(text: str | None, name: str) -> dict[str, Any]:
    """The object that a file holds; FormatError with the line when it is none that could be written back."""
    if text is None or not text.removeprefix(MARK).strip():
        return {}
    try:
        value = json.loads(
            text.removeprefix(MARK), object_pairs_hook=_once, parse_float=_number, parse_constant=_number
        )
    except json.JSONDecodeError as error:
        where = f"{name}:{error.lineno}"
        raise FormatError(f"{where}: it is not JSON: {error.msg}.", "Mend that line; nothing was written.") from None
    except (RecursionError, ValueError):
        raise FormatError(
            f"{name}: it is nested too deeply, or holds a number that is no number.", "Nothing was written."
        ) from None
    except _TwiceError as error:
        line = _line_of(text, str(error))
        raise FormatError(
            f"{name}:{line}: {str(error)!r} is there twice.", "Leave one of them; nothing was written."
        ) from None
    if not isinstance(value, dict):
        raise FormatError(f"{name}:1: it holds no object.", "Nothing was written.")
    return value


class _TwiceError(Exception):
    """A name that an object has twice: one of the two would be lost."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _TwiceError(name)
        found[name] = value
    return found


def _number(text: str) -> float:
    """A number that can be written again: infinities and NaN cannot."""
    if not math.isfinite(found := float(text)):
        raise ValueError(text)
    return found


def _line_of(text: str, name: str) -> int:
    """The line of the last mention of a name."""
    return text.count("\n", 0, max(text.rfind(json.dumps(name, ensure_ascii=False)), 0)) + 1


def _written(value: dict[str, Any], like: str | None) -> str:
    """The value as text, laid out as that text is."""
    old = (like or "").removeprefix(MARK)
    found = INDENT.match(old)
    indent: int | str = found[1] if found else DEFAULT_INDENT
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a character pair, which only an escape can say
        text = json.dumps(value, indent=indent)
    if "\r\n" in old:
        text = text.replace("\n", "\r\n")
    end = "" if old.strip() and not old.endswith("\n") else "\r\n" if "\r\n" in old else "\n"
    return (MARK if (like or "").startswith(MARK) else "") + text + end


def object_in(value: dict[str, Any], *names: str) -> dict[str, Any]:
    """The object under these names, an empty one where there is none; FormatError when something else is there."""
    here: Any = value
    for depth, name in enumerate(names, start=1):
        here = here.get(name, {})
        if not isinstance(here, dict):
            raise FormatError(
                f"{'.'.join(names[:depth])} is not an object but {json.dumps(here)[:40]}.", "Nothing was written."
            )
    return dict(here)


def with_object(value: dict[str, Any], held: dict[str, Any], *names: str) -> dict[str, Any]:
    """The value with that object under these names; an empty one goes, and what is empty above it."""
    name, rest = names[0], names[1:]
    inner = with_object(object_in(value, name), held, *rest) if rest else held
    if not inner:
        return {other: kept for other, kept in value.items() if other != name}
    return {**value, name: inner}
