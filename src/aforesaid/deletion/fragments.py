"""What to look for in raw bytes to learn whether a text is still there: fragments of it, of its words, of its vectors.

A fragment is cut at several places of a text, because a file keeps a long text on several pages: a page's end may go
through one fragment, but not through all of them.
"""

from __future__ import annotations

import json

from aforesaid.text.analyze import terms

LEAST_BYTES = 8  # shorter runs stand in any large file by chance
WINDOW_BYTES = 24  # of a fragment of text: enough that two texts share one only if they share words
VECTOR_BYTES = 32  # of a fragment of a vector
PLACES = 6  # fragments of one text or vector
WORDS = 4  # of a text, the longest: an index keeps them one by one, far from each other
LEAST_VARIETY = 4  # distinct bytes at the head of a fragment: rules of dashes and runs of zeros are everywhere


def fragments(data: bytes, window: int = WINDOW_BYTES, places: int = PLACES) -> list[bytes]:
    """Runs of bytes from evenly spread places; the whole when it is short, nothing when it is too short to tell."""
    if len(data) <= window:
        return [data] if _telling(data) else []
    last = len(data) - window
    starts = sorted({round(place * last / max(places - 1, 1)) for place in range(places)})
    return [part for start in starts if _telling(part := data[start : start + window])]


def text_fragments(text: str, places: int = PLACES) -> list[bytes]:
    """Fragments of a text as it is written to a file, and as JSON would write it where that differs."""
    plain = fragments(text.encode("utf-8", "replace"), places=places)
    escaped = json.dumps(text)[1:-1]
    return plain if escaped == text else [*plain, *fragments(escaped.encode(), places=places)]


def word_fragments(text: str, count: int = WORDS) -> list[bytes]:
    """The longest words of a text as an index keeps them, if they are long enough to tell."""
    found = {term.encode() for term in terms(text)}
    return sorted((word for word in found if _telling(word)), key=lambda word: (-len(word), word))[:count]


def vector_fragments(data: bytes, places: int = PLACES) -> list[bytes]:
    """Fragments of a vector's bytes."""
    return fragments(data, VECTOR_BYTES, places)


def _telling(part: bytes) -> bool:
    return len(part) >= LEAST_BYTES and len(set(part[:LEAST_BYTES])) >= LEAST_VARIETY
