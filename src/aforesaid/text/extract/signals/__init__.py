"""Finds the patterns in a message that the gate weighs (spec 4). The rows are in one file per language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from aforesaid.text.extract.dates import names_a_time
from aforesaid.text.extract.signals import code, english, japanese
from aforesaid.text.extract.spans import TextView, find_spans
from aforesaid.text.patterns import Row

MAX_CHARS = 20_000  # a longer message is a pasted log and must not slow down ingest
LATIN = re.compile("[A-Za-z]")
JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Signals:
    """The patterns found, by the names of their weights in the settings, and counts of the specific ones."""

    present: frozenset[str]
    counts: Mapping[str, int]


NO_SIGNALS = Signals(frozenset(), {})


def read_signals(text: str) -> Signals:
    """Every pattern of the gate in a text. Code is removed before natural-language patterns are searched."""
    bare, urls = code.URL.subn(" ", text[:MAX_CHARS].replace("’", "'"))
    view = TextView(bare)
    counts = {row.kind: 0 for row in code.COUNT_ROWS} | {"specific_url": urls}
    for span in find_spans(code.COUNT_ROWS, view):
        counts[span.kind] += 1
    present = {f"technical_{name}" for name in ("path", "url") if counts[f"specific_{name}"]}
    present |= {span.kind for span in find_spans(code.CODE_ROWS, view)}
    prose = prose_of(bare)
    if names_a_time(prose):
        present.add("natural_date")
    if LATIN.search(bare):
        _look(english.TEXT_ROWS, bare.lower(), present)
        _look(english.PROSE_ROWS, prose.lower(), present)
        _look(english.CASED_ROWS, prose, present)
    if JAPANESE.search(bare):
        _look(japanese.TEXT_ROWS, bare, present)
        _look(japanese.PROSE_ROWS, prose, present)
    return Signals(frozenset(present), counts)


def prose_of(text: str) -> str:
    """The text without fenced and inline code, lines that are code, urls and paths."""
    text = code.URL.sub(" ", text)
    if "`" in text or "~~~" in text:
        text = code.INLINE.sub(" ", code.FENCED.sub("\n", text))
    return code.PATH.sub(" ", code.CODE_LINE.sub("", text))


def _look(rows: tuple[Row, ...], text: str, present: set[str]) -> None:
    """Add the signals that the rows find in a text. Signals that are present already are skipped."""
    for name, pattern in rows:
        if name not in present and pattern.search(text):
            present.add(name)
