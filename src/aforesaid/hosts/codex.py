"""Codex: the same events under the same names, but for the end of a session, and rollouts as transcripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aforesaid.hosts.types import Host, HostEvent, event_of, told
from aforesaid.importers.formats.codex import Codex
from aforesaid.importers.formats.json_values import as_text

NAME = "codex"


def read(payload: Mapping[str, Any]) -> HostEvent | None:
    """The event that a payload tells of; None for one that is not for us."""
    return event_of(NAME, payload)


def is_codex(payload: Mapping[str, Any]) -> bool:
    """Whether a payload is Codex's: it counts turns, and calls its transcripts rollouts."""
    file = as_text(payload.get("transcript_path")).replace("\\", "/").rpartition("/")[2]
    return "turn_id" in payload or file.startswith("rollout-")


HOST = Host(NAME, read, told, Codex, unique_ids=False)
