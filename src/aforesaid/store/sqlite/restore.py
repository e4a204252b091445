"""Replaces a store by a backup: the new file is prepared beside it and put in its place in one step.

    copy the backup to a part → (the caller checks and changes it) → keep the old file under another name
    → delete its log → rename the part

A log must never lie beside a file that it does not belong to: SQLite would write its pages into that file. Before the
last step the store is the old one, afterwards the new one, whenever the process is killed. What is left over is
deleted by the next restore or forget.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, count
from pathlib import Path

from aforesaid._util.private_files import private_file
from aforesaid.errors import InputError, StoreBusyError
from aforesaid.settings.rows import StoreRows
from aforesaid.store.key_file import key_path, new_key, read_key
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.store.sqlite import files
from aforesaid.store.sqlite.copies import BEFORE_RESTORE, PART, delete, state_of
from aforesaid.store.sqlite.failures import translated
from aforesaid.store.sqlite.lock import FileLock
from aforesaid.store.sqlite.store import SQLiteStore

IN_USE = "End the programs that use it (`aforesaid daemon stop`), then restore again."


@dataclass(frozen=True, slots=True)
class PreviousStore:
    """What a restored store takes over from the one that it replaces."""

    readable: bool = True
    deletions: Mapping[Slot, str] = field(default_factory=dict)  # of the kinds `forgotten` and `forgetting`
    backups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Restoration:
    """A copy of the backup, open for checks and changes, and what the old store knew."""

    path: Path
    part: Path
    store: SQLiteStore
    previous: PreviousStore

    def take_over(self, backup: Path, kept: Path | None) -> None:
        """Take over what was forgotten, deletions that are not complete, and the list of backups."""
        with self.store.transaction():
            self.store.maintenance.forget_copies(str(self.part))  # made when the part was migrated
            for path in (*self.previous.backups, str(backup), *((str(kept),) if kept else ())):
                if Path(path) != self.path:
                    self.store.maintenance.remember_copy(Path(path))
            for slot, value in self.previous.deletions.items():
                self.store.values.put(slot, value)

    def put_in_place(self, kept: Path | None) -> None:
        """Replace the store, and keep the old one."""
        self.store.close()
        files.sync(self.part)
        with ExitStack() as stack:
            if kept is not None:
                if not stack.enter_context(files.locked_out(self.path)):
                    raise StoreBusyError(f"{self.path} was opened by another program.", IN_USE)
                _keep(self.path, kept)
            self.part.replace(self.path)
            files.sync(self.path.parent)


def name_for_old(path: Path, now: datetime) -> Path | None:
    """The name under which the old store is kept; None if there is no store."""
    if not path.exists():
        return None
    first = f"{path.name}{BEFORE_RESTORE}{now:%Y%m%dT%H%M%SZ}"
    names = (path.with_name(name) for name in chain([first], (f"{first}-{number}" for number in count(2))))
    return next(name for name in names if not name.exists())


@contextmanager
def restoration(path: Path, backup: Path, rows: StoreRows, *, dry_run: bool) -> Iterator[Restoration]:
    """Copy a backup beside the store and open it. Unless it is a dry run, keep others from using the store."""
    path, backup = files.real_path(path), files.real_path(backup)
    _check(path, backup)
    with ExitStack() as stack:
        stack.enter_context(FileLock(files.beside(path, f".restore{files.LOCK}"), rows.lock_timeout_ms))
        for leftover in path.parent.glob(f".{path.name}.*{PART}*"):
            leftover.unlink()
        if not dry_run:
            stack.enter_context(FileLock(files.beside(path, files.LOCK), rows.lock_timeout_ms))
        previous = _previous(path, alone=not dry_run)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=PART, dir=path.parent)
        os.close(handle)
        part = Path(name)
        stack.callback(_delete_part, part)
        with translated(backup):
            _copy(backup, part)
        key = read_key(key_path(path, rows.key_file)) or new_key()  # the copy gets no key file of its own
        store = stack.enter_context(closing(SQLiteStore(part, rows, key=key)))
        yield Restoration(path, part, store, previous)


def _check(path: Path, backup: Path) -> None:
    if files.identity(backup) is None:
        raise InputError(f"There is no backup at {backup}.", "`aforesaid backup --list` shows the known ones.")
    if state_of(backup) not in ("current", "old"):
        raise InputError(f"{backup} is not a backup of aforesaid, or from a newer version.", "Choose another file.")
    if not path.parent.is_dir():
        raise InputError(f"The folder {path.parent} does not exist.", "Create it first.")
    if path.exists() and files.identity(path) == files.identity(backup):
        raise InputError(f"{backup} is the store itself.", "Name a backup of it.")
    if path.exists() and path.stat().st_size and state_of(path) not in ("current", "old"):
        raise InputError(f"{path} is not a store of aforesaid, so it is not replaced.", "Move it away first.")


def _previous(path: Path, *, alone: bool) -> PreviousStore:
    """Read the old store. With `alone`, make sure that nobody else has it open, and move its log into it."""
    if not path.exists():
        return PreviousStore()
    if alone and files.in_use(path):
        raise StoreBusyError(f"{path} is in use.", IN_USE)
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=1)) as old:
            if alone:
                old.execute("PRAGMA locking_mode = EXCLUSIVE")  # fails when another connection is open
            sql = "SELECT kind, tenant, owner, name, value FROM kept WHERE kind IN (?, ?)"
            found = old.execute(sql, (ValueKind.FORGOTTEN.value, ValueKind.FORGETTING.value))
            deletions = {Slot(ValueKind(kind), *place): value for kind, *place, value in found}
            backups = tuple(row[0] for row in old.execute("SELECT path FROM backups ORDER BY path"))
            if alone:
                old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return PreviousStore(True, deletions, backups)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreBusyError(f"{path} is in use.", IN_USE) from error
        return PreviousStore(readable=False)  # a damaged store is a reason to restore


def _copy(backup: Path, part: Path) -> None:
    """Copy a backup with what is in its log. One without a log is opened as unchangeable: nothing is written."""
    log = files.beside(backup, files.LOG)
    quiet = not (log.exists() and log.stat().st_size) and not files.in_use(backup)
    address = f"{backup.as_uri()}{'?mode=ro&immutable=1' if quiet else ''}"
    with closing(sqlite3.connect(address, uri=True)) as source, closing(sqlite3.connect(part)) as target:
        source.backup(target)


def _keep(path: Path, kept: Path) -> None:
    """Give the old store a second name, then delete its log. A store that could not be read keeps its log.

    Its key is kept with it: with another key, the seal of its audit log would look forged.
    """
    for name in path.parent.glob(f"{path.name}{BEFORE_RESTORE}*"):
        if files.identity(name) == files.identity(path):  # a restore was killed here
            name.unlink()
    for key in path.parent.glob(f"{path.name}{BEFORE_RESTORE}*{files.KEY}"):
        if not key.with_name(key.name.removesuffix(files.KEY)).exists():
            key.unlink()
    for suffix in (files.KEY, "", files.LOG, files.JOURNAL):  # the key first: who opens a store without one makes one
        file = files.beside(path, suffix)
        if file.exists() and (file.stat().st_size or not suffix):
            _link(file, files.beside(kept, suffix))
    files.sync(path.parent)
    delete(path, files.LOG, files.SHARED_MEMORY, files.JOURNAL)


def _link(file: Path, name: Path) -> None:
    try:
        os.link(file, name)
    except OSError:  # a file system without hard links
        private_file(name)
        shutil.copy2(file, name)
        files.sync(name)


def _delete_part(part: Path) -> None:
    for file in part.parent.glob(f"{part.name}*"):
        file.unlink(missing_ok=True)
