"""Undoes what hides a secret from a reader of text and not from a person: full-width letters, invisible characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aforesaid.text.extract.spans import Span

_WIDE = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x00A0: " "}
_IS_WIDE = re.compile("[\uff01-\uff5e\u3000\u00a0]")
_HIDDEN = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe0f\ufeff]+")
_BROKEN = re.compile(r"\n(?<=[A-Za-z0-9_-]{6}\n)[ \t>]{0,8}(?=[A-Za-z0-9_-]{6})")
_BEFORE, _AFTER = 100, 200  # characters of a key before and after a line break


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it is read, and where each of its characters stands in the original."""

    text: str
    places: Sequence[int] | None = None  # None: the same places

    def original(self, span: Span) -> Span:
        """The span in the original text."""
        if self.places is None:
            return span
        return Span(span.kind, self.places[span.start], self.places[span.end - 1] + 1)


def fold(text: str) -> Folded:
    """The text with full-width forms narrowed and invisible characters left out."""
    if text.isascii():
        return Folded(text)
    if _IS_WIDE.search(text):
        text = text.translate(_WIDE)
    return _without(_HIDDEN, text)


def joined(text: str) -> Iterator[Folded]:
    """The words around each line break, put together: a key may have been cut in two."""
    for gap in _BROKEN.finditer(text):
        before = text[max(0, gap.start() - _BEFORE) : gap.start()].rsplit(None, 1)[-1]
        after = text[gap.end() : gap.end() + _AFTER].split(None, 1)[0]
        places = [*range(gap.start() - len(before), gap.start()), *range(gap.end(), gap.end() + len(after))]
        yield Folded(before + after, places)


def _without(pattern: re.Pattern[str], text: str) -> Folded:
    gaps = [match.span() for match in pattern.finditer(text)]
    if not gaps:
        return Folded(text)
    places: list[int] = []
    position = 0
    for start, end in [*gaps, (len(text), len(text))]:
        places.extend(range(position, start))
        position = end
    return Folded("".join(text[place] for place in places), places)
