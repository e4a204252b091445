"""YAML read into a small tree that knows its lines, from the parser's events: no object is ever constructed.

Only plain data is taken: tables with text keys, lists, texts, numbers, true, false and null (as in YAML 1.2, so that
`on` and `no` are texts). Anchors, aliases, tags, merge keys, several documents, deep and huge files are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from aforesaid.policy.nodes import Leaf, ListNode, Node, Spot, Table, plain
from aforesaid.policy.problems import MAX_WORD, Problems, shortened

MAX_BYTES = 256 * 1024  # far more than anybody will write by hand
MAX_DEPTH = 8  # a policy has four levels

_NOT_YAML = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_tree(text: str, problems: Problems) -> Node:
    """The one document of the text; a key that comes twice is a problem, and its first value stays."""
    start = Spot(1, 1)
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_BYTES or len(text.encode(errors="surrogatepass")) > MAX_BYTES:
        problems.stop(start, "", f"the file is over {MAX_BYTES // 1024} kB.")
    if found := _NOT_YAML.search(text):
        before = text[: found.start()]
        spot = Spot(before.count("\n") + 1, found.start() - before.rfind("\n"))
        problems.stop(spot, "", f"the character {found[0]!r} cannot stand in a text file.")
    try:
        return _Builder(yaml.parse(text, Loader=_loader()), problems).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        parts = (part for part in (error.context, error.problem) if part)
        problems.stop(_spot(mark) if mark else start, "", f"this is not YAML: {', '.join(parts)}.")


def _loader() -> Any:
    """The parser in C where there is one; it reads the same and is ten times as fast."""
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _spot(mark: Any) -> Spot:
    return Spot(mark.line + 1, mark.column + 1)


class _Builder:
    """Turns events into nodes and refuses what a policy does not need."""

    def __init__(self, events: Iterator[Any], problems: Problems) -> None:
        self.events = events
        self.problems = problems

    def document(self) -> Node:
        next(self.events)  # the stream starts
        event = next(self.events)
        if isinstance(event, yaml.StreamEndEvent):
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
            return ListNode(spot.line, spot.column, tuple(self.items(path, depth)))
        return self.table(spot, path, depth)

    def refuse_extras(self, event: Any, spot: Spot, path: str) -> None:
        if isinstance(event, yaml.AliasEvent):
            self.problems.stop(spot, path, f"the alias *{event.anchor} is not taken; write the value out.")
        if event.anchor is not None:
            self.problems.stop(spot, path, f"the anchor &{event.anchor} is not taken; write the value out.")
        if event.tag is not None:
            self.problems.stop(spot, path, f"the tag {shortened(event.tag)} is not taken; write the value without it.")

    def scalar(self, event: Any, spot: Spot, path: str) -> str | int | float | bool | None:
        text: str = event.value
        if any("\ud800" <= char <= "\udfff" for char in text):
            self.problems.stop(spot, path, "this holds half a character, which no file can keep.")
        return plain(text) if event.implicit[0] else text

    def items(self, path: str, depth: int) -> Iterator[Node]:
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            yield self.node(event, path, depth + 1)

    def table(self, spot: Spot, path: str, depth: int) -> Table:
        entries: dict[str, Node] = {}
        keys: dict[str, Spot] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.node(event, path, depth + 1)
            if not isinstance(key, Leaf) or not isinstance(key.value, str):
                self.problems.stop(key, path, "a key has to be text; put it in quotes.")
            if key.value == "<<":
                self.problems.stop(key, path, "the merge key << is not taken; write the values out.")
            inner = ".".join(part for part in (path, key.value[:MAX_WORD]) if part)
            value = self.node(next(self.events), inner, depth + 1)
            if key.value in entries:
                first = keys[key.value].line
                self.problems.add(key, inner, f"this key is here twice; the first is on line {first}.")
            else:
                entries[key.value], keys[key.value] = value, key
        return Table(spot.line, spot.column, entries, keys)
