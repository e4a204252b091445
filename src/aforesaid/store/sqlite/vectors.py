"""The vector index: record vectors and sentence vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aforesaid.errors import DimensionError
from aforesaid.math.vectors import Vectors, from_halves, known_passages, unit_rows
from aforesaid.settings.rows import StoreRows
from aforesaid.store.protocols import Passages
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed, owners_clause, records_clause
from aforesaid.store.sqlite.nearest import Nearest
from aforesaid.store.sqlite.rows import record_of
from aforesaid.store.sqlite.segments import Segments
from aforesaid.store.sqlite.spaces import Spaces
from aforesaid.types import Filter, Record, Scored

NO_SPACE = 0  # spaces are numbered from 1


class VectorIndex:
    """Reads, writes and searches vectors. Uses the active space unless another is named."""

    def __init__(self, database: Database, rows: StoreRows, spaces: Spaces) -> None:
        self._database = database
        self._rows = rows
        self._spaces = spaces

    def search(self, vector: Vectors, where: Filter, limit: int, prefix: int | None = None) -> list[Scored]:
        """Rank records by cosine similarity, optionally of the leading dimensions only."""
        with self._database.snapshot():
            segments = self._spaces.active()
            if segments is None:
                return []
            query = unit_rows(np.reshape(vector, (1, -1)), 1, segments.dimensions, "The query")[0]
            return self._nearest(segments).search(query, where, limit, prefix)

    def search_many(self, matrix: Vectors, where: Filter, limit: int) -> list[list[Scored]]:
        """Search for every row of a matrix, in one pass over the vectors."""
        with self._database.snapshot():
            segments = self._spaces.active()
            if segments is None:
                return [[] for _ in matrix]
            queries = unit_rows(matrix, len(matrix), segments.dimensions, "The query")
            return self._nearest(segments).search_many(queries, where, limit)

    def _nearest(self, segments: Segments) -> Nearest:
        return Nearest(self._database, self._rows, segments)

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors of these records."""
        with self._database.snapshot():
            segments = self._spaces.active()
            if segments is None:
                return {}
            found = self._database.rows(f"SELECT key, row FROM records WHERE key IN {LISTED}", listed(keys))
            names = {row: key for key, row in found}
            rows, matrix = segments.read(np.fromiter(names, dtype=np.int64, count=len(names)))
        return {names[int(row)]: vector for row, vector in zip(rows, matrix, strict=True)}

    def passages(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Return the sentence vectors of these records."""
        with self._database.snapshot():
            segments = self._spaces.active()
            if segments is None:
                return {}
            found = self._database.rows(
                f"""SELECT key, data FROM records CROSS JOIN passages USING (row)
                    WHERE key IN {LISTED} AND passages.space = ?""",
                listed(keys), segments.space,
            )  # fmt: skip
        return {key: from_halves(data, segments.dimensions) for key, data in found}

    def put(self, keys: Sequence[str], matrix: Vectors, space: str | None, passages: Passages | None) -> None:
        """Store one unit vector per record and its sentence vectors, replacing older ones."""
        with self._database.transaction() as connection:
            segments = self._segments(space)
            if segments is None:
                raise DimensionError("The store has no vector space yet.", "Call add_space first.")
            units = unit_rows(matrix, len(keys), segments.dimensions, space or "The embedder")
            places = self._database.rows(f"SELECT key, row, owner FROM records WHERE key IN {LISTED}", listed(keys))
            newest = {key: position for position, key in enumerate(keys)}
            sql = f"SELECT row FROM slots WHERE space = ? AND row IN {LISTED}"
            old = self._database.rows(sql, segments.space, listed([row for _, row, _ in places]))
            if old:
                segments.remove([row[0] for row in old])
            connection.execute(
                f"DELETE FROM passages WHERE space = ? AND row IN {LISTED}",
                (segments.space, listed([row for _, row, _ in places])),
            )
            parts = known_passages(passages, set(keys), segments.dimensions, space or "The embedder")
            connection.executemany(
                "INSERT INTO passages (space, row, data) VALUES (?, ?, ?)",
                [(segments.space, row, parts[key].tobytes()) for key, row, _ in places if key in parts],
            )
            by_owner: dict[int, list[tuple[int, int]]] = {}
            for key, row, owner in sorted(places, key=lambda place: int(place[1])):
                by_owner.setdefault(owner, []).append((row, newest[key]))
            for owner, pairs in by_owner.items():
                segments.add(owner, [row for row, _ in pairs], units[[position for _, position in pairs]])

    def _segments(self, space: str | None) -> Segments | None:
        return self._spaces.active() if space is None else self._spaces.named(space)

    def pending(self, where: Filter, limit: int, space: str | None = None) -> list[Record]:
        """Return records without a vector in a space, in insertion order."""
        segments = self._segments(space)
        clause = records_clause(where)
        found = self._database.rows(
            f"""SELECT text, fields FROM records WHERE {clause.sql}
                AND NOT EXISTS (SELECT 1 FROM slots WHERE slots.space = ? AND slots.row = records.row)
                ORDER BY row LIMIT ?""",
            *clause.parameters, segments.space if segments else NO_SPACE, limit,
        )  # fmt: skip
        return [record_of(*row) for row in found]

    def coverage(self, where: Filter) -> tuple[int, int]:
        """Return (records, records without a vector) of the filter's tenant and owners."""
        owners = owners_clause(where)
        with self._database.snapshot():
            segments = self._spaces.active()
            sql = f"SELECT ifnull(sum(records), 0) FROM owners WHERE owner IN ({owners.sql})"
            records = self._database.one(sql, *owners.parameters)[0]
            sql = f"SELECT ifnull(sum(used), 0) FROM segments WHERE space = ? AND owner IN ({owners.sql})"
            held = self._database.one(sql, segments.space if segments else NO_SPACE, *owners.parameters)[0]
        return records, records - held
