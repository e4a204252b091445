"""The table `owners`: the partitions of a file, and how many records each has."""

from __future__ import annotations

from collections.abc import Iterable

from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed
from aforesaid.types import Record


class Owners:
    """Owners by number. Writes need the caller's transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def number(self, record: Record) -> int:
        """Return the number of the record's owner; add the owner if it is new."""
        name = (record.tenant, record.owner)
        found = self._database.one("SELECT owner FROM owners WHERE tenant = ? AND name = ?", *name)
        if found is None:
            found = self._database.one("INSERT INTO owners (tenant, name) VALUES (?, ?) RETURNING owner", *name)
        return int(found[0])

    def count(self, owner: int, change: int) -> None:
        """Add `change` to the record count of an owner."""
        sql = "UPDATE owners SET records = records + ? WHERE owner = ?"
        self._database.connection.execute(sql, (change, owner))

    def drop_empty(self, owners: Iterable[int]) -> None:
        """Delete owners without records."""
        for table in ("segments", "owners"):
            self._database.connection.execute(
                f"""DELETE FROM {table} WHERE owner IN {LISTED}
                    AND NOT EXISTS (SELECT 1 FROM records WHERE records.owner = {table}.owner)""",
                (listed(sorted(owners)),),
            )

    def tenants(self) -> list[str]:
        """Return every tenant that has records, sorted."""
        return [
            row[0] for row in self._database.rows("SELECT DISTINCT tenant FROM owners WHERE records > 0 ORDER BY 1")
        ]
