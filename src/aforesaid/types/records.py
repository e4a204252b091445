"""What is passed in, what is stored, and the filters that select it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from aforesaid.errors import InputError
from aforesaid.types.checks import as_time, check_id, check_role, storable
from aforesaid.types.vocabulary import (
    AUTHORITY,
    DEFAULT_TENANT,
    ENTITY,
    GLOBAL_OWNER,
    JUDGED,
    QUALITY,
    USES,
    Boundary,
    ClaimType,
    Decision,
    Kind,
    MemoryType,
    Order,
    Scope,
    TimeLike,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message to store.

    `role` is `user`, `assistant`, `system`, `tool`, `developer` or the name of a person. `time` may be a datetime, Unix
    seconds or ISO 8601 text; it becomes a datetime in UTC, and is now if left out. The same `bundle` on a tool call and
    its result keeps them together. `tainted` says that the text comes from an untrusted source, such as a web page.
    """

    id: str
    session: str
    role: str  # `user`, `assistant`, `tool`, … or a person's name
    text: str
    time: datetime | None = None  # None: now
    bundle: str | None = None  # the same name on a tool call and its result keeps them together
    tainted: bool = False  # the text comes from an untrusted source (a web page, an email); tool results always do

    if TYPE_CHECKING:

        def __init__(
            self,
            id: str,  # noqa: A002
            session: str,
            role: str,
            text: str,
            time: TimeLike | None = None,
            bundle: str | None = None,
            tainted: bool = False,
        ) -> None: ...

    def __post_init__(self) -> None:
        for name in ("id", "session", "role"):
            check_id(getattr(self, name), f"Turn {name}")
        if self.bundle is not None:
            check_id(self.bundle, "Turn bundle")
        check_role(self.role)
        if not isinstance(self.text, str):
            raise InputError(
                f"Turn {self.id!r}: text must be str, got {type(self.text).__name__}.", "Decode bytes as UTF-8 first."
            )
        object.__setattr__(self, "text", storable(self.text))
        if self.time is not None:
            object.__setattr__(self, "time", as_time(self.time, f"Turn {self.id!r}: time"))


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a record comes from. Fields that are not known are None."""

    who: str | None = None  # the person or agent
    method: str | None = None  # how it was made, such as `distill` or `extractive`
    sources: tuple[str, ...] = ()  # keys of the records it was made from
    file: str | None = None
    lines: tuple[int, int] | None = None  # first and last line in that file
    commit: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class GateDecision:
    """The gate's decision about a message, with the value of every term of its formula."""

    decision: Decision
    score: float  # G in [0, 1]
    threshold: float
    signals: Mapping[str, float]
    reason: str


@dataclass(frozen=True, slots=True)
class Record:
    """Anything that can be found again: a message, claim, summary, rule, chunk of a note, or observation."""

    id: str  # the caller's name for it
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
    bundle: str | None = None  # see Turn
    boundary: Boundary = "internal"
    durable: bool = False  # marked as important
    valid_from: datetime | None = None  # when the statement became true; None: unknown
    valid_to: datetime | None = None  # when it stopped being true; None: still true
    updated: datetime | None = None
    echo_of: str | None = None  # the key of the recalled record that this message repeats
    claim_type: ClaimType | None = None  # for claims
    memory_type: MemoryType | None = None
    confidence: float = 1.0  # in [0, 1]
    utility: float = 0.0  # in [-1, 1], from feedback
    provenance: Provenance | None = None
    gate: GateDecision | None = None
    redactions: tuple[str, ...] = ()  # the kinds of data that were redacted
    allow: tuple[str, ...] | None = None  # globs of purposes that may see it; None: as its class says
    withheld: str = ""  # why it is hidden from everybody; empty: it is not
    expires: datetime | None = None  # None: never
    tainted: bool = False  # see Turn
    states: tuple[str, ...] = ()  # what it makes statements about
    dates: int = field(default=0, compare=False)  # distinct dates and times in its text; the writer counts them
    meta: Mapping[str, Any] = field(default_factory=dict)
    _key: str = field(default="", init=False, repr=False, compare=False)  # computed on first use

    @property
    def key(self) -> str:
        """The record's unique key in a store: a hash of tenant, user, project, session and id."""
        if not self._key:
            parts = (self.tenant, self.user, self.project, self.session, self.id)
            joined = "\x1f".join("\x00" if part is None else part for part in parts)
            object.__setattr__(self, "_key", hashlib.blake2b(joined.encode(), digest_size=12).hexdigest())
        return self._key

    @property
    def owner(self) -> str:
        """The partition of the store that it belongs to; a reader's filter lists the owners it may see."""
        return owner_of(self.scope, self.user, self.project)

    @property
    def is_rule(self) -> bool:
        """Whether it is a hard, soft or elevated rule. The lore of a document is not durable."""
        return self.kind == "node" and self.durable

    @property
    def entity(self) -> str | None:
        """What it is about, if that is known: the text under `entity` in `meta`."""
        value = self.meta.get(ENTITY)
        return value if isinstance(value, str) else None

    @property
    def quality(self) -> float | None:
        """The number in [0, 1] under `quality` in `meta`; None if there is none."""
        return self._share(QUALITY)

    @property
    def authority(self) -> float | None:
        """The number in [0, 1] under `authority` in `meta`; None if there is none."""
        return self._share(AUTHORITY)

    @property
    def uses(self) -> int:
        """How often it was put into a prompt. A value in `meta` that is no count means never."""
        value = self.meta.get(USES)
        return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0

    @property
    def judged(self) -> datetime | None:
        """The time up to which the decay of utility and quality is applied; None if it was never judged."""
        value = self.meta.get(JUDGED)
        with suppress(InputError):
            return None if value is None else as_time(value)
        return None

    def _share(self, name: str) -> float | None:
        """A number in [0, 1] from `meta`, where callers may have put anything."""
        value = self.meta.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value) if 0.0 <= value <= 1.0 else None

    @property
    def namespace(self) -> str:
        """The namespace in which the gate looks for similar records: user, else session, else agent, else `default`."""
        for label, value in (("user", self.user), ("session", self.session), ("agent", self.agent)):
            if value is not None:
                return f"{label}:{value}"
        return "default"


