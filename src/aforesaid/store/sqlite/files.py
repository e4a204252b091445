"""The files of a database: which file a path really names, and how to read their bytes beside SQLite.

SQLite guards its files with POSIX locks. A process loses all of them on a file when it closes any descriptor of that
file. Another process then believes that nobody uses the database, deletes the write-ahead log, and what we write
afterwards is lost. So a descriptor of a database that this process has open is kept until the database is closed.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aforesaid.errors import StoreError
from aforesaid.store.key_file import SUFFIX

LOG, SHARED_MEMORY, JOURNAL, LOCK, KEY = "-wal", "-shm", "-journal", ".lock", SUFFIX
JOBS = ("reindex", "forget", "backup", "restore")  # each has a lock of its own
FIRST_LOCKED, LOCKED_BYTES = 0x40000000, 512  # where SQLite locks its file; every connection holds one of them
# suffixes of a database's files
BESIDE = ("", LOG, SHARED_MEMORY, JOURNAL, KEY, LOCK, *(f".{job}{LOCK}" for job in JOBS))

Identity = tuple[int, int]  # device and inode

_guard = threading.Lock()
_opened: Counter[Identity] = Counter()  # the databases that this process has open
_kept: dict[Identity, dict[Identity, int]] = {}  # database → its files → descriptors that must stay open


def real_path(path: Path) -> Path:
    """Follow symbolic links, as SQLite does: its log lies beside the real file. Refuse what is not a file."""
    try:
        real = path.resolve()
        mode = real.stat().st_mode
    except FileNotFoundError:
        return real
    except (OSError, RuntimeError) as error:  # a loop of links; a folder that cannot be entered
        raise StoreError(f"{path} cannot be opened: {error}.", "Check the path.") from error
    if stat.S_ISDIR(mode):
        raise StoreError(f"{path} is a folder.", "Give the path of a file in it.")
    if not stat.S_ISREG(mode):
        raise StoreError(f"{path} is a pipe, a socket or a device.", "Give the path of an ordinary file.")
    return real


def identity(path: Path) -> Identity | None:
    """Return which file a path names now; None if there is none."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def beside(path: Path, suffix: str) -> Path:
    """Return the path of a companion of a database."""
    return path.with_name(path.name + suffix)


def files_of(path: Path) -> list[Path]:
    """Return the existing files of a database, also through symbolic links."""
    real = path.resolve()
    return [file for suffix in BESIDE if (file := beside(real, suffix)).is_file()]


def opened(database: Identity) -> None:
    """Note that this process opened a database."""
    with _guard:
        _opened[database] += 1


def closed(database: Identity) -> None:
    """Note that it was closed, after its connections were."""
    with _guard:
        _opened[database] -= 1
        if not +_opened[database]:
            del _opened[database]
            for descriptor in _kept.pop(database, {}).values():
                os.close(descriptor)


def is_open_here(path: Path) -> bool:
    """Whether this process has the database open."""
    with _guard:
        return identity(path) in _opened


def read_pieces(path: Path, size: int) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces. The file may belong to a database that is in use."""
    database = next((found for suffix in BESIDE if (found := _database_of(path, suffix)) is not None), None)
    if database is None:
        with path.open("rb") as file:
            while piece := file.read(size):
                yield piece
        return
    descriptor = _keep(path, database)
    place = 0
    while piece := os.pread(descriptor, size, place):
        yield piece
        place += len(piece)


def _database_of(path: Path, suffix: str) -> Identity | None:
    """The open database that a file belongs to if it is its companion with this suffix."""
    if not path.name.endswith(suffix):
        return None
    found = identity(path.with_name(path.name.removesuffix(suffix))) if path.name != suffix else None
    with _guard:
        return found if found in _opened else None


def _keep(path: Path, database: Identity) -> int:
    """A descriptor that stays open until the database is closed, or until the file is deleted."""
    with _guard:
        held = _kept.setdefault(database, {})
        for file, descriptor in list(held.items()):
            if not os.fstat(descriptor).st_nlink:
                os.close(held.pop(file))
        found = identity(path)
        if found is not None and found in held:
            return held[found]
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        status = os.fstat(descriptor)
        held[status.st_dev, status.st_ino] = descriptor
        return descriptor


@contextmanager
def locked_out(path: Path) -> Iterator[bool]:
    """Hold SQLite's own lock on a file, so that nobody can open it as a database. False if somebody has it open.

    Nobody in this process may have it open either.
    """
    if is_open_here(path):
        yield False
        return
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        try:
            _lock_bytes(descriptor)
        except (BlockingIOError, PermissionError):
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


def in_use(path: Path) -> bool:
    """Whether anybody has the file open as a database."""
    try:
        with locked_out(path) as alone:
            return not alone
    except OSError:  # we may not write it, so we cannot lock it
        return False


def _lock_bytes(descriptor: int) -> None:
    if sys.platform != "win32":  # there, a file that is open cannot be replaced
        import fcntl

        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, LOCKED_BYTES, FIRST_LOCKED)


def sync(path: Path) -> None:
    """Make a file, or the names in a folder, durable. Some file systems cannot do that for folders."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
