"""Sets up a host and undoes it: read → change the text → show → back up → write.

All changes are computed before the first file is written, so a file that cannot be read leaves all files unchanged.
"""

from __future__ import annotations

import difflib
import errno
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aforesaid._util.atomic_write import replacing
from aforesaid.errors import FormatError
from aforesaid.hosts.configs.plans import FilePlan

BACKUP = ".before-aforesaid"  # suffix of the backup of a file
CONTEXT_LINES = 2  # around a change in a diff: few, because the rest of the file is private


@dataclass(frozen=True, slots=True)
class InstallStep:
    """The text of a file before and after; None means no file. `was_installed`: our part was in it before."""

    path: Path
    what: str
    before: str | None
    after: str | None
    was_installed: bool = False

    @property
    def changes(self) -> bool:
        """Whether the file changes."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(old, new, str(self.path), str(self.path), n=CONTEXT_LINES)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def install_steps(plans: Sequence[FilePlan]) -> list[InstallStep]:
    """Compute the steps of an installation."""
    steps = []
    for plan in plans:
        path = _resolve(plan.path)
        before = _read(path)
        installed = before is not None and plan.edit.is_in(before, str(path))
        steps.append(InstallStep(path, plan.what, before, plan.edit.add_to(before, str(path)), installed))
    return steps


def undo_steps(plans: Sequence[FilePlan]) -> list[InstallStep]:
    """Compute the steps of the removal. A file that did not change otherwise gets its backup back, byte for byte."""
    steps = []
    for plan in plans:
        path = _resolve(plan.path)
        now = _read(path)
        if now is None or not plan.edit.is_in(now, str(path)):
            steps.append(InstallStep(path, plan.what, now, now))
            continue
        rest, old = plan.edit.remove_from(now, str(path)), _read(backup_of(path))
        unchanged = old is not None and _is_same(plan, old, rest)
        steps.append(InstallStep(path, plan.what, now, old if unchanged else rest, was_installed=True))
    return steps


def _resolve(path: Path) -> Path:
    """Follow links, so that we write the file and not the link."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise FormatError(f"{path} is a broken link.", "Repair the link; nothing was written.") from None


def _is_same(plan: FilePlan, old: str, rest: str | None) -> bool:
    """Whether the backup, with our part added and removed again, equals the file without our part."""
    try:
        return plan.edit.remove_from(plan.edit.add_to(old, "backup"), "backup") == rest
    except FormatError:
        return False


def apply_steps(steps: Sequence[InstallStep], *, undo: bool = False) -> list[Path]:
    """Write the files, or none when one of them cannot be written. Returns the backups that were made."""
    changing = [step for step in steps if step.changes]
    for step in changing:
        _check_writable(step.path)
    made = []
    for step in changing:
        backup = backup_of(step.path)
        if not undo and not step.was_installed:  # otherwise keep the backup from before the first installation
            backup.unlink(missing_ok=True)
            if step.before is not None:
                shutil.copy2(step.path, backup)
                made.append(backup)
        if step.after is None:
            step.path.unlink()
        else:
            step.path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(step.path) as stream:
                stream.write(step.after.encode())
        if undo and _read(backup) == step.after:
            backup.unlink(missing_ok=True)
    return made


def _check_writable(path: Path) -> None:
    """Raise if the file or its folder cannot be written."""
    folder = next(place for place in path.parents if place.exists())
    for place in (path, folder) if path.exists() else (folder,):
        if not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, "Permission denied; nothing was written", str(place))


def backup_of(path: Path) -> Path:
    """The path of a file's backup."""
    return path.with_name(path.name + BACKUP)


def _read(path: Path) -> str | None:
    """The text of a file with its line ends as they are; None without a file."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        line = path.read_bytes().count(b"\n", 0, error.start) + 1
        raise FormatError(f"{path}:{line}: it is not UTF-8.", "Repair that line; nothing was written.") from None
