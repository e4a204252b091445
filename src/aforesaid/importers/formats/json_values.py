"""Reads values out of parsed JSON that may have any shape."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from aforesaid.errors import InputError
from aforesaid.text.normalize import content_hash
from aforesaid.types import as_time, check_id

LAST_SECOND = 1e11  # larger numbers (beyond the year 5138) are milliseconds
HASH_CHARS = 8  # of a content hash in a positional id


def as_object(value: Any) -> Mapping[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def as_id(value: Any) -> str | None:
    """The value if it is a valid id, else None."""
    try:
        return check_id(value)
    except InputError:
        return None


def parse_time(value: Any) -> datetime | None:
    """A time in UTC from ISO 8601 text or from seconds or milliseconds since 1970; None for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > LAST_SECOND:
        value = value / 1000 if isinstance(value, float) or value.bit_length() < 64 else None
    try:
        return as_time(value) if isinstance(value, str | int | float) else None
    except InputError:
        return None


def positional_id(number: int, text: str) -> str:
    """An id for a message that has none, made from its position and its text."""
    return f"{number:06d}-{content_hash(text)[:HASH_CHARS]}"
