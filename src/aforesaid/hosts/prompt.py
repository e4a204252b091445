"""What a prompt asks of a memory, if anything: settled before anything heavy is imported."""

from __future__ import annotations

from aforesaid.text.analyze import query_terms
from aforesaid.text.echo import strip_frames
from aforesaid.text.private import without_private

FEWEST_WORDS = 2  # besides stop words: "go on" and "yes please" ask for nothing that a memory knows


def asked(prompt: str) -> str:
    """What a prompt asks, private parts and our own text left out; nothing for commands and words of assent."""
    text = strip_frames(without_private(prompt))[0].strip()
    if text.startswith(("/", "!", "#")) or len(set(query_terms(text))) < FEWEST_WORDS:
        return ""
    return text
