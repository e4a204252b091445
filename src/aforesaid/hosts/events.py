"""What we do at each event of a host: start, prompt, turn, compaction, end; and how we open the memory for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aforesaid._util.private_files import private_folder
from aforesaid.context.prompt import query_of
from aforesaid.hosts.types import HOSTS, Host, HostEvent, host_of, project_of, read_event
from aforesaid.settings import Settings
from aforesaid.text.echo import RULES_CLOSE, RULES_OPEN

if TYPE_CHECKING:
    from aforesaid.hosts.hook import HookOptions
    from aforesaid.memory import Memory
    from aforesaid.memory.sessions import BootstrapReport

DOCUMENTS = ("AGENTS.md", "CLAUDE.md")
READ_BY_HOST = (*DOCUMENTS, "CLAUDE.local.md")
LOCK_SHARE = 4  # at most 1/4 of a prompt's time is spent on waiting for another writer

Response = tuple[dict[str, Any], str, str]
Opener = Callable[[Settings, bool], "AbstractContextManager[Memory | None]"]  # the flag: create a missing store


def respond(payload: Mapping[str, Any], settings: Settings, opener: Opener, options: HookOptions) -> Response:
    """Handle an event. Returns the answer, and for the log what the event was and what was done."""
    host = HOSTS.get(options.host) or host_of(payload)
    event = read_event(payload)
    if event is None:
        return {}, host.name, "ignored"
    about = f"{host.name} {event.name}"
    is_prompt = event.name == "UserPromptSubmit"
    if is_prompt and not query_of(event.prompt):
        return {}, about, "nothing to look for"
    who = replace(options, project=options.project or project_of(event.cwd))
    with opener(settings, not is_prompt) as memory:
        if memory is None:
            return {}, about, "no store yet"
        answer, done = _handle(memory, host, event, who)
    return answer, about, done


def _handle(memory: Memory, host: Host, event: HostEvent, who: HookOptions) -> tuple[dict[str, Any], str]:
    """Returns the answer as the host reads it (an empty object changes nothing), and what was done."""
    if event.name == "SessionStart":
        return _start(memory, event, who)
    if event.name == "UserPromptSubmit":
        return _recall(memory, event, who)
    from aforesaid.hosts.store_turns import store_new_turns

    grown = store_new_turns(memory, host, event, who)
    if event.name == "PreCompact":
        memory.sessions.compact(event.session, user=who.user)
        memory.sessions.reset_recall(event.session, user=who.user)
    elif event.name == "SessionEnd":
        memory.sessions.end(event.session, user=who.user)
    else:
        memory.sessions.compact_grown(sorted(grown), user=who.user)
    return {}, "stored new turns" if grown else "nothing new"


def _recall(memory: Memory, event: HostEvent, who: HookOptions) -> tuple[dict[str, Any], str]:
    """Text for the model's context."""
    context = memory.recall(
        event.prompt, user=who.user, project=who.project, session=event.session, skip_files=READ_BY_HOST
    )
    rules = f"{RULES_OPEN}\n{context.system}\n{RULES_CLOSE}" if context.system else ""
    added = "\n".join(filter(None, (rules, context.recall)))
    output = {"hookEventName": event.name, "additionalContext": added}
    return {"hookSpecificOutput": output} if added else {}, f"added {context.tokens} tokens"


def _start(memory: Memory, event: HostEvent, who: HookOptions) -> tuple[dict[str, Any], str]:
    """Prepare the session. If the setting asks for documents, tell the person which ones were loaded."""
    files = _documents(event.cwd) if memory.settings.hooks.documents else []
    report = memory.sessions.bootstrap(event.session, documents=files, user=who.user, project=who.project)
    done = f"{report.turns} turns known, {len(report.loaded)} documents loaded, {len(report.failed)} not"
    return {"systemMessage": _message(report)} if files else {}, done


def _message(report: BootstrapReport) -> str:
    names = ", ".join(Path(loaded.name).name for loaded in report.loaded)
    parts = [f"rules loaded from {names}" if names else "", *(f"not loaded: {line}" for line in report.failed)]
    return "aforesaid: " + "; ".join(filter(None, parts))


def _documents(folder: Path | None) -> list[Path]:
    return [folder / name for name in DOCUMENTS if (folder / name).is_file()] if folder is not None else []


def open_for_hook(
    path: Path, settings: Settings, create: bool, tenant: str, purpose: str | None, request: str | None
) -> AbstractContextManager[Memory | None]:
    """Open the memory; None if there is no store and `create` is not set.

    Nothing is downloaded. A prompt creates no store, and does not wait long for another writer.
    """
    if not path.exists():
        if not create:
            return nullcontext()
        private_folder(path.parent)
    from aforesaid.memory import Memory

    if not create:  # a prompt: better an answer that is not noted in the store than none
        lock_ms = min(settings.store.lock_timeout_ms, settings.hooks.prompt_ms // LOCK_SHARE)
        settings = settings.changed({"store.lock_timeout_ms": max(lock_ms, 1)}, "hook")
    if not has_model(settings):
        settings = settings.changed({"embed.provider": "off"}, "hook: no weights here")
    return Memory.open(path, settings=settings, tenant=tenant).acting(purpose, request=request)


def has_model(settings: Settings) -> bool:
    """Whether texts can be embedded without downloading weights."""
    from aforesaid.embed.weights import locate
    from aforesaid.errors import EmbedError

    try:
        return settings.embed.provider != "local" or bool(settings.embed.model) or locate() is not None
    except EmbedError:
        return False
