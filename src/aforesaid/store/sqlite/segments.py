"""Stores the vectors of each owner in blocks, called segments.

A segment grows from a few slots to `segment_rows`. Two things are derived from its vectors (spec 3, L4):

- A full segment gets a sketch of sign bits, stored in the file. It is used only if its version and checksum are right.
  One that is missing or outdated is stored again when the file is opened.
- The tiers of a Matryoshka model (`tiers.py`): stored for full segments, and cut in memory for the others.

Every write increases the segment's version, and blocks are cached by version, so writes of other processes are always
seen and a tier is never older than its vectors.
"""

from __future__ import annotations

import threading
import zlib
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aforesaid.errors import StoreCorruptError
from aforesaid.math.cascade import EPSILON, tier_vectors
from aforesaid.math.vectors import Sketch, Vectors
from aforesaid.settings.rows import StoreRows
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed, owners_clause
from aforesaid.store.sqlite.tiers import AT_OPEN, StoredTiers
from aforesaid.types import Filter

Rows = NDArray[np.int64]
Block = TypeVar("Block", Rows, Vectors, Sketch)
FIRST_CAPACITY = 16  # most owners have few vectors
GROWTH = 4
FLOAT_BYTES = 4
ROW_BYTES = 8
SKETCHES_AT_ONCE = 16  # about half a second, so that other writers do not wait long


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment without its contents."""

    number: int
    capacity: int
    used: int
    version: int
    rows_checksum: int = 0  # of the used part, like the next
    vectors_checksum: int = 0


COLUMNS = "segment, capacity, used, version, rows_checksum, vectors_checksum"  # of `Segment`


class Segments:
    """Reads and writes the vectors of one space."""

    def __init__(self, database: Database, settings: StoreRows, space: int, dimensions: int) -> None:
        self._database = database
        self._full = settings.segment_rows
        self.space = space
        self.dimensions = dimensions
        self._width = dimensions * FLOAT_BYTES
        self.tiers = StoredTiers(database)
        self._cache = BlockCache(settings.vector_cache_mb << 20)
        database.on_rollback(self._cache.clear)  # a rolled-back version number is used again for other vectors

    # Writing (needs the caller's transaction)

    def add(self, owner: int, rows: Sequence[int], matrix: Vectors) -> None:
        """Append vectors to the owner's open segment, and to new segments when it is full."""
        done = 0
        while done < len(rows):
            segment = self._open_segment(owner, len(rows) - done)
            end = done + min(segment.capacity - segment.used, len(rows) - done)
            self._append(segment, rows[done:end], matrix[done:end])
            done = end

    def _open_segment(self, owner: int, wanted: int) -> Segment:
        """Return a segment with a free slot: the owner's open one, made larger if it is full, or a new one."""
        damaged = listed(sorted(self._database.quarantine.segments))
        found = self._select(f"owner = ? AND used < ? AND segment NOT IN {LISTED} LIMIT 1", owner, self._full, damaged)
        segment = found[0] if found else self._created(owner)
        if segment.used < segment.capacity:
            return segment
        capacity = max(segment.capacity * GROWTH, FIRST_CAPACITY)
        while capacity < segment.used + wanted:
            capacity *= GROWTH
        try:
            rows, matrix = self.read_segment(segment)
        except StoreCorruptError:  # it is in quarantine now
            return self._open_segment(owner, wanted)
        return self._store(replace(segment, capacity=min(capacity, self._full)), rows, matrix)

    def _created(self, owner: int) -> Segment:
        sql = "INSERT INTO segments (space, owner, capacity, used, version, rows) VALUES (?, ?, 0, 0, 0, x'')"
        number = self._database.connection.execute(sql, (self.space, owner)).lastrowid
        assert number is not None  # an INSERT sets it
        self._database.connection.execute("INSERT INTO segment_vectors (segment, data) VALUES (?, x'')", (number,))
        return Segment(number, 0, 0, 0)

    def _store(self, segment: Segment, rows: Rows, matrix: Vectors) -> Segment:
        """Write the whole contents of a segment, padded with zeros to its capacity."""
        free = segment.capacity - rows.size
        held, data = rows.tobytes(), matrix.tobytes()
        checksums = zlib.crc32(held), zlib.crc32(data)
        self._database.connection.execute(
            """UPDATE segments SET capacity = ?, used = ?, rows = ?, rows_checksum = ?, vectors_checksum = ?,
               version = version + 1 WHERE segment = ?""",
            (segment.capacity, rows.size, held + bytes(free * ROW_BYTES), *checksums, segment.number),
        )
        self._database.connection.execute(
            "UPDATE segment_vectors SET data = ? WHERE segment = ?",
            (data + bytes(free * self._width), segment.number),
        )
        return replace(segment, rows_checksum=checksums[0], vectors_checksum=checksums[1])

    def _append(self, segment: Segment, rows: Sequence[int], matrix: Vectors) -> None:
        """Append vectors to a segment, writing only the pages that change, and continue its checksums."""
        connection = self._database.connection
        held = np.asarray(rows, dtype=np.int64).tobytes()
        data = np.ascontiguousarray(matrix, dtype=np.float32).tobytes()
        with connection.blobopen("segments", "rows", segment.number) as blob:
            blob.seek(segment.used * ROW_BYTES)
            blob.write(held)
        with connection.blobopen("segment_vectors", "data", segment.number) as blob:
            blob.seek(segment.used * self._width)
            blob.write(data)
        used = segment.used + len(rows)
        checksums = zlib.crc32(held, segment.rows_checksum), zlib.crc32(data, segment.vectors_checksum)
        connection.execute(
            """UPDATE segments SET used = ?, rows_checksum = ?, vectors_checksum = ?, version = version + 1
               WHERE segment = ?""",
            (used, *checksums, segment.number),
        )
        self._put_slots(segment, rows, segment.used)
        if used == self._full:
            self.store_sketch(segment.number)
            self.store_tiers(segment.number)

    def _put_slots(self, segment: Segment, rows: Sequence[int], first: int = 0) -> None:
        self._database.connection.executemany(
            "INSERT INTO slots (space, row, segment, slot) VALUES (?, ?, ?, ?)",
            [(self.space, row, segment.number, slot) for slot, row in enumerate(rows, first)],
        )

    def store_sketch(self, number: int) -> None:
        """Compute and store the sketch of a full segment."""
        [segment] = self._select("segment = ?", number)
        try:
            data = Sketch.of(self.read_segment(segment)[1]).to_bytes()
        except StoreCorruptError:  # it is in quarantine now
            return
        self._database.connection.execute(
            "INSERT OR REPLACE INTO segment_sketches (segment, version, checksum, data) VALUES (?, ?, ?, ?)",
            (number, segment.version, zlib.crc32(data), data),
        )

    def restore_sketches(self) -> None:
        """Store the sketches that are missing or outdated, a few in each transaction."""
        while self._without_sketch():
            with self._database.transaction():  # others may have changed the segments: look again
                for number in self._without_sketch()[:SKETCHES_AT_ONCE]:
                    self.store_sketch(number)

    def _without_sketch(self) -> list[int]:
        found = self._database.rows(
            """SELECT segments.segment FROM segments LEFT JOIN segment_sketches AS sketches USING (segment)
               WHERE space = ? AND used = ? AND sketches.version IS NOT segments.version""",
            self.space, self._full,
        )  # fmt: skip
        return [row[0] for row in found if row[0] not in self._database.quarantine.segments]

    def store_tiers(self, number: int) -> None:
        """Compute and store the tiers of a full segment."""
        if self.tiers.widths:
            [segment] = self._select("segment = ?", number)
            with suppress(StoreCorruptError):  # it is in quarantine then
                self.tiers.store(segment, self.read_segment(segment)[1])

    def restore_tiers(self) -> None:
        """Store some of the tiers that are missing or outdated, a few in each transaction."""
        if not self.tiers.widths:
            return
        for _ in range(0, AT_OPEN, SKETCHES_AT_ONCE):
            if not self.tiers.missing(self.space, self._full):
                return
            with self._database.transaction():  # others may have changed the segments: look again
                for number in self.tiers.missing(self.space, self._full)[:SKETCHES_AT_ONCE]:
                    self.store_tiers(number)

    def remove(self, rows: Sequence[int]) -> None:
        """Remove vectors. The segments that held them are rewritten without them."""
        connection = self._database.connection
        for segment in self._select(
            f"segment IN (SELECT segment FROM slots WHERE space = ? AND row IN {LISTED})", self.space, listed(rows)
        ):
            try:
                held, matrix = self.read_segment(segment)
            except StoreCorruptError:
                drop_segment(self._database, segment.number)
                continue
            kept = ~np.isin(held, np.asarray(rows, dtype=np.int64))
            if not kept.any():
                drop_segment(self._database, segment.number)
                continue
            for table in ("slots", "segment_sketches", "segment_tiers"):
                connection.execute(f"DELETE FROM {table} WHERE segment = ?", (segment.number,))
            self._store(segment, held[kept], np.ascontiguousarray(matrix[kept]))
            self._put_slots(segment, held[kept].tolist())

    # Reading (needs a snapshot)

    def _select(self, condition: str, *parameters: Any) -> list[Segment]:
        sql = f"SELECT {COLUMNS} FROM segments WHERE space = ? AND {condition}"
        return [Segment(*row) for row in self._database.rows(sql, self.space, *parameters)]

    def all_segments(self) -> list[Segment]:
        """Return every segment of the space."""
        return self._select("true ORDER BY segment")

    def full_segments(self) -> list[Segment]:
        """Return the segments that should have a sketch."""
        return self._select("used = ? ORDER BY segment", self._full)

    def in_view(self, where: Filter) -> list[Segment]:
        """Return the segments of the filter's owners, without damaged ones."""
        owners = owners_clause(where)
        found = self._select(f"owner IN ({owners.sql}) ORDER BY segment", *owners.parameters)
        damaged = self._database.quarantine.segments
        return [segment for segment in found if segment.number not in damaged] if damaged else found

    def damaged(self, where: Filter) -> int:
        """Count the vectors in damaged segments of the filter's owners. Segments that are sound again are released."""
        if not self._database.quarantine.segments:
            return 0
        owners = owners_clause(where)
        found = self._select(
            f"segment IN {LISTED} AND owner IN ({owners.sql})",
            listed(sorted(self._database.quarantine.segments)), *owners.parameters,
        )  # fmt: skip
        return sum(segment.used for segment in found if not self._is_sound(segment))

    @property
    def damaged_numbers(self) -> frozenset[int]:
        """The numbers of the segments in quarantine."""
        return self._database.quarantine.segments

    def _is_sound(self, segment: Segment) -> bool:
        try:
            self.read_segment(segment)
        except StoreCorruptError:
            return False
        self._database.quarantine.release(frozenset(), frozenset((segment.number,)))
        return True

    def read(self, rows: Sequence[int]) -> Iterator[tuple[int, Vectors]]:
        """Yield the rows that have a vector, with their vectors."""
        places = self._database.rows(
            f"""SELECT {COLUMNS}, slot, slots.row FROM slots JOIN segments USING (segment)
                WHERE slots.space = ? AND slots.row IN {LISTED} ORDER BY segment, slot""",
            self.space, listed(rows),
        )  # fmt: skip
        for segment, group in groupby(places, key=lambda place: Segment(*place[:-2])):
            slots, found = zip(*(place[-2:] for place in group), strict=True)
            if segment.number in self._database.quarantine.segments:
                continue
            try:
                vectors = self.slots(segment, np.array(slots))
            except StoreCorruptError:  # it is in quarantine now
                continue
            yield from zip(found, vectors, strict=True)

    def slots(self, segment: Segment, slots: NDArray[np.intp]) -> Vectors:
        """Return some vectors of a segment, from the cache or slot by slot from the file.

        After as many single reads as the segment has vectors, the whole block is cached.
        """
        if self._cache.prefers_block(segment, slots.size):
            return self.block(segment)[1][slots]
        parts = np.empty((slots.size, self.dimensions), dtype=np.float32)
        with self._database.connection.blobopen("segment_vectors", "data", segment.number, readonly=True) as blob:
            for position, slot in enumerate(slots.tolist()):
                blob.seek(slot * self._width)
                parts[position] = np.frombuffer(blob.read(self._width), dtype=np.float32)
        return parts

    def rows(self, segment: Segment) -> Rows:
        """Return the record row of each slot, cached."""

        def read() -> Rows:
            data = self._database.one("SELECT rows FROM segments WHERE segment = ?", segment.number)[0]
            return self._checked_rows(segment, data)

        return self._cache.get("rows", segment, read)

    def block(self, segment: Segment) -> tuple[Rows, Vectors]:
        """Return a segment's rows and vectors, cached."""
        return self.rows(segment), self._cache.get("vectors", segment, lambda: self.read_segment(segment)[1])

    def tier(self, segment: Segment, prefix: int, epsilon: float) -> tuple[Rows, Vectors]:
        """Return a segment's rows and the leading dimensions of its vectors at unit length, cached."""

        def read() -> Vectors:
            stored = self.tiers.read(segment, prefix) if epsilon == EPSILON else None
            return tier_vectors(self.block(segment)[1], prefix, epsilon) if stored is None else stored

        return self.rows(segment), self._cache.get(f"tier {prefix} {epsilon}", segment, read)

    def read_segment(self, segment: Segment) -> tuple[Rows, Vectors]:
        """Read a segment's rows and vectors from the file."""
        rows, data = self._database.one(
            "SELECT rows, data FROM segments JOIN segment_vectors USING (segment) WHERE segment = ?", segment.number
        ) or (b"", b"")
        held = self._checked_rows(segment, rows)
        used = self._checked(segment, data, self._width, segment.vectors_checksum)
        return held, np.frombuffer(used, dtype=np.float32).reshape(segment.used, self.dimensions)

    def _checked_rows(self, segment: Segment, data: bytes) -> Rows:
        return np.frombuffer(self._checked(segment, data, ROW_BYTES, segment.rows_checksum), dtype=np.int64)

    def _checked(self, segment: Segment, data: bytes, width: int, checksum: int) -> memoryview:
        """Return the used part of a blob. Raises if its size or its checksum is wrong."""
        used = memoryview(data)[: segment.used * width]
        fits = len(data) == segment.capacity * width and len(used) == segment.used * width
        if fits and zlib.crc32(used) == checksum:
            return used
        what = f"Vector segment {segment.number} has the wrong {'checksum' if fits else 'size'}."
        self._database.quarantine.add_segment(segment.number, what)
        raise StoreCorruptError(f"{self._database.path}: {what}", "Run `aforesaid verify --repair`.")

    def sketch(self, segment: Segment) -> Sketch:
        """Return the stored sketch if it is valid, else compute one; cached."""
        return self._cache.get(
            "sketch", segment, lambda: self.stored_sketch(segment) or Sketch.of(self.read_segment(segment)[1])
        )

    def stored_sketch(self, segment: Segment) -> Sketch | None:
        """Return the sketch in the file, or None if it is missing, outdated or damaged."""
        found = self._database.one(
            "SELECT version, checksum, data FROM segment_sketches WHERE segment = ?", segment.number
        )
        if found is None or found[0] != segment.version or zlib.crc32(found[2]) != found[1]:
            return None
        return Sketch.from_bytes(found[2], segment.used, self.dimensions)

    def matches_slots(self, segment: Segment, rows: Rows) -> bool:
        """Return whether the table `slots` agrees with the rows of a segment."""
        sql = "SELECT row FROM slots WHERE space = ? AND segment = ? ORDER BY slot"
        return bool([row[0] for row in self._database.rows(sql, self.space, segment.number)] == rows.tolist())


