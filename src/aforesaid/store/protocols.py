"""The storage seam. A backend keeps records, finds them by term and by vector under a filter, and never half-writes.

`aforesaid.testing.store` holds the suite that every backend runs; `DictStore` is the plainest reading of this page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol

from aforesaid.math.vectors import Vectors
from aforesaid.store.hash_chain import Head
from aforesaid.types import Boundary, Edge, Event, EventFilter, Filter, Record, Scored
from aforesaid.types import Order as Order  # of `find`: whoever implements a store finds it here


@dataclass(frozen=True, slots=True)
class Space:
    """The vectors of one embedder; exactly one space is active and searched by default."""

    name: str
    dimensions: int
    active: bool


@dataclass(frozen=True, slots=True)
class Glance:
    """What a ranking looks at of a record; far cheaper to read than the whole."""

    key: str
    session: str | None
    role: str | None
    time: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Access:
    """What a policy decides about a record: its class, why it is withheld (or ""), and when it expires."""

    boundary: Boundary
    withheld: str
    expires: datetime | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The records of a session before and after one of them, the nearest first."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """Something `verify` found; `mended` when `repair` put it right."""

    what: str
    where: str
    mended: bool = False


@dataclass(frozen=True, slots=True)
class StoreStats:
    """What a store holds."""

    records: int
    kinds: Mapping[str, int] = field(default_factory=dict)
    vectors: int = 0
    pending: int = 0
    edges: int = 0
    events: int = 0
    bytes_on_disk: int = 0
    schema: int = 0


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a scan met something that should be gone: the file, the place in it, and what kind of thing it is."""

    file: str
    offset: int
    what: str


@dataclass(frozen=True, slots=True)
class Scan:
    """A look through the raw bytes of a store's files: their sizes, how much was looked for, and where it was met.

    `shared` needles are not counted as found, because records that are still there hold them by right. `rewritten`
    says that the store had to write all of its pages anew to be rid of something.
    """

    files: Mapping[str, int] = field(default_factory=dict)
    needles: int = 0
    shared: int = 0
    found: tuple[Trace, ...] = ()
    rewritten: bool = False

    @property
    def bytes(self) -> int:
        """How much was read."""
        return sum(self.files.values())


