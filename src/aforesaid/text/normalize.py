"""Hashes of content that ignore form and spacing."""

from __future__ import annotations

import hashlib
import unicodedata

from aforesaid.types import storable


def fold(text: str) -> str:
    """The text in NFC, trimmed, with one space for every run of white space (spec 1)."""
    return " ".join(unicodedata.normalize("NFC", storable(text)).split())  # a line break, CRLF or LF, is white space


def content_hash(text: str) -> str:
    """sha256 of the folded text in hex: equal for texts that differ only in form or spacing (spec 1)."""
    return hashlib.sha256(fold(text).encode()).hexdigest()
