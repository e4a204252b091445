"""Vectors in blocks: each owner's vectors lie packed in segments of the file, read whole and compared exactly.

A segment grows from a few slots to `segment_rows`; a full one also gets a sketch of sign bits. When many records are
in view, sketches are scanned first and only the survivors are compared exactly. Vectors are the truth; sketches are
derived from them, carry the version of the segment they were made from and a checksum, and are never trusted blindly.
"""

from __future__ import annotations

import threading
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.errors import StoreCorruptError
from recollect.math.vectors import Sketch, Vectors, estimated_cosines, top_indices
from recollect.settings.rows import StoreRows
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.filters import LISTED, listed, owners_clause, records_clause
from recollect.types import Filter

Rows = NDArray[np.int64]
FIRST_CAPACITY = 16  # most sessions are short; a segment quadruples from here
GROWTH = 4
PROBES = (1, 8)  # times the limit that is checked against the filter before the filter is asked for all it allows
FLOAT_BYTES = 4
MANY = 4  # queries from which one pass over everything that is allowed costs less than a probe for each


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment's place and state, without its contents."""

    number: int
    capacity: int
    used: int
    version: int


class SegmentIndex:
    """Adds, removes and finds vectors of one space."""

    def __init__(self, database: Database, rows: StoreRows, space: int, dimensions: int) -> None:
        self._database = database
        self._settings = rows
        self._space = space
        self._dimensions = dimensions
        self._cache = _BlockCache(rows.vector_cache_mb << 20)

    # Writing: inside the caller's transaction.

    def add(self, owner: int, rows: Sequence[int], matrix: Vectors) -> None:
        """Append vectors to the owner's open segment, and to new ones as it fills."""
        done = 0
        while done < len(rows):
            segment = self._open_segment(owner, len(rows) - done)
            count = min(segment.capacity - segment.used, len(rows) - done)
            self._write(segment, rows[done : done + count], matrix[done : done + count])
            done += count

    def _open_segment(self, owner: int, wanted: int) -> Segment:
        found = self._database.one(
            "SELECT segment, capacity, used, version FROM segments WHERE space = ? AND owner = ? AND used < ? LIMIT 1",
            self._space, owner, self._settings.segment_rows,
        )  # fmt: skip
        segment = Segment(*found) if found else None
        if segment is not None and segment.used < segment.capacity:
            return segment
        needed = (segment.used if segment else 0) + wanted
        capacity = segment.capacity * GROWTH if segment else FIRST_CAPACITY
        while capacity < needed:
            capacity *= GROWTH
        capacity = min(capacity, self._settings.segment_rows)
        return self._grown(segment, capacity) if segment else self._created(owner, capacity)

    def _created(self, owner: int, capacity: int) -> Segment:
        connection = self._database.connection
        number = connection.execute(
            "INSERT INTO segments (space, owner, capacity, used, version, rows) VALUES (?, ?, ?, 0, 0, zeroblob(?))",
            (self._space, owner, capacity, capacity * 8),
        ).lastrowid
        assert number is not None
        size = capacity * self._dimensions * FLOAT_BYTES
        connection.execute("INSERT INTO segment_vectors (segment, data) VALUES (?, zeroblob(?))", (number, size))
        return Segment(number, capacity, 0, 0)

    def _grown(self, segment: Segment, capacity: int) -> Segment:
        rows, matrix = self.read_segment(segment)
        self._store(segment.number, capacity, rows, matrix)
        return Segment(segment.number, capacity, segment.used, segment.version)

    def _store(self, number: int, capacity: int, rows: Rows, matrix: Vectors) -> None:
        """Write a segment's contents whole, padded with zeros to its capacity."""
        connection = self._database.connection
        blank = (capacity - rows.size) * 8
        connection.execute(
            "UPDATE segments SET capacity = ?, used = ?, rows = ?, version = version + 1 WHERE segment = ?",
            (capacity, rows.size, rows.tobytes() + bytes(blank), number),
        )
        blank *= self._dimensions * FLOAT_BYTES // 8
        connection.execute(
            "UPDATE segment_vectors SET data = ? WHERE segment = ?", (matrix.tobytes() + bytes(blank), number)
        )

    def _write(self, segment: Segment, rows: Sequence[int], matrix: Vectors) -> None:
        """Write only the pages that the new vectors touch."""
        connection = self._database.connection
        width = self._dimensions * FLOAT_BYTES
        with connection.blobopen("segments", "rows", segment.number) as blob:
            blob.seek(segment.used * 8)
            blob.write(np.asarray(rows, dtype=np.int64).tobytes())
        with connection.blobopen("segment_vectors", "data", segment.number) as blob:
            blob.seek(segment.used * width)
            blob.write(np.ascontiguousarray(matrix, dtype=np.float32).tobytes())
        used = segment.used + len(rows)
        connection.execute(
            "UPDATE segments SET used = ?, version = version + 1 WHERE segment = ?", (used, segment.number)
        )
        connection.executemany(
            "INSERT INTO slots (space, row, segment, slot) VALUES (?, ?, ?, ?)",
            [(self._space, row, segment.number, segment.used + i) for i, row in enumerate(rows)],
        )
        if used == self._settings.segment_rows:
            self.store_sketch(segment.number)

    def store_sketch(self, number: int) -> None:
        """Derive a full segment's sketch from its vectors and keep it."""
        segment = self._segment(number)
        _, matrix = self.read_segment(segment)
        data = Sketch.of(matrix).to_bytes()
        self._database.connection.execute(
            "INSERT OR REPLACE INTO segment_sketches (segment, version, checksum, data) VALUES (?, ?, ?, ?)",
            (number, segment.version, zlib.crc32(data), data),
        )

    def remove(self, rows: Sequence[int]) -> None:
        """Take vectors out; the segments that held them are written anew without a trace of them."""
        connection = self._database.connection
        touched = connection.execute(
            f"SELECT DISTINCT segment FROM slots WHERE space = ? AND row IN {LISTED}", (self._space, listed(rows))
        ).fetchall()
        gone = np.asarray(rows, dtype=np.int64)
        for (number,) in touched:
            segment = self._segment(number)
            held, matrix = self.read_segment(segment)
            kept = ~np.isin(held, gone)
            connection.execute("DELETE FROM slots WHERE space = ? AND segment = ?", (self._space, number))
            connection.execute("DELETE FROM segment_sketches WHERE segment = ?", (number,))
            if not kept.any():
                connection.execute("DELETE FROM segment_vectors WHERE segment = ?", (number,))
                connection.execute("DELETE FROM segments WHERE segment = ?", (number,))
                continue
            self._store(number, segment.capacity, held[kept], np.ascontiguousarray(matrix[kept]))
            connection.executemany(
                "INSERT INTO slots (space, row, segment, slot) VALUES (?, ?, ?, ?)",
                [(self._space, int(row), number, slot) for slot, row in enumerate(held[kept])],
            )

    # Reading: inside a snapshot.

    def search(self, query: Vectors, where: Filter, limit: int) -> list[tuple[int, float]]:
        """The nearest rows under the filter with their cosines, ties by row."""
        if limit <= 0:
            return []
        with self._database.snapshot():
            segments = self._in_view(where)
            total = sum(segment.used for segment in segments)
            if total == 0:
                return []
            if total < self._settings.sketch_from:
                rows, scores = self._all_scores(segments, query)
                return self._filtered(rows, scores, where, limit)
            return self._sketched(segments, query, where, limit)

    def search_many(self, queries: Vectors, where: Filter, limit: int) -> list[list[tuple[int, float]]]:
        """`search` for every row: the filter is asked once, and each block is read once for all of them."""
        with self._database.snapshot():
            segments = self._in_view(where)
            total = sum(segment.used for segment in segments)
            if limit <= 0 or total == 0:
                return [[] for _ in queries]
            if len(queries) < MANY or total >= self._settings.sketch_from:
                return [self.search(query, where, limit) for query in queries]
            blocks = [self._block(segment) for segment in segments]
            rows = np.concatenate([rows for rows, _ in blocks])
            allowed = np.isin(rows, self._all_allowed(where))
            order = np.flatnonzero(allowed)[np.argsort(rows[allowed], kind="stable")]
            scores = np.concatenate([queries @ matrix.T for _, matrix in blocks], axis=1)[:, order]
        return [_best(rows[order], row, np.ones(order.size, dtype=bool), limit) for row in scores]

    def _in_view(self, where: Filter) -> list[Segment]:
        owners = owners_clause(where)
        found = self._database.rows(
            "SELECT segment, capacity, used, version FROM segments "
            f"WHERE space = ? AND owner IN ({owners.sql}) ORDER BY segment",
            self._space, *owners.parameters,
        )  # fmt: skip
        return [Segment(*row) for row in found]

    def _all_scores(self, segments: Sequence[Segment], query: Vectors) -> tuple[Rows, Vectors]:
        blocks = [self._block(segment) for segment in segments]
        rows = np.concatenate([rows for rows, _ in blocks])
        scores = np.concatenate([matrix @ query for _, matrix in blocks])
        order = np.argsort(rows, kind="stable")  # so that equal scores keep the order of arrival
        return rows[order], scores[order]

    def _filtered(self, rows: Rows, scores: Vectors, where: Filter, limit: int) -> list[tuple[int, float]]:
        """Best first: check the leading candidates, and only if too few pass ask for everything that may."""
        best = self._leading(rows, scores, where, limit)
        if len(best) == limit or rows.size <= PROBES[-1] * limit:
            return best
        return _best(rows, scores, np.isin(rows, self._all_allowed(where)), limit)

    def _leading(self, rows: Rows, scores: Vectors, where: Filter, limit: int) -> list[tuple[int, float]]:
        """The best that pass among the leading few, and among more when those are too few."""
        best: list[tuple[int, float]] = []
        for factor in PROBES:
            probe = top_indices(scores, factor * limit)
            allowed = self._allowed(where, rows[probe])
            pairs = zip(rows[probe].tolist(), scores[probe].tolist(), strict=True)
            best = [(row, score) for row, score in pairs if row in allowed][:limit]
            if len(best) == limit or probe.size == rows.size:
                break
        return best

    def _sketched(
        self, segments: Sequence[Segment], query: Vectors, where: Filter, limit: int
    ) -> list[tuple[int, float]]:
        """Scan sketches wide, compare the survivors exactly; among all that is allowed when too few of them pass."""
        full = [segment for segment in segments if segment.used == self._settings.segment_rows]
        rows = np.concatenate([np.empty(0, np.int64), *(self._rows(segment) for segment in full)])
        estimates = estimated_cosines([self._sketch(segment) for segment in full], query)
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
        return _best(*found, np.ones(found[0].size, dtype=bool), limit)

    def _survivors(self, rows: int, limit: int) -> int:
        settings = self._settings
        return max(settings.sketch_survivors, limit * 10, int(rows * settings.sketch_share))

    def _open_scores(self, segments: Sequence[Segment], query: Vectors) -> tuple[Rows, Vectors]:
        unsealed = [segment for segment in segments if segment.used < self._settings.segment_rows]
        if not unsealed:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        return self._all_scores(unsealed, query)

    def _gathered(self, full: Sequence[Segment], places: NDArray[np.intp]) -> Vectors:
        """The vectors at these places of the full segments laid end to end."""
        matrix = np.empty((places.size, self._dimensions), dtype=np.float32)
        homes, slots = np.divmod(places, self._settings.segment_rows)
        for home in np.unique(homes):
            chosen = np.flatnonzero(homes == home)
            matrix[chosen] = self._slots(full[home], slots[chosen])
        return matrix

    def _allowed(self, where: Filter, rows: Rows) -> set[int]:
        clause = records_clause(where)
        sql = f"SELECT row FROM records WHERE row IN {LISTED} AND {clause.sql}"
        return {row[0] for row in self._database.rows(sql, listed(rows.tolist()), *clause.parameters)}

    def _all_allowed(self, where: Filter) -> Rows:
        clause = records_clause(where)
        found = self._database.rows(f"SELECT row FROM records WHERE {clause.sql}", *clause.parameters)
        return np.fromiter((row[0] for row in found), dtype=np.int64, count=len(found))

    def read(self, rows: Rows) -> tuple[Rows, Vectors]:
        """The vectors of some rows, those that have one, segment by segment."""
        places = self._database.rows(
            f"""SELECT segment, capacity, used, version, slot, slots.row FROM slots JOIN segments USING (segment)
                WHERE slots.space = ? AND slots.row IN {LISTED} ORDER BY segment, slot""",
            self._space, listed(rows.tolist()),
        )  # fmt: skip
        found = np.fromiter((place[5] for place in places), dtype=np.int64, count=len(places))
        blocks = [
            self._slots(segment, np.array([place[4] for place in group]))
            for segment, group in groupby(places, key=lambda place: Segment(*place[:4]))
        ]
        return found, np.concatenate([np.empty((0, self._dimensions), np.float32), *blocks])

    def _slots(self, segment: Segment, slots: NDArray[np.intp]) -> Vectors:
        """Some vectors of a segment: from the cached block, else slot by slot from the file.

        Once as much was read slot by slot as the block holds, the block is worth keeping.
        """
        name = ("vectors", segment.number)
        cached: Vectors | None = self._cache.get(name, segment.version)
        if cached is None and self._cache.borrowed(name, slots.size) > segment.used:
            cached = self._block(segment)[1]
        if cached is not None:
            return cached[slots]
        width = self._dimensions * FLOAT_BYTES
        with self._database.connection.blobopen("segment_vectors", "data", segment.number, readonly=True) as blob:
            parts = np.empty((slots.size, self._dimensions), dtype=np.float32)
            for position, slot in enumerate(slots.tolist()):
                blob.seek(slot * width)
                parts[position] = np.frombuffer(blob.read(width), dtype=np.float32)
        return parts

    def _segment(self, number: int) -> Segment:
        found = self._database.one("SELECT segment, capacity, used, version FROM segments WHERE segment = ?", number)
        return Segment(*found)

    def _rows(self, segment: Segment) -> Rows:
        cached: Rows | None = self._cache.get(("rows", segment.number), segment.version)
        if cached is None:
            data = self._database.one("SELECT rows FROM segments WHERE segment = ?", segment.number)[0]
            cached = np.frombuffer(data, dtype=np.int64)[: segment.used]
            self._cache.put(("rows", segment.number), segment.version, cached, cached.nbytes)
        return cached

    def _block(self, segment: Segment) -> tuple[Rows, Vectors]:
        matrix = self._cache.get(("vectors", segment.number), segment.version)
        if matrix is None:
            _, matrix = self.read_segment(segment)
            self._cache.put(("vectors", segment.number), segment.version, matrix, matrix.nbytes)
        return self._rows(segment), matrix

    def read_segment(self, segment: Segment) -> tuple[Rows, Vectors]:
        """A segment's rows and vectors, straight from the file."""
        rows, data = self._database.one(
            "SELECT rows, data FROM segments JOIN segment_vectors USING (segment) WHERE segment = ?", segment.number
        )
        shape = (segment.capacity, self._dimensions)
        if len(data) != shape[0] * shape[1] * FLOAT_BYTES or len(rows) != shape[0] * 8:
            raise StoreCorruptError(
                f"{self._database.path}: vector segment {segment.number} has the wrong size.",
                "Run `recollect verify --repair`.",
            )
        matrix = np.frombuffer(data, dtype=np.float32).reshape(shape)[: segment.used]
        return np.frombuffer(rows, dtype=np.int64)[: segment.used], matrix

    def _sketch(self, segment: Segment) -> Sketch:
        """The stored sketch if it is whole and of this version, else one made on the spot."""
        name = ("sketch", segment.number)
        found: Sketch | None = self._cache.get(name, segment.version)
        if found is None:
            found = self.stored_sketch(segment) or Sketch.of(self.read_segment(segment)[1])
            self._cache.put(name, segment.version, found, found.bits.nbytes)
        return found

    def stored_sketch(self, segment: Segment) -> Sketch | None:
        """The sketch in the file, or None when it is missing, stale or damaged."""
        found = self._database.one(
            "SELECT version, checksum, data FROM segment_sketches WHERE segment = ?", segment.number
        )
        if found is None or found[0] != segment.version or zlib.crc32(found[2]) != found[1]:
            return None
        return Sketch.from_bytes(found[2], segment.used, self._dimensions)

    # Care

    def all_segments(self) -> list[Segment]:
        """Every segment of the space."""
        sql = "SELECT segment, capacity, used, version FROM segments WHERE space = ? ORDER BY segment"
        return [Segment(*row) for row in self._database.rows(sql, self._space)]

    def full_segments(self) -> list[Segment]:
        """Segments that ought to have a sketch."""
        return [segment for segment in self.all_segments() if segment.used == self._settings.segment_rows]

    def placed(self, segment: Segment, rows: Rows) -> bool:
        """Whether the slots say of these rows what the segment says."""
        sql = "SELECT row FROM slots WHERE space = ? AND segment = ? ORDER BY slot"
        placed: list[int] = [row[0] for row in self._database.rows(sql, self._space, segment.number)]
        return bool(placed == rows.tolist())


