"""What is handed in, what is kept of it, and by which conditions it is found again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import Any

from aforesaid.errors import InputError
from aforesaid.types.words import (
    DEFAULT_TENANT,
    GLOBAL_OWNER,
    Boundary,
    ClaimType,
    Decision,
    Kind,
    MemoryType,
    Order,
    Scope,
    as_time,
    check_id,
    storable,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One raw message as a host hands it over; `time` None means now, `bundle` ties a call to its result.

    `tainted` says that others had a hand in the words (a web page, a letter); what a tool returns always is.
    """

    id: str
    session: str
    role: str
    text: str
    time: datetime | None = None
    bundle: str | None = None
    tainted: bool = False

    def __post_init__(self) -> None:
        for name in ("id", "session", "role"):
            check_id(getattr(self, name), f"Turn {name}")
        if self.bundle is not None:
            check_id(self.bundle, "Turn bundle")
        if not isinstance(self.text, str):
            raise InputError(
                f"Turn {self.id!r}: text must be str, got {type(self.text).__name__}.", "Decode bytes as UTF-8 first."
            )
        object.__setattr__(self, "text", storable(self.text))
        if self.time is not None:
            object.__setattr__(self, "time", as_time(self.time, f"Turn {self.id!r}: time"))


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who said it, by which method it came to be, and from what."""

    who: str | None = None
    method: str | None = None
    sources: tuple[str, ...] = ()
    file: str | None = None
    lines: tuple[int, int] | None = None
    commit: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class GateDecision:
    """What the gate said of a turn, with every term it weighed."""

    decision: Decision
    score: float
    threshold: float
    signals: Mapping[str, float]
    reason: str


@dataclass(frozen=True, slots=True)
class Record:
    """Anything that can be found again.

    `allow` narrows the purposes that may see it, `withheld` says why nobody may, `expires` when it goes, `tainted` that
    others had a hand in its words, and `states` what it makes statements about.
    """

    id: str
    kind: Kind
    text: str
    time: datetime
    tenant: str = DEFAULT_TENANT
    scope: Scope = "user"
    user: str | None = None
    project: str | None = None
    session: str | None = None
    agent: str | None = None
    role: str | None = None
    bundle: str | None = None
    boundary: Boundary = "internal"
    durable: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    updated: datetime | None = None
    echo_of: str | None = None
    claim_type: ClaimType | None = None
    memory_type: MemoryType | None = None
    confidence: float = 1.0
    utility: float = 0.0
    provenance: Provenance | None = None
    gate: GateDecision | None = None
    redactions: tuple[str, ...] = ()
    allow: tuple[str, ...] | None = None
    withheld: str = ""
    expires: datetime | None = None
    tainted: bool = False
    states: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    _key: str = field(default="", init=False, repr=False, compare=False)  # made at the first look, then kept

    @property
    def key(self) -> str:
        """The record's address inside a store: a digest of whose it is and what the caller called it."""
        if not self._key:
            parts = (self.tenant, self.user, self.project, self.session, self.id)
            joined = "\x1f".join("\x00" if part is None else part for part in parts)
            object.__setattr__(self, "_key", hashlib.blake2b(joined.encode(), digest_size=12).hexdigest())
        return self._key

    @property
    def owner(self) -> str:
        """The partition it lies in; a reader names the owners that it may see."""
        return owner_of(self.scope, self.user, self.project)

    @property
    def namespace(self) -> str:
        """The durable namespace the gate compares within: user, else session, else agent, else `default`."""
        for label, value in (("user", self.user), ("session", self.session), ("agent", self.agent)):
            if value is not None:
                return f"{label}:{value}"
        return "default"


def owner_of(scope: Scope, user: str | None, project: str | None) -> str:
    """The partition of a scope: a user's own, a project's shared, or everybody's."""
    if scope == "global":
        return GLOBAL_OWNER
    if scope == "project":
        if project is None:
            raise InputError("A record of scope 'project' needs a project.", "Pass project=….")
        return f"project:{project}"
    return f"user:{user or ''}"


@dataclass(frozen=True, slots=True)
class Filter:
    """What may be seen. Stores apply it before ranking; None leaves a field open, an empty tuple matches nothing.

    A record that lists the purposes it allows is seen only for one of them. Withheld records pass only if asked for.
    """

    tenant: str = DEFAULT_TENANT
    owners: tuple[str, ...] | None = None
    scopes: tuple[Scope, ...] | None = None
    kinds: tuple[Kind, ...] | None = None
    sessions: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    ids: tuple[str, ...] | None = None
    keys: tuple[str, ...] | None = None
    boundaries: tuple[Boundary, ...] | None = None
    valid_at: datetime | None = None
    since: datetime | None = None
    until: datetime | None = None
    durable: bool | None = None
    namespace: str | None = None
    echoes: bool = False
    exclude: tuple[str, ...] = ()
    states: tuple[str, ...] | None = None
    purpose: str | None = None
    alive_at: datetime | None = None
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class Scored:
    """A record's address with a similarity: higher is nearer."""

    key: str
    score: float


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed link between two records: `covers` (summary → turn), `hop`, `supersedes` or `evidence`."""

    source: str
    target: str
    kind: str
    time: datetime


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened; `subject` is the session or record it is about, `body` never holds a record's text.

    A store fills in the rest: where the event stands in its log is no part of what happened. An erased event has lost
    its subject, and of its body only a hash is left.
    """

    time: datetime
    tenant: str
    topic: str
    subject: str | None
    body: Mapping[str, Any]
    number: int = field(default=0, compare=False)
    digest: str = field(default="", compare=False)
    erased: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events of a tenant's log are read, and how many: the newest first, unless asked otherwise.

    `request` is what an event's body has under that name; `after` leaves out every event up to that number.
    """

    tenant: str
    _: KW_ONLY
    topic: str | None = None
    subject: str | None = None
    request: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    after: int | None = None
    order: Order = "newest"
    limit: int = 100
    offset: int = 0
