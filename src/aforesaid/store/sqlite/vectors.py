"""The vector tables: spaces (one per embedding model), record vectors and sentence vectors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np

from aforesaid.errors import DimensionError, InputError
from aforesaid.math.cascade import EPSILON
from aforesaid.math.vectors import Vectors, from_halves, known_passages, unit_rows
from aforesaid.settings.rows import StoreRows
from aforesaid.store.protocols import Passages, Space
from aforesaid.store.sqlite.checksums import checksum
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed, owners_clause
from aforesaid.store.sqlite.nearest import Nearest
from aforesaid.store.sqlite.segments import ROW_BYTES, Segments
from aforesaid.types import Filter, Scored

NO_SPACE = 0  # spaces are numbered from 1
DROPPED = -1  # the value of `active` for a deleted space whose data `purge_spaces` still has to remove
SEGMENTS_AT_ONCE = 4  # removed in one transaction, so that other writers do not wait long
PASSAGES_AT_ONCE = 1024


class VectorTables:
    """The methods of `SQLiteStore` that read, write and search vectors."""

    def __init__(self, database: Database, settings: StoreRows) -> None:
        self._database = database
        self._settings = settings
        self._segments: dict[tuple[int, int], Segments] = {}

    # Spaces

    def spaces(self) -> list[Space]:
        found = self._database.rows(
            "SELECT name, dimensions, active FROM spaces WHERE active >= 0 ORDER BY active DESC, name"
        )
        return [Space(name, dimensions, bool(active)) for name, dimensions, active in found]

    def add_space(self, name: str, dimensions: int) -> None:
        with self._database.transaction() as connection:
            spaces = {space.name: space.dimensions for space in self.spaces()}
            if (old := spaces.get(name, dimensions)) != dimensions:
                raise DimensionError(f"Space {name!r} has {old} dimensions, not {dimensions}.", "Use another name.")
            if name not in spaces:
                number = 1 + (self._database.one("SELECT max(seq) FROM sqlite_sequence WHERE name = 'spaces'")[0] or 0)
                cells = (number, name, dimensions)
                sql = "INSERT INTO spaces (space, name, dimensions, active, checksum) VALUES (?, ?, ?, ?, ?)"
                connection.execute(sql, (*cells, not spaces, checksum(cells)))

    def activate_space(self, name: str) -> None:
        with self._database.transaction() as connection:
            target = self._named(name)
            for space in self.spaces():
                if space.name != name:
                    self._mark_dropped(self._named(space.name))
            connection.execute("UPDATE spaces SET active = 1 WHERE space = ?", (target.space,))

    def drop_space(self, name: str) -> None:
        with self._database.transaction():
            target, active = self._named(name), self._active()
            if target is active:
                raise InputError(f"The vector space {name!r} is in use.", "Activate another one first.")
            self._mark_dropped(target)

    def _mark_dropped(self, target: Segments) -> None:
        """Hide a space from every reader. Its name becomes free."""
        cells = target.space, f"dropped {target.space}", target.dimensions
        self._database.connection.execute(
            "UPDATE spaces SET active = ?, name = ?, checksum = ? WHERE space = ?",
            (DROPPED, cells[1], checksum(cells), target.space),
        )

    def purge_spaces(self) -> None:
        while self._database.one("SELECT 1 FROM spaces WHERE active = ?", DROPPED):
            with self._database.transaction() as connection:
                [space] = self._database.one("SELECT space FROM spaces WHERE active = ?", DROPPED) or [NO_SPACE]
                sql = f"SELECT segment, rows FROM segments WHERE space = ? LIMIT {SEGMENTS_AT_ONCE}"
                held = dict(self._database.rows(sql, space))
                for table in ("segment_vectors", "segment_sketches", "segments"):
                    connection.execute(f"DELETE FROM {table} WHERE segment IN {LISTED}", (listed(list(held)),))
                whole = b"".join(data[: len(data) // ROW_BYTES * ROW_BYTES] for data in held.values())
                rows = np.frombuffer(whole, dtype=np.int64).tolist()
                connection.execute(f"DELETE FROM slots WHERE space = ? AND row IN {LISTED}", (space, listed(rows)))
                some = f"SELECT rowid FROM passages WHERE space = ? LIMIT {PASSAGES_AT_ONCE}"
                gone = connection.execute(f"DELETE FROM passages WHERE rowid IN ({some})", (space,)).rowcount
                if not held and not gone:
                    connection.execute("DELETE FROM slots WHERE space = ?", (space,))
                    connection.execute("DELETE FROM spaces WHERE space = ?", (space,))

    def keep_tiers(self, space: str, widths: Sequence[int]) -> None:
        if (segments := self._in_space(space)) is not None:
            segments.tiers.widths = tuple(widths)
            if not self._database.read_only:
                segments.restore_tiers()

    def _active(self) -> Segments | None:
        found = self._database.one("SELECT space, name, dimensions, checksum FROM spaces WHERE active = 1")
        if found is None or checksum(found[:3]) != found[3]:
            return None
        return self._segments_of(found[0], found[2])

    def _in_space(self, name: str | None) -> Segments | None:
        """Return the segments of a space, or of the active one; None if it does not exist."""
        if name is None:
            return self._active()
        sql = "SELECT space, dimensions FROM spaces WHERE name = ? AND active != ?"
        found = self._database.one(sql, name, DROPPED)
        return None if found is None else self._segments_of(*found)

    def _named(self, name: str) -> Segments:
        found = self._in_space(name)
        if found is None:
            raise InputError(f"There is no vector space {name!r}.", "Call add_space first.")
        return found

    def all_segments(self) -> list[Segments]:
        """Return the segments of every space, also of those whose data is still being removed."""
        return [self._segments_of(*row) for row in self._database.rows("SELECT space, dimensions FROM spaces")]

    def _segments_of(self, space: int, dimensions: int) -> Segments:
        if (space, dimensions) not in self._segments:
            self._segments[space, dimensions] = Segments(self._database, self._settings, space, dimensions)
        return self._segments[space, dimensions]

    # Search

    def vector_search(
        self,
        vector: Vectors,
        where: Filter,
        limit: int,
        *,
        prefix: int | None = None,
        epsilon: float = EPSILON,
        space: str | None = None,
    ) -> list[Scored]:
        with self._database.snapshot():
            segments = self._in_space(space)
            if segments is None:
                return []
            query = unit_rows(np.reshape(vector, (1, -1)), 1, segments.dimensions, "The query")[0]
            return Nearest(self._database, self._settings, segments).search(query, where, limit, prefix, epsilon)

    def vector_search_many(
        self, matrix: Vectors, where: Filter, limit: int, *, space: str | None = None
    ) -> list[list[Scored]]:
        with self._database.snapshot():
            segments = self._in_space(space)
            if segments is None:
                return [[] for _ in matrix]
            queries = unit_rows(matrix, len(matrix), segments.dimensions, "The query")
            return Nearest(self._database, self._settings, segments).search_many(queries, where, limit)

    # Vectors

    def vectors(self, keys: Sequence[str], space: str | None = None) -> dict[str, Vectors]:
        with self._database.snapshot():
            segments = self._in_space(space)
            if segments is None:
                return {}
            found = self._database.rows(f"SELECT row, key FROM records WHERE key IN {LISTED}", listed(keys))
            names: dict[int, str] = dict(found)
            return {names[row]: vector for row, vector in segments.read(list(names))}

    def passages(self, keys: Sequence[str], space: str | None = None) -> dict[str, Vectors]:
        with self._database.snapshot():
            segments = self._in_space(space)
            if segments is None:
                return {}
            found = self._database.rows(
                f"""SELECT key, data, row, passages.checksum FROM records CROSS JOIN passages USING (row)
                    WHERE key IN {LISTED} AND passages.space = ?""",
                listed(keys), segments.space,
            )  # fmt: skip
        return {
            key: from_halves(data, segments.dimensions)
            for key, data, row, expected in found
            if checksum((segments.space, row), data) == expected
        }

    def put_vectors(
        self, keys: Sequence[str], matrix: Vectors, space: str | None = None, *, passages: Passages | None = None
    ) -> None:
        with self._database.transaction() as connection:
            segments = self._active() if space is None else self._named(space)
            if segments is None:
                raise DimensionError("The store has no vector space yet.", "Call add_space first.")
            source = space or "The embedder"
            units = unit_rows(matrix, len(keys), segments.dimensions, source)
            parts = known_passages(passages, set(keys), segments.dimensions, source)
            position = {key: place for place, key in enumerate(keys)}
            sql = f"SELECT owner, row, key FROM records WHERE key IN {LISTED} ORDER BY owner, row"
            places = self._database.rows(sql, listed(keys))
            rows = [row for _, row, _ in places]
            segments.remove(rows)
            sql = f"DELETE FROM passages WHERE space = ? AND row IN {LISTED}"
            connection.execute(sql, (segments.space, listed(rows)))
            connection.executemany(
                "INSERT INTO passages (space, row, data, checksum) VALUES (?, ?, ?, ?)",
                [
                    (segments.space, row, data, checksum((segments.space, row), data))
                    for _, row, key in places
                    if key in parts
                    for data in [parts[key].tobytes()]
                ],
            )
            for owner, group in groupby(places, key=itemgetter(0)):
                mine = list(group)
                segments.add(owner, [row for _, row, _ in mine], units[[position[key] for _, _, key in mine]])

    def _drop_vectors(self, rows: Sequence[int]) -> None:
        """Delete the vectors and sentence vectors of these rows in every space."""
        for segments in self.all_segments():
            segments.remove(rows)
        self._database.connection.execute(f"DELETE FROM passages WHERE row IN {LISTED}", (listed(rows),))

    def coverage(self, where: Filter, space: str | None = None) -> tuple[int, int]:
        owners = owners_clause(where)
        with self._database.snapshot():
            segments = self._in_space(space)
            sql = f"SELECT ifnull(sum(records), 0) FROM owners WHERE owner IN ({owners.sql})"
            records = self._database.one(sql, *owners.parameters)[0]
            sql = f"SELECT ifnull(sum(used), 0) FROM segments WHERE space = ? AND owner IN ({owners.sql})"
            held = self._database.one(sql, segments.space if segments else NO_SPACE, *owners.parameters)[0]
            held -= segments.damaged(where) if segments else 0
        return records, max(records - held, 0)

    def _damaged_vectors(self, where: Filter) -> int:
        """Count the records whose vectors are left out because their segment is damaged."""
        segments = self._active()
        return segments.damaged(where) if segments else 0
