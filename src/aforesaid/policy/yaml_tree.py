"""Reads YAML into nodes that know their path and line, and collects every problem of a file into one error.

Only plain data is accepted: tables with text keys, lists, texts, numbers, true, false and null (as in YAML 1.2, so
`on` and `no` are texts). Anchors, aliases, tags, merge keys, several documents, deep and huge files are errors.
The parser's events are read directly, so no objects are constructed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml

from aforesaid.errors import PolicyError, RuleError

MAX_BYTES = 256 * 1024  # far more than a person writes
MAX_DEPTH = 8  # a policy has four levels
MAX_PROBLEMS = 50  # then reading stops: this file was not meant to be a policy
MAX_WORD = 60  # characters of a wrong word that are shown and compared with the right ones
SHOWN = 5  # problems in the message; `problems` holds all of them
REMEDY = "Correct the file and apply it again. Until then the active policy stays in force."
WORDS: Mapping[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_REAL = re.compile(r"[-+]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,3})?")
_NOT_YAML = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in the file: line and column count from 1."""

    line: int
    column: int
    path: str


@dataclass(frozen=True, slots=True, order=True)
class PolicyProblem(Place):
    """One problem and its place; `rule` marks a rule or pattern that cannot be read."""

    message: str
    rule: bool = False


@dataclass(frozen=True, slots=True)
class YamlNode(Place):
    """A scalar, a list or a table; `key` is the place of its key, with the path of the table."""

    value: Scalar | list[YamlNode] | dict[str, YamlNode]
    key: Place


class PolicyFileError(PolicyError):
    """A policy file cannot be used; `problems` lists everything that was found, ordered by line."""

    def __init__(self, source: str, problems: Sequence[PolicyProblem]) -> None:
        self.source = source
        self.problems = tuple(sorted(problems))
        shown = [
            f"{source}:{each.line}: {each.path}{': ' if each.path else ''}{each.message}"
            for each in self.problems[:SHOWN]
        ]
        more = len(self.problems) - SHOWN
        super().__init__("\n".join([*shown, f"… and {more} more."] if more > 0 else shown), REMEDY)


class PolicyRuleError(PolicyFileError, RuleError):
    """A policy file cannot be used, and at least one of the problems is a rule or pattern."""