def _best(rows: Rows, scores: Vectors, kept: NDArray[np.bool_], limit: int) -> list[tuple[int, float]]:
    inside = np.flatnonzero(kept)
    best = inside[top_indices(scores[inside], limit)]
    return list(zip(rows[best].tolist(), scores[best].tolist(), strict=True))


class _BlockCache:
    """Values by name and version, the least recently used dropped when they outgrow the limit; thread-safe."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._size = 0
        self._held: OrderedDict[tuple[str, int], tuple[int, int, Any]] = OrderedDict()
        self._borrowed: dict[tuple[str, int], int] = {}
        self._guard = threading.Lock()

    def borrowed(self, name: tuple[str, int], count: int) -> int:
        """How many slots were read past the cache so far, these included; for ever too few when there is no cache."""
        with self._guard:
            self._borrowed[name] = self._borrowed.get(name, 0) + count
            return self._borrowed[name] if self._limit else 0

    def get(self, name: tuple[str, int], version: int) -> Any:
        """The value of that version, or None."""
        with self._guard:
            found = self._held.get(name)
            if found is None or found[0] != version:
                return None
            self._held.move_to_end(name)
            return found[2]

    def put(self, name: tuple[str, int], version: int, value: Any, size: int) -> None:
        """Keep a value of so many bytes."""
        with self._guard:
            old = self._held.pop(name, None)
            self._size += size - (old[1] if old else 0)
            self._held[name] = (version, size, value)
            while self._size > self._limit and self._held:
                _, (_, dropped, _) = self._held.popitem(last=False)
                self._size -= dropped
