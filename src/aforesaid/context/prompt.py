"""What a prompt asks for, decided before anything heavy is imported."""

from __future__ import annotations

from aforesaid.text.analyze import query_terms
from aforesaid.text.echo import strip_frames
from aforesaid.text.private import without_private

MIN_WORDS = 2  # besides stop words: "go on" and "yes please" ask for nothing that a memory knows


def query_of(prompt: str) -> str:
    """Return the prompt as a search query, without private parts and our own frames; empty for commands and assent."""
    text = strip_frames(without_private(prompt))[0].strip()
    if text.startswith(("/", "!", "#")) or len(set(query_terms(text))) < MIN_WORDS:
        return ""
    return text
