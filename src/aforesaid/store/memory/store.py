"""DictStore: the simplest store, in memory. Other stores are tested against it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from aforesaid.math.cascade import EPSILON
from aforesaid.math.vectors import Vectors
from aforesaid.store.derived import DerivedStore, NoMaintenance
from aforesaid.store.filtering import passes
from aforesaid.store.key_file import new_key
from aforesaid.store.memory.log import DictLog, DictValues
from aforesaid.store.memory.search import DictVectors, best_by_terms
from aforesaid.store.protocols import Order, Passages, Space
from aforesaid.text.analyze import searchable
from aforesaid.types import Edge, Filter, Record, Scored


@dataclass
class _State:
    records: dict[str, Record] = field(default_factory=dict)  # in insertion order
    vectors: DictVectors = field(default_factory=DictVectors)
    edges: dict[tuple[str, str, str], Edge] = field(default_factory=dict)
    values: DictValues = field(default_factory=DictValues)
    log: DictLog = field(default_factory=DictLog)


class DictStore(DerivedStore):
    """A store in memory, lost when the process ends. `aforesaid.store.protocols` documents the methods."""

    def __init__(self, key: bytes | None = None) -> None:
        """Make an empty store. `key` is for its digests of secrets; a random one if left out."""
        self.key = key or new_key()
        self._state = _State(log=DictLog(key=self.key))
        self._depth = 0

    @property
    def maintenance(self) -> NoMaintenance:
        return NoMaintenance(self)

    @property
    def log(self) -> DictLog:
        return self._state.log

    @property
    def values(self) -> DictValues:
        return self._state.values

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Restore the previous state if the block raises."""
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
    def frozen(self) -> Iterator[DictStore]:
        """Copy the state."""
        still = DictStore()
        still._state = copy.deepcopy(self._state)
        yield still

    def put(self, records: Iterable[Record]) -> None:
        state = self._state
        for record in records:
            old = state.records.get(record.key)
            if old is not None and (old.owner, searchable(old)) != (record.owner, searchable(record)):
                state.vectors.drop(record.key)
            state.records[record.key] = record

    def get(self, keys: Sequence[str]) -> list[Record]:
        return [self._state.records[key] for key in keys if key in self._state.records]

    def _passing(self, where: Filter) -> list[Record]:
        return [record for record in self._state.records.values() if passes(record, where)]

    def find(
        self, where: Filter, *, order: Order = "oldest", limit: int | None = None, offset: int = 0
    ) -> list[Record]:
        found = sorted(self._passing(where), key=lambda record: record.time)
        if order == "newest":
            found.reverse()
        return found[offset:][:limit]

    def delete(self, keys: Sequence[str]) -> int:
        state = self._state
        gone = {key for key in keys if key in state.records}
        for key in gone:
            del state.records[key]
            state.vectors.drop(key)
        state.edges = {name: edge for name, edge in state.edges.items() if not {edge.source, edge.target} & gone}
        return len(gone)

    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        return best_by_terms(terms, self._state.records.values(), where, limit)

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
        keys = [record.key for record in self._passing(where)]
        return self._state.vectors.search(vector, keys, limit, prefix, epsilon, space)

    def vectors(self, keys: Sequence[str], space: str | None = None) -> dict[str, Vectors]:
        held = self._state.vectors.held(space)
        return {key: held[key] for key in keys if key in held}

    def passages(self, keys: Sequence[str], space: str | None = None) -> dict[str, Vectors]:
        held = self._state.vectors.held_passages(space)
        return {key: held[key] for key in keys if key in held}

    def put_vectors(
        self, keys: Sequence[str], matrix: Vectors, space: str | None = None, *, passages: Passages | None = None
    ) -> None:
        self._state.vectors.put(keys, matrix, space, passages, self._state.records)

    def pending(self, where: Filter, limit: int, space: str | None = None) -> list[Record]:
        held = self._state.vectors.held(space)
        return [record for record in self._passing(where) if record.key not in held][:limit]

    def spaces(self) -> list[Space]:
        return self._state.vectors.all_spaces()

    def add_space(self, name: str, dimensions: int) -> None:
        self._state.vectors.add_space(name, dimensions)

    def activate_space(self, name: str) -> None:
        self._state.vectors.activate(name)

    def drop_space(self, name: str) -> None:
        self._state.vectors.drop_space(name)

    def link(self, edges: Iterable[Edge]) -> None:
        for edge in edges:
            if edge.source in self._state.records and edge.target in self._state.records:
                self._state.edges.setdefault((edge.source, edge.target, edge.kind), edge)

    def edges(self, keys: Sequence[str], *, incoming: bool = False) -> list[Edge]:
        wanted = set(keys)
        found = [e for e in self._state.edges.values() if (e.target if incoming else e.source) in wanted]
        return sorted(found, key=lambda edge: (edge.source, edge.target, edge.kind))

    def tenants(self) -> list[str]:
        return sorted({record.tenant for record in self._state.records.values()})

    def close(self) -> None:
        """Do nothing: there is no file."""
