"""Statistics, checks, backups and scans of a SQLite file. Backups are remembered, so that `forget` reaches them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid.store.protocols import Copy, Scan, StoreProblem, StoreStats
from aforesaid.store.sqlite.copies import Copies
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import owners_clause
from aforesaid.store.sqlite.scan import scan_store
from aforesaid.store.sqlite.verify import find_problems
from aforesaid.types import Filter

if TYPE_CHECKING:
    from aforesaid.store.sqlite.store import SQLiteStore


class SQLiteMaintenance:
    """Maintenance of one SQLite file and its backups. `Maintenance` documents the methods."""

    def __init__(self, store: SQLiteStore, database: Database) -> None:
        self._store, self._database = store, database
        self._copies = Copies(store, database)
        if database.migration_backup is not None:
            self._copies.remember(database.migration_backup)

    def stats(self, tenant: str) -> StoreStats:
        owners = owners_clause(Filter(tenant))
        with self._database.snapshot():
            records, pending = self._store.coverage(Filter(tenant))
            sql = f"SELECT kind, count(*) FROM records WHERE owner IN ({owners.sql}) GROUP BY kind ORDER BY kind"
            kinds = dict(self._database.rows(sql, *owners.parameters))
            sql = f"SELECT count(*) FROM edges JOIN records ON row = source WHERE owner IN ({owners.sql})"
            edges = self._database.one(sql, *owners.parameters)[0]
            events = self._store.log.count(tenant)
            version = self._database.one("PRAGMA user_version")[0]
        return StoreStats(records, kinds, records - pending, pending, edges, events, self._database.size(), version)

    def verify(self, *, repair: bool = False) -> list[StoreProblem]:
        return find_problems(self._database, self._store.all_segments(), repair=repair)

    def scrub(self) -> None:
        self._store.scrub()

    def scan(self, needles: Mapping[bytes, str], others: Sequence[str] = ()) -> Scan:
        with self._database.errors():
            return scan_store(self._database, self._store.all_segments(), needles, map(Path, others))

    def backup(self, target: str | Path, *, overwrite: bool = False) -> Path:
        return self._copies.make(target, overwrite=overwrite)

    def copies(self) -> list[Copy]:
        return self._copies.all()

    def remember_copy(self, path: Path) -> None:
        """Remember a backup that was made elsewhere."""
        self._copies.remember(path)

    def forget_copies(self, prefix: str) -> None:
        """Forget the backups whose path begins like this."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM backups WHERE substr(path, 1, length(?)) = ?", (prefix, prefix))
