"""What a parser finds in a file: turns and claims to store, titles, and the reason for everything it skips."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from aforesaid.types import Turn

OWN_TOOLS = frozenset(
    f"memory_{verb}"
    for verb in (
        "search", "search_files", "remember", "assemble", "get", "forget", "status", "ingest", "activate", "observe",
        "distill", "promote", "rollback", "feedback", "validate", "policy",
    )
)  # fmt: skip
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
