"""Stores the vectors of each owner in blocks, called segments.

A segment grows from a few slots to `segment_rows`. A full one also gets a sketch of sign bits, derived from its
vectors. A sketch is used only if its version and checksum are right. Every write increases the segment's version, and
blocks are cached by version, so writes of other processes are always seen.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from aforesaid.errors import StoreCorruptError
from aforesaid.math.cascade import tier_vectors
from aforesaid.math.vectors import Sketch, Vectors
from aforesaid.settings.rows import StoreRows
from aforesaid.store.sqlite.cache import BlockCache
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed, owners_clause
from aforesaid.types import Filter

Rows = NDArray[np.int64]
FIRST_CAPACITY = 16  # most owners have few vectors
GROWTH = 4
FLOAT_BYTES = 4


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment without its contents."""

    number: int
    capacity: int
    used: int
    version: int


class Segments:
    """Reads and writes the vectors of one space."""

    def __init__(self, database: Database, rows: StoreRows, space: int, dimensions: int) -> None:
        self._database = database
        self._settings = rows
        self.space = space
        self.dimensions = dimensions
        self._cache = BlockCache(rows.vector_cache_mb << 20)
        database.on_rollback(self._cache.clear)  # a rolled-back version number is used again for other vectors

    # Writing (needs the caller's transaction)

    def add(self, owner: int, rows: Sequence[int], matrix: Vectors) -> None:
        """Append vectors to the owner's open segment, and to new segments when it is full."""
        done = 0
        while done < len(rows):
            segment = self._open_segment(owner, len(rows) - done)
            count = min(segment.capacity - segment.used, len(rows) - done)
            self._write(segment, rows[done : done + count], matrix[done : done + count])
            done += count

    def _open_segment(self, owner: int, wanted: int) -> Segment:
        found = self._database.one(
            "SELECT segment, capacity, used, version FROM segments WHERE space = ? AND owner = ? AND used < ? LIMIT 1",
            self.space, owner, self._settings.segment_rows,
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
            (self.space, owner, capacity, capacity * 8),
        ).lastrowid
        assert number is not None
        size = capacity * self.dimensions * FLOAT_BYTES
        connection.execute("INSERT INTO segment_vectors (segment, data) VALUES (?, zeroblob(?))", (number, size))
        return Segment(number, capacity, 0, 0)

    def _grown(self, segment: Segment, capacity: int) -> Segment:
        rows, matrix = self.read_segment(segment)
        self._store(segment.number, capacity, rows, matrix)
        return Segment(segment.number, capacity, segment.used, segment.version)

    def _store(self, number: int, capacity: int, rows: Rows, matrix: Vectors) -> None:
        """Write the whole contents of a segment, padded with zeros to its capacity."""
        connection = self._database.connection
        blank = (capacity - rows.size) * 8
        connection.execute(
            "UPDATE segments SET capacity = ?, used = ?, rows = ?, version = version + 1 WHERE segment = ?",
            (capacity, rows.size, rows.tobytes() + bytes(blank), number),
        )
        blank *= self.dimensions * FLOAT_BYTES // 8
        connection.execute(
            "UPDATE segment_vectors SET data = ? WHERE segment = ?", (matrix.tobytes() + bytes(blank), number)
        )

    def _write(self, segment: Segment, rows: Sequence[int], matrix: Vectors) -> None:
        """Append vectors to a segment, writing only the pages that change."""
        connection = self._database.connection
        width = self.dimensions * FLOAT_BYTES
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
            [(self.space, row, segment.number, segment.used + i) for i, row in enumerate(rows)],
        )
        if used == self._settings.segment_rows:
            self.store_sketch(segment.number)

    def store_sketch(self, number: int) -> None:
        """Compute and store the sketch of a full segment."""
        segment = self._segment(number)
        _, matrix = self.read_segment(segment)
        data = Sketch.of(matrix).to_bytes()
        self._database.connection.execute(
            "INSERT OR REPLACE INTO segment_sketches (segment, version, checksum, data) VALUES (?, ?, ?, ?)",
            (number, segment.version, zlib.crc32(data), data),
        )

    def remove(self, rows: Sequence[int]) -> None:
        """Remove vectors. The segments that held them are rewritten without them."""
        connection = self._database.connection
        touched = connection.execute(
            f"SELECT DISTINCT segment FROM slots WHERE space = ? AND row IN {LISTED}", (self.space, listed(rows))
        ).fetchall()
        gone = np.asarray(rows, dtype=np.int64)
        for (number,) in touched:
            segment = self._segment(number)
            held, matrix = self.read_segment(segment)
            kept = ~np.isin(held, gone)
            connection.execute("DELETE FROM slots WHERE space = ? AND segment = ?", (self.space, number))
            connection.execute("DELETE FROM segment_sketches WHERE segment = ?", (number,))
            if not kept.any():
                connection.execute("DELETE FROM segment_vectors WHERE segment = ?", (number,))
                connection.execute("DELETE FROM segments WHERE segment = ?", (number,))
                continue
            self._store(number, segment.capacity, held[kept], np.ascontiguousarray(matrix[kept]))
            connection.executemany(
                "INSERT INTO slots (space, row, segment, slot) VALUES (?, ?, ?, ?)",
                [(self.space, int(row), number, slot) for slot, row in enumerate(held[kept])],
            )

    # Reading (needs a snapshot)

    def in_view(self, where: Filter) -> list[Segment]:
        """Return the segments of the filter's owners."""
        owners = owners_clause(where)
        found = self._database.rows(
            "SELECT segment, capacity, used, version FROM segments "
            f"WHERE space = ? AND owner IN ({owners.sql}) ORDER BY segment",
            self.space, *owners.parameters,
        )  # fmt: skip
        return [Segment(*row) for row in found]

    def read(self, rows: Rows) -> tuple[Rows, Vectors]:
        """Return the rows that have a vector, and their vectors."""
        places = self._database.rows(
            f"""SELECT segment, capacity, used, version, slot, slots.row FROM slots JOIN segments USING (segment)
                WHERE slots.space = ? AND slots.row IN {LISTED} ORDER BY segment, slot""",
            self.space, listed(rows.tolist()),
        )  # fmt: skip
        found = np.fromiter((place[5] for place in places), dtype=np.int64, count=len(places))
        blocks = [
            self.slots(segment, np.array([place[4] for place in group]))
            for segment, group in groupby(places, key=lambda place: Segment(*place[:4]))
        ]
        return found, np.concatenate([np.empty((0, self.dimensions), np.float32), *blocks])

    def slots(self, segment: Segment, slots: NDArray[np.intp]) -> Vectors:
        """Return some vectors of a segment, from the cache or slot by slot from the file.

        After as many single reads as the segment has vectors, the whole block is cached.
        """
        name = ("vectors", segment.number)
        cached: Vectors | None = self._cache.get(name, segment.version)
        if cached is None and self._cache.count_uncached(name, slots.size) > segment.used:
            cached = self.block(segment)[1]
        if cached is not None:
            return cached[slots]
        width = self.dimensions * FLOAT_BYTES
        with self._database.connection.blobopen("segment_vectors", "data", segment.number, readonly=True) as blob:
            parts = np.empty((slots.size, self.dimensions), dtype=np.float32)
            for position, slot in enumerate(slots.tolist()):
                blob.seek(slot * width)
                parts[position] = np.frombuffer(blob.read(width), dtype=np.float32)
        return parts

    def _segment(self, number: int) -> Segment:
        found = self._database.one("SELECT segment, capacity, used, version FROM segments WHERE segment = ?", number)
        return Segment(*found)

    def rows(self, segment: Segment) -> Rows:
        """Return the record row of each slot."""
        cached: Rows | None = self._cache.get(("rows", segment.number), segment.version)
        if cached is None:
            data = self._database.one("SELECT rows FROM segments WHERE segment = ?", segment.number)[0]
            cached = np.frombuffer(data, dtype=np.int64)[: segment.used]
            self._cache.put(("rows", segment.number), segment.version, cached, cached.nbytes)
        return cached

    def block(self, segment: Segment, prefix: int | None = None) -> tuple[Rows, Vectors]:
        """Return a segment's rows and vectors, cached. With `prefix`, only the leading dimensions."""
        if prefix is not None:
            return self.rows(segment), self._tier(segment, prefix)
        matrix = self._cache.get(("vectors", segment.number), segment.version)
        if matrix is None:
            _, matrix = self.read_segment(segment)
            self._cache.put(("vectors", segment.number), segment.version, matrix, matrix.nbytes)
        return self.rows(segment), matrix

    def _tier(self, segment: Segment, prefix: int) -> Vectors:
        name = (f"tier{prefix}", segment.number)
        tier: Vectors | None = self._cache.get(name, segment.version)
        if tier is None:
            tier = tier_vectors(self.block(segment)[1], prefix)
            self._cache.put(name, segment.version, tier, tier.nbytes)
        return tier

    def read_segment(self, segment: Segment) -> tuple[Rows, Vectors]:
        """Read a segment's rows and vectors from the file."""
        rows, data = self._database.one(
            "SELECT rows, data FROM segments JOIN segment_vectors USING (segment) WHERE segment = ?", segment.number
        )
        shape = (segment.capacity, self.dimensions)
        if len(data) != shape[0] * shape[1] * FLOAT_BYTES or len(rows) != shape[0] * 8:
            raise StoreCorruptError(
                f"{self._database.path}: vector segment {segment.number} has the wrong size.",
                "Run `aforesaid verify --repair`.",
            )
        matrix = np.frombuffer(data, dtype=np.float32).reshape(shape)[: segment.used]
        return np.frombuffer(rows, dtype=np.int64)[: segment.used], matrix

    def sketch(self, segment: Segment) -> Sketch:
        """Return the stored sketch if it is valid, else compute one."""
        name = ("sketch", segment.number)
        found: Sketch | None = self._cache.get(name, segment.version)
        if found is None:
            found = self.stored_sketch(segment) or Sketch.of(self.read_segment(segment)[1])
            self._cache.put(name, segment.version, found, found.bits.nbytes)
        return found

    def stored_sketch(self, segment: Segment) -> Sketch | None:
        """Return the sketch in the file, or None if it is missing, outdated or damaged."""
        found = self._database.one(
            "SELECT version, checksum, data FROM segment_sketches WHERE segment = ?", segment.number
        )
        if found is None or found[0] != segment.version or zlib.crc32(found[2]) != found[1]:
            return None
        return Sketch.from_bytes(found[2], segment.used, self.dimensions)

    # Checks

    def all_segments(self) -> list[Segment]:
        """Return every segment of the space."""
        sql = "SELECT segment, capacity, used, version FROM segments WHERE space = ? ORDER BY segment"
        return [Segment(*row) for row in self._database.rows(sql, self.space)]

    def full_segments(self) -> list[Segment]:
        """Return the segments that should have a sketch."""
        return [segment for segment in self.all_segments() if segment.used == self._settings.segment_rows]

    def matches_slots(self, segment: Segment, rows: Rows) -> bool:
        """Return whether the table `slots` agrees with the rows of a segment."""
        sql = "SELECT row FROM slots WHERE space = ? AND segment = ? ORDER BY slot"
        found: list[int] = [row[0] for row in self._database.rows(sql, self.space, segment.number)]
        return bool(found == rows.tolist())
