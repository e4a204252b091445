"""The changes of an installation as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aforesaid.hosts.install import InstallStep, backup_of


def steps_list(steps: Sequence[InstallStep], made: Sequence[Path]) -> list[dict[str, Any]]:
    """Every file with its change."""
    return [
        {
            "path": str(step.path),
            "what": step.what,
            "changed": step.changes,
            "diff": step.diff,
            "backup": str(backup_of(step.path)) if backup_of(step.path) in made else None,
        }
        for step in steps
    ]


def steps_text(steps: Sequence[InstallStep], made: Sequence[Path], *, dry_run: bool, undo: bool, diff: bool) -> str:
    """The diffs unless they were shown already, then a line for each file."""
    changes = [step.diff.rstrip("\n") for step in steps if step.changes] if diff else []
    return "\n".join([*changes, *(_line(step, made, dry_run, undo) for step in steps)])


def _line(step: InstallStep, made: Sequence[Path], dry_run: bool, undo: bool) -> str:
    if not step.changes:
        return f"{step.path}: {'nothing to remove' if undo else 'up to date'} ({step.what})"
    would = "would be " if dry_run else ""
    done = ("deleted" if step.after is None else "removed") if undo else "written"
    backup = f"; backup: {backup_of(step.path)}" if backup_of(step.path) in made else ""
    return f"{step.path}: {step.what} {would}{done}{backup}"
