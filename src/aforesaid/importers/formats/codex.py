"""Codex rollouts: one JSON object a line with a time, a type and a payload; the oldest are payloads alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aforesaid.importers.formats.items import ImportOptions, Item, Reason, Skipped
from aforesaid.importers.formats.json_values import as_id, as_list, as_object, as_text, parse_time, positional_id
from aforesaid.importers.formats.transcript import Part, TranscriptParser, clean_parts, parts_of, text_in, tool_call

SKIPPED_LINES = {
    "event_msg": Reason.REPEATED,
    "turn_context": Reason.BOOKKEEPING,
    "compacted": Reason.SUMMARY,
}
SKIPPED_ITEMS = {
    "ghost_snapshot": Reason.BOOKKEEPING,
    "compaction": Reason.SUMMARY,
    "compaction_summary": Reason.SUMMARY,
}
CALL_ARGUMENTS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "web_search_call": "action",
}
RESULTS = ("function_call_output", "custom_tool_call_output")


class Codex(TranscriptParser):
    """Parses one rollout. Its first line names the session."""

    def __init__(self, session: str, options: ImportOptions) -> None:
        super().__init__(session, options)
        self._named = False
        self._is_subagent = False

    def parse(self, value: Any, number: int) -> Iterable[Item]:
        """The items of a line."""
        line = as_object(value)
        self._time = parse_time(line.get("timestamp")) or self._time
        kind = as_text(line.get("type"))
        if kind == "session_meta" or (not kind and "id" in line):
            self._read_head(as_object(line.get("payload")) if kind else line)
            return [Skipped(Reason.BOOKKEEPING)]
        if kind in SKIPPED_LINES or "record_type" in line:
            return [Skipped(SKIPPED_LINES.get(kind, Reason.BOOKKEEPING))]
        if self._is_subagent and not self._options.sidechains:
            return [Skipped(Reason.SIDECHAIN)]
        return self._payload(as_object(line.get("payload")) if kind == "response_item" else line, number)

    def _read_head(self, head: Mapping[str, Any]) -> None:
        """Take the session's name from the first head. A fork repeats the head of its parent after its own."""
        if not self._named:
            self._session = as_id(head.get("id")) or self._session
            self._is_subagent = "subagent" in as_object(head.get("source"))
            self._named = True

    def _payload(self, item: Mapping[str, Any], number: int) -> Iterable[Item]:
        kind = as_text(item.get("type"))
        if kind == "message":
            return self._message(item, number)
        call = as_id(item.get("call_id")) or as_id(item.get("id"))
        if kind in CALL_ARGUMENTS:
            name = as_text(item.get("name")) or kind.removesuffix("_call")
            return self._turns("assistant", (tool_call(name, item.get(CALL_ARGUMENTS[kind]), call),), number)
        if kind in RESULTS:
            return self._turns("tool", (Part("result", _output(item.get("output")), call),), number)
        if kind == "reasoning":
            thoughts = [as_text(as_object(each).get("text")) for each in as_list(item.get("summary"))]
            return self._turns("assistant", (Part("thinking", "\n".join(filter(None, thoughts))),), number)
        return [Skipped(SKIPPED_ITEMS.get(kind, Reason.UNKNOWN))]

    def _message(self, item: Mapping[str, Any], number: int) -> Iterable[Item]:
        role, parts = as_text(item.get("role")), parts_of(item.get("content"))
        if role not in ("user", "assistant"):
            return [Skipped(Reason.SYSTEM if role in ("system", "developer") else Reason.UNKNOWN)]
        return self._user_message(parts, number) if role == "user" else self._turns(role, parts, number)

    def _user_message(self, raw: tuple[Part, ...], number: int) -> Iterable[Item]:
        """A user's message without the text that Codex added."""
        cleaned, injected = clean_parts(raw)
        parts = tuple(part for part, old in zip(cleaned, raw, strict=True) if part.text.strip() or part == old)
        found: list[Item] = [Skipped(Reason.INJECTED)] * injected
        role = "assistant" if self._is_subagent else "user"
        return [*found, *self._turns(role, parts, number)] if parts or not injected else found

    def _turns(self, role: str, parts: tuple[Part, ...], number: int) -> Iterable[Item]:
        own = positional_id(number, " ".join([role, *(part.text for part in parts)]))
        return self._items(own, role, self._mark_own_results(parts))


def _output(value: Any) -> str:
    """A tool's output: a string, a list of blocks, or an object that contains one of them."""
    if isinstance(value, dict):
        value = value.get("content", value.get("output"))
    return value if isinstance(value, str) else text_in(value)
