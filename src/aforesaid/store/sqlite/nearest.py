"""Vector search under a filter: exact, or through sketches when very many vectors are in view.

The best candidates are checked against the filter first. If too few pass, all records that pass are selected and
ranked. So a hidden record never takes the place of a visible one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from aforesaid.math.cascade import tier_vectors
from aforesaid.math.vectors import Vectors, estimated_cosines, top_indices
from aforesaid.settings.rows import StoreRows
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed, records_clause
from aforesaid.store.sqlite.segments import Rows, Segment, Segments
from aforesaid.types import Filter, Scored

PROBES = (1, 8)  # multiples of the limit to check before selecting all records that pass
MANY = 4  # from this many queries on, selecting all records that pass once is cheaper


class Nearest:
    """Searches the vectors of one space."""

    def __init__(self, database: Database, rows: StoreRows, segments: Segments) -> None:
        self._database = database
        self._settings = rows
        self._segments = segments

    def search(self, query: Vectors, where: Filter, limit: int, prefix: int | None = None) -> list[Scored]:
        """Rank records by cosine similarity; ties by row."""
        if limit <= 0:
            return []
        with self._database.snapshot():
            segments = self._segments.in_view(where)
            total = sum(segment.used for segment in segments)
            if total == 0:
                return []
            if prefix is not None or total < self._settings.sketch_from:
                rows, scores = self._all_scores(segments, query, prefix)
                return self._filtered(rows, scores, where, limit)
            return self._sketched(segments, query, where, limit)

    def search_many(self, queries: Vectors, where: Filter, limit: int) -> list[list[Scored]]:
        """Search for every row of `queries`. Applies the filter and reads each block once for all of them."""
        with self._database.snapshot():
            segments = self._segments.in_view(where)
            total = sum(segment.used for segment in segments)
            if limit <= 0 or total == 0:
                return [[] for _ in queries]
            if len(queries) < MANY or total >= self._settings.sketch_from:
                return [self.search(query, where, limit) for query in queries]
            blocks = [self._segments.block(segment) for segment in segments]
            rows = np.concatenate([rows for rows, _ in blocks])
            allowed = np.isin(rows, self._all_allowed(where))
            order = np.flatnonzero(allowed)[np.argsort(rows[allowed], kind="stable")]
            scores = np.concatenate([queries @ matrix.T for _, matrix in blocks], axis=1)[:, order]
            found = [_best(rows[order], row, np.ones(order.size, dtype=bool), limit) for row in scores]
            keys = self._keys({row for pairs in found for row, _ in pairs})
        return [[Scored(keys[row], score) for row, score in pairs] for pairs in found]

    def _all_scores(
        self, segments: Sequence[Segment], query: Vectors, prefix: int | None = None
    ) -> tuple[Rows, Vectors]:
        blocks = [self._segments.block(segment, prefix) for segment in segments]
        query = query if prefix is None else tier_vectors(query, prefix)
        rows = np.concatenate([rows for rows, _ in blocks])
        scores = np.concatenate([matrix @ query for _, matrix in blocks])
        if np.all(rows[1:] > rows[:-1]):  # the usual case: blocks fill in insertion order
            return rows, scores
        order = np.argsort(rows, kind="stable")  # equal scores keep the insertion order
        return rows[order], scores[order]

    def _filtered(self, rows: Rows, scores: Vectors, where: Filter, limit: int) -> list[Scored]:
        """Check the best candidates; if too few pass, rank all records that pass."""
        best = self._leading(rows, scores, where, limit)
        if len(best) == limit or rows.size <= PROBES[-1] * limit:
            return best
        return self._named(_best(rows, scores, np.isin(rows, self._all_allowed(where)), limit))

    def _leading(self, rows: Rows, scores: Vectors, where: Filter, limit: int) -> list[Scored]:
        """Return the best records that pass, from growing numbers of candidates (PROBES)."""
        best: list[Scored] = []
        for factor in PROBES:
            probe = top_indices(scores, factor * limit)
            allowed = self._allowed(where, rows[probe])
            pairs = zip(rows[probe].tolist(), scores[probe].tolist(), strict=True)
            best = [Scored(allowed[row], score) for row, score in pairs if row in allowed][:limit]
            if len(best) == limit or probe.size == rows.size:
                break
        return best

    def _sketched(self, segments: Sequence[Segment], query: Vectors, where: Filter, limit: int) -> list[Scored]:
        """Estimate with sketches and compare the best exactly; if too few pass, repeat with all records that pass."""
        full = [segment for segment in segments if segment.used == self._settings.segment_rows]
        rows = np.concatenate([np.empty(0, np.int64), *(self._segments.rows(segment) for segment in full)])
        estimates = estimated_cosines([self._segments.sketch(segment) for segment in full], query)
        open_rows, open_scores = self._open_scores(segments, query)

        def compared(places: NDArray[np.intp], more: NDArray[np.bool_]) -> tuple[Rows, Vectors]:
            exact = self._gathered(full, places) @ query
            joined = np.concatenate((rows[places], open_rows[more])), np.concatenate((exact, open_scores[more]))
            order = np.argsort(joined[0], kind="stable")
            return joined[0][order], joined[1][order]

        found = compared(top_indices(estimates, self._survivors(rows.size, limit)), np.ones(open_rows.size, dtype=bool))
        best = self._leading(*found, where, limit)
        if len(best) == limit:
            return best
        allowed = self._all_allowed(where)
        inside = np.flatnonzero(np.isin(rows, allowed))
        best_inside = inside[top_indices(estimates[inside], self._survivors(inside.size, limit))]
        found = compared(best_inside, np.isin(open_rows, allowed))
        return self._named(_best(*found, np.ones(found[0].size, dtype=bool), limit))

    def _survivors(self, rows: int, limit: int) -> int:
        settings = self._settings
        return max(settings.sketch_survivors, limit * 10, int(rows * settings.sketch_share))

    def _open_scores(self, segments: Sequence[Segment], query: Vectors) -> tuple[Rows, Vectors]:
        unsealed = [segment for segment in segments if segment.used < self._settings.segment_rows]
        if not unsealed:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        return self._all_scores(unsealed, query)

    def _gathered(self, full: Sequence[Segment], places: NDArray[np.intp]) -> Vectors:
        """Return the vectors at these positions, counted over all full segments."""
        matrix = np.empty((places.size, self._segments.dimensions), dtype=np.float32)
        homes, slots = np.divmod(places, self._settings.segment_rows)
        for home in np.unique(homes):
            chosen = np.flatnonzero(homes == home)
            matrix[chosen] = self._segments.slots(full[home], slots[chosen])
        return matrix

    def _allowed(self, where: Filter, rows: Rows) -> dict[int, str]:
        """Return the rows that pass, with their keys."""
        clause = records_clause(where)
        sql = f"SELECT row, key FROM records WHERE row IN {LISTED} AND {clause.sql}"
        return dict(self._database.rows(sql, listed(rows.tolist()), *clause.parameters))

    def _all_allowed(self, where: Filter) -> Rows:
        clause = records_clause(where)
        found = self._database.rows(f"SELECT row FROM records WHERE {clause.sql}", *clause.parameters)
        return np.fromiter((row[0] for row in found), dtype=np.int64, count=len(found))

    def _named(self, found: Sequence[tuple[int, float]]) -> list[Scored]:
        keys = self._keys({row for row, _ in found})
        return [Scored(keys[row], score) for row, score in found]

    def _keys(self, rows: Collection[int]) -> dict[int, str]:
        return dict(self._database.rows(f"SELECT row, key FROM records WHERE row IN {LISTED}", listed(sorted(rows))))


def _best(rows: Rows, scores: Vectors, kept: NDArray[np.bool_], limit: int) -> list[tuple[int, float]]:
    inside = np.flatnonzero(kept)
    best = inside[top_indices(scores[inside], limit)]
    return list(zip(rows[best].tolist(), scores[best].tolist(), strict=True))
