"""Compares the vectors of two models on the same records, before search switches from one to the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aforesaid.embed.base import Embedder
from aforesaid.engine.engine import Engine
from aforesaid.math.vectors import Vectors
from aforesaid.retrieval.search_log import logged_queries
from aforesaid.store.protocols import Store
from aforesaid.types import Filter, Record

NEAREST = 10  # hits that are compared
SAMPLE = 64  # stored texts and logged queries to compare, each


@dataclass(frozen=True, slots=True)
class SpaceComparison:
    """How alike two models search: the mean share of the ten nearest records that they have in common.

    `texts` and `queries` count what was searched for: stored records, and queries from the log if there are any.
    `found_before` and `found_after` are the shares of records that each model finds by one of their own sentences,
    among the ten nearest; None when no record of the sample has sentence vectors.
    """

    overlap: float
    texts: int
    queries: int
    found_before: float | None = None
    found_after: float | None = None


def compare_spaces(engine: Engine, old: str, embedder: Embedder) -> SpaceComparison:
    """Compare the space of a new embedder with the one in use, on a sample of each tenant.

    Stored records are compared by their vectors. Logged queries need both embedders, so they are compared only in a
    program that still has the old one.
    """
    store, new = engine.store, embedder.name
    tenants = store.tenants()[:SAMPLE]
    shares: list[float] = []
    found: list[tuple[bool, bool]] = []
    queries = 0
    for tenant in tenants:
        where = Filter(tenant, echoes=True)
        records = _sample(store, where, -(-SAMPLE // len(tenants)))
        keys = [record.key for record in records]
        before, after = store.vectors(keys, old), store.vectors(keys, new)
        both = [key for key in keys if key in before and key in after]
        texts = _overlaps(store, where, (old, _rows(before, both)), (new, _rows(after, both)), [{key} for key in both])
        asked = _overlaps_of_queries(replace(engine, tenant=tenant), old, embedder, where)
        shares += [*texts, *asked]
        queries += len(asked)
        found += _found_by_sentence(store, where, both, old, new)
    return SpaceComparison(
        float(np.mean(shares)) if shares else 1.0,
        len(shares) - queries,
        queries,
        float(np.mean([one for one, _ in found])) if found else None,
        float(np.mean([other for _, other in found])) if found else None,
    )


def _sample(store: Store, where: Filter, size: int) -> list[Record]:
    """Records at equal distances in time order."""
    total = store.count(where)
    places = sorted({place * total // size for place in range(size)}) if total else []
    return [record for place in places for record in store.find(where, limit=1, offset=place)]


def _rows(vectors: dict[str, Vectors], keys: Sequence[str]) -> Vectors:
    return np.stack([vectors[key] for key in keys]) if keys else np.empty((0, 0), dtype=np.float32)


def _overlaps(
    store: Store,
    where: Filter,
    old: tuple[str, Vectors],
    new: tuple[str, Vectors],
    left_out: Sequence[set[str]],
) -> list[float]:
    """For each pair of rows, the share of the nearest records that both spaces have."""
    if not len(left_out):
        return []
    before, after = (_nearest(store, where, space, rows, left_out) for space, rows in (old, new))
    return [len(set(one) & set(other)) / len(one) for one, other in zip(before, after, strict=True) if one and other]


def _nearest(
    store: Store, where: Filter, space: str, rows: Vectors, left_out: Sequence[set[str]]
) -> Iterator[list[str]]:
    hits = store.vector_search_many(rows, where, NEAREST + 1, space=space)
    for found, without in zip(hits, left_out, strict=True):
        yield [hit.key for hit in found if hit.key not in without][:NEAREST]


def _overlaps_of_queries(engine: Engine, old: str, embedder: Embedder, where: Filter) -> list[float]:
    arm = engine.arm
    queries = sorted(logged_queries(engine.request()))[:SAMPLE] if arm.space == old else []
    before = [arm.embed_query(query) for query in queries]
    asked = [(query, row) for query, row in zip(queries, before, strict=True) if row is not None]
    if not asked:
        return []
    after = np.stack([embedder.embed_query(query) for query, _ in asked])
    return _overlaps(
        engine.store, where, (old, np.stack([row for _, row in asked])), (embedder.name, after), [set()] * len(asked)
    )


def _found_by_sentence(store: Store, where: Filter, keys: Sequence[str], old: str, new: str) -> list[tuple[bool, bool]]:
    """For records with sentence vectors: whether the last sentence finds its record, in the old and the new space."""
    before, after = store.passages(keys, old), store.passages(keys, new)
    both = [key for key in keys if key in before and key in after]
    if not both:
        return []
    hits = [
        store.vector_search_many(np.stack([parts[key][-1] for key in both]), where, NEAREST, space=space)
        for space, parts in ((old, before), (new, after))
    ]
    return [
        tuple(key in [hit.key for hit in found] for found in pair)  # type: ignore[misc]
        for key, *pair in zip(both, *hits, strict=True)
    ]
