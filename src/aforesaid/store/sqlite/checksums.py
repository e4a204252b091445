"""Checksums of rows and blobs: CRC-32 (`zlib`).

CRC-32 finds every single flipped bit, every two flipped bits and every burst of up to 32 bits in data of our sizes, at
2 GB a second. Any other damage is missed with a chance of 2⁻³². Adler-32 is hardly faster and weak for short texts. A
cryptographic hash (blake2b) is four times slower, and damage is no opponent: it does not choose its bits.

The checksum of a row is that of its cells as text, joined with an unlikely character. SQLite can compute the same text
(`cells_sql`), so that a migration can fill the checksums of rows that Python cannot decode.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from zlib import crc32

LINK = "\x1f"  # between the cells


def checksum(cells: Sequence[Any], data: bytes = b"") -> int:
    """Return the checksum of a row: of its numbers and texts, then of a blob."""
    text = _template(len(cells)) % tuple(cells)
    start = crc32(text.encode("utf-8", "surrogateescape"))  # text that is no UTF-8 is read with surrogates
    return crc32(data, start) if data else start


@lru_cache
def _template(cells: int) -> str:
    return f"%s{LINK}" * cells


def cells_sql(*columns: str) -> str:
    """Return SQL that makes of columns the bytes that `checksum` looks at."""
    return (
        "CAST(" + " || char(31) || ".join(f"ifnull({column}, 'None')" for column in columns) + " || char(31) AS BLOB)"
    )