def owner_of(scope: Scope, user: str | None, project: str | None) -> str:
    """The partition of a scope: one per user, one per project, and one global."""
    if scope == "global":
        return GLOBAL_OWNER
    if scope == "project":
        if project is None:
            raise InputError("A record of scope 'project' needs a project.", "Pass project=….")
        return f"project:{project}"
    return f"user:{user or ''}"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which records a reader may see. Stores apply it before ranking. None means any; an empty tuple matches none."""

    tenant: str = DEFAULT_TENANT
    owners: tuple[str, ...] | None = None
    scopes: tuple[Scope, ...] | None = None
    kinds: tuple[Kind, ...] | None = None
    sessions: tuple[str, ...] | None = None
    ids: tuple[str, ...] | None = None
    keys: tuple[str, ...] | None = None
    id_starts: str | None = None  # only records whose id starts with this text
    key_starts: str | None = None
    boundaries: tuple[Boundary, ...] | None = None
    valid_at: datetime | None = None  # only statements that were true then
    since: datetime | None = None  # on or after this time
    until: datetime | None = None  # on or before this time
    durable: bool | None = None
    namespace: str | None = None
    echoes: bool = False  # include messages that only repeat a recalled record
    exclude: tuple[str, ...] = ()  # keys to leave out
    states: tuple[str, ...] | None = None
    purpose: str | None = None  # a record with an `allow` list must admit it
    alive_at: datetime | None = None  # leave out records that have expired by then
    withheld: bool = False  # include withheld records
    rules: bool = True  # include hard, soft and elevated rules
    least_dates: int | None = None  # with at least so many dates and times in the text
    most_dates: int | None = None  # with at most so many


@dataclass(frozen=True, slots=True)
class Scored:
    """A record's key with its similarity; higher is nearer."""

    key: str
    score: float


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed link between two records: `covers` (summary → message), `hop`, `supersedes` or `evidence`."""

    source: str
    target: str
    kind: str
    time: datetime


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the audit log. `body` never contains a record's text.

    The store sets the last three fields. An erased event has lost its subject, and only a hash of its body is left.
    """

    time: datetime
    tenant: str
    topic: str
    subject: str | None  # the session or record that it is about
    body: Mapping[str, Any]
    number: int = field(default=0, compare=False)  # its place in the log, from 1
    digest: str = field(default="", compare=False)  # its hash in the chain
    erased: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events of a tenant's log to read, and how many; newest first by default."""

    tenant: str
    _: KW_ONLY
    topic: str | None = None
    subject: str | None = None
    request: str | None = None  # the value of `request` in the event's body
    since: datetime | None = None
    until: datetime | None = None
    after: int | None = None  # only events with a larger number
    order: Order = "newest"
    limit: int = 100
    offset: int = 0
    strict: bool = False  # fail at an event that cannot be read; otherwise it is left out
