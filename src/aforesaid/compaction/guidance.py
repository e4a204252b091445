"""Rules that somebody lays down in passing: "from now on, always …"."""

from __future__ import annotations

import re

from aforesaid.documents.imperatives import is_directive
from aforesaid.text.sentences import sentences

_LASTING = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|always|never|every time|each time|whenever|by default|"
    r"don'?t ever|for all (?:future|further))\b|今後|これから|以後|必ず|常に|決して|絶対に|毎回|いつも",
    re.IGNORECASE,
)
LONGEST = 600  # characters; a rule is short, and a pasted document is loaded on purpose or not at all


def is_standing_rule(text: str) -> bool:
    """Whether a turn asks for something that is to hold from then on."""
    if len(text) > LONGEST or not _LASTING.search(text):
        return False
    return any(_LASTING.search(sentence) and is_directive(sentence) for sentence in sentences(text))
