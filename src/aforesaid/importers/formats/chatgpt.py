"""ChatGPT exports: conversations as trees, because every edit and every second answer starts a branch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from aforesaid.errors import FormatError
from aforesaid.importers.formats.items import ImportOptions, Item, Reason, Skipped, Title
from aforesaid.importers.formats.json_values import as_id, as_list, as_object, as_text, parse_time, positional_id
from aforesaid.importers.formats.transcript import cut
from aforesaid.text.normalize import content_hash
from aforesaid.types import Turn

TEXTS = ("text", "multimodal_text", "code", "execution_output", "tether_quote", "tether_browsing_display")
THOUGHTS = ("thoughts", "reasoning_recap")
INSTRUCTIONS = ("user_editable_context", "model_editable_context")
MAX_GENERATIONS = 20  # how far up the tree to look for a time
EVERYBODY = "all"  # the recipient of an answer; any other recipient is a tool

Nodes = Mapping[str, Mapping[str, Any]]


class ChatGPT:
    """Parses conversations, each as a session of its own. It reads the branch that was on the screen."""

    def __init__(self, session: str, options: ImportOptions) -> None:
        self._session = session
        self._options = options

    def parse(self, value: Any, number: int) -> Iterable[Item]:
        """The turns of a conversation."""
        found = as_object(value)
        if "mapping" not in found:
            raise FormatError("it is no conversation: it has no mapping.", "Give conversations.json of the export.")
        title, started = as_text(found.get("title")).strip(), parse_time(found.get("create_time"))
        own = as_id(found.get("conversation_id")) or as_id(found.get("id"))
        session = own or f"{self._session}-{content_hash(f'{title} {started}')[:16]}"
        return self._conversation(session, title, started, found)

    def _conversation(
        self, session: str, title: str, time: datetime | None, found: Mapping[str, Any]
    ) -> Iterator[Item]:
        if title:
            yield Title(session, title)
        nodes = {key: as_object(node) for key, node in as_object(found.get("mapping")).items()}
        branch = visible_branch(nodes, found.get("current_node"))
        others = [key for key in nodes if key not in set(branch)]
        call = None
        for key in [*branch, *(others if self._options.branches else ())]:
            message = as_object(nodes[key].get("message"))
            time = parse_time(message.get("create_time")) or time
            own = as_id(message.get("id")) or as_id(key)
            for item in _items(message, own, session, time, call, self._options):
                if isinstance(item, Turn) and item.bundle:
                    call = item.bundle
                yield item
        if not self._options.branches:
            yield from (Skipped(Reason.BRANCH) for key in others if nodes[key].get("message"))


def visible_branch(nodes: Nodes, current: Any) -> list[str]:
    """The nodes from the root to the current node; if there is none, to the newest leaf."""
    if not isinstance(current, str) or current not in nodes:
        parents = {node.get("parent") for node in nodes.values() if isinstance(node.get("parent"), str)}
        leaves = [key for key in nodes if key not in parents] or list(nodes)
        current = max(leaves, key=lambda key: (_timestamp(nodes, key), key), default=None)
    branch: dict[str, None] = {}
    while isinstance(current, str) and current in nodes and current not in branch:
        branch[current] = None
        current = nodes[current].get("parent")
    return list(branch)[::-1]


def _timestamp(nodes: Nodes, key: Any) -> float:
    """When a node was written. A node without a time takes that of a near ancestor."""
    for _ in range(MAX_GENERATIONS):
        node = nodes.get(key) if isinstance(key, str) else None
        time = parse_time(as_object(node.get("message")).get("create_time")) if node else None
        if node is None or time is not None:
            return time.timestamp() if time else 0.0
        key = node.get("parent")
    return 0.0


def _items(
    message: Mapping[str, Any],
    own: str | None,
    session: str,
    time: datetime | None,
    call: str | None,
    options: ImportOptions,
) -> Iterator[Item]:
    """The items of a message: at most one turn, and what is skipped of it."""
    if not message:
        return
    role = as_text(as_object(message.get("author")).get("role"))
    content = as_object(message.get("content"))
    kind = as_text(content.get("content_type"))
    reason = _skip_message(message, role, kind, options)
    if reason:
        yield Skipped(reason)
        return
    objects = [part for part in as_list(content.get("parts")) if isinstance(part, dict)]
    yield from (Skipped(Reason.IMAGE) for part in objects if not as_text(part.get("text")))
    text = _text(content, kind)
    own = own or positional_id(0, f"{role} {text}")
    recipient = message.get("recipient")
    is_call = role == "assistant" and isinstance(recipient, str) and recipient not in ("", EVERYBODY)
    if (is_call or role == "tool") and not options.tools:
        yield Skipped(Reason.TOOLS)
    elif not text.strip():
        yield from [] if objects else [Skipped(Reason.EMPTY)]
    elif is_call:
        yield Turn(own, session, role, cut(f"{recipient}({text})", options.tool_chars), time, own)
    elif role == "tool":
        yield Turn(own, session, role, cut(text, options.tool_chars), time, call)
    else:
        yield Turn(own, session, role, text, time)


def _skip_message(message: Mapping[str, Any], role: str, kind: str, options: ImportOptions) -> Reason | None:
    """Why to skip a message, if there is a reason."""
    if kind in INSTRUCTIONS:
        return Reason.INSTRUCTIONS
    if role == "system":
        return Reason.SYSTEM
    if as_object(message.get("metadata")).get("is_visually_hidden_from_conversation") is True:
        return Reason.HIDDEN
    if role not in ("user", "assistant", "tool") or kind not in (*TEXTS, *THOUGHTS):
        return Reason.UNKNOWN
    return Reason.THINKING if kind in THOUGHTS and not options.thinking else None


def _text(content: Mapping[str, Any], kind: str) -> str:
    """The text of a message: that of its parts, its own, its thoughts, or the text of a web page."""
    if kind in THOUGHTS:
        thoughts = [as_object(each).get("content") for each in as_list(content.get("thoughts"))]
        texts = [*thoughts, content.get("content")]
    elif parts := as_list(content.get("parts")):
        texts = [part if isinstance(part, str) else as_object(part).get("text") for part in parts]
    else:
        texts = [content.get("text"), content.get("result")]
    return "\n".join(filter(None, map(as_text, texts)))
