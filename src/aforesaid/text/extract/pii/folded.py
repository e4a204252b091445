"""Prepares a text for the tables of personal data, and holds the parts that their patterns share."""

from __future__ import annotations

import re

from aforesaid.text.extract.spans import Accept, TextView

BLOT = "\x1a"  # replaces redactions: a character that no rule matches

_HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d"
_SPACES = "\u00a0\u2002\u2003\u2009\u202f\u3000"
_FORMS = (
    {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
    | {ord(hyphen): "-" for hyphen in _HYPHENS}
    | {ord(space): " " for space in _SPACES}
    | {0xFE6B: "@", 0x2019: "'"}
)
_UNUSUAL = re.compile("[\uff01-\uff5e" + _HYPHENS + _SPACES + "\ufe6b\u2019]")
_REDACTED = re.compile(r"\[(?:secret|pii):[a-z0-9:-]{1,50}\]")


def read(text: str) -> TextView:
    """The text with full-width forms and odd hyphens folded and redactions overwritten. Its length stays the same."""
    if "[pii:" in text or "[secret:" in text:
        text = _REDACTED.sub(lambda match: BLOT * len(match[0]), text)
    if not text.isascii() and _UNUSUAL.search(text):
        text = text.translate(_FORMS)
    return TextView(text)


def named_by(pattern: re.Pattern[str]) -> Accept:
    """Accepts a match if its label stands before it."""
    return lambda view, match: pattern.search(view.before(match.start())) is not None


# How a word and the value that it names are joined: `phone: "`, "passport number is", 電話番号は.
JOINT = (
    r"[\"'`\])*]{0,3}\s{0,2}(?:\([^()\n]{1,20}\)\s?)?(?:(?:[:=>→-]{1,2}|は|が|'s|is|was)?[ \t\n]{0,2}(?:is )?)"
    r"[\"'`*_「(]{0,3}\Z"
)
