"""Claude Code: its events by name, its answer, its transcript."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aforesaid.hosts.types import Host, HostEvent, event_of, told
from aforesaid.importers.formats.claude_code import ClaudeCode

NAME = "claude-code"


def read(payload: Mapping[str, Any]) -> HostEvent | None:
    """The event that a payload tells of; None for one that is not for us."""
    return event_of(NAME, payload)


HOST = Host(NAME, read, told, ClaudeCode, unique_ids=True)
