"""The project of a folder: the name of the git repository around it."""

from __future__ import annotations

from pathlib import Path

from aforesaid.importers.formats.json_values import as_id

HEAD_BYTES = 4096  # a `.git` file is one line


def project_of(folder: Path | None) -> str | None:
    """Return the name of the git repository that contains a folder; None outside of one.

    A worktree belongs to the repository it was made from.
    """
    for place in (folder, *folder.parents) if folder is not None else ():
        git = place / ".git"
        try:
            if git.is_dir():
                return as_id(place.name)
            if git.is_file():
                return as_id(_repository(git, place).name)
        except OSError:
            return None
    return None


def _repository(git: Path, place: Path) -> Path:
    """Follow the `.git` file of a worktree to its repository; that of a submodule stays where it is."""
    with git.open("rb") as stream:
        line = stream.read(HEAD_BYTES).decode(errors="replace").strip()
    target = (place / line.removeprefix("gitdir:").strip()).parts if line.startswith("gitdir:") else ()
    return Path(*target[: target.index(".git")]) if ".git" in target and "worktrees" in target else place
