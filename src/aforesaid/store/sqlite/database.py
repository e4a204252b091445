"""Opens the SQLite file: one connection per thread, a fair lock for writers, our own error types."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from weakref import WeakSet, finalize

from aforesaid._util.private_files import make_private, private_file
from aforesaid.errors import StoreCorruptError, StoreError, StoreReadOnlyError, StoreVersionError
from aforesaid.settings.rows import StoreRows
from aforesaid.store.sqlite import files, schema
from aforesaid.store.sqlite.failures import translated
from aforesaid.store.sqlite.lock import FileLock
from aforesaid.store.sqlite.quarantine import Quarantine
from aforesaid.store.sqlite.salvage import shadow_damaged_tables
from aforesaid.store.sqlite.schema import APPLICATION_ID, Migration

CACHE_KIB = 65_536  # page cache per connection
MMAP_BYTES = 1 << 32  # read pages without copying them
READERS_MS = 1000  # how long emptying the log waits for readers of an older state; longer would hold up writers


class ThreadConnection:
    """The connection of one thread. Closed when the thread ends, because servers start many threads."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        self.connection.close()


class _ThreadState(threading.local):
    """What each thread has: its connection, and the state of its transaction."""

    pid = -1  # of the process that opened the connection
    held: ThreadConnection
    log: files.Identity | None = None  # the write-ahead log of the connection
    lock: FileLock
    depth = 0  # of nested transactions
    salvaged = False  # damaged tables are read from temporary copies
    scrub = False  # empty the write-ahead log after the commit


