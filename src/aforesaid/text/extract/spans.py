"""Finds spans of text with tables of patterns, merges overlapping spans, and redacts them.

Secrets and personal data are tables for this engine: rows of patterns, and functions where a pattern cannot do it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

LOOK_BACK = 40  # characters before a match that are searched for a label such as "phone:"
LONG_WORD = 16  # characters; every key of a provider has as many
PASSES = 4  # a redaction can reveal another match; no text in the tests needs more than two passes
_SEVEN_DIGITS = re.compile(r"[0-9](?:[-. ()/ー]{0,3}[0-9]){6}")
DIGITS = tuple("0123456789")


@dataclass(frozen=True, slots=True)
class Span:
    """A match in a text: its kind, start and end."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """A redacted text, and the kinds of its redactions in order."""

    text: str
    kinds: tuple[str, ...] = ()


class TextView:
    """A text with properties that the rows of a table need, each computed once."""

    def __init__(self, text: str) -> None:
        """Wrap a text."""
        self.text = text
        self._near: dict[tuple[tuple[str, ...], int], list[tuple[int, int]]] = {}

    @cached_property
    def small(self) -> str:
        """The text in lower case, every character at its old position."""
        return lowered(self.text)

    @cached_property
    def number(self) -> bool:
        """Whether seven or more digits stand together, perhaps grouped."""
        return _SEVEN_DIGITS.search(self.text) is not None

    @cached_property
    def digit(self) -> bool:
        """Whether there is a digit."""
        return holds(self.text, DIGITS)

    def near(self, hints: tuple[str, ...], reach: int) -> list[tuple[int, int]]:
        """The parts of the text in lower case with a digit in them, so many characters around the hints."""
        found = self._near.get((hints, reach))
        if found is None:
            places = windows(self.small, hints, reach, reach) if self.digit else []
            found = [(start, end) for start, end in places if holds(self.small[start:end], DIGITS)]
            self._near[hints, reach] = found
        return found

    @cached_property
    def has_long_word(self) -> bool:
        """Whether a word is as long as a key, by far most are not."""
        return max(map(len, self.words), default=0) >= LONG_WORD

    @cached_property
    def words(self) -> list[str]:
        """The text in lower case, split at white space."""
        return self.small.split()

    def before(self, position: int) -> str:
        """The few words before a position, in lower case."""
        return self.small[max(0, position - LOOK_BACK) : position]


Accept = Callable[[TextView, re.Match[str]], bool]
Trim = Callable[[str, int, int], tuple[int, int] | None]


class SpanRow(NamedTuple):
    """One pattern of a table, and when it applies."""

    kind: str
    pattern: re.Pattern[str]
    accept: Accept | None = None  # None: every match
    hints: tuple[str, ...] = ()  # the pattern runs only over a text that holds one of these
    needs: str = ""  # "digit" or "number": what a text must hold
    group: int | None = 0  # the group that becomes the span; None: the last group that matched
    small: bool = False  # the pattern sees the text in lower case
    trim: Trim | None = None  # shortens the span, or rejects it with None


class SpanFinder(NamedTuple):
    """A function in a table, for matches that need more than one pattern."""

    kind: str
    find: Callable[[TextView], Iterable[tuple[int, int]]]


Table = Sequence[SpanRow | SpanFinder]


def find_spans(table: Table, view: TextView) -> Iterator[Span]:
    """All matches of the rows and functions of a table, in table order."""
    for row in table:
        if isinstance(row, SpanFinder):
            yield from (Span(row.kind, *found) for found in row.find(view))
            continue
        text = view.small if row.small else view.text
        if (row.needs and not getattr(view, row.needs)) or (row.hints and not holds(text, row.hints)):
            continue
        for match in row.pattern.finditer(text):
            if row.accept is None or row.accept(view, match):
                place = match.span(match.lastindex or 0 if row.group is None else row.group)
                found = row.trim(text, *place) if row.trim else place
                if found:
                    yield Span(row.kind, *found)


def holds(text: str, hints: tuple[str, ...]) -> bool:
    """Whether a text holds one of the hints."""
    for hint in hints:  # noqa: SIM110 - a loop is faster than any() here, and this runs a hundred times a message
        if hint in text:
            return True
    return False


def windows(text: str, hints: tuple[str, ...], before: int, after: int) -> list[tuple[int, int]]:
    """The parts of a text around its hints: so many characters before and after each, merged where they overlap."""
    places = []
    for hint in hints:
        at = text.find(hint)
        while at >= 0:
            places.append((max(0, at - before), min(len(text), at + len(hint) + after)))
            at = text.find(hint, at + 1)
    merged_places: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged_places and start <= merged_places[-1][1]:
            merged_places[-1] = (merged_places[-1][0], max(end, merged_places[-1][1]))
        else:
            merged_places.append((start, end))
    return merged_places


def lowered(text: str) -> str:
    """The text in lower case with every character at its old position; a few capitals would become two letters."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


def merged(found: Iterable[Span]) -> list[Span]:
    """Overlapping spans as one, in order. Its kind is that of the span that came first in `found`."""
    ranked = sorted(enumerate(found), key=lambda item: item[1].start)
    kept: list[tuple[int, Span]] = []
    for rank, span in ranked:
        if kept and span.start < kept[-1][1].end:
            first, earlier = kept.pop()
            kind = earlier.kind if first < rank else span.kind
            rank, span = min(rank, first), Span(kind, earlier.start, max(earlier.end, span.end))
        kept.append((rank, span))
    return [span for _, span in kept]


def redact(
    text: str,
    find: Callable[[str], Sequence[Span]],
    mark: Callable[[str, str], str],
    first: Sequence[Span] | None = None,
) -> Redacted:
    """The text with `mark(kind, value)` for every span, repeated until nothing is found.

    `first` replaces what `find` would find in the first pass.
    """
    kinds: list[str] = []
    found = find(text) if first is None else first
    for _ in range(PASSES):
        if not found:
            break
        parts, position = [], 0
        for span in found:
            parts += [text[position : span.start], mark(span.kind, text[span.start : span.end])]
            position = span.end
        text = "".join([*parts, text[position:]])
        kinds += [span.kind for span in found]
        found = find(text)
    return Redacted(text, tuple(kinds))
