"""Detects lasting rules in messages: "from now on, always …"."""

from __future__ import annotations

import re

from aforesaid.documents.imperatives import is_directive
from aforesaid.text.sentences import sentences

_LASTING = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|always|never|every time|each time|whenever|by default|"
    r"don'?t ever|for all (?:future|further))\b|今後|これから|以後|必ず|常に|決して|絶対に|毎回|いつも",
    re.IGNORECASE,
)
MAX_CHARS = 600  # rules are short; a longer text is a pasted document


def is_standing_rule(text: str) -> bool:
    """Whether a message states a rule that holds from then on."""
    if len(text) > MAX_CHARS or not _LASTING.search(text):
        return False
    return any(_LASTING.search(sentence) and is_directive(sentence) for sentence in sentences(text))
