"""The table `spaces`: the vector spaces of a file, one per embedding model."""

from __future__ import annotations

from aforesaid.errors import DimensionError, InputError
from aforesaid.settings.rows import StoreRows
from aforesaid.store.protocols import Space
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.segments import Segments


class Spaces:
    """Creates and activates spaces, and returns their segments with their caches."""

    def __init__(self, database: Database, rows: StoreRows) -> None:
        self._database = database
        self._rows = rows
        self._segments: dict[tuple[int, int], Segments] = {}

    def all(self) -> list[Space]:
        """Return every vector space, the active one first."""
        found = self._database.rows("SELECT name, dimensions, active FROM spaces ORDER BY active DESC, name")
        return [Space(name, dimensions, bool(active)) for name, dimensions, active in found]

    def add(self, name: str, dimensions: int) -> None:
        """Create a space unless it exists. The first one becomes active."""
        with self._database.transaction() as connection:
            old = self._database.one("SELECT dimensions FROM spaces WHERE name = ?", name)
            if old is not None and old[0] != dimensions:
                raise DimensionError(f"Space {name!r} has {old[0]} dimensions, not {dimensions}.", "Use another name.")
            first = self._database.one("SELECT 1 FROM spaces") is None
            sql = "INSERT OR IGNORE INTO spaces (name, dimensions, active) VALUES (?, ?, ?)"
            connection.execute(sql, (name, dimensions, first))

    def activate(self, name: str) -> None:
        """Make this space active and delete all others."""
        with self._database.transaction() as connection:
            target = self.named(name)
            others = "SELECT segment FROM segments WHERE space != ?"
            for sql in (
                f"DELETE FROM segment_vectors WHERE segment IN ({others})",
                f"DELETE FROM segment_sketches WHERE segment IN ({others})",
                "DELETE FROM segments WHERE space != ?",
                "DELETE FROM slots WHERE space != ?",
                "DELETE FROM passages WHERE space != ?",
                "DELETE FROM spaces WHERE space != ?",
                "UPDATE spaces SET active = 1 WHERE space = ?",
            ):
                connection.execute(sql, (target.space,))

    def active(self) -> Segments | None:
        """Return the segments of the active space, or None."""
        found = self._database.one("SELECT space, dimensions FROM spaces WHERE active = 1")
        return None if found is None else self._of(*found)

    def named(self, name: str) -> Segments:
        """Return the segments of the named space."""
        found = self._database.one("SELECT space, dimensions FROM spaces WHERE name = ?", name)
        if found is None:
            raise InputError(f"There is no vector space {name!r}.", "Call add_space first.")
        return self._of(*found)

    def segments(self) -> list[Segments]:
        """Return the segments of every space."""
        return [self._of(*row) for row in self._database.rows("SELECT space, dimensions FROM spaces")]

    def _of(self, space: int, dimensions: int) -> Segments:
        if (space, dimensions) not in self._segments:
            self._segments[space, dimensions] = Segments(self._database, self._rows, space, dimensions)
        return self._segments[space, dimensions]
