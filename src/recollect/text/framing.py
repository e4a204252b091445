"""Recalled text as data: it cannot close its frame, and it cannot speak as somebody else."""

from __future__ import annotations

import re
import unicodedata

# Direction marks and invisible characters hide text from people while models still read it.
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
_TAG = re.compile(
    r"<(?=\s*/?\s*(?:recalled-history|system|assistant|user|tool|instructions?|im_start|im_end|\|))", re.I
)
_ROLE = re.compile(r"^([ \t>#*]*)(system|assistant|developer|human|user|tool)([ \t*]*:)", re.I | re.M)
_MARKER = re.compile(r"\[(?=\s*/?\s*INST\s*\])", re.I)


def neutralised(text: str) -> str:
    """The text on one line, its tags and role markers disarmed, its invisible characters gone."""
    clean = _INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    clean = _ROLE.sub("\\1\\2∶", _TAG.sub("‹", _MARKER.sub("⟦", clean)))
    return " ⏎ ".join(line.strip() for line in clean.splitlines() if line.strip())