def drop_segment(database: Database, number: int) -> None:
    """Delete a segment. The records in it have no vector then; `reindex` makes them again."""
    for table in ("slots", "segment_sketches", "segment_tiers", "segment_vectors", "segments"):
        database.connection.execute(f"DELETE FROM {table} WHERE segment = ?", (number,))
    database.quarantine.release(frozenset(), frozenset((number,)))


class BlockCache:
    """A thread-safe LRU cache of blocks by kind, segment and version, limited in bytes."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._size = 0
        self._held: OrderedDict[tuple[str, int], tuple[int, int, Any]] = OrderedDict()  # version, bytes, block
        self._single_reads: Counter[int] = Counter()  # by segment
        self._guard = threading.Lock()

    def clear(self) -> None:
        """Empty the cache."""
        with self._guard:
            self._held.clear()
            self._size = 0

    def get(self, kind: str, segment: Segment, read: Callable[[], Block]) -> Block:
        """Return the cached block of this version, or read it and cache it."""
        name = (kind, segment.number)
        with self._guard:
            held = self._held.get(name)
            if held is not None and held[0] == segment.version:
                self._held.move_to_end(name)
                cached: Block = held[2]
                return cached
        block = read()
        size = block.bits.nbytes if isinstance(block, Sketch) else block.nbytes
        with self._guard:
            self._size += size - self._held.pop(name, (0, 0))[1]
            self._held[name] = (segment.version, size, block)
            while self._size > self._limit:
                self._size -= self._held.popitem(last=False)[1][1]
        return block

    def prefers_block(self, segment: Segment, slots: int) -> bool:
        """Return whether to read `slots` vectors from the cached block. If not, count them as single reads."""
        with self._guard:
            if self._held.get(("vectors", segment.number), (None,))[0] == segment.version:
                return True
            self._single_reads[segment.number] += slots
            return bool(self._limit) and self._single_reads[segment.number] > segment.used
