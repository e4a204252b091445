"""Set a host up, and undo it: read → change the text → show → back up → write in one go.

A change is worked out for every file before the first is written: a file that cannot be read leaves all as they are.
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

BACKUP = ".before-aforesaid"  # behind a file's name: how it was before we came
CONTEXT_LINES = 2  # around a change; more would show more of what is nobody's business


@dataclass(frozen=True, slots=True)
class InstallStep:
    """A file before and after; None stands for no file. `held`: our part was in it before."""

    path: Path
    what: str
    before: str | None
    after: str | None
    held: bool = False

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(old, new, str(self.path), str(self.path), n=CONTEXT_LINES)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def installing(plans: Sequence[FilePlan]) -> list[InstallStep]:
    """What would be written."""
    steps = []
    for plan in plans:
        path = target(plan.path)
        before = _text(path)
        held = before is not None and plan.edit.holds(before, str(path))
        steps.append(InstallStep(path, plan.what, before, plan.edit.added(before, str(path)), held))
    return steps


def undoing(plans: Sequence[FilePlan]) -> list[InstallStep]:
    """What would be taken out: a file that nobody touched since is again what it was, byte for byte."""
    steps = []
    for plan in plans:
        path = target(plan.path)
        now = _text(path)
        if now is None or not plan.edit.holds(now, str(path)):
            steps.append(InstallStep(path, plan.what, now, now))
            continue
        bare, old = plan.edit.removed(now, str(path)), _text(backup_of(path))
        whole = old is not None and _same(plan, old, bare)
        steps.append(InstallStep(path, plan.what, now, old if whole else bare, held=True))
    return steps


def target(path: Path) -> Path:
    """The file itself where the path is a link to it."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise FormatError(f"{path} is a link that leads nowhere.", "Mend the link; nothing was written.") from None


def _same(plan: FilePlan, old: str, bare: str | None) -> bool:
    """Whether the backup, with our part added and removed again, is what is left now."""
    try:
        return plan.edit.removed(plan.edit.added(old, "backup"), "backup") == bare
    except FormatError:
        return False


def carry_out(steps: Sequence[InstallStep], *, undo: bool = False) -> list[Path]:
    """Write the steps, all of them or, when a file cannot be written, none; the backups that were made."""
    changing = [step for step in steps if step.changes]
    for step in changing:
        _check_writable(step.path)
    made = []
    for step in changing:
        backup = backup_of(step.path)
        if not undo and not step.held:  # when ours was there, the backup from the time before it is the one to keep
            backup.unlink(missing_ok=True)
            if step.before is not None:
                shutil.copy2(step.path, backup)
                made.append(backup)
        if step.after is None:
            step.path.unlink()
        else:
            write(step.path, step.after)
        if undo and _text(backup) == step.after:
            backup.unlink(missing_ok=True)
    return made


def _check_writable(path: Path) -> None:
    """Raise when a file or the folder that it lies in cannot be written."""
    folder = next(place for place in path.parents if place.exists())
    for place in (path, folder) if path.exists() else (folder,):
        if not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, "Permission denied; nothing was written", str(place))


def backup_of(path: Path) -> Path:
    """Where a file's backup lies."""
    return path.with_name(path.name + BACKUP)


def write(path: Path, text: str) -> None:
    """Replace a file in one go, its mode kept; a link's target, not the link."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as stream:
        stream.write(text.encode())


def _text(path: Path) -> str | None:
    """A file's text, line ends as they are; None when there is none."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        line = path.read_bytes().count(b"\n", 0, error.start) + 1
        raise FormatError(f"{path}:{line}: it is not UTF-8.", "Mend that line; nothing was written.") from None
