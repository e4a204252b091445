"""The storage seam. A backend keeps records, finds them by term and by vector under a filter, and never half-writes.

`aforesaid.testing.store` holds the suite that every backend runs; `DictStore` is the plainest reading of this page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from aforesaid.math.vectors import Vectors
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
class Standing:
    """What a policy decides of a record: its class, why it is withheld if it is, and when it goes."""

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
        """A glance at each of these records; unknown keys are left out."""

    def around(self, keys: Sequence[str], where: Filter, reach: int) -> dict[str, Surroundings]:
        """Up to `reach` records on each side of each of these, among those of its owner, session and kind that pass.

        The order is (time, order of arrival). What has nothing around it is left out.
        """

    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        """The best records that hold any of the terms, by BM25 (k1 1.2, b 0.75), ties by order of arrival.

        A term that is given several times counts as often.
        """

    def vector_search(self, vector: Vectors, where: Filter, limit: int, *, prefix: int | None = None) -> list[Scored]:
        """The nearest records of the active space by cosine, ties by order of arrival.

        With a `prefix`, only so many leading dimensions count, made unit again: the lower tiers of a Matryoshka model.
        """

    def vector_search_many(self, matrix: Vectors, where: Filter, limit: int) -> list[list[Scored]]:
        """`vector_search` for every row of a matrix, in one pass over the store."""

    def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of these records in the active space; records without one are left out."""

    def passages(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of the sentences of these records in the active space, a row each; most records have none."""

    def edges(self, keys: Sequence[str], *, incoming: bool = False) -> list[Edge]:
        """Edges that leave these records, or that reach them."""


class Store(Reader, Protocol):
    """What the engine asks of a database. Every write outside `transaction` is a transaction of its own."""

    def transaction(self) -> AbstractContextManager[None]:
        """Group reads and writes: all of them happen, alone, or none does. May be nested."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Group reads: they see one state, whatever others write meanwhile. Nothing can be written inside."""

    def put(self, records: Iterable[Record]) -> None:
        """Insert records, or replace those with the same key; a vector is dropped when its text or owner changed."""

    def marks(self, where: Filter) -> dict[str, int]:
        """A number for each record that passes, by key: with another number it has changed. Cheaper than to read it.

        Numbers mean something only in the process that asked for them.
        """

    def restand(self, standings: Mapping[str, Standing]) -> None:
        """Change the standing of records by key, and nothing else of them; unknown keys are ignored."""

    def delete(self, keys: Sequence[str]) -> int:
        """Delete records with their terms, vectors and edges, and every trace of them in files; how many there were.

        An owner without any record left goes too.
        """

    def echoes_of(self, tenant: str, ids: Sequence[str]) -> list[Record]:
        """The records that repeat one that is called by any of these ids."""

    def scan(self, needles: Mapping[bytes, str], others: Sequence[str] = ()) -> Scan:
        """Look for byte strings, each with a word on what it is, in the raw bytes of the store's files and of others.

        What only lingers between the store's pages is overwritten, and looked for again. A kind `word` may also stand
        in the log; everything else that the store holds outside of records is a find.
        """

    def copies(self) -> list[Copy]:
        """The copies that this store made of itself, as far as it knows of them."""

    def scrub(self) -> None:
        """Overwrite in every file what replaced records left behind of their old text."""

    def put_vectors(
        self,
        keys: Sequence[str],
        matrix: Vectors,
        space: str | None = None,
        *,
        passages: Mapping[str, Vectors] | None = None,
    ) -> None:
        """Store one unit vector a record in a space (the active one unless named); unknown keys are ignored.

        `passages` are those of single sentences, a matrix a key, kept in half precision. What a record had goes.
        """

    def pending(self, where: Filter, limit: int, space: str | None = None) -> list[Record]:
        """Records that have no vector yet in a space, by order of arrival."""

    def coverage(self, where: Filter) -> tuple[int, int]:
        """(records, those without a vector) among the filter's tenant and owners; its other fields are ignored."""

    def unseen(self, where: Filter) -> int:
        """How many of the filter's tenant and owners its classes, purpose, time and withholding keep out of sight."""

    def spaces(self) -> list[Space]:
        """Every vector space, the active one first."""

    def add_space(self, name: str, dimensions: int) -> None:
        """Make a space if it is not there; the first one becomes active."""

    def activate_space(self, name: str) -> None:
        """Search this space from now on, and drop every other."""

    def link(self, edges: Iterable[Edge]) -> None:
        """Add edges; the same (source, target, kind) twice is one edge."""

    def append(self, events: Iterable[Event]) -> None:
        """Append events to the log and advance the hash chain (`store.hash_chain`) in the same transaction."""

    def events(self, where: EventFilter) -> list[Event]:
        """Events that pass, in the order in which they were added or the other way round, one page of them."""

    def erase_events(self, tenant: str, names: Sequence[str]) -> int:
        """Take subject and body out of every event that names any of these; how many. The chain still holds.

        A name counts as the subject, as the subject's end behind a slash, or as any string in the body.
        """

    def prune_events(self, tenant: str, before: datetime) -> int:
        """Delete the events from before a time; how many. The chain of the rest still holds.

        One that stands behind a younger event is erased instead: the chain can only be cut at its beginning.
        """

    def setting(self, name: str) -> str | None:
        """A value kept with the store."""

    def put_setting(self, name: str, value: str) -> None:
        """Keep a value with the store."""

    def drop_setting(self, name: str) -> None:
        """Keep that value no longer."""

    def settings(self) -> dict[str, str]:
        """Every value kept with the store."""

    def tenants(self) -> list[str]:
        """Every tenant that has records."""

    def stats(self, tenant: str) -> StoreStats:
        """Sizes, for people."""

    def verify(self, *, repair: bool = False) -> list[Problem]:
        """Check everything that can be checked; rebuild what is derived if asked."""

    def close(self) -> None:
        """Let go of files; the store cannot be used afterwards."""
