"""Turns the errors of SQLite and of the file system into our own, with a remedy."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from aforesaid.errors import (
    InputError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
)

LEAST_BYTES = 1 << 16  # SQLite needs this much for the companions of a file
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)

_Meaning = tuple[Callable[[str, str], StoreError], str, str]
FULL: _Meaning = (StoreFullError, "cannot grow: the disk is full.", "Free some space; nothing was lost.")
MEANINGS: dict[int, _Meaning] = {
    sqlite3.SQLITE_BUSY: (StoreBusyError, "is busy.", "Try again, or raise store.lock_timeout_ms."),
    sqlite3.SQLITE_LOCKED: (StoreBusyError, "is busy.", "Try again, or raise store.lock_timeout_ms."),
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: (StoreReadOnlyError, "cannot be written.", "Check its permissions."),
    sqlite3.SQLITE_CANTOPEN: (StoreError, "cannot be opened.", "Check that the path exists and that you may read it."),
    sqlite3.SQLITE_PERM: (StoreReadOnlyError, "cannot be opened.", "Check its permissions."),
    sqlite3.SQLITE_NOTADB: (StoreCorruptError, "is not a database.", "Use another file, or restore a backup."),
    sqlite3.SQLITE_CORRUPT: (StoreCorruptError, "is damaged.", "Restore a backup, or run `aforesaid verify`."),
    sqlite3.SQLITE_IOERR: (StoreError, "could not be read or written.", "Check the disk."),
}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise a StoreError instead of an error of SQLite or of a full disk, and InputError for text that has no UTF-8."""
    try:
        yield
    except sqlite3.Error as error:
        raise _of_sqlite(path, error) from error
    except UnicodeEncodeError as error:
        what = f"A text contains half a character (a lone surrogate) at {error.start}."
        raise InputError(what, "Use valid Unicode text.") from error
    except OSError as error:
        if error.errno not in NO_SPACE:
            raise
        kind, what, remedy = FULL
        raise kind(f"{path} {what}", remedy) from error


def _of_sqlite(path: Path, error: sqlite3.Error) -> StoreError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    kind, what, remedy = MEANINGS.get(code, (StoreError, f"failed: {error}.", "Run `aforesaid verify`."))
    # A file that cannot be created or extended is reported like one that cannot be read.
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and _is_full(path.parent):
        kind, what, remedy = FULL
    return kind(f"{path} {what}", remedy)


def _is_full(folder: Path) -> bool:
    try:
        found = os.statvfs(folder)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize < LEAST_BYTES or (found.f_files > 0 and not found.f_favail)
