"""SQLiteStore: one file that any number of processes can read and write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from aforesaid.errors import StoreBusyError, StoreError
from aforesaid.settings.rows import StoreRows
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.files import LOCK, beside
from aforesaid.store.sqlite.frozen import FrozenDatabase
from aforesaid.store.sqlite.lock import FileLock
from aforesaid.store.sqlite.log import SQLiteLog
from aforesaid.store.sqlite.maintenance import SQLiteMaintenance
from aforesaid.store.sqlite.records import RecordTables
from aforesaid.store.sqlite.values import SQLiteValues


class SQLiteStore(RecordTables):
    """The default store, in layers: vectors, then records, then this class. `Store` documents the methods."""

    def __init__(self, path: str | Path, rows: StoreRows | None = None, database: type[Database] = Database) -> None:
        settings = rows or StoreRows()
        super().__init__(database(Path(path), settings), settings)
        self.log = SQLiteLog(self._database)
        self.values = SQLiteValues(self._database)
        self.maintenance = SQLiteMaintenance(self, self._database)
        self._restore_derived()

    def _restore_derived(self) -> None:
        """Store again what is derived from the vectors and is missing (spec 3, L4). Searches work without it."""
        if not self._database.read_only:
            with suppress(StoreError):  # a busy, full or damaged file: searches derive it in memory
                for segments in self.all_segments():
                    segments.restore_sketches()

    @property
    def path(self) -> Path:
        """The path of the database file."""
        return self._database.path

    def transaction(self) -> AbstractContextManager[object]:
        return self._database.transaction()

    def snapshot(self) -> AbstractContextManager[object]:
        return self._database.snapshot()

    @contextmanager
    def exclusive(self, job: str, wait_ms: int = 0) -> Iterator[bool]:
        """Lock a file of its own beside the store; the kernel frees it when the process dies."""
        lock = FileLock(beside(self._database.path, f".{job}{LOCK}"), wait_ms)
        with self._database.errors():
            mine = self._database.read_only or lock.try_acquire()  # a reader does no job
            if not mine and wait_ms:
                with suppress(StoreBusyError):
                    lock.__enter__()
                    mine = True
        try:
            yield mine
        finally:
            lock.release()

    @contextmanager
    def frozen(self) -> Iterator[SQLiteStore]:
        """Open the file once more. Afterwards the log, which could not be emptied meanwhile, is emptied."""
        still = SQLiteStore(self.path, self._settings, FrozenDatabase)
        still._database.quarantine = self._database.quarantine
        try:
            yield still
        finally:
            still.close()
            self._database.empty_log()

    def reopen(self, path: Path) -> SQLiteStore:
        """Open another file with the same settings."""
        return SQLiteStore(path, self._settings)

    def __repr__(self) -> str:
        return f"SQLiteStore({str(self._database.path)!r})"

    def close(self) -> None:
        self._database.close()
