"""The tools as a table: name, function, what kind of change it makes, which profile offers it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from aforesaid.surfaces.mcp import policy_tools as ruling
from aforesaid.surfaces.mcp import read_tools as finding
from aforesaid.surfaces.mcp import write_tools as keeping
from aforesaid.surfaces.mcp.caller import Grant

Profile = Literal["minimal", "full"]
PROFILES: tuple[Profile, ...] = get_args(Profile)
Effect = Literal["none", "notes", "adds", "destroys", "governs"]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool; its description and parameters are those of its function, whose first argument is the Call."""

    name: str
    title: str
    run: Callable[..., Any]
    effect: Effect
    repeatable: bool
    minimal: bool = False

    @property
    def needs(self) -> Grant:
        """What a caller must be granted; noting its own use is reading, and governing asks for more by itself."""
        return "write" if self.effect in ("adds", "destroys") else "read"

    @property
    def description(self) -> str:
        """What it does, when to use it and what comes next."""
        return " ".join((inspect.getdoc(self.run) or "").split())

    @property
    def hints(self) -> dict[str, bool]:
        """The annotations of the protocol."""
        return {
            "readOnlyHint": self.effect == "none",
            "destructiveHint": self.effect in ("destroys", "governs"),
            "idempotentHint": self.repeatable,
            "openWorldHint": False,
        }


TOOLS = (
    Tool("memory_search", "Search memory", finding.search, "none", repeatable=True, minimal=True),
    Tool("memory_remember", "Remember", keeping.remember, "adds", repeatable=True, minimal=True),
    Tool("memory_assemble", "Context for a task", finding.assemble, "notes", repeatable=True, minimal=True),
    Tool("memory_get", "Read a record", finding.get, "none", repeatable=True, minimal=True),
    Tool("memory_forget", "Forget", keeping.forget, "destroys", repeatable=True, minimal=True),
    Tool("memory_status", "Status", finding.status, "none", repeatable=True, minimal=True),
    Tool("memory_ingest", "Take turns", keeping.ingest, "adds", repeatable=True),
    Tool("memory_activate", "Active context", finding.activate, "notes", repeatable=False),
    Tool("memory_observe", "Observe", keeping.observe, "adds", repeatable=True),
    Tool("memory_distill", "Distill a candidate", keeping.distill, "adds", repeatable=True),
    Tool("memory_promote", "Promote a candidate", keeping.promote, "adds", repeatable=False),
    Tool("memory_rollback", "Roll a claim back", keeping.rollback, "destroys", repeatable=False),
    Tool("memory_feedback", "Feedback", keeping.feedback, "adds", repeatable=True),
    Tool("memory_validate", "Check a text", ruling.validate, "none", repeatable=True),
    Tool("memory_policy", "Policy", ruling.policy, "governs", repeatable=True),
)


def offered(profile: Profile, grants: Iterable[Grant]) -> list[Tool]:
    """The tools of a profile that somebody with these grants may call."""
    granted = set(grants)
    return [tool for tool in TOOLS if (profile == "full" or tool.minimal) and tool.needs in granted]
