"""Edits JSON files of other programs, keeping their indentation."""

from __future__ import annotations

import json
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

    def is_in(self, text: str) -> bool:
        """Whether our part is in the file."""
        value = parse(text)
        return self.remove(value) != value

    def add_to(self, text: str | None) -> str:
        """The text with our part in it. A missing file counts as an empty object."""
        value = parse(text)
        new = self.add(value)
        return text if text is not None and new == value else _written(new, text)

    def remove_from(self, text: str) -> str | None:
        """The text without our part; None if nothing else is in it."""
        left = self.remove(parse(text))
        return _written(left, text) if left else None


def parse(text: str | None) -> dict[str, Any]:
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
