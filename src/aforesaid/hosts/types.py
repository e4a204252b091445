"""What a host sends and what we answer. Claude Code and Codex use the same events and fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from aforesaid.importers.formats.claude_code import ClaudeCode
from aforesaid.importers.formats.codex import Codex
from aforesaid.importers.formats.items import ImportOptions, ItemParser
from aforesaid.importers.formats.json_values import as_id, as_text

EventKind = Literal["start", "prompt", "turn", "compact", "end"]

EVENT_KINDS: dict[str, EventKind] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "turn",
    "Stop": "turn",
    "PreCompact": "compact",
    "SessionEnd": "end",
}


@dataclass(frozen=True, slots=True)
class Host:
    """A host and the parser of its transcripts. `unique_ids`: a forked session repeats messages with their old ids."""

    name: str
    parser: Callable[[str, ImportOptions], ItemParser]
    unique_ids: bool


CLAUDE_CODE = Host("claude-code", ClaudeCode, unique_ids=True)
CODEX = Host("codex", Codex, unique_ids=False)
HOSTS = {host.name: host for host in (CLAUDE_CODE, CODEX)}


@dataclass(frozen=True, slots=True)
class HostEvent:
    """One event in a session of a host. `name` is the host's own name for it."""

    kind: EventKind
    session: str
    name: str
    transcript: Path | None = None
    cwd: Path | None = None
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class HookOwner:
    """The user and the project that a hook works for."""

    user: str | None = None
    project: str | None = None


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """Text for the model's context, and a message for the person."""

    context: str = ""
    message: str = ""


def host_of(payload: Mapping[str, Any]) -> Host:
    """Recognise the host: only Codex sends a turn id, and calls its transcripts rollouts."""
    file = as_text(payload.get("transcript_path")).replace("\\", "/").rpartition("/")[2]
    return CODEX if "turn_id" in payload or file.startswith("rollout-") else CLAUDE_CODE


def read_event(payload: Mapping[str, Any]) -> HostEvent | None:
    """Read an event; None if we do not handle it. Events of sub-agents are ignored."""
    name, session = as_text(payload.get("hook_event_name")), as_id(payload.get("session_id"))
    kind = EVENT_KINDS.get(name)
    if kind is None or session is None or as_text(payload.get("agent_id")):
        return None
    transcript, cwd = _path(payload.get("transcript_path")), _path(payload.get("cwd"))
    return HostEvent(kind, session, name, transcript, cwd, as_text(payload.get("prompt")))


def write_answer(event: HostEvent, answer: HookAnswer) -> dict[str, Any]:
    """Write the answer as the host reads it. An empty object changes nothing."""
    output: dict[str, Any] = {}
    if answer.context:
        output["hookSpecificOutput"] = {"hookEventName": event.name, "additionalContext": answer.context}
    if answer.message:
        output["systemMessage"] = answer.message
    return output


def _path(value: Any) -> Path | None:
    given = as_text(value)
    return Path(given) if given and "\x00" not in given else None
