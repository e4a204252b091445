"""One state of a database, for long reads."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from aforesaid.errors import StoreBusyError, StoreError
from aforesaid.settings.rows import StoreRows
from aforesaid.store.sqlite import files
from aforesaid.store.sqlite.database import Database

MEGABYTE = 1 << 20


class FrozenDatabase(Database):
    """A database in one read transaction, on a connection that any thread may use.

    SQLite cannot shorten its log while somebody reads an older state. So that a long read does not fill the disk, it
    ends with an error when the log has grown by `store.frozen_log_mb`.
    """

    def __init__(self, path: Path, rows: StoreRows) -> None:
        self._pinned: sqlite3.Connection | None = None
        super().__init__(path, rows)
        self._held = self._local.held  # else its connection would be closed with this thread
        self._most_bytes = self._log_bytes() + rows.frozen_log_mb * MEGABYTE
        self.read_only = True
        connection = self.connection
        with self.errors():
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # the state is that of now
        self._pinned = connection

    @property
    def connection(self) -> sqlite3.Connection:
        """The only connection."""
        if self._pinned is None or self._closed:
            return super().connection
        return self._pinned

    def _read(self, fetch: Callable[[sqlite3.Cursor], Any], sql: str, parameters: Sequence[Any]) -> Any:
        if self._unchanged is not None and self._unchanged != self._stamp():  # a file without a log that we cannot lock
            raise StoreError(f"{self.path} was written while it was read.", "Run it again.")
        if self._log_bytes() > self._most_bytes:
            raise StoreBusyError(
                f"The log of {self.path} grew by {self._rows.frozen_log_mb} MB while it was read.",
                "Run it again when less is written, or raise store.frozen_log_mb.",
            )
        with self.errors():
            return self._fetch(fetch, sql, parameters)

    def _log_bytes(self) -> int:
        log = files.beside(self.path, files.LOG)
        return log.stat().st_size if log.exists() else 0