CopyState = Literal["current", "old", "missing", "foreign"]


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy that a store made of itself; `open` works on a current one, `drop` ends it and, if asked, deletes it."""

    path: str
    state: CopyState
    open: Callable[[], Store]
    drop: Callable[[bool], None]


class ValueKind(StrEnum):
    """What is kept beside records."""

    POLICY = "policy"  # name: "active", or a number of the history
    CALIBRATION = "calibration"  # name: what was fitted
    DOCUMENT = "document"  # owner and name of a loaded document: the key of its content
    USES = "uses"  # owner: the most often any of its records was used
    CONTEXT = "context"  # owner and id of a saved active context
    NOTES_ROOT = "notes_root"  # owner and name of an indexed folder
    NOTES_FILE = "notes_file"  # owner, root/digest of a path: the stamp of an indexed file
    POSITION = "position"  # owner and digest of a path: how far a file was imported


@dataclass(frozen=True, slots=True, order=True)
class Slot:
    """Where a value is kept. `owner` is "" for what belongs to the whole tenant."""

    kind: ValueKind
    tenant: str
    owner: str = ""
    name: str = ""


class Reader(Protocol):
    """What ranking and rendering may read. `RedactingStore` implements exactly this."""

    def get(self, keys: Sequence[str]) -> list[Record]:
        """The records with these keys, in the order asked; unknown keys are left out."""

    def find(
        self, where: Filter, *, order: Order = "oldest", limit: int | None = None, offset: int = 0
    ) -> list[Record]:
        """Records that pass the filter, by (time, order of arrival)."""

    def count(self, where: Filter) -> int:
        """How many records pass the filter."""

    def glances(self, keys: Sequence[str]) -> dict[str, Glance]:
        """The few fields of records that ranking looks at; unknown keys are left out."""

    def around(self, keys: Sequence[str], where: Filter, reach: int) -> dict[str, Surroundings]:
        """For each record, up to `reach` records before and after it that pass the filter.

        Only records of the same owner, session and kind count, by (time, order of arrival). Records with no neighbour
        are left out.
        """

    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        """The best records that hold any of the terms, by BM25 (k1 1.2, b 0.75); ties by order of arrival.

        A term that is given several times counts as often.
        """

    def vector_search(self, vector: Vectors, where: Filter, limit: int, *, prefix: int | None = None) -> list[Scored]:
        """The nearest records of the active space by cosine; ties by order of arrival.

        With `prefix`, only that many leading dimensions count, normalised again (lower tiers of a Matryoshka model).
        """

    def vector_search_many(self, matrix: Vectors, where: Filter, limit: int) -> list[list[Scored]]:
        """`vector_search` for every row of a matrix."""

    def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of these records in the active space; records without one are left out."""

    def passages(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The sentence vectors of these records in the active space, one row each; most records have none."""

    def edges(self, keys: Sequence[str], *, incoming: bool = False) -> list[Edge]:
        """Edges that leave these records, or with `incoming` those that reach them."""


class Store(Reader, Protocol):
    """What the engine asks of a database. Every write outside `transaction` is a transaction of its own.

    `DerivedStore` implements everything that can be derived from the other methods: a new backend starts from it.
    """

    @property
    def log(self) -> EventLog:
        """The audit log."""

    @property
    def values(self) -> Values:
        """Small values kept beside the records."""

    @property
    def maintenance(self) -> Maintenance:
        """Checks and proofs; a backend without files uses `NoMaintenance`."""

    def transaction(self) -> AbstractContextManager[None]:
        """Group reads and writes: all of them happen, alone, or none does. May be nested."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Group reads: they see one state, whatever others write meanwhile. Nothing can be written inside."""

    def put(self, records: Iterable[Record]) -> None:
        """Insert records, or replace those with the same key; a vector is dropped when its text or owner changed."""

    def delete(self, keys: Sequence[str]) -> int:
        """Delete records with their terms, vectors and edges, and every trace of them in files; returns how many.

        An owner without any record left goes too.
        """

    def put_vectors(
        self,
        keys: Sequence[str],
        matrix: Vectors,
        space: str | None = None,
        *,
        passages: Mapping[str, Vectors] | None = None,
    ) -> None:
        """Store one unit vector a record in a space (the active one unless named); unknown keys are ignored.

        `passages` are the sentence vectors, one matrix a key, kept in half precision. Earlier vectors are replaced.
        """

    def pending(self, where: Filter, limit: int, space: str | None = None) -> list[Record]:
        """Records that have no vector yet in a space, by order of arrival."""

    def spaces(self) -> list[Space]:
        """Every vector space, the active one first."""

    def add_space(self, name: str, dimensions: int) -> None:
        """Make a space if it is not there; the first one becomes active."""

    def activate_space(self, name: str) -> None:
        """Search this space from now on, and drop every other."""

    def link(self, edges: Iterable[Edge]) -> None:
        """Add edges; the same (source, target, kind) twice is one edge."""

    def tenants(self) -> list[str]:
        """Every tenant that has records."""

    def close(self) -> None:
        """Release files; the store cannot be used afterwards."""

    # Derived by `DerivedStore`; a backend overrides them where it can be faster.

    def fingerprints(self, where: Filter) -> dict[str, int]:
        """A number for each record that passes, by key; it changes when the record changes. Cheaper than reading it.

        Numbers mean something only in the process that asked for them.
        """

    def update_access(self, changes: Mapping[str, Access]) -> None:
        """Change class, withholding and expiry of records by key, and nothing else; unknown keys are ignored."""

    def coverage(self, where: Filter) -> tuple[int, int]:
        """(records, those without a vector) among the filter's tenant and owners; its other fields are ignored."""

    def count_hidden(self, where: Filter) -> int:
        """How many records of the filter's tenant and owners its classes, purpose, time and withholding hide."""

    def echoes_of(self, tenant: str, ids: Sequence[str]) -> list[Record]:
        """The records that are marked as repeating a record with any of these ids."""


class EventLog(Protocol):
    """An append-only log per tenant, chained as `aforesaid.store.hash_chain` says."""

    def append(self, events: Iterable[Event]) -> None:
        """Append events and advance the hash chain in the same transaction."""

    def find(self, where: EventFilter) -> list[Event]:
        """Events that pass, in the order of the filter, one page of them."""

    def erase(self, tenant: str, names: Sequence[str]) -> int:
        """Blank subject and body of every event that mentions any of these names; returns how many.

        A name counts as the subject, as the end of the subject behind a slash, or as any string in the body.
        The chain still holds.
        """

    def prune(self, tenant: str, before: datetime) -> int:
        """Delete events from before a time; returns how many. The chain of the rest still holds.

        One that stands behind a younger event is blanked instead: the chain can only be cut at its beginning.
        """

    def head(self, tenant: str) -> Head | None:
        """What the log should look like at its two ends, kept apart from the events; None for an empty log."""

    def count(self, tenant: str) -> int:
        """How many events there are."""


class Values(Protocol):
    """Text values by slot. A slot names its kind, its tenant and its owner, so nobody's values are ever mixed."""

    def get(self, slot: Slot) -> str | None:
        """The value, or None."""

    def put(self, slot: Slot, value: str) -> None:
        """Set the value."""

    def drop(self, slot: Slot) -> None:
        """Delete the value, and every trace of it in files."""

    def items(self, kind: ValueKind, tenant: str, owner: str | None = None, prefix: str = "") -> dict[Slot, str]:
        """The values of one kind and tenant, sorted by slot; of one owner, or whose names start with a prefix."""

    def drop_owner(self, tenant: str, owner: str) -> int:
        """Delete every value of an owner, whatever its kind; returns how many."""


class Maintenance(Protocol):
    """What people ask of the files behind a store."""

    def stats(self, tenant: str) -> StoreStats:
        """Sizes, for people."""

    def verify(self, *, repair: bool = False) -> list[Problem]:
        """Check everything that can be checked; rebuild what is derived if asked."""

    def backup(self, target: str | Path, *, overwrite: bool = False) -> Path:
        """Copy the store to another file while others use it. What is forgotten later is forgotten there too."""

    def copies(self) -> list[Copy]:
        """The backups that this store made of itself, as far as it knows."""

    def scrub(self) -> None:
        """Overwrite what replaced records left behind of their old text in every file."""

    def scan(self, needles: Mapping[bytes, str], others: Sequence[str] = ()) -> Scan:
        """Look for byte strings in the raw bytes of the store's files and of others. `needles` say what each one is.

        What only lingers between the store's pages is overwritten, and looked for again. A needle of kind `word` may
        also stand in the log; anything else that the store holds outside of records is a find.
        """
