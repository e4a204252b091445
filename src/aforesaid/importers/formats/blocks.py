"""The content of a message, whatever the host calls its pieces: text, calls and results of tools, thoughts, images."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from aforesaid.importers.formats.items import (
    EMPTY,
    IMAGE,
    OWN_TOOLS,
    RECALL,
    THINKING,
    TOOLS,
    UNKNOWN,
    ImportedItem,
    Item,
    Left,
    Wanted,
    listed,
    mapping,
    name_of,
    words,
)
from aforesaid.text.extract.reader import Readers
from aforesaid.types import Turn

Kind = Literal["text", "call", "result", "recall", "thinking", "image", "unknown"]

KINDS: dict[str, Kind] = {
    **dict.fromkeys(("text", "input_text", "output_text"), "text"),
    **dict.fromkeys(("tool_use", "toolCall", "server_tool_use", "mcp_tool_use"), "call"),
    **dict.fromkeys(("tool_result", "toolResult", "web_search_tool_result", "mcp_tool_result"), "result"),
    **dict.fromkeys(("thinking", "redacted_thinking", "reasoning"), "thinking"),
    **dict.fromkeys(("image", "input_image", "image_url", "document", "audio", "input_audio"), "image"),
}
EDGE_CHARS = 1000  # a cut moves back by so many characters at most to fall between words
SLACK_CHARS = 2000  # beyond a cut inside a word that are looked at too: as long as a secret may be


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message; `call` ties a tool's result to the call."""

    kind: Kind
    text: str = ""
    call: str | None = None


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """Who said something, when, and in which pieces."""

    id: str
    session: str
    role: str
    time: datetime | None
    parts: tuple[Part, ...]


def parts_of(content: Any) -> tuple[Part, ...]:
    """The pieces of a content: a text alone, or a list of blocks."""
    if isinstance(content, str):
        return (Part("text", content),)
    return tuple(_part(block) for block in listed(content))


def _part(block: Any) -> Part:
    if isinstance(block, str):
        return Part("text", block)
    block = mapping(block)
    kind = KINDS.get(words(block.get("type")), "unknown")
    if kind == "call":
        return call_of(block.get("name"), block.get("input", block.get("arguments")), name_of(block.get("id")))
    if kind == "result":
        answered = block.get("tool_use_id", block.get("toolCallId"))
        return Part(kind, text_in(block.get("content")), name_of(answered))
    return Part(kind, words(block.get("thinking")) if kind == "thinking" else words(block.get("text")))


def call_of(name: Any, arguments: Any, call: str | None) -> Part:
    """A tool call as one line of text; `recall` when the tool is ours, by whatever name the host knows the server."""
    tool = words(name) or "tool"
    given = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    own = tool.replace(".", "__").rpartition("__")[2] in OWN_TOOLS
    return Part("recall" if own else "call", f"{tool}({given})", call)


class Recalls:
    """Tells the answers of our own tools by the calls: what memory told is nothing new to it."""

    def __init__(self) -> None:
        self._calls: set[str | None] = set()

    def told(self, parts: Iterable[Part]) -> tuple[Part, ...]:
        """The pieces, those that a tool of ours returned as `recall`."""
        found = tuple(parts)
        self._calls |= {part.call for part in found if part.kind == "recall"} - {None}
        return tuple(
            replace(part, kind="recall") if part.kind == "result" and part.call in self._calls else part
            for part in found
        )


def text_in(content: Any) -> str:
    """The words of a content, its pictures and the rest left out."""
    return "\n".join(part.text for part in parts_of(content) if part.kind == "text" and part.text)


def items_of(message: SourceMessage, wanted: Wanted) -> Iterator[Item]:
    """A message as turns: its text under its own id, then each tool call and result under that id and its place."""
    said = "\n\n".join(part.text for part in message.parts if part.kind == "text" and part.text.strip())
    if said:
        yield ImportedItem(Turn(message.id, message.session, message.role, said, message.time))
    elif all(part.kind == "text" for part in message.parts):
        yield Left(EMPTY)
    for place, part in enumerate(message.parts):
        if part.kind != "text":
            yield _item(message, place, part, wanted)


def _item(message: SourceMessage, place: int, part: Part, wanted: Wanted) -> Item:
    if part.kind == "recall":
        return Left(RECALL)
    if part.kind == "image" or part.kind == "unknown":
        return Left(IMAGE if part.kind == "image" else UNKNOWN)
    if part.kind == "thinking" and not wanted.thinking:
        return Left(THINKING)
    if part.kind != "thinking" and not wanted.tools:
        return Left(TOOLS)
    if not part.text.strip():
        return Left(EMPTY)
    role = "tool" if part.kind == "result" else "assistant"
    text = part.text if part.kind == "thinking" else cut(part.text, wanted.tool_chars)
    return ImportedItem(Turn(f"{message.id}#{place}", message.session, role, text, message.time, part.call))


def cut(text: str, limit: int) -> str:
    """The beginning of a long text, with a word on how much is missing."""
    if len(text) <= limit:
        return text
    edge = max(text.rfind(sign, limit - min(EDGE_CHARS, limit), limit) for sign in " \n\t")
    head = text[:edge]
    if edge <= 0:  # one long word, and half of a secret would no longer look like one
        head = Readers().redact_secrets(text[: limit + SLACK_CHARS]).text[:limit]
    return f"{head}\n[… {len(text) - len(head):,} more characters]"
