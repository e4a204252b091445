"""Spans of text that a reader found, and what readers do with them: merge, replace, redact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

PASSES = 4  # a redaction can uncover a further find; no text in the tests needs more than two passes


@dataclass(frozen=True, slots=True)
class Span:
    """One find in a text: its kind, where it starts and where it ends."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without what was taken out of it, and the kinds of what was taken out, in order."""

    text: str
    kinds: tuple[str, ...] = ()


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
