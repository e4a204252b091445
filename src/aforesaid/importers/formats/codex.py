"""Codex's rollouts: one JSON object a line with a time, a type and a payload; the oldest are payloads alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from aforesaid.importers.formats.blocks import Part, Recalls, SourceMessage, call_of, items_of, parts_of, text_in
from aforesaid.importers.formats.injected import is_injected, without_injected
from aforesaid.importers.formats.items import (
    BOOKKEEPING,
    INJECTED,
    REPEATED,
    SIDECHAIN,
    SUMMARY,
    SYSTEM,
    UNKNOWN,
    Item,
    Left,
    Wanted,
    listed,
    mapping,
    moment,
    name_of,
    placed_id,
    words,
)

LINES = {"event_msg": REPEATED, "turn_context": BOOKKEEPING, "compacted": SUMMARY, "session_meta": BOOKKEEPING}
CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "web_search_call": "action",
}
RESULTS = ("function_call_output", "custom_tool_call_output")
PASSED = {"ghost_snapshot": BOOKKEEPING, "compaction": SUMMARY, "compaction_summary": SUMMARY}


class Codex:
    """The lines of one rollout; its session is the one that the first line names."""

    def __init__(self, session: str, wanted: Wanted) -> None:
        self._session = session
        self._wanted = wanted
        self._named = False
        self._aside = False  # a rollout of a sub-agent
        self._time: datetime | None = None
        self._recalls = Recalls()

    def feed(self, value: Any, number: int) -> Iterable[Item]:
        """What a line holds."""
        line = mapping(value)
        self._time = moment(line.get("timestamp")) or self._time
        kind = words(line.get("type"))
        head = mapping(line.get("payload")) if kind == "session_meta" else line
        if kind == "session_meta" or (not kind and "id" in line):
            self._name(head)
            return [Left(BOOKKEEPING)]
        if kind in LINES or "record_type" in line:
            return [Left(LINES.get(kind, BOOKKEEPING))]
        if self._aside and not self._wanted.sidechains:
            return [Left(SIDECHAIN)]
        return self._item(mapping(line.get("payload")) if kind == "response_item" else line, number)

    def _name(self, head: Mapping[str, Any]) -> None:
        """A fork repeats the head of its parent behind its own."""
        if not self._named:
            self._session = name_of(head.get("id")) or self._session
            self._aside = "subagent" in mapping(head.get("source"))
            self._named = True

    def _item(self, item: Mapping[str, Any], number: int) -> Iterable[Item]:
        kind = words(item.get("type"))
        if kind == "message":
            return self._message(item, number)
        call = name_of(item.get("call_id")) or name_of(item.get("id"))
        if kind in CALLS:
            name = words(item.get("name")) or kind.removesuffix("_call")
            return self._turns("assistant", (call_of(name, item.get(CALLS[kind]), call),), number)
        if kind in RESULTS:
            return self._turns("tool", (Part("result", _output(item.get("output")), call),), number)
        if kind == "reasoning":
            thought = [words(mapping(each).get("text")) for each in listed(item.get("summary"))]
            return self._turns("assistant", (Part("thinking", "\n".join(filter(None, thought))),), number)
        return [Left(PASSED.get(kind, UNKNOWN))]

    def _message(self, item: Mapping[str, Any], number: int) -> Iterable[Item]:
        role, parts = words(item.get("role")), parts_of(item.get("content"))
        if role not in ("user", "assistant"):
            return [Left(SYSTEM if role in ("system", "developer") else UNKNOWN)]
        if role == "user":
            return self._typed(parts, number)
        return self._turns("assistant", parts, number)

    def _typed(self, parts: Iterable[Part], number: int) -> list[Item]:
        """A person's message without what Codex put before or between the words."""
        kept: list[Part] = []
        found: list[Item] = []
        for part in parts:
            text, blocks = without_injected(part.text)
            if blocks or is_injected(text):
                found += [Left(INJECTED)] * max(blocks, 1)
                text = "" if is_injected(text) else text
            if text.strip() or part.text == text:
                kept.append(Part(part.kind, text, part.call))
        if kept or not found:
            found += self._turns("assistant" if self._aside else "user", tuple(kept), number)
        return found

    def _turns(self, role: str, parts: tuple[Part, ...], number: int) -> Iterable[Item]:
        own = placed_id(number, " ".join([role, *(part.text for part in parts)]))
        return items_of(SourceMessage(own, self._session, role, self._time, self._recalls.told(parts)), self._wanted)


def _output(value: Any) -> str:
    """What a tool returned: a text, a list of blocks, or an object around one of them."""
    if isinstance(value, dict):
        value = value.get("content", value.get("output"))
    return value if isinstance(value, str) else text_in(value)
