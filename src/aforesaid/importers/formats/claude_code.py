"""Claude Code's transcripts: one JSON object a line, a line for each piece of a message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from aforesaid.importers.formats.blocks import Part, Recalls, SourceMessage, items_of, parts_of
from aforesaid.importers.formats.injected import as_command, is_injected, without_injected
from aforesaid.importers.formats.items import (
    API_ERROR,
    BOOKKEEPING,
    INJECTED,
    META,
    SIDECHAIN,
    SUMMARY,
    SYSTEM,
    UNKNOWN,
    Item,
    Left,
    Title,
    Wanted,
    mapping,
    moment,
    name_of,
    placed_id,
    words,
)

TITLES = {"summary": "summary", "custom-title": "customTitle", "ai-title": "aiTitle"}  # a type → where the title is
KEPT = frozenset(
    (
        "file-history-snapshot",
        "queue-operation",
        "progress",
        "attachment",
        "last-prompt",
        "agent-name",
        "permission-mode",
    )
)
SYNTHETIC = "<synthetic>"  # the model of answers that no model gave


class ClaudeCode:
    """The lines of one transcript; those without a session belong to the one given."""

    def __init__(self, session: str, wanted: Wanted) -> None:
        self._session = session
        self._wanted = wanted
        self._time: datetime | None = None
        self._recalls = Recalls()

    def feed(self, value: Any, number: int) -> Iterable[Item]:
        """What a line holds."""
        line = mapping(value)
        self._time = moment(line.get("timestamp")) or self._time
        session = name_of(line.get("sessionId")) or self._session
        kind = words(line.get("type"))
        if kind in TITLES:
            title = words(line.get(TITLES[kind])).strip()
            return [Title(session, title) if title else Left(BOOKKEEPING)]
        if queued := _queued(line):
            kind, line = "user", {**line, "message": {"content": queued}}
        if kind not in ("user", "assistant"):
            return [Left(SYSTEM if kind == "system" else BOOKKEEPING if kind in KEPT else UNKNOWN)]
        parts = self._recalls.told(parts_of(mapping(line.get("message")).get("content")))
        left = self._left(line)
        return [Left(left)] if left else self._message(line, parts, kind, session, number)

    def _left(self, line: Mapping[str, Any]) -> str | None:
        """Why the whole line is left, if it is."""
        if line.get("isSidechain") is True and not self._wanted.sidechains:
            return SIDECHAIN
        if line.get("isCompactSummary") is True:
            return SUMMARY
        if line.get("isMeta") is True or line.get("isVisibleInTranscriptOnly") is True:
            return META
        if line.get("isApiErrorMessage") is True or mapping(line.get("message")).get("model") == SYNTHETIC:
            return API_ERROR
        return None

    def _message(
        self, line: Mapping[str, Any], said: tuple[Part, ...], role: str, session: str, number: int
    ) -> Iterator[Item]:
        found = [_own_words(part) for part in said]
        parts = tuple(part for part, _ in found)
        injected = sum(blocks for _, blocks in found)
        yield from [Left(INJECTED)] * injected
        if injected and not any(part.kind != "text" or part.text.strip() for part in parts):
            return
        if line.get("isSidechain") is True:  # what an agent told another: nobody's own words
            agent = name_of(line.get("agentId")) or "side"
            role, session = "assistant", f"{session[:256]}/{agent[:128]}"
        own = name_of(line.get("uuid")) or placed_id(number, f"{role} {parts}")
        yield from items_of(SourceMessage(own[:480], session, role, self._time, parts), self._wanted)


def _own_words(part: Part) -> tuple[Part, int]:
    """A piece of a message without what the host put into it, and how many blocks that were."""
    if part.kind not in ("text", "result"):
        return part, 0
    text, blocks = without_injected(part.text)
    if part.kind == "text":
        typed = as_command(text)
        text = text if typed is None else typed
        if is_injected(text):
            text, blocks = "", blocks + 1
    return replace(part, text=text), blocks


def _queued(line: Mapping[str, Any]) -> str:
    """What a person typed while the agent was busy: it is written down as an attachment."""
    held = mapping(line.get("attachment"))
    typed = held.get("type") == "queued_command" and held.get("commandMode", "prompt") == "prompt"
    return words(held.get("prompt")) if typed else ""
