"""Generic chat messages: objects with a role and content, one a line or in a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from aforesaid.errors import FormatError
from aforesaid.importers.formats.items import ImportOptions, Item, Reason, Skipped
from aforesaid.importers.formats.json_values import as_id, as_list, as_object, positional_id
from aforesaid.importers.formats.transcript import cut
from aforesaid.types import Turn

TURN_FIELDS = ("id", "session", "time", "bundle", "tainted")  # taken from a message if it has them
MAX_OPEN_CALLS = 1000  # tool calls to remember until their result comes


class ChatMessages:
    """Turns messages into turns. A message without an id gets one from its position and content."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._calls: dict[str, str] = {}  # id of a tool call → its bundle

    def turn(self, found: Mapping[str, Any], position: int) -> Turn:
        """The turn of a message. Raises FormatError when it has no role or no text."""
        role, text = found.get("role"), _text(found)
        if not isinstance(role, str) or text is None:
            missing = "role" if not isinstance(role, str) else "text"
            raise FormatError(
                f"it has no {missing}.", "A turn has id, session, role, time and text, or role and content."
            )
        own = {name: found[name] for name in TURN_FIELDS if found.get(name) is not None}
        own.setdefault("id", positional_id(position, f"{role} {text}"))
        own.setdefault("bundle", self._bundle(found))
        return replace(Turn("-", self._session, role, text), **own)

    def _bundle(self, found: Mapping[str, Any]) -> str | None:
        """The id that ties calls to results: the id of the message's first call."""
        calls = [call["id"] for call in _objects(found.get("tool_calls")) if isinstance(call.get("id"), str)]
        self._calls |= dict.fromkeys(calls, calls[0] if calls else "")
        while len(self._calls) > MAX_OPEN_CALLS:
            del self._calls[next(iter(self._calls))]
        answered = found.get("tool_call_id")
        return calls[0] if calls else self._calls.get(answered) if isinstance(answered, str) else None


def _text(found: Mapping[str, Any]) -> str | None:
    """The text of a message: its text, its content, the text parts of its content, or its tool calls."""
    text = found.get("text", found.get("content"))
    if isinstance(text, list):
        parts = [part if isinstance(part, str) else as_object(part).get("text") for part in text]
        text = "\n".join(part for part in parts if isinstance(part, str))
    calls = [call.get("function") for call in _objects(found.get("tool_calls"))]
    if not text and calls:
        text = "\n".join(f"{call.get('name')}({call.get('arguments', '')})" for call in _objects(calls))
    return text if isinstance(text, str) else None


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in as_list(value) if isinstance(item, dict)]


class Jsonl:
    """Parses one file of messages. An object with a list of `messages` is a conversation of its own."""

    def __init__(self, session: str, options: ImportOptions) -> None:
        self._session = session
        self._options = options
        self._chat = ChatMessages(session)

    def parse(self, value: Any, number: int) -> Iterable[Item]:
        """The turn of a message, or the turns of a conversation."""
        if not isinstance(value, dict):
            raise FormatError("it is JSON, but not an object.", "Give one message a line, as a JSON object.")
        if isinstance(value.get("messages"), list):
            return self._conversation(value, number)
        return [self._item(self._chat.turn(value, number))]

    def _conversation(self, value: Mapping[str, Any], number: int) -> Iterator[Item]:
        names = (as_id(value.get(name)) for name in ("session", "conversation_id", "id"))
        chat = ChatMessages(next(filter(None, names), f"{self._session}-{number}"))
        for position, message in enumerate(value["messages"], 1):
            yield self._item(chat.turn(as_object(message), position))

    def _item(self, turn: Turn) -> Item:
        if turn.role in ("system", "developer"):
            return Skipped(Reason.SYSTEM)
        if turn.role != "tool":
            return turn if turn.text.strip() else Skipped(Reason.EMPTY)
        if not self._options.tools:
            return Skipped(Reason.TOOLS)
        return replace(turn, text=cut(turn.text, self._options.tool_chars))
