"""The Responses API as Codex speaks it, as far as a conversation with tools needs it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from real_hosts.fake_model import Say, Step

SERVER = "mcp__aforesaid"  # the namespace in which Codex offers our tools
USAGE = {"input_tokens": 10, "input_tokens_details": None, "output_tokens": 10, "output_tokens_details": None,
         "total_tokens": 20}  # fmt: skip


class OpenAI:
    """Every response is a turn."""

    def is_turn(self, path: str, body: Mapping[str, Any]) -> bool:
        """Whether it belongs to the conversation."""
        return path.endswith("/responses") and bool(body.get("tools"))

    def events(self, step: Step, number: int) -> Iterator[Mapping[str, Any]]:
        """A response, its one item, and its end."""
        yield {"type": "response.created", "response": {"id": f"resp_{number}"}}
        yield {"type": "response.output_item.done", "output_index": 0, "item": self._item(step, number)}
        yield {"type": "response.completed", "response": {"id": f"resp_{number}", "usage": USAGE}}

    def plain(self, path: str, step: Step, number: int) -> Mapping[str, Any]:
        """A response in one piece."""
        return {"id": f"resp_{number}", "output": [self._item(step, number)], "usage": USAGE}

    def _item(self, step: Step, number: int) -> dict[str, Any]:
        if isinstance(step, Say):
            content = [{"type": "output_text", "text": step.text}]
            return {"type": "message", "role": "assistant", "id": f"msg_{number}", "content": content}
        call = {"id": f"fc_{number}", "call_id": f"call_{number}", "arguments": json.dumps(step.arguments)}
        return {"type": "function_call", "name": step.tool, "namespace": SERVER, **call}


def words(item: Mapping[str, Any]) -> str:
    """The text of an item of the conversation: of a message, or of what a tool returned."""
    held = item.get("content", item.get("output", ""))
    return held if isinstance(held, str) else "\n".join(part.get("text", "") for part in held or ())
