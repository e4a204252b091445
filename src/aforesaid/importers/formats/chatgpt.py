"""ChatGPT's export: conversations as trees, because every edit and every second answer starts a branch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from aforesaid.errors import FormatError
from aforesaid.importers.formats.blocks import cut
from aforesaid.importers.formats.items import (
    BRANCH,
    EMPTY,
    HIDDEN,
    IMAGE,
    INSTRUCTIONS,
    SYSTEM,
    THINKING,
    TOOLS,
    UNKNOWN,
    ImportedItem,
    Item,
    Left,
    Title,
    Wanted,
    listed,
    mapping,
    moment,
    name_of,
    placed_id,
    words,
)
from aforesaid.text.normalize import content_hash
from aforesaid.types import Turn

SPOKEN = ("text", "multimodal_text", "code", "execution_output", "tether_quote", "tether_browsing_display")
THOUGHTS = ("thoughts", "reasoning_recap")
CONTEXTS = ("user_editable_context", "model_editable_context")
NEAR = 20  # generations
EVERYBODY = "all"  # whom an answer is for; anybody else is a tool

Nodes = Mapping[str, Mapping[str, Any]]


class ChatGPT:
    """Conversations, each a session of its own: the branch that was on the screen, from its first message on."""

    def __init__(self, session: str, wanted: Wanted) -> None:
        self._session = session
        self._wanted = wanted

    def feed(self, value: Any, number: int) -> Iterable[Item]:
        """The turns of a conversation."""
        found = mapping(value)
        nodes = {key: mapping(node) for key, node in mapping(found.get("mapping")).items()}
        if "mapping" not in found:
            raise FormatError("it is no conversation: it has no mapping.", "Give conversations.json of the export.")
        title, started = words(found.get("title")).strip(), moment(found.get("create_time"))
        own = name_of(found.get("conversation_id")) or name_of(found.get("id"))
        session = own or f"{self._session}-{content_hash(f'{title} {started}')[:16]}"
        return self._conversation(session, title, nodes, found)

    def _conversation(self, session: str, title: str, nodes: Nodes, found: Mapping[str, Any]) -> Iterator[Item]:
        if title:
            yield Title(session, title)
        branch = visible_branch(nodes, found.get("current_node"))
        aside = [key for key in nodes if key not in set(branch)]
        time, call = moment(found.get("create_time")), None
        for key in [*branch, *(aside if self._wanted.branches else ())]:
            message = mapping(nodes[key].get("message"))
            time = moment(message.get("create_time")) or time
            for item in _items(message, name_of(message.get("id")) or name_of(key), session, time, call, self._wanted):
                if isinstance(item, ImportedItem) and isinstance(item.what, Turn) and item.what.bundle:
                    call = item.what.bundle
                yield item
        if not self._wanted.branches:
            yield from (Left(BRANCH) for key in aside if nodes[key].get("message"))


def visible_branch(nodes: Nodes, current: Any) -> list[str]:
    """The nodes from the root to the one that was shown last; without that, to the newest leaf."""
    if not isinstance(current, str) or current not in nodes:
        parents = {node.get("parent") for node in nodes.values() if isinstance(node.get("parent"), str)}
        leaves = [key for key in nodes if key not in parents] or list(nodes)
        current = max(leaves, key=lambda key: (_said_at(nodes, key), key), default=None)
    branch: list[str] = []
    seen: set[str] = set()
    while isinstance(current, str) and current in nodes and current not in seen:
        branch.append(current)
        seen.add(current)
        current = nodes[current].get("parent")
    return branch[::-1]


def _said_at(nodes: Nodes, key: Any) -> float:
    """When a node was said; one without a time has that of a near ancestor."""
    for _ in range(NEAR):
        node = nodes.get(key) if isinstance(key, str) else None
        time = moment(mapping(node.get("message")).get("create_time")) if node else None
        if node is None or time is not None:
            return time.timestamp() if time else 0.0
        key = node.get("parent")
    return 0.0


def _items(
    message: Mapping[str, Any], own: str | None, session: str, time: datetime | None, call: str | None, wanted: Wanted
) -> Iterator[Item]:
    """What a message is worth: one turn at most, and a word on what else it holds."""
    role = words(mapping(message.get("author")).get("role"))
    content = mapping(message.get("content"))
    kind = words(content.get("content_type"))
    left = _left(message, role, kind)
    if left or not message:
        yield from [Left(left)] if left else []
        return
    if kind in THOUGHTS and not wanted.thinking:
        yield Left(THINKING)
        return
    yield from (Left(IMAGE) for part in listed(content.get("parts")) if isinstance(part, dict) and not _spoken(part))
    text = _text(content, kind)
    own = own or placed_id(0, f"{role} {text}")
    recipient = message.get("recipient")
    calls = role == "assistant" and isinstance(recipient, str) and recipient not in ("", EVERYBODY)
    if (calls or role == "tool") and not wanted.tools:
        yield Left(TOOLS)
    elif not text.strip():
        if not any(isinstance(part, dict) for part in listed(content.get("parts"))):
            yield Left(EMPTY)
    elif calls:
        yield ImportedItem(Turn(own, session, role, cut(f"{recipient}({text})", wanted.tool_chars), time, own))
    elif role == "tool":
        yield ImportedItem(Turn(own, session, role, cut(text, wanted.tool_chars), time, call))
    else:
        yield ImportedItem(Turn(own, session, role, text, time))


def _left(message: Mapping[str, Any], role: str, kind: str) -> str | None:
    """Why a message is left, if it is."""
    if not message:
        return None
    if kind in CONTEXTS:
        return INSTRUCTIONS
    if role == "system":
        return SYSTEM
    if mapping(message.get("metadata")).get("is_visually_hidden_from_conversation") is True:
        return HIDDEN
    if role not in ("user", "assistant", "tool") or kind not in (*SPOKEN, *THOUGHTS):
        return UNKNOWN
    return None


def _spoken(part: Mapping[str, Any]) -> str:
    return words(part.get("text"))


def _text(content: Mapping[str, Any], kind: str) -> str:
    """The words of a content: those of its parts, its text, what it thought, or what a page said."""
    if kind in THOUGHTS:
        thoughts = [words(mapping(each).get("content")) for each in listed(content.get("thoughts"))]
        return "\n".join([*filter(None, thoughts), *filter(None, [words(content.get("content"))])])
    parts = [part if isinstance(part, str) else _spoken(mapping(part)) for part in listed(content.get("parts"))]
    whole = [words(content.get(name)) for name in ("text", "result")] if not parts else []
    return "\n".join(filter(None, [*parts, *whole]))
