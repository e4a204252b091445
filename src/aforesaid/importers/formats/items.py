"""What a source yields: turns and claims to take, and a word on everything that is left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from aforesaid.errors import InputError
from aforesaid.text.normalize import content_hash
from aforesaid.types import Turn, as_time, check_id

THINKING = "thinking"  # the reasons for which something is left, as summaries show them
SIDECHAIN = "sidechain"
BRANCH = "other branch"
IMAGE = "image"
TOOLS = "tool call or result"
RECALL = "our own tools"
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

OWN_TOOLS = frozenset(
    f"memory_{verb}"
    for verb in (
        "search", "remember", "assemble", "get", "forget", "status", "ingest", "activate", "observe", "distill",
        "promote", "rollback", "feedback", "validate", "policy",
    )
)  # fmt: skip

OPTIONAL = ("thinking", "sidechains", "branches")  # what is left unless somebody asks for it
LAST_SECOND = 1e11  # numbers beyond it (the year 5138) count milliseconds
ID_CHARS = 8  # of a content hash behind a position


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which parts of a conversation are taken; a tool's words only up to so many characters."""

    tool_chars: int = 4000
    tools: bool = True
    thinking: bool = False
    sidechains: bool = False
    branches: bool = False


@dataclass(frozen=True, slots=True)
class ForeignClaim:
    """Something that another memory holds to be true; `user` is whom it was kept for."""

    text: str
    time: datetime | None = None
    user: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """A turn or a claim, ready to be stored."""

    what: Turn | ForeignClaim


@dataclass(frozen=True, slots=True)
class Left:
    """Something that is left where it is, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class Bad:
    """Something that cannot be read."""

    message: str


@dataclass(frozen=True, slots=True)
class Title:
    """What a conversation was called."""

    session: str
    text: str


Item = ImportedItem | Left | Bad | Title


class ItemParser(Protocol):
    """Takes the values of a file one by one, with their number, and says what each holds; InputError if it is bad.

    What it must remember for later values it notes when it is called, not when its answer is read.
    """

    def feed(self, value: Any, number: int) -> Iterable[Item]: ...


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def words(value: Any) -> str:
    """The value if it is text, else no text."""
    return value if isinstance(value, str) else ""


def name_of(value: Any) -> str | None:
    """The value if it can be an id, else None."""
    try:
        return check_id(value)
    except InputError:
        return None


def moment(value: Any) -> datetime | None:
    """The time that a value says, in UTC: ISO 8601, seconds or milliseconds since 1970; None if it says none."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > LAST_SECOND:
        value = value / 1000 if isinstance(value, float) or value.bit_length() < 64 else None
    try:
        return as_time(value) if isinstance(value, str | int | float) else None
    except InputError:
        return None


def placed_id(number: int, text: str) -> str:
    """An id for what has none: where it stands, and what it says."""
    return f"{number:06d}-{content_hash(text)[:ID_CHARS]}"
