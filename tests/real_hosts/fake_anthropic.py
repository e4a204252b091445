"""The Messages API as Claude Code speaks it, as far as a conversation with tools needs it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from real_hosts.fake_model import Say, Step

SERVER = "mcp__aforesaid__"  # what Claude Code puts before the names of our tools
USAGE = {"input_tokens": 10, "output_tokens": 10}


class Anthropic:
    """Turns are requests that offer tools; the rest are titles, counts and checks."""

    def is_turn(self, path: str, body: Mapping[str, Any]) -> bool:
        """Whether it belongs to the conversation."""
        return path.endswith("/messages") and bool(body.get("tools"))

    def events(self, step: Step, number: int) -> Iterator[Mapping[str, Any]]:
        """A message, its one block, and its end."""
        message = self._message(step, number)
        block, reason = message["content"][0], message["stop_reason"]
        yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
        if isinstance(step, Say):
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": step.text}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
        yield {"type": "content_block_start", "index": 0, "content_block": start}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": USAGE}
        yield {"type": "message_stop"}

    def plain(self, path: str, step: Step, number: int) -> Mapping[str, Any]:
        """A message in one piece, or a number of tokens."""
        return {"input_tokens": 10} if path.endswith("/count_tokens") else self._message(step, number)

    def _message(self, step: Step, number: int) -> dict[str, Any]:
        block: dict[str, Any] = {"type": "text", "text": step.text} if isinstance(step, Say) else {
            "type": "tool_use", "id": f"toolu_{number:04}", "name": SERVER + step.tool, "input": step.arguments,
        }  # fmt: skip
        return {
            "id": f"msg_{number:04}", "type": "message", "role": "assistant", "model": "fake", "content": [block],
            "stop_reason": "end_turn" if isinstance(step, Say) else "tool_use", "stop_sequence": None, "usage": USAGE,
        }  # fmt: skip


def texts(message: Mapping[str, Any]) -> list[str]:
    """The texts of a message, those of tool results among them."""
    content = message["content"]
    found = []
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if block["type"] == "tool_result":
            inner = block["content"]
            found += [inner] if isinstance(inner, str) else [each.get("text", "") for each in inner]
        else:
            found.append(block.get("text", ""))
    return found


def system(body: Mapping[str, Any]) -> str:
    """Everything that is said to the model beside the conversation."""
    told = body.get("system", "")
    return told if isinstance(told, str) else "\n".join(block["text"] for block in told)