class Problems:
    """Collects problems while a file is read."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[PolicyProblem] = []

    def add(self, place: Place, message: str, rule: bool = False) -> None:
        """Record a problem; too many stop the reading."""
        self.found.append(PolicyProblem(place.line, place.column, place.path, message, rule))
        if len(self.found) >= MAX_PROBLEMS:
            self.check()

    def stop(self, place: Place, message: str) -> NoReturn:
        """Record a problem after which reading cannot continue, and raise."""
        problem = PolicyProblem(place.line, place.column, place.path, message)
        raise PolicyFileError(self.source, [*self.found, problem])

    def check(self) -> None:
        """Raise if there are any problems."""
        if self.found:
            kind = PolicyRuleError if any(problem.rule for problem in self.found) else PolicyFileError
            raise kind(self.source, self.found)


def quoted(word: str) -> str:
    """A word of the file as an error shows it: quoted, and cut if long."""
    return repr(word if len(word) <= MAX_WORD else word[: MAX_WORD - 1] + "…")


def suggestion(word: str, choices: Iterable[str]) -> str:
    """`Did you mean …?` if a choice is close, else all choices if they are few."""
    from difflib import get_close_matches

    known = sorted(choices)
    if close := get_close_matches(word[:MAX_WORD], known, n=1, cutoff=0.6):
        return f"Did you mean {close[0]!r}?"
    return f"Use one of: {', '.join(known)}." if len(known) <= 15 else "`aforesaid settings` lists them all."


def plain(text: str) -> Scalar:
    """The value of a scalar without quotes."""
    if text in WORDS:
        return WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _REAL.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def read_tree(text: str, problems: Problems) -> YamlNode:
    """The single document of the text. A repeated key is a problem, and its first value counts."""
    start = Place(1, 1, "")
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_BYTES or len(text.encode(errors="surrogatepass")) > MAX_BYTES:
        problems.stop(start, f"the file is over {MAX_BYTES // 1024} kB.")
    if found := _NOT_YAML.search(text):
        before = text[: found.start()]
        place = Place(before.count("\n") + 1, found.start() - before.rfind("\n"), "")
        problems.stop(place, f"the character {found[0]!r} is not allowed in a text file.")
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C it is ten times as fast
    try:
        return _Builder(yaml.parse(text, Loader=loader), problems).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        parts = (part for part in (error.context, error.problem) if part)
        problems.stop(_place(mark, "") if mark else start, f"this is not YAML: {', '.join(parts)}.")


def _place(mark: Any, path: str) -> Place:
    return Place(mark.line + 1, mark.column + 1, path)


class _Builder:
    """Turns parser events into nodes and refuses what a policy does not need."""

    def __init__(self, events: Iterator[Any], problems: Problems) -> None:
        self.events = events
        self.problems = problems

    def document(self) -> YamlNode:
        next(self.events)  # the stream starts
        if isinstance(event := next(self.events), yaml.StreamEndEvent):
            self.problems.stop(Place(1, 1, ""), "the file is empty.")
        node = self.node(next(self.events), "", 0, _place(event.start_mark, ""))
        next(self.events)  # the document ends
        if not isinstance(event := next(self.events), yaml.StreamEndEvent):
            self.problems.stop(_place(event.start_mark, ""), "a second document starts here; a policy is one.")
        return node

    def node(self, event: Any, path: str, depth: int, key: Place) -> YamlNode:
        place = _place(event.start_mark, path)
        if isinstance(event, yaml.AliasEvent):
            self.problems.stop(place, f"the alias *{event.anchor} is not allowed; write the value out.")
        if event.anchor is not None:
            self.problems.stop(place, f"the anchor &{event.anchor} is not allowed; write the value out.")
        if event.tag is not None:
            self.problems.stop(place, f"the tag {quoted(event.tag)} is not allowed; write the value without it.")
        return YamlNode(place.line, place.column, path, self.value(event, place, depth), key)

    def value(self, event: Any, place: Place, depth: int) -> Scalar | list[YamlNode] | dict[str, YamlNode]:
        if isinstance(event, yaml.ScalarEvent):
            if any("\ud800" <= char <= "\udfff" for char in event.value):
                self.problems.stop(place, "this contains half a character, which no file can store.")
            return plain(event.value) if event.implicit[0] else str(event.value)
        if depth == MAX_DEPTH:
            self.problems.stop(place, f"this is nested over {MAX_DEPTH} deep.")
        if isinstance(event, yaml.SequenceStartEvent):
            items = enumerate(self.until(yaml.SequenceEndEvent))
            return [self.node(each, f"{place.path}[{index}]", depth + 1, place) for index, each in items]
        return self.table(place.path, depth)

    def until(self, end: type[Any]) -> Iterator[Any]:
        while not isinstance(event := next(self.events), end):
            yield event

    def table(self, path: str, depth: int) -> dict[str, YamlNode]:
        entries: dict[str, YamlNode] = {}
        for event in self.until(yaml.MappingEndEvent):
            key = self.node(event, path, depth + 1, _place(event.start_mark, path))
            if not isinstance(key.value, str):
                self.problems.stop(key, "a key must be text; put it in quotes.")
            if key.value == "<<":
                self.problems.stop(key, "the merge key << is not allowed; write the values out.")
            inner = ".".join(part for part in (path, key.value[:MAX_WORD]) if part)
            value = self.node(next(self.events), inner, depth + 1, key)
            if key.value in entries:
                first = entries[key.value].key.line
                place = Place(key.line, key.column, inner)
                self.problems.add(place, f"this key is here twice; the first is on line {first}.")
            else:
                entries[key.value] = value
        return entries
