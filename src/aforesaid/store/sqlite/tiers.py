"""Stores the tiers of a Matryoshka model: the leading dimensions of the vectors in full segments (spec 3, L4).

The vectors are the truth. A tier is used only if its version and checksum are right; otherwise it is cut again.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from aforesaid.math.cascade import tier_vectors
from aforesaid.math.vectors import Vectors
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed

if TYPE_CHECKING:
    from aforesaid.store.sqlite.segments import Segment

AT_OPEN = 32  # segments whose tiers are made when a store is opened; the next open goes on


class StoredTiers:
    """The tiers of one space. `widths` are the lengths to store, none for other models."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.widths: tuple[int, ...] = ()

    def store(self, segment: Segment, matrix: Vectors) -> None:
        """Store the tiers of a full segment. Needs the caller's transaction."""
        for width in self.widths:
            data = tier_vectors(matrix, width).tobytes()
            self._database.connection.execute(
                "INSERT OR REPLACE INTO segment_tiers (segment, width, version, checksum, data) VALUES (?, ?, ?, ?, ?)",
                (segment.number, width, segment.version, zlib.crc32(data), data),
            )

    def read(self, segment: Segment, width: int) -> Vectors | None:
        """Return a stored tier, or None if it is missing, outdated or damaged."""
        sql = "SELECT version, checksum, data FROM segment_tiers WHERE segment = ? AND width = ?"
        found = self._database.one(sql, segment.number, width)
        if found is None or found[0] != segment.version or zlib.crc32(found[2]) != found[1]:
            return None
        return np.frombuffer(found[2], dtype=np.float32).reshape(segment.used, width)

    def missing(self, space: int, used: int) -> list[int]:
        """Return the full segments of a space without a current tier of every width."""
        found = self._database.rows(
            f"""SELECT segment FROM segments WHERE space = ? AND used = ? AND ? >
                  (SELECT count(*) FROM segment_tiers AS tiers WHERE tiers.segment = segments.segment
                   AND tiers.version = segments.version AND width IN {LISTED})
                ORDER BY segment""",
            space, used, len(self.widths), listed(self.widths),
        )  # fmt: skip
        return [row[0] for row in found]

    def stored(self, segment: Segment) -> list[int]:
        """Return the lengths of the stored tiers of a segment."""
        sql = "SELECT width FROM segment_tiers WHERE segment = ? ORDER BY width"
        return [row[0] for row in self._database.rows(sql, segment.number)]
