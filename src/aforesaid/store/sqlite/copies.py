"""Backups of a SQLite file: made while others write, and remembered, so that `forget` reaches them."""

from __future__ import annotations

import glob
import os
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid.errors import InputError, StoreBusyError
from aforesaid.store.protocols import Copy, CopyState, ValueKind
from aforesaid.store.sqlite import files, schema
from aforesaid.store.sqlite.checksums import checksum
from aforesaid.store.sqlite.database import Database

if TYPE_CHECKING:
    from aforesaid.store.sqlite.store import SQLiteStore

MAGIC = b"SQLite format 3\x00"
HEAD_BYTES = 100
VERSION, APPLICATION = slice(60, 64), slice(68, 72)  # bytes of the file header
TRIES = 5  # copies that a forget may outdate before we give up
PART = ".part"  # the end of the name of a file that is not complete
BEFORE_RESTORE = ".before-restore-"  # between the name of a store and the time when it was replaced
FORGOTTEN = f"SELECT count(*), total(CAST(value AS INTEGER)) FROM kept WHERE kind = '{ValueKind.FORGOTTEN}'"


class Copies:
    """Makes and lists the backups of one store."""

    def __init__(self, store: SQLiteStore, database: Database) -> None:
        self._store, self._database = store, database

    def make(self, target: str | Path, *, overwrite: bool) -> Path:
        """Copy the store to another file. It appears only when it is complete and holds nothing forgotten meanwhile."""
        target = checked_target(Path(target).expanduser().absolute(), self._database.path, overwrite)
        with self._store.exclusive("backup", self._database.timeout_ms) as alone:
            if not alone:
                raise StoreBusyError(f"Another process copies {self._database.path}.", "Wait until it has ended.")
            self.remember(target)
            for _ in range(TRIES):
                handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=PART, dir=target.parent)
                os.close(handle)
                part = Path(name)
                try:
                    self._database.backup(part)
                    if self._publish(part, target):
                        return target
                finally:
                    delete(part)
        raise StoreBusyError(
            f"Records were forgotten during each of {TRIES} attempts to copy them.", "Try again later."
        )

    def _publish(self, part: Path, target: Path) -> bool:
        """Put the copy in its place while nobody can forget. False if somebody forgot since it was made."""
        with self._database.transaction() as connection, closing(sqlite3.connect(part)) as copy:
            if copy.execute(FORGOTTEN).fetchone() != connection.execute(FORGOTTEN).fetchone():
                return False
            copy.close()
            files.sync(part)
            delete(target, files.LOG, files.SHARED_MEMORY, files.JOURNAL)  # they belong to the old file
            part.replace(target)
            files.sync(target.parent)
            self.remember(target)  # again: a forget that saw no file may have dropped it
        return True

    def remember(self, path: Path) -> None:
        """Remember a backup."""
        with self._database.transaction() as connection:
            row = (str(path), checksum((str(path),)))
            connection.execute("INSERT OR IGNORE INTO backups (path, checksum) VALUES (?, ?)", row)

    def all(self) -> list[Copy]:
        """Return every known backup, with those that migrations and restores made. Delete parts of killed backups."""
        own = self._database.path
        named = [Path(row[0]) for row in self._database.rows("SELECT path FROM backups ORDER BY path")]
        beside = [path for end in (".v*.bak", f"{BEFORE_RESTORE}*") for path in _matching(own.parent, own.name, end)]
        found = [path for path in dict.fromkeys([*named, *beside]) if path != own and _is_file_of_its_own(path)]
        self._delete_parts([*found, own])
        return [
            Copy(str(path), state_of(path), partial(self._store.reopen, path), partial(self._drop, path))
            for path in found
        ]

    def _delete_parts(self, paths: list[Path]) -> None:
        parts = [part for path in paths for part in _matching(path.parent, f".{path.name}.", f"*{PART}*")]
        if parts and not self._database.read_only:
            with self._store.exclusive("backup") as backup, self._store.exclusive("restore") as restore:
                for part in parts if backup and restore else ():  # else somebody is writing one
                    part.unlink(missing_ok=True)

    def _drop(self, path: Path, delete_file: bool) -> None:
        """Forget a backup. With `delete_file`, delete its file."""
        if delete_file:
            delete(path)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM backups WHERE path = ?", (str(path),))


def checked_target(target: Path, store: Path, overwrite: bool) -> Path:
    """Return the path of a new backup. Only a backup of ours that nobody has open may be overwritten."""
    there = target.parent.resolve() / target.name
    if there in [files.beside(store, end) for end in files.BESIDE] or files.identity(store) == files.identity(target):
        raise InputError(f"{target} is the store itself.", "Choose another file.")
    if not target.parent.is_dir():
        raise InputError(f"The folder {target.parent} does not exist.", "Create it first.")
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return target
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a link, a pipe or a device"
        raise InputError(f"{target} is {what}.", "Choose another file.")
    if not overwrite:
        raise InputError(f"{target} already exists.", "Choose another file, or give overwrite=True.")
    if state_of(target) not in ("current", "old"):
        raise InputError(f"{target} is not a file of aforesaid, so it is not replaced.", "Choose another file.")
    if files.in_use(target):
        raise InputError(f"{target} is open as a store.", "Choose another file.")
    return target


def state_of(path: Path) -> CopyState:
    """Classify a backup by the header of its file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return "foreign"
        head = next(files.read_pieces(path, HEAD_BYTES), b"")
    except FileNotFoundError:
        return "missing"
    except OSError:
        return "foreign"
    ours = head.startswith(MAGIC) and int.from_bytes(head[APPLICATION], "big") == schema.APPLICATION_ID
    version = int.from_bytes(head[VERSION], "big")
    if not ours or version > len(schema.MIGRATIONS):
        return "foreign"
    return "current" if version == len(schema.MIGRATIONS) else "old"


def delete(path: Path, *suffixes: str) -> None:
    """Delete a database and its companions, or only some of them."""
    for suffix in suffixes or files.BESIDE:
        files.beside(path, suffix).unlink(missing_ok=True)


def _matching(folder: Path, name: str, pattern: str) -> Iterator[Path]:
    """The files that begin with a name; without companions of databases."""
    for path in sorted(folder.glob(f"{glob.escape(name)}{pattern}")):
        if PART in pattern or not path.name.endswith(files.BESIDE[1:]):
            yield path


def _is_file_of_its_own(path: Path) -> bool:
    """False for the second name of a file that a killed restore left: it is the store itself."""
    found = files.identity(path)
    return found is None or BEFORE_RESTORE not in path.name or path.stat().st_nlink == 1
