"""The partitions of a file: whose records they are, and how many each holds."""

from __future__ import annotations

from collections.abc import Iterable

from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed
from aforesaid.types import Record


class Owners:
    """Owners by number; writing happens inside the caller's transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def number(self, record: Record) -> int:
        """The number of the record's owner, who is added if there was none."""
        name = (record.tenant, record.owner)
        found = self._database.one("SELECT owner FROM owners WHERE tenant = ? AND name = ?", *name)
        if found is None:
            found = self._database.one("INSERT INTO owners (tenant, name) VALUES (?, ?) RETURNING owner", *name)
        return int(found[0])

    def count(self, owner: int, change: int) -> None:
        """Note that an owner has so many records more, or fewer."""
        sql = "UPDATE owners SET records = records + ? WHERE owner = ?"
        self._database.connection.execute(sql, (change, owner))

    def drop_empty(self, owners: Iterable[int]) -> None:
        """The names of those who have no record left go too."""
        for table in ("segments", "owners"):
            self._database.connection.execute(
                f"""DELETE FROM {table} WHERE owner IN {LISTED}
                    AND NOT EXISTS (SELECT 1 FROM records WHERE records.owner = {table}.owner)""",
                (listed(sorted(owners)),),
            )

    def tenants(self) -> list[str]:
        """Every tenant that has records."""
        return [
            row[0] for row in self._database.rows("SELECT DISTINCT tenant FROM owners WHERE records > 0 ORDER BY 1")
        ]
