"""The table `edges`: links between records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aforesaid.store.codec import from_micros, to_micros
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed, owners_clause
from aforesaid.types import Edge, Filter


class Edges:
    """Reads and writes edges. Deleting a record deletes its edges."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, edges: Iterable[Edge]) -> None:
        """Add edges between existing records."""
        with self._database.transaction() as connection:
            connection.executemany(
                """INSERT OR IGNORE INTO edges (source, target, kind, time)
                   SELECT a.row, b.row, ?, ? FROM records a, records b WHERE a.key = ? AND b.key = ?""",
                [(edge.kind, to_micros(edge.time), edge.source, edge.target) for edge in edges],
            )

    def find(self, keys: Sequence[str], *, incoming: bool = False) -> list[Edge]:
        """Return the edges that start (or end) at these records."""
        end = "b.key" if incoming else "a.key"
        found = self._database.rows(
            f"""SELECT a.key, b.key, edges.kind, edges.time FROM edges
                JOIN records a ON a.row = source JOIN records b ON b.row = target
                WHERE {end} IN {LISTED} ORDER BY a.key, b.key, edges.kind""",
            listed(keys),
        )
        return [Edge(source, target, kind, from_micros(time)) for source, target, kind, time in found]

    def count(self, tenant: str) -> int:
        """Count the edges that start at a tenant's records."""
        owners = owners_clause(Filter(tenant))
        sql = f"SELECT count(*) FROM edges JOIN records ON row = source WHERE owner IN ({owners.sql})"
        return int(self._database.one(sql, *owners.parameters)[0])
