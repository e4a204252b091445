"""Reads YAML into a small tree of nodes that know their line. It uses the parser's events and constructs no objects.

Only plain data is accepted: tables with text keys, lists, texts, numbers, true, false and null (as in YAML 1.2, so
`on` and `no` are texts). Anchors, aliases, tags, merge keys, several documents, deep and huge files are errors.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from aforesaid.policy.problems import MAX_WORD, Problems, quoted

MAX_BYTES = 256 * 1024  # far more than a person writes
MAX_DEPTH = 8  # a policy has four levels
WORDS: Mapping[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_REAL = re.compile(r"[-+]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,3})?")
_NOT_YAML = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the file, counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Leaf(Spot):
    """A text, a number, true, false or null."""

    value: Scalar


@dataclass(frozen=True, slots=True)
class ListNode(Spot):
    """A list."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Table(Spot):
    """A mapping; `keys` holds the place of each key."""

    entries: Mapping[str, Node]
    keys: Mapping[str, Spot]


Node = Leaf | ListNode | Table


def plain(text: str) -> Scalar:
    """The value of a scalar without quotes."""
    if text in WORDS:
        return WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _REAL.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def read_tree(text: str, problems: Problems) -> Node:
    """The single document of the text. A repeated key is a problem, and its first value counts."""
    start = Spot(1, 1)
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_BYTES or len(text.encode(errors="surrogatepass")) > MAX_BYTES:
        problems.stop(start, "", f"the file is over {MAX_BYTES // 1024} kB.")
    if found := _NOT_YAML.search(text):
        before = text[: found.start()]
        spot = Spot(before.count("\n") + 1, found.start() - before.rfind("\n"))
        problems.stop(spot, "", f"the character {found[0]!r} is not allowed in a text file.")
    try:
        return _Builder(yaml.parse(text, Loader=_loader()), problems).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        parts = (part for part in (error.context, error.problem) if part)
        problems.stop(_spot(mark) if mark else start, "", f"this is not YAML: {', '.join(parts)}.")


def _loader() -> Any:
    """The C parser if it is there: the same result, ten times as fast."""
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _spot(mark: Any) -> Spot:
    return Spot(mark.line + 1, mark.column + 1)


class _Builder:
    """Turns parser events into nodes and refuses what a policy does not need."""

    def __init__(self, events: Iterator[Any], problems: Problems) -> None:
        self.events = events
        self.problems = problems

    def document(self) -> Node:
        next(self.events)  # the stream starts
        if isinstance(next(self.events), yaml.StreamEndEvent):
            self.problems.stop(Spot(1, 1), "", "the file is empty.")
        node = self.node(next(self.events), "", 0)
        next(self.events)  # the document ends
        event = next(self.events)
        if not isinstance(event, yaml.StreamEndEvent):
            self.problems.stop(_spot(event.start_mark), "", "a second document starts here; a policy is one.")
        return node

    def node(self, event: Any, path: str, depth: int) -> Node:
        spot = _spot(event.start_mark)
        self.refuse_extras(event, spot, path)
        if isinstance(event, yaml.ScalarEvent):
            return Leaf(spot.line, spot.column, self.scalar(event, spot, path))
        if depth == MAX_DEPTH:
            self.problems.stop(spot, path, f"this is nested over {MAX_DEPTH} deep.")
        if isinstance(event, yaml.SequenceStartEvent):
            items = [self.node(each, path, depth + 1) for each in self.until(yaml.SequenceEndEvent)]
            return ListNode(spot.line, spot.column, tuple(items))
        return self.table(spot, path, depth)

    def until(self, end: type[Any]) -> Iterator[Any]:
        while not isinstance(event := next(self.events), end):
            yield event

    def refuse_extras(self, event: Any, spot: Spot, path: str) -> None:
        if isinstance(event, yaml.AliasEvent):
            self.problems.stop(spot, path, f"the alias *{event.anchor} is not allowed; write the value out.")
        if event.anchor is not None:
            self.problems.stop(spot, path, f"the anchor &{event.anchor} is not allowed; write the value out.")
        if event.tag is not None:
            self.problems.stop(spot, path, f"the tag {quoted(event.tag)} is not allowed; write the value without it.")

    def scalar(self, event: Any, spot: Spot, path: str) -> Scalar:
        text: str = event.value
        if any("\ud800" <= char <= "\udfff" for char in text):
            self.problems.stop(spot, path, "this contains half a character, which no file can store.")
        return plain(text) if event.implicit[0] else text

    def table(self, spot: Spot, path: str, depth: int) -> Table:
        entries: dict[str, Node] = {}
        keys: dict[str, Spot] = {}
        for event in self.until(yaml.MappingEndEvent):
            key = self.node(event, path, depth + 1)
            if not isinstance(key, Leaf) or not isinstance(key.value, str):
                self.problems.stop(key, path, "a key must be text; put it in quotes.")
            if key.value == "<<":
                self.problems.stop(key, path, "the merge key << is not allowed; write the values out.")
            inner = ".".join(part for part in (path, key.value[:MAX_WORD]) if part)
            value = self.node(next(self.events), inner, depth + 1)
            if key.value in entries:
                first = keys[key.value].line
                self.problems.add(key, inner, f"this key is here twice; the first is on line {first}.")
            else:
                entries[key.value], keys[key.value] = value, key
        return Table(spot.line, spot.column, entries, keys)
