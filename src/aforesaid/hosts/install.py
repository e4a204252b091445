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
from aforesaid.hosts.plans import FilePlan

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


def install_steps(plans: Sequence[FilePlan], *, undo: bool = False) -> list[InstallStep]:
    """Compute the steps of an installation, or of its removal."""
    return [_step(plan, undo) for plan in plans]


def _step(plan: FilePlan, undo: bool) -> InstallStep:
    path = Path(os.path.realpath(plan.path))  # we write the file and not the link
    try:
        before = _read(path)
        installed = before is not None and plan.edit.is_in(before)
        after = plan.edit.add_to(before) if not undo else before
        if undo and before is not None and installed:
            after = _removed(plan, before, _read(backup_of(path)))
    except FormatError as error:
        raise FormatError(f"{path}: {error.message}", f"{error.remedy} Nothing was written.".strip()) from None
    return InstallStep(path, plan.what, before, after, installed)


def _removed(plan: FilePlan, text: str, backup: str | None) -> str | None:
    """The text without our part. If nothing else changed since the backup, it is the backup, byte for byte."""
    rest = plan.edit.remove_from(text)
    try:
        same = backup is not None and plan.edit.remove_from(plan.edit.add_to(backup)) == rest
    except FormatError:
        same = False
    return backup if same else rest


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
        line = error.object.count(b"\n", 0, error.start) + 1
        raise FormatError(f"Line {line} is not UTF-8.", "Repair that line.") from None
