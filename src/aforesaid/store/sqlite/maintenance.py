"""Statistics, checks, backups and scans of a SQLite file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid.store.protocols import Copy, Problem, Scan, StoreStats
from aforesaid.store.sqlite.backups import Backups, state_of
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.edges import Edges
from aforesaid.store.sqlite.records import Records
from aforesaid.store.sqlite.scan import scan_store
from aforesaid.store.sqlite.spaces import Spaces
from aforesaid.store.sqlite.terms import TermIndex
from aforesaid.store.sqlite.verify import find_problems
from aforesaid.types import Filter

if TYPE_CHECKING:
    from aforesaid.store.sqlite.store import SQLiteStore


class SQLiteMaintenance:
    """Maintenance of one SQLite file and its backups."""

    def __init__(
        self, store: SQLiteStore, database: Database, records: Records, edges: Edges, terms: TermIndex, spaces: Spaces
    ) -> None:
        self._store, self._database, self._records = store, database, records
        self._edges, self._terms, self._spaces = edges, terms, spaces
        self._backups = Backups(database)
        if database.migration_backup is not None:
            self._backups.add(database.migration_backup)

    def stats(self, tenant: str) -> StoreStats:
        """Return counts and sizes."""
        with self._database.snapshot():
            records, pending = self._store.coverage(Filter(tenant=tenant))
            kinds = self._records.kinds(tenant)
            edges, events = self._edges.count(tenant), self._store.log.count(tenant)
            schema = self._database.one("PRAGMA user_version")[0]
        return StoreStats(records, kinds, records - pending, pending, edges, events, self._database.size(), schema)

    def verify(self, *, repair: bool = False) -> list[Problem]:
        """Check file, records and derived data. With `repair`, rebuild derived data."""
        return find_problems(self._database, self._terms, self._spaces.segments(), repair=repair)

    def backup(self, target: str | Path, *, overwrite: bool = False) -> Path:
        """Copy the store to another file, and remember the copy."""
        return self._backups.make(Path(target), overwrite=overwrite)

    def copies(self) -> list[Copy]:
        """Return the known backups."""
        return [self._copy(path) for path in self._backups.registered()]

    def _copy(self, path: Path) -> Copy:
        return Copy(
            str(path),
            state_of(path),
            lambda: self._store.reopen(path),
            lambda delete: self._backups.drop(path, delete=delete),
        )

    def scrub(self) -> None:
        """Remove replaced text from the file and its write-ahead log."""
        self._records.scrub()

    def scan(self, needles: Mapping[bytes, str], others: Sequence[str] = ()) -> Scan:
        """Search every file of the store for byte strings."""
        with self._database.errors():
            return scan_store(self._database, self._spaces.segments(), needles, map(Path, others))
