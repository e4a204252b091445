"""What a host tells, and what it is told: the same few values for every host."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from aforesaid.importers.formats.items import ImportOptions, ItemParser
from aforesaid.importers.formats.json_values import as_id, as_text

Moment = Literal["start", "prompt", "turn", "compact", "end"]


MOMENTS: dict[str, Moment] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "turn",
    "Stop": "turn",
    "PreCompact": "compact",
    "SessionEnd": "end",
}  # by the names that Claude Code gave them and Codex took over


@dataclass(frozen=True, slots=True)
class HostEvent:
    """Something that happened in a host's session."""

    host: str
    moment: Moment
    session: str
    name: str
    transcript: Path | None = None
    cwd: Path | None = None
    prompt: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class HookOwner:
    """For whom a hook works."""

    user: str | None = None
    project: str | None = None


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """What the host shall hear: words for the model's context, and a line for the person."""

    context: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Host:
    """How a host is spoken with. `unique_ids`: its messages keep their ids when a session is forked."""

    name: str
    read: Callable[[Mapping[str, Any]], HostEvent | None]
    told: Callable[[HostEvent, HookAnswer], dict[str, Any]]
    parser: Callable[[str, ImportOptions], ItemParser]
    unique_ids: bool


def event_of(host: str, payload: Mapping[str, Any]) -> HostEvent | None:
    """The event of a payload in the fields that Claude Code and Codex share; None for one that is not for us."""
    name, session = as_text(payload.get("hook_event_name")), as_id(payload.get("session_id"))
    moment = MOMENTS.get(name)
    if moment is None or session is None or as_text(payload.get("agent_id")):  # a sub-agent talks to nobody
        return None
    return HostEvent(
        host,
        moment,
        session,
        name,
        _path(payload.get("transcript_path")),
        _path(payload.get("cwd")),
        as_text(payload.get("prompt")),
        as_text(payload.get("source")),
    )


def told(event: HostEvent, answer: HookAnswer) -> dict[str, Any]:
    """The answer as both hosts read it; an empty object changes nothing."""
    output: dict[str, Any] = {}
    if answer.context:
        output["hookSpecificOutput"] = {"hookEventName": event.name, "additionalContext": answer.context}
    if answer.message:
        output["systemMessage"] = answer.message
    return output


def _path(value: Any) -> Path | None:
    given = as_text(value)
    return Path(given) if given and "\x00" not in given else None
