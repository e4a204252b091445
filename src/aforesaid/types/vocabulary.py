"""The words of the product: the values that a field may have, and shared constants."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal, Protocol, get_args

Kind = Literal["turn", "claim", "summary", "node", "chunk", "observation"]  # what a record is
Scope = Literal["session", "user", "project", "global"]  # who shares it, from fast-changing to slow-changing
Boundary = Literal["public", "internal", "pii", "secret"]  # its privacy class, from open to strict
ClaimType = Literal["fact", "preference", "task", "policy_hint"]
MemoryType = Literal["evidence", "working_state", "knowledge", "procedure", "norm"]
Decision = Literal["admit", "defer", "reject"]  # of the gate; deferred until the vectors are there
Status = Literal["stored", "duplicate", "echo", "skipped"]  # the result for one ingested message
Part = Literal["rules", "guidance", "tail", "recall"]  # the parts of a context
Order = Literal["oldest", "newest"]

KINDS: tuple[Kind, ...] = get_args(Kind)
SCOPES: tuple[Scope, ...] = get_args(Scope)
BOUNDARIES: tuple[Boundary, ...] = get_args(Boundary)  # a record's class may become stricter, never more open
CLAIM_TYPES: tuple[ClaimType, ...] = get_args(ClaimType)
MEMORY_TYPES: tuple[MemoryType, ...] = get_args(MemoryType)

USER_ROLES = frozenset({"user", "human"})  # the user themselves, without a name
AGENT_ROLES = frozenset({"assistant", "system", "tool", "developer"})  # every other role is a person
MAX_ID_CHARS = 512
DEFAULT_TENANT = "default"
GLOBAL_OWNER = "global"

# Keys of `Record.meta`:
AUTHORITY = "authority"  # a(d) of the `libra` profiles, in [0, 1]
USES = "uses"  # how often the record was put into a prompt
WHEN = "when"  # the time spans that the dates in its text mean
SUPERSEDED_BY = "superseded_by"  # the key of the record that replaced a statement of this one
ENTITY = "entity"  # what the record is about: `pce` returns few records about one entity
QUALITY = "quality"  # in [0, 1], as it was at JUDGED or when the record was written
JUDGED = "judged"  # the time up to which the decay of utility and quality is applied

TimeLike = datetime | float | int | str  # a datetime, Unix seconds or ISO 8601 text; see `as_time`
Progress = Callable[[int, int | None], None]  # called with (done, total); total is None when it is not known


class Clock(Protocol):
    """Returns the current time; tests pass one that stands still."""

    def __call__(self) -> datetime: ...


def system_clock() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)
