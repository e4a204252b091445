"""The storage interface: what the engine needs from a database.

To write a backend, subclass `DerivedStore` and implement the methods marked `@abstractmethod` here. Then run the test
suite in `aforesaid.testing.store`. `DictStore` is the simplest implementation.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from aforesaid.math.cascade import EPSILON
from aforesaid.math.vectors import Vectors
from aforesaid.store.hash_chain import Head
from aforesaid.types import Boundary, Edge, Event, EventFilter, Filter, Record, Scored
from aforesaid.types import Order as Order  # exported for backends: the order of `find`

Passages = Mapping[str, Vectors]  # sentence vectors by record key: one matrix each, one row a sentence


@dataclass(frozen=True, slots=True)
class Space:
    """The vectors of one embedding model. Exactly one space is active; searches use it."""

    name: str
    dimensions: int
    active: bool


@dataclass(frozen=True, slots=True)
class Glance:
    """The fields of a record that ranking needs. Much cheaper to read than the whole record."""

    key: str
    session: str | None
    role: str | None
    time: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Access:
    """What the policy decides about a record: privacy class, reason for withholding ("" if none), expiry."""

    boundary: Boundary
    withheld: str
    expires: datetime | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The keys of the records before and after a record in its session, nearest first."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TermMatches:
    """How common the terms of a query are, and which of them some records contain.

    `records` counts the records of the filter's owners, `holders` those with each term, `found` the terms by key.
    """

    records: int
    holders: Mapping[str, int]
    found: Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class StoreProblem:
    """A fault that `verify` found. `mended` is True when `repair` fixed it; `done` says how."""

    what: str
    where: str
    mended: bool = False
    done: str = ""


@dataclass(frozen=True, slots=True)
class Damaged:
    """A record that is left out because it is damaged: its place, what can still be read of it, and what is wrong."""

    place: int
    what: str
    key: str
    id: str
    text: str
    record: Record | None = None  # None if it cannot be read at all


@dataclass(frozen=True, slots=True)
class Damage:
    """The damaged records of a filter, and how many other records have damaged vectors. Empty in a sound store."""

    records: tuple[Damaged, ...] = ()
    vectors: int = 0
    tables: tuple[str, ...] = ()  # those of which only a part can be read


@dataclass(frozen=True, slots=True)
class StoreStats:
    """Counts and sizes of a store."""

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
    """A place where a scan found deleted data: the file, the byte offset, and the kind of data."""

    file: str
    offset: int
    what: str


@dataclass(frozen=True, slots=True)
class Scan:
    """Result of a search through the raw bytes of a store's files.

    `files` maps each file to its size. `shared` counts needles that existing records also contain; they are not in
    `found`. `rewritten` is True when the store rewrote all its pages to remove something.
    """

    files: Mapping[str, int] = field(default_factory=dict)
    needles: int = 0
    shared: int = 0
    found: tuple[Trace, ...] = ()
    rewritten: bool = False

    @property
    def bytes(self) -> int:
        """How many bytes were searched."""
        return sum(self.files.values())


CopyState = Literal["current", "old", "missing", "foreign"]


@dataclass(frozen=True, slots=True)
class Copy:
    """A backup made by the store. `open` needs state "current". `drop(True)` also deletes the file."""

    path: str
    state: CopyState
    open: Callable[[], Store]
    drop: Callable[[bool], None]


class ValueKind(StrEnum):
    """The kinds of values stored beside the records. The comment says what owner and name mean for each kind."""

    POLICY = "policy"  # name: "active", or the number of a past version
    CALIBRATION = "calibration"  # name: the calibrated quantity
    SCALE = "scale"  # name of an embedding model; the value says what its cosines mean. The tenant is ""
    DOCUMENT = "document"  # owner, name of a loaded document; the value is the key of its content
    USES = "uses"  # owner; the value is the highest use count of its records
    CONTEXT = "context"  # owner, id of a saved active context
    NOTES_ROOT = "notes_root"  # owner, name of an indexed folder
    NOTES_FILE = "notes_file"  # owner, root/digest of a path; the value describes the indexed file
    FORGETTING = "forgetting"  # number of a deletion that is not complete; the value says what is left to do
    FORGOTTEN = "forgotten"  # digest of a deleted key; the value says which deletion it was
    KEY = "key"  # the tenant is ""; the value lists the fingerprints of the keys that the store had
    POSITION = "position"  # owner, digest of a path; the value says how far the file was imported


@dataclass(frozen=True, slots=True, order=True)
class Slot:
    """The address of a value. `owner` is "" for values of the whole tenant."""

    kind: ValueKind
    tenant: str
    owner: str = ""
    name: str = ""


class Reader(Protocol):
    """The methods that ranking and rendering use. `RedactingStore` implements exactly these."""

    @abstractmethod
    def get(self, keys: Sequence[str]) -> list[Record]:
        """Return the records with these keys, in the order of `keys`. Unknown keys are skipped."""

    @abstractmethod
    def find(
        self, where: Filter, *, order: Order = "oldest", limit: int | None = None, offset: int = 0
    ) -> list[Record]:
        """Return the records that pass the filter, sorted by (time, insertion order)."""

    def scan(self, where: Filter, *, order: Order = "oldest") -> Iterator[Record]:
        """Yield the records of `find` one by one, for reads that are too large for a list.

        All come from one state of the store, while the caller and others go on writing. Inside a transaction or a
        snapshot they come from it; read them to the end there.
        """

    def count(self, where: Filter) -> int:
        """Count the records that pass the filter."""

    def glances(self, keys: Sequence[str]) -> dict[str, Glance]:
        """Return the fields that ranking needs, by key. Unknown keys are skipped."""

    def around(self, keys: Sequence[str], where: Filter, reach: int) -> dict[str, Surroundings]:
        """Return up to `reach` neighbours on each side of every record, by key.

        Neighbours have the same owner, session and kind and pass the filter; the order is (time, insertion order).
        Records without neighbours are skipped.
        """

    @abstractmethod
    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        """Rank the records that contain any of the terms by BM25 (`aforesaid.math.bm25`); ties by insertion order.

        The term statistics are those of all records of the filter's owners, and of nobody else. A repeated term counts
        repeatedly. A backend that can only order texts gives NaN as their score.
        """

    def term_matches(self, terms: Sequence[str], keys: Sequence[str], where: Filter) -> TermMatches:
        """Return which of the terms each record contains, and how many records of the filter's owners have each term.

        Counts as `text_search` does: all records of the owners, whatever else the filter says.
        """

    @abstractmethod
    def vector_search(
        self,
        vector: Vectors,
        where: Filter,
        limit: int,
        *,
        prefix: int | None = None,
        epsilon: float = EPSILON,
        space: str | None = None,
    ) -> list[Scored]:
        """Rank records by cosine similarity in a space, by default the active one; ties by insertion order.

        Nothing is found in a space that does not exist, so a vector is never compared with those of another model.
        With `prefix`, compare only that many leading dimensions, a lower tier of a Matryoshka model. They are made unit
        vectors again: u = v[:prefix] / √(‖v[:prefix]‖² + epsilon²), so that a zero prefix scores 0 (spec 3, L4).
        """

    def vector_search_many(
        self, matrix: Vectors, where: Filter, limit: int, *, space: str | None = None
    ) -> list[list[Scored]]:
        """Run `vector_search` for every row of a matrix."""

    @abstractmethod
    def vectors(self, keys: Sequence[str], space: str | None = None) -> dict[str, Vectors]:
        """Return the vectors of these records in a space, by default the active one.

        Records without a vector are skipped. A space that does not exist has none.
        """

    @abstractmethod
    def passages(self, keys: Sequence[str], space: str | None = None) -> dict[str, Vectors]:
        """Return the sentence vectors of these records in a space, one row a sentence. Most have none."""

    @abstractmethod
    def edges(self, keys: Sequence[str], *, incoming: bool = False) -> list[Edge]:
        """Return the edges that start at these records or, with `incoming`, that end at them."""


@runtime_checkable
class Store(Reader, Protocol):
    """A database for records. Every write outside `transaction` is its own transaction.

    Methods without `@abstractmethod` are derived from the others in `DerivedStore`.
    """

    @property
    def key(self) -> bytes:
        """A secret key that is kept apart from the store's data. `DerivedStore` makes one for as long as it lives."""

    @property
    @abstractmethod
    def log(self) -> EventLog:
        """The audit log."""

    @property
    @abstractmethod
    def values(self) -> Values:
        """Small values kept beside the records."""

    @property
    @abstractmethod
    def maintenance(self) -> Maintenance:
        """Checks, backups and scans. A backend without files uses `NoMaintenance`."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[object]:
        """Run reads and writes in isolation, all or nothing. May be nested."""

    def snapshot(self) -> AbstractContextManager[object]:
        """Read one consistent state while others write. Do not write inside."""

    @abstractmethod
    def frozen(self) -> AbstractContextManager[Store]:
        """Return the store as it is now, for reading. It sees no later write and belongs to no thread.

        Close it soon: a database keeps what is overwritten meanwhile.
        """

    @abstractmethod
    def put(self, records: Iterable[Record]) -> None:
        """Insert records or replace those with the same key. If text or owner changed, drop the vector."""

    @abstractmethod
    def delete(self, keys: Sequence[str]) -> int:
        """Delete records with their terms, vectors and edges; return how many existed.

        Files keep no trace of them. An owner without records disappears too.
        """

    @abstractmethod
    def put_vectors(
        self, keys: Sequence[str], matrix: Vectors, space: str | None = None, *, passages: Passages | None = None
    ) -> None:
        """Store one unit vector per record, replacing earlier ones. Unknown keys are ignored.

        `space` defaults to the active one. `passages` holds the sentence vectors, one matrix per key; half precision
        is enough for them.
        """

    @abstractmethod
    def pending(self, where: Filter, limit: int, space: str | None = None) -> list[Record]:
        """Return records that have no vector in a space yet, in insertion order."""

    @abstractmethod
    def spaces(self) -> list[Space]:
        """Return every vector space, the active one first."""

    @abstractmethod
    def add_space(self, name: str, dimensions: int) -> None:
        """Create a space unless it exists. The first one becomes active."""

    @abstractmethod
    def activate_space(self, name: str) -> None:
        """Make this space active and delete all others. This is quick: `purge_spaces` removes their data."""

    @abstractmethod
    def drop_space(self, name: str) -> None:
        """Delete a space that is not active. This is quick: `purge_spaces` removes its data."""

    @abstractmethod
    def link(self, edges: Iterable[Edge]) -> None:
        """Add edges between existing records. The same (source, target, kind) is stored once."""

    @abstractmethod
    def tenants(self) -> list[str]:
        """Return every tenant that has records, sorted."""

    @abstractmethod
    def close(self) -> None:
        """Close files. The store cannot be used afterwards."""

    # Derived in `DerivedStore`, like `snapshot`. Override them if your database can do it faster.

    def fingerprints(self, where: Filter) -> dict[str, int]:
        """Return a hash of each record that passes the filter, by key. It changes when the record changes.

        Compare hashes only within one process.
        """

    def update_access(self, changes: Mapping[str, Access]) -> None:
        """Change only privacy class, withholding and expiry of records, by key. Unknown keys are ignored."""

    def keep_tiers(self, space: str, widths: Sequence[int]) -> None:
        """Keep prefixes of these lengths ready for `vector_search`. Results do not depend on it."""

    def purge_spaces(self) -> None:
        """Remove the data of deleted spaces, in short transactions. Call it again if it was interrupted."""

    def exclusive(self, job: str, wait_ms: int = 0) -> AbstractContextManager[bool]:
        """Yield whether nobody else does this job on this store, in any process. If so, others get False meanwhile.

        `wait_ms` says how long to wait for another process that does it.
        """

    def coverage(self, where: Filter, space: str | None = None) -> tuple[int, int]:
        """Return (records, records without a vector in a space) of the filter's tenant and owners.

        Other fields of the filter are ignored. `space` defaults to the active one.
        """

    def count_hidden(self, where: Filter) -> int:
        """Count the records of the filter's tenant and owners hidden by class, purpose, expiry or withholding."""

    def damage(self, where: Filter | None) -> Damage:
        """Return the damage that was met so far under a filter, or all of it. No other method returns such records."""

    def delete_damaged(self, places: Sequence[int]) -> int:
        """Delete damaged records by their `place`, like `delete`. Sound records are not touched."""

    def echoes_of(self, tenant: str, ids: Sequence[str]) -> list[Record]:
        """Return the records that repeat a record with one of these ids (`echo_of`)."""


