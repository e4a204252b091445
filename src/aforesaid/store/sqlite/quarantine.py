"""What was found damaged in a file. It is left out of answers until it is mended, and every answer can name it."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from threading import Lock

logger = logging.getLogger("aforesaid.store")


class Quarantine:
    """Rows of `records` and vector segments with damage, as far as they were met. Shared by all threads."""

    def __init__(self) -> None:
        self._guard = Lock()
        self.rows: frozenset[int] = frozenset()
        self.segments: frozenset[int] = frozenset()
        self.tables: frozenset[str] = frozenset()

    def add_row(self, row: int, what: str) -> None:
        """Leave out a record."""
        with self._guard:
            new = row not in self.rows
            self.rows |= {row}
        if new:
            logger.warning("The record in row %d is damaged and left out: %s. Run `aforesaid verify`.", row, what)

    def add_segment(self, segment: int, what: str) -> None:
        """Leave out the vectors of a segment."""
        with self._guard:
            new = segment not in self.segments
            self.segments |= {segment}
        if new:
            logger.warning("%s Its vectors are left out. Run `aforesaid verify --repair`.", what)

    def add_tables(self, tables: Iterable[str]) -> None:
        """Note tables of which only a part can be read."""
        with self._guard:
            new = frozenset(tables) - self.tables
            self.tables |= new
        if new:
            logger.warning(
                "Damaged tables, of which only a part is read: %s. Restore a backup.", ", ".join(sorted(new))
            )

    def release(self, rows: frozenset[int], segments: frozenset[int] = frozenset()) -> None:
        """Stop leaving out what was mended or deleted."""
        with self._guard:
            self.rows -= rows
            self.segments -= segments
