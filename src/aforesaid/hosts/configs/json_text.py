"""Edits JSON files of other programs, keeping their indentation."""

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
    """Adds our part to a JSON object, and removes it."""

    add: Change
    remove: Change

    def is_in(self, text: str, name: str) -> bool:
        """Whether our part is in the file."""
        value = parse(text, name)
        return self._changed(self.remove, value, name) != value

    def add_to(self, text: str | None, name: str) -> str:
        """The text with our part in it. A missing file counts as an empty object."""
        value = parse(text, name)
        new = self._changed(self.add, value, name)
        return text if text is not None and new == value else _written(new, text)

    def remove_from(self, text: str, name: str) -> str | None:
        """The text without our part; None if nothing else is in it."""
        left = self._changed(self.remove, parse(text, name), name)
        return _written(left, text) if left else None

    def _changed(self, change: Change, value: dict[str, Any], name: str) -> dict[str, Any]:
        try:
            return change(value)
        except FormatError as error:
            raise FormatError(f"{name}: {error.message}", error.remedy) from None


def parse(text: str | None, name: str) -> dict[str, Any]:
    """Parse an object. Raises FormatError with the line if it is none, or cannot be written back without loss."""
    if text is None or not text.removeprefix(MARK).strip():
        return {}
    try:
        value = json.loads(
            text.removeprefix(MARK), object_pairs_hook=_once, parse_float=_number, parse_constant=_number
        )
    except json.JSONDecodeError as error:
        where = f"{name}:{error.lineno}"
        raise FormatError(f"{where}: it is not JSON: {error.msg}.", "Repair that line; nothing was written.") from None
    except (RecursionError, ValueError):
        raise FormatError(
            f"{name}: it is nested too deeply, or contains a number such as NaN.", "Nothing was written."
        ) from None
    except _TwiceError as error:
        line = _line_of(text, str(error))
        raise FormatError(
            f"{name}:{line}: {str(error)!r} is there twice.", "Remove one of them; nothing was written."
        ) from None
    if not isinstance(value, dict):
        raise FormatError(f"{name}:1: it is not an object.", "Nothing was written.")
    return value


class _TwiceError(Exception):
    """An object has the same name twice: one of the two would be lost."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _TwiceError(name)
        found[name] = value
    return found


def _number(text: str) -> float:
    """A number that JSON can write again; infinities and NaN are not."""
    if not math.isfinite(found := float(text)):
        raise ValueError(text)
    return found


def _line_of(text: str, name: str) -> int:
    """The line where a name occurs last."""
    return text.count("\n", 0, max(text.rfind(json.dumps(name, ensure_ascii=False)), 0)) + 1


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
            raise FormatError(
                f"{'.'.join(names[:depth])} is not an object but {json.dumps(here)[:40]}.", "Nothing was written."
            )
    return dict(here)


def with_object(value: dict[str, Any], inner: dict[str, Any], *names: str) -> dict[str, Any]:
    """The value with this object under these names. Empty objects are removed."""
    name, rest = names[0], names[1:]
    if rest:
        inner = with_object(object_in(value, name), inner, *rest)
    if not inner:
        return {other: kept for other, kept in value.items() if other != name}
    return {**value, name: inner}
