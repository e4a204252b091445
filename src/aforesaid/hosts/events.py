"""What each moment of a session asks for: begin, prompt, turn, compaction, end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aforesaid.context.prompt import query_of
from aforesaid.hosts import claude_code, codex
from aforesaid.hosts.project import project_of
from aforesaid.hosts.types import HookAnswer, HookOwner, Host, HostEvent
from aforesaid.settings import Settings

if TYPE_CHECKING:
    from aforesaid.hosts.hook import HookOptions
    from aforesaid.hosts.open_memory import Opener
    from aforesaid.memory import Memory
    from aforesaid.memory.sessions import BootstrapReport

HOSTS: dict[str, Host] = {host.name: host for host in (claude_code.HOST, codex.HOST)}
DOCUMENTS = ("AGENTS.md", "CLAUDE.md")
READ_BY_HOST = (*DOCUMENTS, "CLAUDE.local.md")

Response = tuple[dict[str, Any], str, str]


def respond(payload: Mapping[str, Any], settings: Settings, opener: Opener, wish: HookOptions) -> Response:
    """The answer to an event, what the event was, and what was done about it."""
    host = HOSTS.get(wish.host) or (codex.HOST if codex.is_codex(payload) else claude_code.HOST)
    event = host.read(payload)
    if event is None:
        return {}, host.name, "not for us"
    about = f"{host.name} {event.name}"
    if event.moment == "prompt" and not query_of(event.prompt):
        return {}, about, "nothing asked"
    who = HookOwner(wish.user, wish.project or project_of(event.cwd))
    with opener(settings, event.moment != "prompt") as memory:
        if memory is None:
            return {}, about, "no store yet"
        answer, done = _done(memory, host, event, who)
    return host.told(event, answer), about, done


def _done(memory: Memory, host: Host, event: HostEvent, who: HookOwner) -> tuple[HookAnswer, str]:
    if event.moment == "start":
        return _begin(memory, event, who)
    if event.moment == "prompt":
        context = memory.recall(
            event.prompt, user=who.user, project=who.project, session=event.session, skip_files=READ_BY_HOST
        )
        added = "\n".join(filter(None, (context.system, context.recall)))
        return HookAnswer(added), f"added {context.tokens} tokens"
    from aforesaid.hosts.store_turns import take_new

    sessions = take_new(memory, host, event, who)
    if event.moment == "turn":
        memory.sessions.compact_grown(sorted(sessions), user=who.user)
    if event.moment == "compact":
        memory.sessions.compact(event.session, user=who.user)
        memory.sessions.reset_recall(event.session, user=who.user)
    if event.moment == "end":
        memory.sessions.end(event.session, user=who.user)
    return HookAnswer(), f"{'took something new' if sessions else 'nothing new'}"


def _begin(memory: Memory, event: HostEvent, who: HookOwner) -> tuple[HookAnswer, str]:
    """Get ready, and say which documents count from now on, if any were asked for."""
    files = _documents(event.cwd) if memory.settings.hooks.documents else []
    begun = memory.sessions.bootstrap(event.session, documents=files, user=who.user, project=who.project)
    done = f"{begun.turns} turns known, {len(begun.loaded)} documents loaded, {len(begun.failed)} not"
    return HookAnswer(message=_report(begun, files)), done


def _report(begun: BootstrapReport, files: list[Path]) -> str:
    if not files:
        return ""
    names = ", ".join(Path(loaded.name).name for loaded in begun.loaded)
    parts = [f"rules loaded from {names}" if names else "", *(f"not loaded: {line}" for line in begun.failed)]
    return "aforesaid: " + "; ".join(filter(None, parts))


def _documents(folder: Path | None) -> list[Path]:
    return [folder / name for name in DOCUMENTS if (folder / name).is_file()] if folder is not None else []
