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


def corrected(cells: Sequence[Any], expected: int) -> list[Any] | None:
    """Turn one flipped bit of a text back, so that the checksum is right. None if that is not what happened.

    The checksum is linear: the difference to the expected one depends only on the place of the flipped bit.
    """
    parts = [str(cell).encode("utf-8", "surrogateescape") for cell in cells]
    difference = checksum(cells) ^ expected
    found = _place_of(difference, sum(map(len, parts)) + len(parts))
    if found is None:
        return None
    byte, bit = found
    for number, part in enumerate(parts):
        if byte < len(part):
            changed = part[:byte] + bytes([part[byte] ^ 1 << bit]) + part[byte + 1 :]
            return _with_text(cells, number, changed) if isinstance(cells[number], str) else None
        byte -= len(part) + 1
        if byte < 0:  # the flipped bit would be in a link
            return None
    return None


def _with_text(cells: Sequence[Any], number: int, text: bytes) -> list[Any] | None:
    try:
        return [*cells[:number], text.decode(), *cells[number + 1 :]]
    except UnicodeDecodeError:
        return None


def _place_of(difference: int, length: int) -> tuple[int, int] | None:
    """Return byte and bit whose flip changes the checksum of `length` bytes by this difference."""
    states = [crc32(bytes([1 << bit])) ^ crc32(b"\0") for bit in range(8)]  # of the last byte
    for byte in range(length - 1, -1, -1):
        if difference in states:
            return byte, states.index(difference)
        states = [state >> 8 ^ _step(state & 0xFF) for state in states]
    return None


@lru_cache(maxsize=256)
def _step(byte: int) -> int:
    """Return the entry of the table of CRC-32."""
    return crc32(bytes([byte ^ 0xFF])) ^ crc32(b"\xff")
