"""A text as the finders of personal data read it: forms folded together, place for place, and what it could hold."""

from __future__ import annotations

import re
from typing import NamedTuple

from aforesaid.text.extract.spans import lowered

LOOK_BACK = 40  # characters before a value in which the word that names it stands
BLOT = "\x1a"  # what a redaction is read as: no letter, digit, space or sign that any rule asks for

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
_SEVEN_DIGITS = re.compile(r"[0-9](?:[-. ()/ー]{0,3}[0-9]){6}")


class FoldedText(NamedTuple):
    """A text with full-width forms and odd hyphens folded, and as small letters; every position as in the original."""

    text: str
    small: str
    digit: bool  # there is one
    number: bool  # seven or more digits stand together, perhaps grouped

    def before(self, position: int) -> str:
        """The few words in front of a position, as small letters."""
        return self.small[max(0, position - LOOK_BACK) : position]


def read(text: str) -> FoldedText:
    """The text as the finders read it; what is redacted already is blotted out."""
    if "[pii:" in text or "[secret:" in text:
        text = _REDACTED.sub(lambda match: BLOT * len(match[0]), text)
    if not text.isascii() and _UNUSUAL.search(text):
        text = text.translate(_FORMS)
    number = _SEVEN_DIGITS.search(text) is not None
    return FoldedText(text, lowered(text), number or re.search("[0-9]", text) is not None, number)


def words(listed: str) -> str:
    """Words as alternatives of a pattern."""
    return "|".join(listed.split())


# How a word and the value that it names are joined: `phone: "`, "passport number is", 電話番号は.
JOINT = (
    r"[\"'`\])*]{0,3}\s{0,2}(?:\([^()\n]{1,20}\)\s?)?(?:(?:[:=>→-]{1,2}|は|が|'s|is|was)?[ \t\n]{0,2}(?:is )?)"
    r"[\"'`*_「(]{0,3}\Z"
)
