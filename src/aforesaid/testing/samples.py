"""Small records, events and vectors for the store contract."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from aforesaid.math.vectors import Vectors
from aforesaid.store.protocols import Store
from aforesaid.types import Event, Filter, Record

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
DAY = timedelta(days=1)
ALL = Filter(echoes=True)


def make_record(id: str, text: str = "the quick brown fox", **fields: Any) -> Record:  # noqa: A002
    """A turn with default fields; pass others by name."""
    fields.setdefault("kind", "turn")
    fields.setdefault("time", NOON)
    return Record(id=id, text=text, **fields)


def random_vectors(count: int, dimensions: int = 8, seed: int = 7) -> Vectors:
    """Random unit vectors, one per row."""
    matrix = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)


def fill(store: Store, records: list[Record], vectors: Vectors | None = None) -> list[str]:
    """Store records, with vectors if given (in a space named `test`), and return their keys."""
    store.put(records)
    keys = [record.key for record in records]
    if vectors is not None:
        store.add_space("test", vectors.shape[1])
        store.put_vectors(keys, vectors)
    return keys


def make_event(n: int, **about: Any) -> list[Event]:
    """One event of day `n`, as a list; `about` adds to its body."""
    tenant = about.pop("tenant", "t")
    return [Event(NOON + n * DAY, tenant, "test", f"about {n}", {"n": n, **about})]
