"""Statistics, checks, backups and scans of a SQLite file. Backups are remembered, so that `forget` reaches them."""

from __future__ import annotations

import glob
import os
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid.errors import InputError
from aforesaid.store.protocols import Copy, CopyState, Scan, StoreProblem, StoreStats
from aforesaid.store.sqlite import schema
from aforesaid.store.sqlite.checksums import checksum
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.files import BESIDE, read_pieces
from aforesaid.store.sqlite.filters import owners_clause
from aforesaid.store.sqlite.scan import scan_store
from aforesaid.store.sqlite.verify import find_problems
from aforesaid.types import Filter

if TYPE_CHECKING:
    from aforesaid.store.sqlite.store import SQLiteStore

MAGIC = b"SQLite format 3\x00"
HEAD_BYTES = 100
VERSION, APPLICATION = slice(60, 64), slice(68, 72)  # bytes of the file header


class SQLiteMaintenance:
    """Maintenance of one SQLite file and its backups. `Maintenance` documents the methods."""

    def __init__(self, store: SQLiteStore, database: Database) -> None:
        self._store, self._database = store, database
        if database.migration_backup is not None:
            self._remember(database.migration_backup)

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
        """Copy the store to another file, and remember its path. The target appears only when it is complete."""
        target = Path(target).expanduser().absolute()
        if target.resolve() == self._database.path.resolve():
            raise InputError(f"{target} is the store itself.", "Choose another file.")
        if target.exists() and not overwrite:
            raise InputError(f"{target} already exists.", "Choose another file, or give overwrite=True.")
        if not target.parent.is_dir():
            raise InputError(f"The folder {target.parent} does not exist.", "Create it first.")
        self._remember(target)
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        os.close(handle)
        try:
            self._database.backup(Path(name))
            _delete(target, "-wal", "-shm")  # they belong to the old file
            Path(name).replace(target)
        finally:
            _delete(Path(name), *BESIDE)
        return target

    def _remember(self, path: Path) -> None:
        with self._database.transaction() as connection:
            cells = (str(path),)
            connection.execute(
                "INSERT OR IGNORE INTO backups (path, checksum) VALUES (?, ?)", (*cells, checksum(cells))
            )

    def copies(self) -> list[Copy]:
        """Return every known backup, including those that migrations made."""
        own = self._database.path.absolute()
        named = [Path(row[0]) for row in self._database.rows("SELECT path FROM backups ORDER BY path")]
        beside = sorted(own.parent.glob(f"{glob.escape(own.name)}.v*.bak"))
        return [
            Copy(str(path), _state_of(path), partial(self._store.reopen, path), partial(self._drop_copy, path))
            for path in dict.fromkeys([*named, *beside])
            if path != own
        ]

    def _drop_copy(self, path: Path, delete: bool) -> None:
        """Forget a backup. With `delete`, delete its file."""
        if delete:
            _delete(path, *BESIDE)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM backups WHERE path = ?", (str(path),))


def _delete(path: Path, *suffixes: str) -> None:
    for suffix in suffixes:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _state_of(path: Path) -> CopyState:
    """Classify a backup by the header of its file."""
    try:
        head = next(read_pieces(path, HEAD_BYTES), b"")
    except FileNotFoundError:
        return "missing"
    except OSError:
        return "foreign"
    ours = head.startswith(MAGIC) and int.from_bytes(head[APPLICATION], "big") == schema.APPLICATION_ID
    version = int.from_bytes(head[VERSION], "big")
    if not ours or version > len(schema.MIGRATIONS):
        return "foreign"
    return "current" if version == len(schema.MIGRATIONS) else "old"
