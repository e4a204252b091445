"""A read-only store that redacts texts as the policy says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aforesaid.math.vectors import Vectors
from aforesaid.policy.enforcement import Guard
from aforesaid.store.protocols import Glance, Order, Reader, Store, Surroundings
from aforesaid.types import Edge, Filter, Record, Scored


class RedactingStore(Reader):
    """Passes reads to a store and redacts every text it returns.

    Each method is written out, so that a method added to stores later cannot leak text by default.
    """

    def __init__(self, store: Store, guard: Guard) -> None:
        self._store, self._guard = store, guard

    def get(self, keys: Sequence[str]) -> list[Record]:
        """See `Reader.get`; texts are redacted."""
        return [self._guard.redact_for_reader(record) for record in self._store.get(keys)]

    def find(
        self, where: Filter, *, order: Order = "oldest", limit: int | None = None, offset: int = 0
    ) -> list[Record]:
        """See `Reader.find`; texts are redacted."""
        found = self._store.find(where, order=order, limit=limit, offset=offset)
        return [self._guard.redact_for_reader(record) for record in found]

    def glances(self, keys: Sequence[str]) -> dict[str, Glance]:
        """See `Reader.glances`; texts are redacted."""
        texts = {record.key: record.text for record in self.get(keys)}
        found = self._store.glances(keys)
        return {key: replace(glance, text=texts[key]) for key, glance in found.items() if key in texts}

    # The methods below return no text.

    def count(self, where: Filter) -> int:
        """See `Reader.count`."""
        return self._store.count(where)

    def around(self, keys: Sequence[str], where: Filter, reach: int) -> dict[str, Surroundings]:
        """See `Reader.around`."""
        return self._store.around(keys, where, reach)

    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        """See `Reader.text_search`."""
        return self._store.text_search(terms, where, limit)

    def vector_search(self, vector: Vectors, where: Filter, limit: int, *, prefix: int | None = None) -> list[Scored]:
        """See `Reader.vector_search`."""
        return self._store.vector_search(vector, where, limit, prefix=prefix)

    def vector_search_many(self, matrix: Vectors, where: Filter, limit: int) -> list[list[Scored]]:
        """See `Reader.vector_search_many`."""
        return self._store.vector_search_many(matrix, where, limit)

    def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """See `Reader.vectors`."""
        return self._store.vectors(keys)

    def passages(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """See `Reader.passages`."""
        return self._store.passages(keys)

    def edges(self, keys: Sequence[str], *, incoming: bool = False) -> list[Edge]:
        """See `Reader.edges`."""
        return self._store.edges(keys, incoming=incoming)
