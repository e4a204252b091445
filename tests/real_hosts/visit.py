"""One call of a coding agent, as seen from outside: what was asked, what reached the model, what was run and how long."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

RECALLED = re.compile(r"<recalled-history\b.*?</recalled-history>", re.DOTALL)  # how what we add is framed


@dataclass(frozen=True, slots=True)
class HookRun:
    """An event that the agent told us of; an exit code only if it was seen, else the time is our own log's."""

    event: str
    code: int | None
    took_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A tool that the model called, and what it was handed in return."""

    tool: str
    arguments: str
    result: str
    took_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Visit:
    """A prompt and everything that came of it; `told` is all that the model was told, request by request."""

    prompt: str
    answer: str
    session: str
    seconds: float
    told: Sequence[str]
    hooks: Sequence[HookRun]
    tools: Sequence[ToolRun]
    connected_ms: int | None  # from the server's start, as far as the agent tells
    asked_ms: int  # from the agent's start to its first request to the model

    @property
    def added(self) -> str:
        """What a hook had added to the prompt, before any tool was called."""
        found = RECALLED.search(self.told[0])
        return found.group() if found else ""
