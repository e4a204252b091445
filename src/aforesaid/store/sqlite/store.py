"""SQLiteStore: one file that any number of processes can read and write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from aforesaid.math.vectors import Vectors
from aforesaid.settings.rows import StoreRows
from aforesaid.store.protocols import Access, Glance, Order, Passages, Space, Surroundings
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.edges import Edges
from aforesaid.store.sqlite.log import SQLiteLog
from aforesaid.store.sqlite.maintenance import SQLiteMaintenance
from aforesaid.store.sqlite.owners import Owners
from aforesaid.store.sqlite.records import Records
from aforesaid.store.sqlite.spaces import Spaces
from aforesaid.store.sqlite.terms import TermIndex
from aforesaid.store.sqlite.values import SQLiteValues
from aforesaid.store.sqlite.vectors import VectorIndex
from aforesaid.types import Edge, Filter, Record, Scored


class SQLiteStore:
    """The default store. Delegates to one class per table; `aforesaid.store.protocols` documents the methods."""

    def __init__(self, path: str | Path, rows: StoreRows | None = None, *, max_pages: int | None = None) -> None:
        self._rows = rows or StoreRows()
        self._database = Database(Path(path), self._rows, max_pages=max_pages)
        self._owners = Owners(self._database)
        self._terms = TermIndex(self._database)
        self._spaces = Spaces(self._database, self._rows)
        self._vectors = VectorIndex(self._database, self._rows, self._spaces)
        self._records = Records(self._database, self._owners, self._terms, self._spaces)
        self._edges = Edges(self._database)
        self.log = SQLiteLog(self._database)
        self.values = SQLiteValues(self._database)
        self.maintenance = SQLiteMaintenance(
            self, self._database, self._records, self._edges, self._terms, self._spaces
        )

    @property
    def path(self) -> Path:
        """The path of the database file."""
        return self._database.path

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._database.transaction():
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._database.snapshot():
            yield

    # Records

    def put(self, records: Iterable[Record]) -> None:
        self._records.put(records)

    def get(self, keys: Sequence[str]) -> list[Record]:
        return self._records.get(keys)

    def glances(self, keys: Sequence[str]) -> dict[str, Glance]:
        return self._records.glances(keys)

    def around(self, keys: Sequence[str], where: Filter, reach: int) -> dict[str, Surroundings]:
        return self._records.around(keys, where, reach)

    def find(
        self, where: Filter, *, order: Order = "oldest", limit: int | None = None, offset: int = 0
    ) -> list[Record]:
        return self._records.find(where, order=order, limit=limit, offset=offset)

    def count(self, where: Filter) -> int:
        return self._records.count(where)

    def count_hidden(self, where: Filter) -> int:
        return self._records.count_hidden(where)

    def fingerprints(self, where: Filter) -> dict[str, int]:
        return self._records.fingerprints(where)

    def update_access(self, changes: Mapping[str, Access]) -> None:
        self._records.update_access(changes)

    def delete(self, keys: Sequence[str]) -> int:
        return self._records.delete(keys)

    def echoes_of(self, tenant: str, ids: Sequence[str]) -> list[Record]:
        return self._records.echoes_of(tenant, ids)

    # Search

    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        with self._database.errors():
            return self._terms.search(terms, where, limit)

    def vector_search(self, vector: Vectors, where: Filter, limit: int, *, prefix: int | None = None) -> list[Scored]:
        return self._vectors.search(vector, where, limit, prefix)

    def vector_search_many(self, matrix: Vectors, where: Filter, limit: int) -> list[list[Scored]]:
        return self._vectors.search_many(matrix, where, limit)

    # Vectors

    def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        return self._vectors.get(keys)

    def passages(self, keys: Sequence[str]) -> dict[str, Vectors]:
        return self._vectors.passages(keys)

    def put_vectors(
        self, keys: Sequence[str], matrix: Vectors, space: str | None = None, *, passages: Passages | None = None
    ) -> None:
        self._vectors.put(keys, matrix, space, passages)

    def pending(self, where: Filter, limit: int, space: str | None = None) -> list[Record]:
        return self._vectors.pending(where, limit, space)

    def coverage(self, where: Filter) -> tuple[int, int]:
        return self._vectors.coverage(where)

    def spaces(self) -> list[Space]:
        return self._spaces.all()

    def add_space(self, name: str, dimensions: int) -> None:
        self._spaces.add(name, dimensions)

    def activate_space(self, name: str) -> None:
        self._spaces.activate(name)

    # Edges

    def link(self, edges: Iterable[Edge]) -> None:
        self._edges.add(edges)

    def edges(self, keys: Sequence[str], *, incoming: bool = False) -> list[Edge]:
        return self._edges.find(keys, incoming=incoming)

    def tenants(self) -> list[str]:
        return self._owners.tenants()

    def reopen(self, path: Path) -> SQLiteStore:
        """Open another file with the same settings."""
        return SQLiteStore(path, self._rows)

    def close(self) -> None:
        self._database.close()