class Database:
    """A database file, its connections and its write lock."""

    def __init__(self, path: Path, rows: StoreRows, migrations: Sequence[Migration] | None = None) -> None:
        self.path = files.real_path(path)
        self._rows = rows
        self.migration_backup: Path | None = None  # the copy made before a migration, if one ran now
        self._local = _ThreadState()
        self._connections: WeakSet[ThreadConnection] = WeakSet()
        self._guard = threading.Lock()
        self._closed = False
        self._identity: files.Identity | None = None  # of the file that was opened
        self._release: finalize[[files.Identity], Database] | None = None  # notes that it is closed
        self._rollback_callbacks: list[Callable[[], None]] = []
        self.quarantine = Quarantine()
        self.read_only = self._decide_read_only()
        self._unchanged: tuple[int, ...] | None = None  # what the file looked like when it was opened as unchangeable
        try:
            with self.errors():
                if not self.read_only:
                    self._make_private()
                self._open_file(schema.MIGRATIONS if migrations is None else migrations)
        except BaseException:
            self.close()
            raise

    def _decide_read_only(self) -> bool:
        if self.path.exists():
            return not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK))
        if not self.path.parent.is_dir():
            raise StoreError(f"The folder {self.path.parent} does not exist.", "Create it first.")
        if not os.access(self.path.parent, os.W_OK):
            raise StoreReadOnlyError(f"{self.path.parent} cannot be written.", "Choose a folder that you own.")
        return False

    def _make_private(self) -> None:
        """Create the file for its owner only, and mend an older one with its companions."""
        private_file(self.path)
        if self._rows.private:
            for end in files.BESIDE:
                make_private(files.beside(self.path, end))

    def _open_file(self, migrations: Sequence[Migration]) -> None:
        version = self._version()
        if version > len(migrations):
            raise StoreVersionError(
                f"{self.path} has schema {version}; this aforesaid knows up to {len(migrations)}.",
                "Upgrade aforesaid, or open another file.",
            )
        if version == len(migrations):
            return
        if self.read_only:
            raise StoreReadOnlyError(f"{self.path} needs a migration but cannot be written.", "Make it writable once.")
        with self._local.lock:
            self._migrate(migrations)

    def _version(self) -> int:
        connection = self.connection
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        application = int(connection.execute("PRAGMA application_id").fetchone()[0])
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and application != APPLICATION_ID:
            raise StoreCorruptError(f"{self.path} belongs to another program.", "Use a new file for aforesaid.")
        return version

    def _migrate(self, migrations: Sequence[Migration]) -> None:
        connection = self.connection
        version = self._version()  # another process may have migrated while we waited for the lock
        if 0 < version < len(migrations):
            self.migration_backup = self.path.with_name(f"{self.path.name}.v{version}.bak").absolute()
            self.migration_backup.unlink(missing_ok=True)  # of an attempt that failed
            self.backup(self.migration_backup)
        if version == 0:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute("PRAGMA journal_mode = WAL")
        for name, function in schema.FUNCTIONS.items():
            connection.create_function(name, 2, function)
        for number in range(version + 1, len(migrations) + 1):
            try:
                step = migrations[number - 1]
                connection.executescript(f"BEGIN IMMEDIATE;\n{step if isinstance(step, str) else ''}")
                if not isinstance(step, str):
                    step(connection)
                connection.execute(f"PRAGMA user_version = {number}")
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def backup(self, target: Path) -> None:
        """Copy the database to another file, consistently, while others use it."""
        private_file(target)
        with self.errors(), closing(sqlite3.connect(target)) as copy:
            self.connection.backup(copy)

    @property
    def timeout_ms(self) -> int:
        """How long to wait for a lock of somebody else."""
        return self._rows.lock_timeout_ms

    @property
    def connection(self) -> sqlite3.Connection:
        """This thread's connection. A forked child opens its own, because SQLite connections must not cross a fork."""
        local = self._local
        if local.pid != os.getpid() or (self._unchanged is not None and self._unchanged != self._stamp()):
            if self._closed:
                raise StoreError(f"{self.path} is closed.", "Open it again, for example with Memory.open.")
            local.lock = FileLock(files.beside(self.path, files.LOCK), self._rows.lock_timeout_ms)
            local.held = self._connect()
            local.pid, local.depth, local.scrub, local.log = os.getpid(), 0, False, None
        return local.held.connection

    def _connect(self) -> ThreadConnection:
        connection = self._connect_reader() if self.read_only else self._connect_with("")
        held = ThreadConnection(connection)
        with self._guard:
            self._connections.add(held)
        for pragma in (
            f"synchronous = {self._rows.synchronous}",
            f"cache_size = -{CACHE_KIB}",
            f"mmap_size = {MMAP_BYTES}",
            "foreign_keys = ON",
            "secure_delete = ON",  # overwrite deleted text
            "temp_store = MEMORY",  # no user text in temporary files
        ):
            connection.execute(f"PRAGMA {pragma}")
        self._check_identity()
        return held

    def _check_identity(self) -> None:
        """Refuse a file that is not the one we opened: what is written to a deleted file is lost."""
        found = files.identity(self.path)
        if self._identity is None and found is not None:
            self._identity = found
            files.opened(found)
            self._release = finalize(self, files.closed, found)
            self._release.atexit = False
        if found is None or found != self._identity:
            raise StoreError(
                f"{self.path} was {'deleted' if found is None else 'replaced by another file'} while it was open.",
                "Nothing was written. Close it and open it again.",
            )

    def _check_log(self) -> None:
        """Refuse to write to a log that was deleted or replaced. It stays the same while a connection is open."""
        found = files.identity(files.beside(self.path, files.LOG))
        self._local.log = self._local.log or found
        if found != self._local.log:
            raise StoreError(
                f"The write-ahead log of {self.path} was deleted or replaced while it was open.",
                "Nothing was written. Close the store and open it again; never delete or copy its files one by one.",
            )

    def _connect_with(self, query: str) -> sqlite3.Connection:
        return sqlite3.connect(
            f"{self.path.absolute().as_uri()}{query}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=self._rows.lock_timeout_ms / 1000,
        )

    def _connect_reader(self) -> sqlite3.Connection:
        """Connect without write permission. What is in the write-ahead log must be readable too, or we refuse.

        SQLite cannot create the shared memory of the log without write permission. When there is no log, the file is
        complete by itself and is opened as unchangeable, until `_stamp` shows that a writer came.
        """
        self._unchanged = None
        connection = self._connect_with("?mode=ro")
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            connection.close()
            self._unchanged = self._stamp()
            if self._unchanged[-1]:
                raise StoreReadOnlyError(
                    f"{self.path} has changes in its write-ahead log that cannot be read without write permission.",
                    "Get write permission for the folder, or let its owner run `aforesaid backup` and open the copy.",
                ) from None
            return self._connect_with("?mode=ro&immutable=1")
        return connection

    def _stamp(self) -> tuple[int, ...]:
        """What changes when somebody writes: the file's identity, time and size, and the size of its log."""
        wal = files.beside(self.path, files.LOG)
        try:
            found = self.path.stat()
            return found.st_ino, found.st_mtime_ns, found.st_size, wal.stat().st_size if wal.exists() else 0
        except FileNotFoundError:
            return 0, 0, 0, 0

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run a write transaction. Nested calls join the outer one."""
        connection = self.connection
        if self._local.depth:
            yield connection
            return
        if self._local.salvaged:
            tables = ", ".join(sorted(self.quarantine.tables))
            raise StoreCorruptError(f"{self.path} has damaged tables ({tables}).", "Restore a backup.")
        if self.read_only:
            raise StoreReadOnlyError(f"{self.path} is read-only.", "Copy it to a folder that you can write.")
        with self.errors(), self._local.lock:
            self._check_identity()
            connection.execute("BEGIN IMMEDIATE")
            self._local.depth = 1
            try:
                self._check_log()
                yield connection
                connection.execute("COMMIT")
                if self._local.scrub:
                    self._checkpoint()
            except BaseException:
                # On a full disk SQLite has already rolled back. A second ROLLBACK would hide the first error.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                for callback in self._rollback_callbacks:
                    callback()
                raise
            finally:
                self._local.depth, self._local.scrub = 0, False

    def on_rollback(self, callback: Callable[[], None]) -> None:
        """Call `callback` after each rollback, before the next transaction starts."""
        self._rollback_callbacks.append(callback)

    def _checkpoint(self, *more: str) -> bool:
        """Empty the write-ahead log, after other statements. False when somebody reads an older state for too long."""
        connection = self.connection
        connection.execute(f"PRAGMA busy_timeout = {READERS_MS}")
        try:
            for statement in (*more, "PRAGMA wal_checkpoint(TRUNCATE)"):
                busy = connection.execute(statement).fetchone()
                if busy is not None and busy[0]:
                    return False
        finally:
            connection.execute(f"PRAGMA busy_timeout = {self._rows.lock_timeout_ms}")
        return True

    def empty_log(self) -> None:
        """Empty the write-ahead log if nobody needs it now. It is not an error if that fails."""
        with suppress(StoreError):
            if not (self._closed or self.read_only or self.connection.in_transaction):
                with self.errors(), self._local.lock:
                    self._checkpoint()

    def rewrite_pages(self) -> bool:
        """Rewrite every page and empty the write-ahead log, to remove leftovers. Return False if that fails now.

        It fails while another process reads an older state, because the write-ahead log cannot be emptied then.
        """
        if self.read_only or self.connection.in_transaction:
            return False
        try:
            with self.errors(), self._local.lock:
                return self._checkpoint("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM")
        except StoreError:
            return False

    def scrub_after_commit(self) -> None:
        """Empty the write-ahead log after this transaction, so that it keeps no old page."""
        self._local.scrub = True

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Read one consistent state while others write."""
        connection = self.connection
        if connection.in_transaction:
            yield connection
            return
        with self.errors():
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("COMMIT")

    def rows(self, sql: str, *parameters: Any) -> list[Any]:
        """Return all rows of a query."""
        found: list[Any] = self._read(sqlite3.Cursor.fetchall, sql, parameters)
        return found

    def one(self, sql: str, *parameters: Any) -> Any:
        """Return the first row of a query, or None."""
        return self._read(sqlite3.Cursor.fetchone, sql, parameters)

    def _read(self, fetch: Callable[[sqlite3.Cursor], Any], sql: str, parameters: Sequence[Any]) -> Any:
        with self.errors():
            found = self._fetch(fetch, sql, parameters)
            while self._unchanged is not None and self._unchanged != self._stamp():  # a writer came while we read
                found = self._fetch(fetch, sql, parameters)
            return found

    def _fetch(self, fetch: Callable[[sqlite3.Cursor], Any], sql: str, parameters: Sequence[Any]) -> Any:
        """Run a query. Damaged text that is no UTF-8 is read with surrogates, which no checksum accepts.

        Of a table with damaged pages, what is left is read.
        """
        connection = self.connection
        try:
            return fetch(connection.execute(sql, parameters))
        except sqlite3.OperationalError as error:
            if not str(error).startswith("Could not decode to UTF-8"):
                raise
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT or not self._salvage():
                raise
        connection.text_factory = _decoded
        try:
            return fetch(connection.execute(sql, parameters))
        finally:
            connection.text_factory = str

    def _salvage(self) -> bool:
        """Read damaged tables of this connection from copies of what is left. Return False if that does not help."""
        if self._local.depth or self._local.salvaged:
            return False
        self._local.salvaged = True
        connection = self.connection
        connection.execute("PRAGMA foreign_keys = OFF")  # no effect inside a transaction, and nothing is written then
        tables = shadow_damaged_tables(connection)
        self.quarantine.add_tables(tables)
        return bool(tables)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Convert SQLite errors, and those of a full disk, to StoreError with a remedy."""
        with translated(self.path):
            yield

    def size(self) -> int:
        """Return the size in bytes of the file and its write-ahead log."""
        both = (self.path, files.beside(self.path, files.LOG))
        return sum(file.stat().st_size for file in both if file.exists())

    def close(self) -> None:
        """Close every thread's connection. The database cannot be used afterwards."""
        self._closed = True
        with self._guard:
            connections = list(self._connections)
            self._connections.clear()
        for held in connections:
            with suppress(sqlite3.Error):
                held.connection.close()
        self._local = _ThreadState()
        if self._release is not None:
            self._release()


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
