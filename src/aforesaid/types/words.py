"""The words that values are made of: their kinds and classes, the names of what they carry, and how input is read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, Protocol, get_args

from aforesaid.errors import InputError, UnknownClassError

Kind = Literal["turn", "claim", "summary", "node", "chunk", "observation"]
Scope = Literal["session", "user", "project", "global"]
Boundary = Literal["public", "internal", "pii", "secret"]
ClaimType = Literal["fact", "preference", "task", "policy_hint"]
MemoryType = Literal["evidence", "working_state", "knowledge", "procedure", "norm"]
Decision = Literal["admit", "defer", "reject"]
Status = Literal["stored", "duplicate", "echo", "skipped"]
Part = Literal["rules", "guidance", "tail", "recall"]
Order = Literal["oldest", "newest"]
Time = datetime | float | int | str  # a datetime, Unix seconds, or ISO 8601 text; without a zone it means UTC
Progress = Callable[[int, int | None], None]  # called with (done, total); total is None when it is not known

KINDS: tuple[Kind, ...] = get_args(Kind)
SCOPES: tuple[Scope, ...] = get_args(Scope)
BOUNDARIES: tuple[Boundary, ...] = get_args(Boundary)  # from open to closed; a record may rise, never fall
CLAIM_TYPES: tuple[ClaimType, ...] = get_args(ClaimType)
MEMORY_TYPES: tuple[MemoryType, ...] = get_args(MemoryType)

AGENT_ROLES = frozenset({"assistant", "system", "tool", "developer"})  # everybody else speaks for themselves
MAX_ID_CHARS = 512  # an id is a name, not a document
DEFAULT_TENANT = "default"
GLOBAL_OWNER = "global"
USES = "uses"  # keys of `meta`: how often a record went into a prompt,
ANCHORS = "anchors"  # how many distinct dates and times its text names,
WHEN = "when"  # the spans they mean, told from the time it was said,
SUPERSEDED_BY = "superseded_by"  # the key of the record that replaced a statement of this one,
JUDGED = "judged"  # and up to when utility and quality have faded

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


def most_uses(tenant: str, owner: str) -> str:
    """The store setting that holds the largest use count among an owner's records."""
    return f"most uses/{tenant}/{owner}"


class Clock(Protocol):
    """Tells the time; tests hand in one that stands still."""

    def __call__(self) -> datetime: ...


def system_clock() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


def as_time(value: Time, name: str = "time") -> datetime:
    """Read a datetime, an ISO 8601 string or Unix seconds as UTC; a time without a zone is taken as UTC."""
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
            f"{name} is not a time: {value!r}.", "Give a datetime, ISO 8601 text like 2026-05-03T10:00:00Z, or seconds."
        ) from error


def check_id(value: str, name: str = "id") -> str:
    """Return the id as it is, or raise when it is empty, too long, or cannot be written as UTF-8."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, got {type(value).__name__}.", "Convert it to a string first.")
    if not value.strip() or len(value) > MAX_ID_CHARS:
        raise InputError(f"{name} is empty or over {MAX_ID_CHARS} characters: {value[:40]!r}.", "Give a short name.")
    if any(0xD800 <= ord(char) <= 0xDFFF for char in value) or "\x00" in value:
        raise InputError(f"{name} holds characters that cannot be stored: {value[:40]!r}.", "Use valid Unicode text.")
    return value


def check_choice(value: str, choices: Sequence[str], name: str) -> str:
    """Return the value if it is one of the choices, or raise naming them."""
    if value not in choices:
        raise InputError(f"{name} {value!r} is unknown.", f"Use one of: {', '.join(choices)}.")
    return value


def check_class(value: str) -> Boundary:
    """Return the boundary class if it is one, or raise: nothing is shown or kept under a class that nobody defined."""
    for name in BOUNDARIES:
        if value == name:
            return name
    raise UnknownClassError(f"Boundary class {value!r} is unknown.", f"Use one of: {', '.join(BOUNDARIES)}.")


def storable(text: str) -> str:
    """The text with lone surrogates, which no file can hold, replaced by U+FFFD."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return "".join("\ufffd" if 0xD800 <= ord(char) <= 0xDFFF else char for char in text)
