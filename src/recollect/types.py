"""The values that everything else passes around: frozen, small, without behaviour beyond derived properties."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol, get_args, overload

from recollect.errors import InputError, UnknownClassError

Kind = Literal["turn", "claim", "summary", "node", "chunk", "observation"]
Scope = Literal["session", "user", "project", "global"]
Boundary = Literal["public", "internal", "pii", "secret"]
ClaimType = Literal["fact", "preference", "task", "policy_hint"]
MemoryType = Literal["evidence", "working_state", "knowledge", "procedure", "norm"]
Decision = Literal["admit", "defer", "reject"]
Status = Literal["stored", "duplicate", "echo", "skipped"]

KINDS: tuple[Kind, ...] = get_args(Kind)
SCOPES: tuple[Scope, ...] = get_args(Scope)
BOUNDARIES: tuple[Boundary, ...] = get_args(Boundary)  # from open to closed; a record may rise, never fall
CLAIM_TYPES: tuple[ClaimType, ...] = get_args(ClaimType)
MEMORY_TYPES: tuple[MemoryType, ...] = get_args(MemoryType)

AGENT_ROLES = frozenset({"assistant", "system", "tool", "developer"})  # everybody else speaks for themselves
MAX_ID_CHARS = 512  # an id is a name, not a document
DEFAULT_TENANT = "default"
GLOBAL_OWNER = "global"
USES = "uses"  # keys of `meta`: how often a record went into a prompt,
ANCHORS = "anchors"  # how many distinct dates and times its text names,
WHEN = "when"  # the spans they mean, told from the time it was said,
SUPERSEDED_BY = "superseded_by"  # the key of the record that replaced a statement of this one,
JUDGED = "judged"  # and up to when utility and quality have faded

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


def most_uses(tenant: str, owner: str) -> str:
    """The store setting that holds the largest use count among an owner's records."""
    return f"most uses/{tenant}/{owner}"


class Clock(Protocol):
    """Tells the time; tests hand in one that stands still."""

    def __call__(self) -> datetime: ...


def system_clock() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


def as_time(value: datetime | float | int | str, name: str = "time") -> datetime:
    """Read a datetime, an ISO 8601 string or Unix seconds as UTC; a time without a zone is taken as UTC."""
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            if not math.isfinite(value):
                raise ValueError("not finite")
            value = datetime.fromtimestamp(value, UTC)
        if not isinstance(value, datetime):
            raise TypeError(type(value).__name__)
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, OSError) as error:
        raise InputError(
            f"{name} is not a time: {value!r}.", "Give a datetime, ISO 8601 text like 2026-05-03T10:00:00Z, or seconds."
        ) from error


def check_id(value: str, name: str = "id") -> str:
    """Return the id as it is, or raise when it is empty, too long, or cannot be written as UTF-8."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, got {type(value).__name__}.", "Convert it to a string first.")
    if not value.strip() or len(value) > MAX_ID_CHARS:
        raise InputError(f"{name} is empty or over {MAX_ID_CHARS} characters: {value[:40]!r}.", "Give a short name.")
    if any(0xD800 <= ord(char) <= 0xDFFF for char in value) or "\x00" in value:
        raise InputError(f"{name} holds characters that cannot be stored: {value[:40]!r}.", "Use valid Unicode text.")
    return value


def check_choice(value: str, choices: Sequence[str], name: str) -> str:
    """Return the value if it is one of the choices, or raise naming them."""
    if value not in choices:
        raise InputError(f"{name} {value!r} is unknown.", f"Use one of: {', '.join(choices)}.")
    return value


def check_class(value: str) -> Boundary:
    """Return the boundary class if it is one, or raise: nothing is shown or kept under a class that nobody defined."""
    for name in BOUNDARIES:
        if value == name:
            return name
    raise UnknownClassError(f"Boundary class {value!r} is unknown.", f"Use one of: {', '.join(BOUNDARIES)}.")


def storable(text: str) -> str:
    """The text with lone surrogates, which no file can hold, replaced by U+FFFD."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return "".join("\ufffd" if 0xD800 <= ord(char) <= 0xDFFF else char for char in text)


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
class Outcome:
    """What became of one turn that was handed in."""

    id: str
    status: Status
    reason: str
    key: str = ""
    gate: GateDecision | None = None
    redactions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestReport(Sequence[Outcome]):
    """What became of every turn of an ingest, in the order they were given."""

    outcomes: tuple[Outcome, ...] = ()
    freshness: Freshness | None = None

    def __len__(self) -> int:
        return len(self.outcomes)

    @overload
    def __getitem__(self, index: int) -> Outcome: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Outcome]: ...
    def __getitem__(self, index: int | slice) -> Outcome | Sequence[Outcome]:
        return self.outcomes[index]

    def count(self, value: object) -> int:
        """How many turns ended with this status or gate decision."""
        return sum(o.status == value or (o.gate is not None and o.gate.decision == value) for o in self.outcomes)


@dataclass(frozen=True, slots=True)
class Freshness:
    """What an answer could not see: arms that were off, and records whose vectors are still to come."""

    records: int
    pending: int
    vector_off: str = ""

    @property
    def line(self) -> str:
        """One sentence for people."""
        vector = f"vector arm off ({self.vector_off})" if self.vector_off else "vector and text arms on"
        pending = f"{self.pending} of {self.records} records without vectors yet" if self.pending else "all indexed"
        return f"{vector}; {pending}"


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that was found, its score, the parts of that score, and the reason in one line."""

    record: Record
    score: float
    parts: Mapping[str, float]
    reason: str


@dataclass(frozen=True, slots=True)
class SearchResult(Sequence[Hit]):
    """Hits in order, with a word on what the search could not see; `recovered` says why summaries gave way to turns."""

    hits: tuple[Hit, ...]
    freshness: Freshness
    query: str = ""
    profile: str = "default"
    recovered: str = ""

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[index]


Part = Literal["rules", "guidance", "tail", "recall"]


@dataclass(frozen=True, slots=True)
class TraceItem:
    """One record that was considered for a context, and what became of it."""

    id: str
    part: Part
    taken: bool
    tokens: int
    reason: str
    score: float | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a part of a context comes from."""

    handle: str
    id: str
    part: Part
    time: datetime
    session: str | None = None
    file: str | None = None
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What goes into the prompt: rules as system text, then recent turns and frames of recalled history as messages.

    Frames stand where they were first shown, so that a session's contexts grow at the end. `kept_tokens` is how many
    leading tokens are the same as in the session's previous context; `recall` is the frames alone.
    """

    system: str
    messages: tuple[Mapping[str, str], ...]
    tokens: int
    budget_tokens: int
    records: tuple[Record, ...]
    trace: tuple[TraceItem, ...]
    freshness: Freshness | None
    degraded: str = ""
    kept_tokens: int = 0
    citations: tuple[Citation, ...] = ()
    recall: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The pieces of the context in their order; one that changed makes a model read everything after it anew."""
        spoken = (f"{message['role']}: {message['content']}" for message in self.messages)
        return tuple(part for part in (self.system, *spoken) if part)

    @property
    def text(self) -> str:
        """The whole context as one string."""
        return "\n".join(self.parts)

    def chat(self, *new: Mapping[str, str]) -> list[dict[str, str]]:
        """The context as chat messages, the rules as system text, before the new ones."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, *map(dict, self.messages), *map(dict, new)]
