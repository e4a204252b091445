"""Turns a prompt into a search query. Imports little, because hooks call it for every prompt."""

from __future__ import annotations

from aforesaid.text.analyze import query_terms
from aforesaid.text.echo import strip_frames
from aforesaid.text.private import without_private

MIN_WORDS = 2  # besides stop words: "go on" and "yes please" need no memory


def query_of(prompt: str) -> str:
    """The query without private parts and our own frames; "" for commands and short agreement."""
    text = strip_frames(without_private(prompt))[0].strip()
    if text.startswith(("/", "!", "#")) or len(set(query_terms(text))) < MIN_WORDS:
        return ""
    return text
