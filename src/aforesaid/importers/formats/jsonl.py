"""Chat messages as most programs write them: objects with a role and content, one a line or in a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from aforesaid.errors import FormatError
from aforesaid.importers.formats.blocks import cut
from aforesaid.importers.formats.items import EMPTY, SYSTEM, TOOLS, ImportedItem, Item, Left, Wanted, name_of
from aforesaid.text.normalize import content_hash
from aforesaid.types import Turn

OWN = ("id", "session", "time", "bundle", "tainted")  # fields of a turn that a message may have
MOST_CALLS = 1000  # open tool calls that are remembered; older ones stay without their result


class ChatMessages:
    """Messages into turns: our own fields as they are, ids from position and content where there are none."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._calls: dict[str, str] = {}  # id of a tool call → the bundle it belongs to

    def turn(self, found: Mapping[str, Any], position: int) -> Turn:
        """The turn that a message is; FormatError when it has no role or no text."""
        role, text = found.get("role"), _text(found)
        if not isinstance(role, str) or text is None:
            lacking = "role" if not isinstance(role, str) else "text"
            raise FormatError(
                f"it has no {lacking}.", "A turn has id, session, role, time and text, or role and content."
            )
        own = {name: found[name] for name in OWN if found.get(name) is not None}
        own.setdefault("id", f"{position:06d}-{content_hash(f'{role} {text}')[:8]}")
        own.setdefault("bundle", self._bundle(found))
        return replace(Turn("-", self._session, role, text), **own)

    def _bundle(self, found: Mapping[str, Any]) -> str | None:
        """Tie a call to its result: all calls of one message share the first one's id."""
        calls = [call for call in _objects(found.get("tool_calls")) if isinstance(call.get("id"), str)]
        self._calls |= {call["id"]: calls[0]["id"] for call in calls}
        while len(self._calls) > MOST_CALLS:
            del self._calls[next(iter(self._calls))]
        answered = found.get("tool_call_id")
        return calls[0]["id"] if calls else self._calls.get(answered) if isinstance(answered, str) else None


def _text(found: Mapping[str, Any]) -> str | None:
    """The words of a message: its text, its content, the text parts of its content, or the calls it makes."""
    text = found.get("text", found.get("content"))
    if isinstance(text, list):
        parts = [part if isinstance(part, str) else part.get("text") for part in text if isinstance(part, (str, dict))]
        text = "\n".join(part for part in parts if isinstance(part, str))
    calls = [call.get("function") for call in _objects(found.get("tool_calls"))]
    if not text and calls:
        text = "\n".join(f"{call.get('name')}({call.get('arguments', '')})" for call in calls if isinstance(call, dict))
    return text if isinstance(text, str) else None


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


class Jsonl:
    """The messages of one file; an object with a list of `messages` is a conversation of its own."""

    def __init__(self, session: str, wanted: Wanted) -> None:
        self._session = session
        self._wanted = wanted
        self._chat = ChatMessages(session)

    def feed(self, value: Any, number: int) -> Iterable[Item]:
        """The turn of a message, or those of a conversation."""
        if not isinstance(value, dict):
            raise FormatError("it is JSON, but not an object.", "Give one message a line, as a JSON object.")
        if isinstance(value.get("messages"), list):
            return self._conversation(value, number)
        return [self._taken(self._chat.turn(value, number))]

    def _conversation(self, value: Mapping[str, Any], number: int) -> Iterator[Item]:
        names = (name_of(value.get(name)) for name in ("session", "conversation_id", "id"))
        chat = ChatMessages(next(filter(None, names), f"{self._session}-{number}"))
        for position, message in enumerate(value["messages"], 1):
            yield self._taken(chat.turn(message if isinstance(message, dict) else {}, position))

    def _taken(self, turn: Turn) -> Item:
        if turn.role in ("system", "developer"):
            return Left(SYSTEM)
        if turn.role != "tool":
            return ImportedItem(turn) if turn.text.strip() else Left(EMPTY)
        return (
            ImportedItem(replace(turn, text=cut(turn.text, self._wanted.tool_chars)))
            if self._wanted.tools
            else Left(TOOLS)
        )
