"""Claude Code transcripts: one JSON object a line, one line for each part of a message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from aforesaid.importers.formats.items import Item, Reason, Skipped, Title
from aforesaid.importers.formats.json_values import as_id, as_object, as_text, parse_time, positional_id
from aforesaid.importers.formats.transcript import Part, TranscriptParser, clean_parts, parts_of

TITLE_FIELDS = {"summary": "summary", "custom-title": "customTitle", "ai-title": "aiTitle"}  # by the line's type
BOOKKEEPING = frozenset(
    ("file-history-snapshot", "queue-operation", "progress", "attachment", "last-prompt", "agent-name",
     "permission-mode")
)  # fmt: skip
SYNTHETIC = "<synthetic>"  # the model name of messages that no model wrote


class ClaudeCode(TranscriptParser):
    """Parses one transcript. Lines that name no session belong to the session given."""

    def parse(self, value: Any, number: int) -> Iterable[Item]:
        """The items of a line."""
        line = as_object(value)
        self._time = parse_time(line.get("timestamp")) or self._time
        session = as_id(line.get("sessionId")) or self._session
        kind = as_text(line.get("type"))
        if kind in TITLE_FIELDS:
            title = as_text(line.get(TITLE_FIELDS[kind])).strip()
            return [Title(session, title) if title else Skipped(Reason.BOOKKEEPING)]
        if queued := _queued_prompt(line):
            kind, line = "user", {**line, "message": {"content": queued}}
        if kind not in ("user", "assistant"):
            known = Reason.SYSTEM if kind == "system" else Reason.BOOKKEEPING if kind in BOOKKEEPING else Reason.UNKNOWN
            return [Skipped(known)]
        parts = self._mark_own_results(parts_of(as_object(line.get("message")).get("content")))
        reason = self._skip_line(line)
        return [Skipped(reason)] if reason else self._message(line, parts, kind, session, number)

    def _skip_line(self, line: Mapping[str, Any]) -> Reason | None:
        """Why to skip the whole line, if there is a reason."""
        if line.get("isSidechain") is True and not self._options.sidechains:
            return Reason.SIDECHAIN
        if line.get("isCompactSummary") is True:
            return Reason.SUMMARY
        if line.get("isMeta") is True or line.get("isVisibleInTranscriptOnly") is True:
            return Reason.META
        if line.get("isApiErrorMessage") is True or as_object(line.get("message")).get("model") == SYNTHETIC:
            return Reason.API_ERROR
        return None

    def _message(
        self, line: Mapping[str, Any], raw: tuple[Part, ...], role: str, session: str, number: int
    ) -> Iterator[Item]:
        parts, injected = clean_parts(raw)
        yield from [Skipped(Reason.INJECTED)] * injected
        if injected and not any(part.kind != "text" or part.text.strip() for part in parts):
            return
        if line.get("isSidechain") is True:  # written by one agent for another, not by a person
            agent = as_id(line.get("agentId")) or "side"
            role, session = "assistant", f"{session[:256]}/{agent[:128]}"
        own = as_id(line.get("uuid")) or positional_id(number, f"{role} {parts}")
        yield from self._items(own, role, parts, session)


def _queued_prompt(line: Mapping[str, Any]) -> str:
    """A prompt that was typed while the agent was busy. Claude Code saves it as an attachment."""
    attachment = as_object(line.get("attachment"))
    typed = attachment.get("type") == "queued_command" and attachment.get("commandMode", "prompt") == "prompt"
    return as_text(attachment.get("prompt")) if typed else ""
