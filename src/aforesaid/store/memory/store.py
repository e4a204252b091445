"""DictStore: every method in its plainest form, in memory. It is the oracle the other stores are tested against."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from aforesaid.math.vectors import Vectors
from aforesaid.store.filtering import passes
from aforesaid.store.memory.log import DictLog
from aforesaid.store.memory.terms import best_by_terms
from aforesaid.store.memory.vectors import DictVectors
from aforesaid.store.protocols import Copy, Glance, Order, Problem, Scan, Space, Standing, StoreStats, Surroundings
from aforesaid.text.analyze import searchable
from aforesaid.types import Edge, Event, EventFilter, Filter, Record, Scored


@dataclass
class _State:
    records: dict[str, Record] = field(default_factory=dict)
    arrival: dict[str, int] = field(default_factory=dict)
    arrivals: int = 0
    vectors: DictVectors = field(default_factory=DictVectors)
    edges: dict[tuple[str, str, str], Edge] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    log: DictLog = field(init=False)

    def __post_init__(self) -> None:
        self.log = DictLog(self.settings)


class DictStore:
    """A store in this process's memory; gone when the process ends."""

    def __init__(self) -> None:
        self._state = _State()
        self._depth = 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Undo everything inside if it raises."""
        before = copy.deepcopy(self._state) if self._depth == 0 else None
        self._depth += 1
        try:
            yield
        except BaseException:
            if before is not None:
                self._state = before
            raise
        finally:
            self._depth -= 1

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Nobody else writes here."""
        yield

    def put(self, records: Iterable[Record]) -> None:
        """Insert or replace by key."""
        state = self._state
        for record in records:
            key = record.key
            old = state.records.get(key)
            if old is None:
                state.arrivals += 1
                state.arrival[key] = state.arrivals
            elif (old.owner, searchable(old)) != (record.owner, searchable(record)):
                state.vectors.drop(key)
            state.records[key] = record

    def get(self, keys: Sequence[str]) -> list[Record]:
        """The records with these keys, in the order asked."""
        return [self._state.records[key] for key in keys if key in self._state.records]

    def glances(self, keys: Sequence[str]) -> dict[str, Glance]:
        """A glance at each of these records."""
        return {r.key: Glance(r.key, r.session, r.role, r.time, r.text) for r in self.get(keys)}

    def around(self, keys: Sequence[str], where: Filter, reach: int) -> dict[str, Surroundings]:
        """The neighbours of each record in its session."""
        passing = self.find(where)
        found: dict[str, Surroundings] = {}
        for record in self.get(keys):
            if record.session is None:
                continue
            place = (record.time, self._state.arrival[record.key])
            session = [
                (other.time, self._state.arrival[other.key], other.key)
                for other in passing
                if _company(other) == _company(record)
            ]
            before = [key for *at, key in session if tuple(at) < place]
            after = [key for *at, key in session if tuple(at) > place]
            found[record.key] = Surroundings(tuple(before[::-1][:reach]), tuple(after[:reach]))
        return {key: around for key, around in found.items() if around != Surroundings()}

    def _passing(self, where: Filter) -> list[Record]:
        found = [record for record in self._state.records.values() if passes(record, where)]
        return sorted(found, key=lambda record: self._state.arrival[record.key])

    def find(
        self, where: Filter, *, order: Order = "oldest", limit: int | None = None, offset: int = 0
    ) -> list[Record]:
        """Records that pass, by (time, arrival)."""
        found = sorted(self._passing(where), key=lambda record: record.time)
        if order == "newest":
            found.reverse()
        return found[offset:][:limit]

    def count(self, where: Filter) -> int:
        """How many pass."""
        return len(self._passing(where))

    def marks(self, where: Filter) -> dict[str, int]:
        """A hash of all that is written down of each record."""
        return {record.key: hash(repr(record)) for record in self._passing(where)}

    def restand(self, standings: Mapping[str, Standing]) -> None:
        """Replace three fields."""
        for record in self.get(list(standings)):
            now = standings[record.key]
            changed = replace(record, boundary=now.boundary, withheld=now.withheld, expires=now.expires)
            self._state.records[record.key] = changed

    def delete(self, keys: Sequence[str]) -> int:
        """Delete records with their vectors and edges."""
        state = self._state
        gone = {key for key in keys if key in state.records}
        for key in gone:
            del state.records[key], state.arrival[key]
            state.vectors.drop(key)
        state.edges = {name: edge for name, edge in state.edges.items() if not {edge.source, edge.target} & gone}
        return len(gone)

    def echoes_of(self, tenant: str, ids: Sequence[str]) -> list[Record]:
        """The records that repeat one of these."""
        return [r for r in self._state.records.values() if r.tenant == tenant and r.echo_of in set(ids)]

    def scan(self, needles: Mapping[bytes, str], others: Sequence[str] = ()) -> Scan:
        """There is no file to look into."""
        return Scan(needles=len(needles))

    def copies(self) -> list[Copy]:
        """It makes none."""
        return []

    def scrub(self) -> None:
        """Nothing is on disk."""

    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        """BM25 over every record of the store, then the filter."""
        return best_by_terms(terms, self._state.records.values(), self._passing(where), limit)

    def vector_search(self, vector: Vectors, where: Filter, limit: int, *, prefix: int | None = None) -> list[Scored]:
        """Every vector, compared."""
        return self._state.vectors.search(vector, [record.key for record in self._passing(where)], limit, prefix)

    def vector_search_many(self, matrix: Vectors, where: Filter, limit: int) -> list[list[Scored]]:
        """One search a row."""
        return [self.vector_search(vector, where, limit) for vector in matrix]

    def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of these records in the active space."""
        held = self._state.vectors.held()
        return {key: held[key] for key in keys if key in held}

    def passages(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of the sentences of these records."""
        held = self._state.vectors.held_passages()
        return {key: held[key] for key in keys if key in held}

    def put_vectors(
        self,
        keys: Sequence[str],
        matrix: Vectors,
        space: str | None = None,
        *,
        passages: Mapping[str, Vectors] | None = None,
    ) -> None:
        """Keep one unit vector a record, and those of its sentences."""
        self._state.vectors.put(keys, matrix, space, passages, self._state.records)

    def pending(self, where: Filter, limit: int, space: str | None = None) -> list[Record]:
        """Records without a vector in a space, by arrival."""
        held = self._state.vectors.held(space)
        return [record for record in self._passing(where) if record.key not in held][:limit]

    def coverage(self, where: Filter) -> tuple[int, int]:
        """(records, those without a vector) among the filter's tenant and owners."""
        whole = Filter(tenant=where.tenant, owners=where.owners, echoes=True)
        return self.count(whole), len(self.pending(whole, len(self._state.records)))

    def unseen(self, where: Filter) -> int:
        """All that there are, without those that pass."""
        whole = Filter(where.tenant, where.owners, echoes=True, withheld=True)
        seen = replace(
            whole, boundaries=where.boundaries, purpose=where.purpose, alive_at=where.alive_at, withheld=where.withheld
        )
        return self.count(whole) - self.count(seen)

    def spaces(self) -> list[Space]:
        """Every vector space, the active one first."""
        return self._state.vectors.all_spaces()

    def add_space(self, name: str, dimensions: int) -> None:
        """Make a space if it is not there."""
        self._state.vectors.add_space(name, dimensions)

    def activate_space(self, name: str) -> None:
        """Search this space from now on, and drop every other."""
        self._state.vectors.activate(name)

    def link(self, edges: Iterable[Edge]) -> None:
        """Add edges between records that are here."""
        for edge in edges:
            if edge.source in self._state.records and edge.target in self._state.records:
                self._state.edges.setdefault((edge.source, edge.target, edge.kind), edge)

    def edges(self, keys: Sequence[str], *, incoming: bool = False) -> list[Edge]:
        """Edges that leave these records, or that reach them."""
        wanted = set(keys)
        found = [e for e in self._state.edges.values() if (e.target if incoming else e.source) in wanted]
        return sorted(found, key=lambda edge: (edge.source, edge.target, edge.kind))

    def append(self, events: Iterable[Event]) -> None:
        """Add events at the end."""
        self._state.log.append(events)

    def events(self, where: EventFilter) -> list[Event]:
        """Events that pass, by number."""
        return self._state.log.find(where)

    def erase_events(self, tenant: str, names: Sequence[str]) -> int:
        """Take subject and body out of the events that name these."""
        return self._state.log.erase(tenant, names)

    def prune_events(self, tenant: str, before: datetime) -> int:
        """Delete the events from before a time."""
        return self._state.log.prune(tenant, before)

    def setting(self, name: str) -> str | None:
        """A value kept with the store."""
        return self._state.settings.get(name)

    def put_setting(self, name: str, value: str) -> None:
        """Keep a value with the store."""
        self._state.settings[name] = value

    def drop_setting(self, name: str) -> None:
        """Keep that value no longer."""
        self._state.settings.pop(name, None)

    def settings(self) -> dict[str, str]:
        """Every value kept with the store."""
        return dict(sorted(self._state.settings.items()))

    def tenants(self) -> list[str]:
        """Every tenant that has records."""
        return sorted({record.tenant for record in self._state.records.values()})

    def stats(self, tenant: str) -> StoreStats:
        """Sizes, for people."""
        whole = Filter(tenant=tenant, echoes=True)
        records, pending = self.coverage(whole)
        kinds = Counter(record.kind for record in self._passing(whole))
        edges = sum(self._state.records[edge.source].tenant == tenant for edge in self._state.edges.values())
        events = sum(event.tenant == tenant for event in self._state.log.events)
        return StoreStats(records, dict(sorted(kinds.items())), records - pending, pending, edges, events)

    def verify(self, *, repair: bool = False) -> list[Problem]:
        """Nothing is derived here, so nothing can be out of step."""
        return []

    def close(self) -> None:
        """Nothing to let go of."""


def _company(record: Record) -> tuple[str, str, str | None, str]:
    """What records that stand beside each other have in common."""
    return record.tenant, record.owner, record.session, record.kind
