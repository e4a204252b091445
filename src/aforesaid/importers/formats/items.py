"""What a parser finds in a file: turns and claims to store, titles, and the reason for everything it skips.

Also the functions that read values out of parsed JSON of any shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from aforesaid.errors import InputError
from aforesaid.text.normalize import content_hash
from aforesaid.types import Turn, as_time, check_id

OWN_TOOLS = frozenset(
    f"memory_{verb}"
    for verb in (
        "search", "remember", "assemble", "get", "forget", "status", "ingest", "activate", "observe", "distill",
        "promote", "rollback", "feedback", "validate", "policy",
    )
)  # fmt: skip
LAST_SECOND = 1e11  # larger numbers (beyond the year 5138) are milliseconds
HASH_CHARS = 8  # of a content hash in a positional id
OPTIONAL = ("thinking", "sidechains", "branches")  # skipped unless `include` names them


class Reason(StrEnum):
    """Why something is skipped, as reports show it."""

    THINKING = "thinking"
    SIDECHAIN = "sidechain"
    BRANCH = "other branch"
    IMAGE = "image"
    TOOLS = "tool call or result"
    OWN_TOOL = "our own tools"
    INJECTED = "injected context"
    SYSTEM = "system message"
    META = "meta line"
    SUMMARY = "compaction summary"
    API_ERROR = "API error"
    BOOKKEEPING = "bookkeeping"
    REPEATED = "event that repeats a message"
    HIDDEN = "hidden message"
    INSTRUCTIONS = "custom instructions"
    EMPTY = "empty"
    UNKNOWN = "unknown kind"
    UNFINISHED = "unfinished last line"


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Which parts of a conversation to import. Tool calls and results are cut to `tool_chars` characters."""

    tool_chars: int = 4000
    tools: bool = True
    thinking: bool = False
    sidechains: bool = False
    branches: bool = False


@dataclass(frozen=True, slots=True)
class ImportedClaim:
    """A fact from another memory system, and the user it was stored for."""

    text: str
    time: datetime | None = None
    user: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is not imported, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Invalid:
    """Something that cannot be read."""

    message: str


@dataclass(frozen=True, slots=True)
class Title:
    """The title of a conversation."""

    session: str
    text: str


Item = Turn | ImportedClaim | Skipped | Invalid | Title


class ItemParser(Protocol):
    """Turns the values of one file into items. It gets them in order, each with its number.

    It raises InputError for a bad value. Any state for later values must be updated during the call itself, not while
    the caller iterates over the result.
    """

    def parse(self, value: Any, number: int) -> Iterable[Item]: ...


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
