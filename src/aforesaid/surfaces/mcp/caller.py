"""Who calls, and what a caller may do: it comes from the server's options or a token, never from the model."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aforesaid.errors import DeniedError
from aforesaid.surfaces.verbs.declare import Grant
from aforesaid.types import Progress

if TYPE_CHECKING:
    from aforesaid.memory import Memory

READ_WRITE: frozenset[Grant] = frozenset({"read", "write"})


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose memory is opened, and for what."""

    tenant: str
    user: str | None = None
    project: str | None = None
    purpose: str | None = None
    grants: frozenset[Grant] = READ_WRITE


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call: the memory as its caller may see it, and where to tell how far it is (done, total)."""

    memory: Memory
    user: str | None
    project: str | None
    grants: frozenset[Grant] = READ_WRITE
    progress: Progress = lambda done, total: None

    def needs(self, grant: Grant) -> None:
        """Refuse what was not granted."""
        if grant not in self.grants:
            raise DeniedError(
                f"This connection may not {grant}; it may {', '.join(sorted(self.grants)) or 'nothing'}.",
                "Ask whoever runs the server to grant it.",
            )


CURRENT: ContextVar[Caller | None] = ContextVar(
    "aforesaid_mcp_caller", default=None
)  # of the HTTP request, by its token
