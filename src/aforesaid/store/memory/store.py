"""DictStore: every method in its plainest form, in memory. It is the oracle the other stores are tested against."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from aforesaid.math.vectors import Vectors
from aforesaid.store.derived import DerivedStore, NoMaintenance
from aforesaid.store.filtering import passes
from aforesaid.store.memory.log import DictLog
from aforesaid.store.memory.terms import best_by_terms
from aforesaid.store.memory.values import DictValues
from aforesaid.store.memory.vectors import DictVectors
from aforesaid.store.protocols import Order, Space
from aforesaid.text.analyze import searchable
from aforesaid.types import Edge, Filter, Record, Scored


@dataclass
class _State:
    records: dict[str, Record] = field(default_factory=dict)
    arrival: dict[str, int] = field(default_factory=dict)
    arrivals: int = 0
    vectors: DictVectors = field(default_factory=DictVectors)
    edges: dict[tuple[str, str, str], Edge] = field(default_factory=dict)
    values: DictValues = field(default_factory=DictValues)
    log: DictLog = field(default_factory=DictLog)


class DictStore(DerivedStore):
    """A store in this process's memory; gone when the process ends."""

    def __init__(self) -> None:
        self._state = _State()
        self._depth = 0

    @property
    def maintenance(self) -> NoMaintenance:
        """Nothing is on disk."""
        return NoMaintenance(self)

    @property
    def log(self) -> DictLog:
        """The audit log."""
        return self._state.log

    @property
    def values(self) -> DictValues:
        """The values kept beside the records."""
        return self._state.values

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

    def delete(self, keys: Sequence[str]) -> int:
        """Delete records with their vectors and edges."""
        state = self._state
        gone = {key for key in keys if key in state.records}
        for key in gone:
            del state.records[key], state.arrival[key]
            state.vectors.drop(key)
        state.edges = {name: edge for name, edge in state.edges.items() if not {edge.source, edge.target} & gone}
        return len(gone)

    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        """BM25 over every record of the store, then the filter."""
        return best_by_terms(terms, self._state.records.values(), self._passing(where), limit)

    def vector_search(self, vector: Vectors, where: Filter, limit: int, *, prefix: int | None = None) -> list[Scored]:
        """Every vector, compared."""
        return self._state.vectors.search(vector, [record.key for record in self._passing(where)], limit, prefix)

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

    def tenants(self) -> list[str]:
        """Every tenant that has records."""
        return sorted({record.tenant for record in self._state.records.values()})

    def close(self) -> None:
        """Nothing to let go of."""
