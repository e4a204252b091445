"""The caller and its grants. They come from the options of the server or from a token, never from the model."""

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
    """The tenant, user and project whose memory is used, the purpose, and the grants."""

    tenant: str
    user: str | None = None
    project: str | None = None
    purpose: str | None = None
    grants: frozenset[Grant] = READ_WRITE


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call: the memory as its caller may see it, and a function for progress (done, total)."""

    memory: Memory
    user: str | None
    project: str | None
    grants: frozenset[Grant] = READ_WRITE
    progress: Progress = lambda done, total: None

    @property
    def owner(self) -> dict[str, str | None]:
        """The user and the project, as arguments of the memory."""
        return {"user": self.user, "project": self.project}

    def needs(self, grant: Grant) -> None:
        """Raise DeniedError unless this was granted."""
        if grant not in self.grants:
            raise DeniedError(
                f"This connection may not {grant}; it may {', '.join(sorted(self.grants)) or 'nothing'}.",
                "Ask the operator of the server to grant it.",
            )


CURRENT: ContextVar[Caller | None] = ContextVar("aforesaid_mcp_caller", default=None)  # by the token of the request
