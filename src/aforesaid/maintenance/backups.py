"""Lists the backups of a store, and keeps a number of them in a folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from aforesaid.engine.request import Request
from aforesaid.errors import InputError
from aforesaid.store.protocols import CopyState

NAME = "{stem}-{time:%Y%m%dT%H%M%SZ}.db"
TIMES = r"-\d{8}T\d{6}Z\.db"  # what follows the stem


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A known backup. `state`: current, old (an earlier schema), missing, or foreign (another file took its place)."""

    path: str
    state: CopyState
    time: datetime | None = None
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class BackupRotation:
    """The new backup of a folder, and the old ones that were deleted."""

    file: str
    bytes: int
    deleted: tuple[str, ...] = ()


def backup_files(request: Request) -> list[BackupFile]:
    """Every backup that the store knows, oldest first."""
    found = [_described(copy.path, copy.state) for copy in request.store.maintenance.copies()]
    return sorted(found, key=lambda each: (each.time.timestamp() if each.time else 0.0, each.path))


def _described(path: str, state: CopyState) -> BackupFile:
    try:
        found = Path(path).stat()
    except OSError:
        return BackupFile(path, state)
    return BackupFile(path, state, datetime.fromtimestamp(found.st_mtime, UTC), found.st_size)


def rotate(request: Request, folder: Path, keep: int, stem: str) -> BackupRotation:
    """Make a backup in a folder, named by the time, and delete all but the newest `keep` that we made there."""
    if keep < 1:
        raise InputError(f"keep is {keep}.", "Keep at least one backup.")
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder.", "Create it first.")
    place = folder.expanduser().absolute()
    made = request.store.maintenance.backup(place / NAME.format(stem=stem, time=request.clock().astimezone(UTC)))
    ours = re.compile(re.escape(stem) + TIMES)
    known = {copy.path: copy for copy in request.store.maintenance.copies() if copy.state in ("current", "old")}
    mine = sorted(path for path in known if Path(path).parent == place and ours.fullmatch(Path(path).name))
    old = [path for path in mine[: max(len(mine) - keep, 0)] if path != str(made)]
    for path in old:
        known[path].drop(True)
    return BackupRotation(str(made), made.stat().st_size, tuple(old))
