"""Hosts and the events they send. Claude Code and Codex use the same events and fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aforesaid.importers.formats.claude_code import ClaudeCode
from aforesaid.importers.formats.codex import Codex
from aforesaid.importers.formats.items import ImportOptions, ItemParser
from aforesaid.importers.formats.json_values import as_id, as_text

EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact", "SessionEnd")
GIT_FILE_BYTES = 4096  # a `.git` file is one line


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
    """One event in a session of a host."""

    name: str
    session: str
    transcript: Path | None = None
    cwd: Path | None = None
    prompt: str = ""


def host_of(payload: Mapping[str, Any]) -> Host:
    """Recognise the host: only Codex sends a turn id, and calls its transcripts rollouts."""
    file = as_text(payload.get("transcript_path")).replace("\\", "/").rpartition("/")[2]
    return CODEX if "turn_id" in payload or file.startswith("rollout-") else CLAUDE_CODE


def read_event(payload: Mapping[str, Any]) -> HostEvent | None:
    """Read an event; None if we do not handle it. Events of sub-agents are ignored."""
    name, session = as_text(payload.get("hook_event_name")), as_id(payload.get("session_id"))
    if name not in EVENTS or session is None or as_text(payload.get("agent_id")):
        return None
    transcript, cwd = _path(payload.get("transcript_path")), _path(payload.get("cwd"))
    return HostEvent(name, session, transcript, cwd, as_text(payload.get("prompt")))


def _path(value: Any) -> Path | None:
    given = as_text(value)
    return Path(given) if given and "\x00" not in given else None


def project_of(folder: Path | None) -> str | None:
    """The name of the git repository that contains a folder; None outside of one.

    A worktree belongs to the repository it was made from.
    """
    for place in (folder, *folder.parents) if folder is not None else ():
        git = place / ".git"
        try:
            if git.is_dir():
                return as_id(place.name)
            if git.is_file():
                return as_id(_repository(git, place).name)
        except OSError:
            return None
    return None


def _repository(git: Path, place: Path) -> Path:
    """Follow the `.git` file of a worktree to its repository; that of a submodule stays where it is."""
    with git.open("rb") as stream:
        line = stream.read(GIT_FILE_BYTES).decode(errors="replace").strip()
    target = (place / line.removeprefix("gitdir:").strip()).parts if line.startswith("gitdir:") else ()
    return Path(*target[: target.index(".git")]) if ".git" in target and "worktrees" in target else place
