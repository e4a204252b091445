"""Checks and conversions of values that callers pass in. Each raises InputError with the wrong value and a remedy."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from aforesaid.errors import InputError, UnknownClassError
from aforesaid.types.vocabulary import AGENT_ROLES, BOUNDARIES, MAX_ID_CHARS, USER_ROLES, Boundary, TimeLike

SHOWN_CHARS = 60  # of a wrong value in a message
NEAR_ROLE = 0.8  # of difflib, where 1 is the same word
DATE = re.compile(r"\d{4}-?\d\d-?\d\d")


def as_time(value: TimeLike, name: str = "time") -> datetime:
    """Convert a datetime, ISO 8601 text or Unix seconds to UTC. A time without a zone is read as UTC."""
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            if not math.isfinite(value):
                raise ValueError("not finite")
            value = datetime.fromtimestamp(value, UTC)
        if not isinstance(value, datetime):
            raise TypeError(type(value).__name__)
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, OSError) as error:
        raise InputError(
            f"{name} is not a time: {shown(value)}.",
            "Use a datetime, ISO 8601 text like 2026-05-03T10:00:00Z, or seconds.",
        ) from error


def as_end(value: TimeLike, name: str = "until") -> datetime:
    """The same for the end of a span: a date alone, as text, means the last moment of that day."""
    is_date = isinstance(value, str) and DATE.fullmatch(value)
    return as_time(value, name) + (timedelta(days=1, microseconds=-1) if is_date else timedelta(0))


def add_span(time: datetime, name: str, **span: float) -> datetime:
    """The time after a span, such as `days=7`; the argument `name` gave the span."""
    try:
        return time + timedelta(**span)
    except OverflowError:
        raise InputError(f"{name} is too long: {next(iter(span.values()))}.", "Give a smaller number.") from None


def check_id(value: str, name: str = "id") -> str:
    """Return the id, or raise if it is empty, too long or not valid UTF-8."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, got {type(value).__name__}.", "Convert it to a string first.")
    if not value.strip() or len(value) > MAX_ID_CHARS:
        raise InputError(f"{name} is empty or over {MAX_ID_CHARS} characters: {value[:40]!r}.", "Use a short name.")
    if storable(value) != value or "\x00" in value:
        raise InputError(f"{name} has characters that cannot be stored: {value[:40]!r}.", "Use valid Unicode text.")
    return value


@lru_cache(maxsize=256)
def check_role(role: str) -> None:
    """Refuse a misspelt role, such as `usr`. Other words are names of people, and those begin with a capital letter."""
    roles = sorted(USER_ROLES | AGENT_ROLES)
    if role in roles or not role.islower():
        return
    from difflib import get_close_matches  # rarely needed

    near = get_close_matches(role, roles, 1, NEAR_ROLE)
    if near:
        raise InputError(
            f"Turn role {role!r} is not known.", f"Did you mean {near[0]!r}? A name starts with a capital."
        )


def check_choice(value: str, choices: Sequence[str], name: str) -> str:
    """Return the value if it is one of the choices, or raise and list them."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name} {shown(value)} is unknown.", f"Use one of: {', '.join(choices)}.")
    return value


def check_class(value: str) -> Boundary:
    """Return the boundary class, or raise if it is unknown: a record with an unknown class is never stored or shown."""
    for name in BOUNDARIES:
        if isinstance(value, str) and value == name:
            return name
    raise UnknownClassError(f"Boundary class {shown(value)} is unknown.", f"Use one of: {', '.join(BOUNDARIES)}.")


def check_json(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the mapping if it can be stored as JSON, or raise."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"{name} cannot be stored as JSON: {error}.",
            "Use texts, finite numbers, True, False, None, and lists and dicts of them.",
        ) from error
    return value


def shown(value: object) -> str:
    """A value in a message: its repr, shortened. One that cannot be shown is named by its type."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - repr may be the caller's code; a deep list or a huge number has none
        text = f"<{type(value).__name__}>"
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"


def storable(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD, because UTF-8 cannot encode them."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return "".join("\ufffd" if 0xD800 <= ord(char) <= 0xDFFF else char for char in text)
