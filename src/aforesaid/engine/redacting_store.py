"""A store as a purpose may see it: every text that leaves it has lost what the policy hides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aforesaid.policy.enforcement import Guard
from aforesaid.store.protocols import Glance, Order, Store
from aforesaid.types import Filter, Record


class Veil:
    """A read-only view of a store. Every record it returns is redacted by `Guard.redact_for_reader`."""

    def __init__(self, store: Store, guard: Guard) -> None:
        self._store, self._guard = store, guard

    def get(self, keys: Sequence[str]) -> list[Record]:
        """The records with these keys, veiled."""
        return [self._guard.redact_for_reader(record) for record in self._store.get(keys)]

    def find(
        self, where: Filter, *, order: Order = "oldest", limit: int | None = None, offset: int = 0
    ) -> list[Record]:
        """Records that pass the filter, veiled."""
        found = self._store.find(where, order=order, limit=limit, offset=offset)
        return [self._guard.redact_for_reader(record) for record in found]

    def glances(self, keys: Sequence[str]) -> dict[str, Glance]:
        """A glance at each of these records, veiled."""
        texts = {record.key: record.text for record in self.get(keys)}
        found = self._store.glances(keys)
        return {key: replace(glance, text=texts[key]) for key, glance in found.items() if key in texts}

    def put(self, records: object) -> None:
        """Refused: a veiled text must never replace the real one."""
        raise AssertionError("a veiled store is for reading")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return getattr(self._store, name)
