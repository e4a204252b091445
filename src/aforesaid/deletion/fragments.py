"""Byte fragments of texts, words and vectors, to search files for deleted data.

Each text gives several fragments, because a file stores a long text on several pages: a page border may cut one
fragment, but not all of them.
"""

from __future__ import annotations

import json

from aforesaid.text.analyze import terms

LEAST_BYTES = 8  # shorter ones occur in any large file by chance
WINDOW_BYTES = 24  # of a text fragment; long enough that only texts with common words share one
VECTOR_BYTES = 32  # of a fragment of a vector
PLACES = 6  # fragments of one text or vector
WORDS = 4  # the longest words of a text: the index stores words one by one
LEAST_VARIETY = 4  # distinct leading bytes of a fragment: runs of dashes or zeros are everywhere


def fragments(data: bytes, window: int = WINDOW_BYTES, places: int = PLACES) -> list[bytes]:
    """Fragments from evenly spread positions; the whole data when it is short, none when it is too short."""
    if len(data) <= window:
        return [data] if _is_distinctive(data) else []
    last = len(data) - window
    starts = sorted({round(place * last / max(places - 1, 1)) for place in range(places)})
    return [part for start in starts if _is_distinctive(part := data[start : start + window])]


def text_fragments(text: str, places: int = PLACES) -> list[bytes]:
    """Fragments of a text as it is written to a file, and as JSON would write it where that differs."""
    plain = fragments(text.encode("utf-8", "replace"), places=places)
    escaped = json.dumps(text)[1:-1]
    return plain if escaped == text else [*plain, *fragments(escaped.encode(), places=places)]


def word_fragments(text: str, count: int = WORDS) -> list[bytes]:
    """The longest words of a text, as the index stores them."""
    found = {term.encode() for term in terms(text)}
    return sorted((word for word in found if _is_distinctive(word)), key=lambda word: (-len(word), word))[:count]


def vector_fragments(data: bytes, places: int = PLACES) -> list[bytes]:
    """Fragments of a vector's bytes."""
    return fragments(data, VECTOR_BYTES, places)


def _is_distinctive(part: bytes) -> bool:
    return len(part) >= LEAST_BYTES and len(set(part[:LEAST_BYTES])) >= LEAST_VARIETY
