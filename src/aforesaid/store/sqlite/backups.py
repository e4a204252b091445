"""The backups of a store. It remembers their paths, so that `forget` can delete from them too."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from aforesaid.errors import InputError
from aforesaid.store.protocols import CopyState
from aforesaid.store.sqlite import schema
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.schema import APPLICATION_ID

HEADER = slice(0, 16), b"SQLite format 3\x00"
VERSION, APPLICATION = slice(60, 64), slice(68, 72)  # bytes of the file header


class Backups:
    """Makes backups and remembers their paths."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def make(self, target: Path, *, overwrite: bool = False) -> Path:
        """Copy the database and remember the path. The target appears only when it is complete."""
        target = target.expanduser().absolute()
        if target.resolve() == self._database.path.resolve():
            raise InputError(f"{target} is the store itself.", "Choose another file.")
        if target.exists() and not overwrite:
            raise InputError(f"{target} already exists.", "Choose another file, or overwrite it.")
        if not target.parent.is_dir():
            raise InputError(f"The folder {target.parent} does not exist.", "Create it first.")
        self.add(target)
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        os.close(handle)
        try:
            self._database.backup(Path(name))
            for end in ("-wal", "-shm"):  # they belong to the old file
                target.with_name(target.name + end).unlink(missing_ok=True)
            Path(name).replace(target)
        finally:
            for end in ("", "-wal", "-shm", "-journal"):
                with suppress(FileNotFoundError):
                    Path(name + end).unlink()
        return target

    def registered(self) -> list[Path]:
        """Return every known backup, including those that migrations made."""
        path = self._database.path.absolute()
        named = [Path(row[0]) for row in self._database.rows("SELECT path FROM backups ORDER BY path")]
        beside = sorted(path.parent.glob(f"{_escaped(path.name)}.v*.bak"))
        return [each for each in dict.fromkeys([*named, *beside]) if each != path]

    def drop(self, path: Path, *, delete: bool) -> None:
        """Forget a backup. With `delete`, delete its file."""
        if delete:
            for end in ("", "-wal", "-shm", "-journal", ".lock"):
                path.with_name(path.name + end).unlink(missing_ok=True)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM backups WHERE path = ?", (str(path),))

    def add(self, path: Path) -> None:
        """Remember a backup."""
        with self._database.transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO backups (path) VALUES (?)", (str(path),))


def state_of(path: Path) -> CopyState:
    """Classify a backup by the header of its file."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        return "missing"
    except OSError:
        return "foreign"
    ours = head[HEADER[0]] == HEADER[1] and int.from_bytes(head[APPLICATION], "big") == APPLICATION_ID
    version = int.from_bytes(head[VERSION], "big")
    if not ours or version > len(schema.MIGRATIONS):
        return "foreign"
    return "current" if version == len(schema.MIGRATIONS) else "old"


def _escaped(name: str) -> str:
    """Escape a name for use in a glob pattern."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)
