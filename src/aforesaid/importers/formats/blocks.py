"""Message content in the forms that hosts write it: text, tool calls and results, thinking, images."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from aforesaid.importers.formats.items import OWN_TOOLS, ImportedItem, ImportOptions, Item, Reason, Skipped
from aforesaid.importers.formats.json_values import as_id, as_list, as_object, as_text
from aforesaid.text.extract.reader import Readers
from aforesaid.types import Turn

PartKind = Literal["text", "call", "result", "own tool", "thinking", "image", "unknown"]

PART_KINDS: dict[str, PartKind] = {
    **dict.fromkeys(("text", "input_text", "output_text"), "text"),
    **dict.fromkeys(("tool_use", "toolCall", "server_tool_use", "mcp_tool_use"), "call"),
    **dict.fromkeys(("tool_result", "toolResult", "web_search_tool_result", "mcp_tool_result"), "result"),
    **dict.fromkeys(("thinking", "redacted_thinking", "reasoning"), "thinking"),
    **dict.fromkeys(("image", "input_image", "image_url", "document", "audio", "input_audio"), "image"),
}
MAX_ID_CHARS = 480  # leaves room for a part's number in an id
EDGE_CHARS = 1000  # a cut moves back by up to so many characters to end between words
SLACK_CHARS = 2000  # how far behind a cut inside a word to look for a secret


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a message. `call` is the id that a tool call and its result share."""

    kind: PartKind
    text: str = ""
    call: str | None = None


def parts_of(content: Any) -> tuple[Part, ...]:
    """The parts of a message's content, which is a string or a list of blocks."""
    if isinstance(content, str):
        return (Part("text", content),)
    return tuple(_part(block) for block in as_list(content))


def _part(block: Any) -> Part:
    if isinstance(block, str):
        return Part("text", block)
    block = as_object(block)
    kind = PART_KINDS.get(as_text(block.get("type")), "unknown")
    if kind == "call":
        return tool_call(block.get("name"), block.get("input", block.get("arguments")), as_id(block.get("id")))
    if kind == "result":
        call = block.get("tool_use_id", block.get("toolCallId"))
        return Part(kind, text_in(block.get("content")), as_id(call))
    return Part(kind, as_text(block.get("thinking" if kind == "thinking" else "text")))


def tool_call(name: Any, arguments: Any, call: str | None) -> Part:
    """A tool call as one line of text. Our own tools are recognised whatever name the host gave the server."""
    tool = as_text(name) or "tool"
    given = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    own = tool.replace(".", "__").rpartition("__")[2] in OWN_TOOLS
    return Part("own tool" if own else "call", f"{tool}({given})", call)


def text_in(content: Any) -> str:
    """The text of a message's content, without images and other parts."""
    return "\n".join(part.text for part in parts_of(content) if part.kind == "text" and part.text)


class TranscriptParser:
    """What the parsers of transcripts share: session, options, the last time seen, and the calls of our own tools."""

    def __init__(self, session: str, options: ImportOptions) -> None:
        self._session = session
        self._options = options
        self._time: datetime | None = None
        self._own_calls: set[str | None] = set()

    def _mark_own_results(self, parts: Iterable[Part]) -> tuple[Part, ...]:
        """The parts, with the results of our own tools marked: memory need not store what it returned itself."""
        found = tuple(parts)
        self._own_calls |= {part.call for part in found if part.kind == "own tool"} - {None}
        return tuple(
            replace(part, kind="own tool") if part.kind == "result" and part.call in self._own_calls else part
            for part in found
        )

    def _items(self, id_: str, role: str, parts: tuple[Part, ...], session: str | None = None) -> Iterator[Item]:
        """A message as turns: its text under its own id, each tool call or result under that id and its number."""
        id_, session = id_[:MAX_ID_CHARS], session or self._session
        text = "\n\n".join(part.text for part in parts if part.kind == "text" and part.text.strip())
        if text:
            yield ImportedItem(Turn(id_, session, role, text, self._time))
        elif all(part.kind == "text" for part in parts):
            yield Skipped(Reason.EMPTY)
        for number, part in enumerate(parts):
            if part.kind != "text":
                yield self._item(f"{id_}#{number}", session, part)

    def _item(self, id_: str, session: str, part: Part) -> Item:
        if part.kind == "own tool":
            return Skipped(Reason.OWN_TOOL)
        if part.kind in ("image", "unknown"):
            return Skipped(Reason.IMAGE if part.kind == "image" else Reason.UNKNOWN)
        if part.kind == "thinking" and not self._options.thinking:
            return Skipped(Reason.THINKING)
        if part.kind != "thinking" and not self._options.tools:
            return Skipped(Reason.TOOLS)
        if not part.text.strip():
            return Skipped(Reason.EMPTY)
        role = "tool" if part.kind == "result" else "assistant"
        text = part.text if part.kind == "thinking" else cut(part.text, self._options.tool_chars)
        return ImportedItem(Turn(id_, session, role, text, self._time, part.call))


def cut(text: str, limit: int) -> str:
    """The beginning of a long text, and a note on how much is missing."""
    if len(text) <= limit:
        return text
    edge = max(text.rfind(space, limit - min(EDGE_CHARS, limit), limit) for space in " \n\t")
    head = text[:edge]
    if edge <= 0:  # one long word: cut inside a secret, its first half would no longer be recognised as one
        head = Readers().redact_secrets(text[: limit + SLACK_CHARS]).text[:limit]
    return f"{head}\n[… {len(text) - len(head):,} more characters]"
