"""Vector search under a filter: exact, or through sketches when very many vectors are in view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from aforesaid.errors import StoreCorruptError
from aforesaid.math.cascade import EPSILON, tier_vectors
from aforesaid.math.vectors import Vectors, estimated_cosines, top_indices
from aforesaid.settings.rows import StoreRows
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.passing import all_passing, best_of_probes, best_passing, by_row
from aforesaid.store.sqlite.segments import Rows, Segment, Segments
from aforesaid.types import Filter, Scored

Found = TypeVar("Found")
MANY = 4  # from this many queries on, selecting all records that pass once is cheaper


class Nearest:
    """Searches the vectors of one space."""

    def __init__(self, database: Database, settings: StoreRows, segments: Segments) -> None:
        self._database = database
        self._settings = settings
        self._segments = segments

    def search(
        self, query: Vectors, where: Filter, limit: int, prefix: int | None = None, epsilon: float = EPSILON
    ) -> list[Scored]:
        """Rank records by cosine similarity; ties by row. Damaged segments are left out."""
        with self._database.snapshot():
            return self._without_damage(lambda: self._search(query, where, limit, prefix, epsilon))

    def _without_damage(self, work: Callable[[], Found]) -> Found:
        """Run a search, and run it again without each segment that turns out to be damaged."""
        while True:
            damaged = self._database.quarantine.segments
            try:
                return work()
            except StoreCorruptError:
                if self._database.quarantine.segments == damaged:
                    raise

    def _search(self, query: Vectors, where: Filter, limit: int, prefix: int | None, epsilon: float) -> list[Scored]:
        segments = self._segments.in_view(where)
        total = sum(segment.used for segment in segments)
        if limit <= 0 or total == 0:
            return []
        if prefix is None and total >= self._settings.sketch_from:
            return self._sketched(segments, query, where, limit)
        rows, scores = self._all_scores(segments, query, prefix, epsilon)
        return best_passing(self._database, rows, scores, where, limit)

    def search_many(self, queries: Vectors, where: Filter, limit: int) -> list[list[Scored]]:
        """Search for every row of `queries`. Applies the filter and reads each block once for all of them."""
        with self._database.snapshot():
            return self._without_damage(lambda: self._search_many(queries, where, limit))

    def _search_many(self, queries: Vectors, where: Filter, limit: int) -> list[list[Scored]]:
        segments = self._segments.in_view(where)
        total = sum(segment.used for segment in segments)
        if limit <= 0 or total == 0:
            return [[] for _ in queries]
        if len(queries) < MANY or total >= self._settings.sketch_from:
            return [self.search(query, where, limit) for query in queries]
        blocks = [self._segments.block(segment) for segment in segments]
        rows = np.concatenate([rows for rows, _ in blocks])
        allowed = np.isin(rows, all_passing(self._database, where))
        order = np.flatnonzero(allowed)[np.argsort(rows[allowed], kind="stable")]
        scores = np.concatenate([queries @ matrix.T for _, matrix in blocks], axis=1)[:, order]
        return [best_of_probes(self._database, rows[order], row, where, limit) for row in scores]

    def _all_scores(
        self, segments: Sequence[Segment], query: Vectors, prefix: int | None = None, epsilon: float = EPSILON
    ) -> tuple[Rows, Vectors]:
        if prefix is None:
            blocks = [self._segments.block(segment) for segment in segments]
        else:
            blocks = [self._segments.tier(segment, prefix, epsilon) for segment in segments]
            query = tier_vectors(query, prefix, epsilon)
        return by_row(
            np.concatenate([np.empty(0, np.int64), *(rows for rows, _ in blocks)]),
            np.concatenate([np.empty(0, np.float32), *(matrix @ query for _, matrix in blocks)]),
        )

    def _sketched(self, segments: Sequence[Segment], query: Vectors, where: Filter, limit: int) -> list[Scored]:
        """Estimate with sketches and compare the best exactly; if too few pass, repeat with all records that pass."""
        full = [segment for segment in segments if segment.used == self._settings.segment_rows]
        growing = [segment for segment in segments if segment.used != self._settings.segment_rows]
        rows = np.concatenate([np.empty(0, np.int64), *(self._segments.rows(segment) for segment in full)])
        estimates = estimated_cosines([self._segments.sketch(segment) for segment in full], query)
        open_rows, open_scores = self._all_scores(growing, query)

        def compared(places: NDArray[np.intp], more: NDArray[np.bool_]) -> list[Scored]:
            survivors = max(self._settings.sketch_survivors, limit * 10, int(places.size * self._settings.sketch_share))
            places = places[top_indices(estimates[places], survivors)]
            exact = self._gathered(full, places) @ query
            found = np.concatenate((rows[places], open_rows[more])), np.concatenate((exact, open_scores[more]))
            return best_of_probes(self._database, *by_row(*found), where, limit)

        best = compared(np.arange(rows.size), np.ones(open_rows.size, dtype=np.bool_))
        if len(best) < limit:
            allowed = all_passing(self._database, where)
            best = compared(np.flatnonzero(np.isin(rows, allowed)), np.isin(open_rows, allowed))
        return best

    def _gathered(self, full: Sequence[Segment], places: NDArray[np.intp]) -> Vectors:
        """Return the vectors at these positions, counted over all full segments."""
        matrix = np.empty((places.size, self._segments.dimensions), dtype=np.float32)
        homes, slots = np.divmod(places, self._settings.segment_rows)
        for home in np.unique(homes):
            chosen = np.flatnonzero(homes == home)
            matrix[chosen] = self._segments.slots(full[home], slots[chosen])
        return matrix
