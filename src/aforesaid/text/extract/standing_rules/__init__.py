"""Detects messages in which a user lays down a rule for the agent: "from now on, always …".

A sentence is a standing rule when three things come together:

- addressee: it tells the agent what to do, or says how the speaker's own group works ("we always use pnpm here");
- scope: it holds from now on, every time, or for a whole class of cases, and not for this one task;
- mood: it commands, forbids, asks or wishes. It does not describe, ask for information, quote, or tell of the past.
"""

from __future__ import annotations

import re

from aforesaid.text.extract.standing_rules.scope import HAS_SCOPE

MAX_CHARS = 600  # rules are short; a longer text is a pasted document
_KANA = re.compile(r"[ぁ-んァ-ヶ一-龥]")


def is_standing_rule(text: str) -> bool:
    """Whether a message lays down a rule that holds from then on."""
    return len(text) <= MAX_CHARS and lays_down_rule(text)


def lays_down_rule(text: str) -> bool:
    """The same for a text of any length."""
    if not HAS_SCOPE.search(text):
        return False
    from aforesaid.text.extract.imperatives import read_prose  # compiling these patterns takes a tenth of a second
    from aforesaid.text.extract.standing_rules import english, japanese

    return any(
        japanese.is_rule(sentence) if _KANA.search(sentence) else english.is_rule(sentence)
        for sentence in read_prose(text).sentences
    )
