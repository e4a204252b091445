"""A read-only store that redacts texts as the policy says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aforesaid.policy.enforcement import Guard
from aforesaid.store.protocols import Glance, Order, Reader
from aforesaid.types import Filter, Record


class RedactingStore:
    """A `Reader` that redacts every text it returns.

    The methods are listed, so that a method added to stores later cannot leak text by default.
    """

    def __init__(self, store: Reader, guard: Guard) -> None:
        self._store, self._guard = store, guard
        # These methods return no text.
        self.count = store.count
        self.around = store.around
        self.text_search = store.text_search
        self.term_matches = store.term_matches
        self.vector_search = store.vector_search
        self.vector_search_many = store.vector_search_many
        self.vectors = store.vectors
        self.passages = store.passages
        self.edges = store.edges

    def get(self, keys: Sequence[str]) -> list[Record]:
        """See `Reader.get`; texts are redacted."""
        return [self._guard.redact_for_reader(record) for record in self._store.get(keys)]

    def find(
        self, where: Filter, *, order: Order = "oldest", limit: int | None = None, offset: int = 0
    ) -> list[Record]:
        """See `Reader.find`; texts are redacted."""
        found = self._store.find(where, order=order, limit=limit, offset=offset)
        return [self._guard.redact_for_reader(record) for record in found]

    def scan(self, where: Filter, *, order: Order = "oldest") -> Iterator[Record]:
        """See `Reader.scan`; texts are redacted."""
        return map(self._guard.redact_for_reader, self._store.scan(where, order=order))

    def glances(self, keys: Sequence[str]) -> dict[str, Glance]:
        """See `Reader.glances`; texts are redacted."""
        texts = {record.key: record.text for record in self.get(keys)}
        found = self._store.glances(keys)
        return {key: replace(glance, text=texts[key]) for key, glance in found.items() if key in texts}
