"""SQLiteStore: one file that any number of processes can read and write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from aforesaid.errors import StoreBusyError, StoreError
from aforesaid.settings.rows import StoreRows
from aforesaid.store.key_file import fingerprint, key_path, new_key, read_key, read_or_create_key
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.files import LOCK, beside
from aforesaid.store.sqlite.frozen import FrozenDatabase
from aforesaid.store.sqlite.lock import FileLock
from aforesaid.store.sqlite.log import SQLiteLog
from aforesaid.store.sqlite.maintenance import SQLiteMaintenance
from aforesaid.store.sqlite.records import RecordTables
from aforesaid.store.sqlite.values import SQLiteValues

KEYS = Slot(ValueKind.KEY, "", name="fingerprints")


class SQLiteStore(RecordTables):
    """The default store, in layers: vectors, then records, then this class. `Store` documents the methods."""

    def __init__(
        self,
        path: str | Path,
        rows: StoreRows | None = None,
        database: type[Database] = Database,
        key: bytes | None = None,
    ) -> None:
        """Open or create a file. `key` replaces the key of its key file; a backup is opened with its store's key."""
        settings = rows or StoreRows()
        super().__init__(database(Path(path), settings), settings)
        self.key_path = key_path(self._database.path, settings.key_file)
        self.key = key or self._own_key()
        self.log = SQLiteLog(self._database, self.key)
        self.values = SQLiteValues(self._database)
        self.maintenance = SQLiteMaintenance(self, self._database)
        self._restore_derived()
        if key is None:
            self._note_key()

    def _own_key(self) -> bytes:
        """The key of the key file. A store that cannot be written needs none, and makes no file."""
        if self._database.read_only:
            with suppress(StoreError):  # another user's store: its key is not for us
                return read_key(self.key_path) or new_key()
            return new_key()
        return read_or_create_key(self.key_path)

    def _note_key(self) -> None:
        """Note the fingerprint of a key that the store did not have before, so that `doctor` can tell."""
        known, own = self.key_fingerprints, fingerprint(self.key)
        if own not in known and not self._database.read_only:
            with suppress(StoreError):
                self.values.put(KEYS, " ".join([*known, own]))

    @property
    def key_fingerprints(self) -> list[str]:
        """The fingerprints of the keys that the store had, oldest first."""
        return (self.values.get(KEYS) or "").split()

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
        still = SQLiteStore(self.path, self._settings, FrozenDatabase, self.key)
        still._database.quarantine = self._database.quarantine
        try:
            yield still
        finally:
            still.close()
            self._database.empty_log()

    def reopen(self, path: Path) -> SQLiteStore:
        """Open another file with the same settings."""
        return SQLiteStore(path, self._settings, key=self.key)

    def __repr__(self) -> str:
        return f"SQLiteStore({str(self._database.path)!r})"

    def close(self) -> None:
        self._database.close()