class EventLog(Protocol):
    """An append-only event log per tenant, with the hash chain of `aforesaid.store.hash_chain`."""

    def append(self, events: Iterable[Event]) -> None:
        """Append events and extend the hash chain in the same transaction."""

    def find(self, where: EventFilter) -> list[Event]:
        """Return one page of the events that pass, in the filter's order."""

    def erase(self, tenant: str, names: Sequence[str]) -> int:
        """Erase subject and body of every event that mentions one of these names; return how many.

        A name matches the whole subject, the part after any slash in it, or any whole string in the body.
        The chain stays valid.
        """

    def prune(self, tenant: str, before: datetime) -> int:
        """Delete events older than a time; return how many. The chain of the rest stays valid.

        An old event that follows a newer one is erased instead, because a chain can only be cut at its start.
        """

    def seal(self, tenant: str) -> None:
        """Seal the head with the store's key. Appended events keep a seal, and never make one."""

    def head(self, tenant: str) -> Head | None:
        """Return the expected first and last state of the log, stored apart from it. None if nothing was logged."""

    def count(self, tenant: str) -> int:
        """Count the events of a tenant."""


class Values(Protocol):
    """Text values by slot. A slot includes tenant and owner, so values of different owners never mix."""

    def get(self, slot: Slot) -> str | None:
        """Return the value, or None."""

    def put(self, slot: Slot, value: str) -> None:
        """Set the value."""

    def drop(self, slot: Slot) -> None:
        """Delete the value. Files keep no trace of it."""

    def items(self, kind: ValueKind, tenant: str, owner: str | None = None, prefix: str = "") -> dict[Slot, str]:
        """Return the values of a kind and tenant, sorted by slot. Optionally only of an owner or name prefix."""

    def drop_owner(self, tenant: str, owner: str) -> int:
        """Delete all values of an owner, of every kind; return how many."""


class Maintenance(Protocol):
    """Operations on the files behind a store."""

    def stats(self, tenant: str) -> StoreStats:
        """Return counts and sizes."""

    def verify(self, *, repair: bool = False) -> list[StoreProblem]:
        """Check the whole store. With `repair`, rebuild derived data such as indexes."""

    def backup(self, target: str | Path, *, overwrite: bool = False) -> Path:
        """Copy the store to a file while others use it. A later `forget` also deletes from that copy."""

    def copies(self) -> list[Copy]:
        """Return the known backups of this store."""

    def scrub(self) -> None:
        """Overwrite the old text of replaced records in every file."""

    def scan(self, needles: Mapping[bytes, str], others: Sequence[str] = ()) -> Scan:
        """Search the raw bytes of the store's files, and of `others`, for byte strings that should be gone.

        `needles` maps each byte string to its kind. If one is found in the store's own files, the store rewrites its
        pages and searches again. A needle of kind `word` may also occur in the log and in values; other kinds may
        occur only in existing records.
        """
