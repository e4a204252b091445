"""The tree of a YAML file: tables, lists and leaves that know where they stand."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

WORDS: Mapping[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_REAL = re.compile(r"[-+]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the file, counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Leaf(Spot):
    """A text, a number, true, false or null."""

    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class ListNode(Spot):
    """A list."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Table(Spot):
    """A mapping; `keys` says where each key stands."""

    entries: Mapping[str, Node]
    keys: Mapping[str, Spot]


Node = Leaf | ListNode | Table


def plain(text: str) -> str | int | float | bool | None:
    """What a scalar without quotes means."""
    if text in WORDS:
        return WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _REAL.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text
