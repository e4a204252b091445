"""Which project a folder belongs to: the name of the repository around it."""

from __future__ import annotations

from pathlib import Path

from aforesaid.importers.formats.json_values import as_id

HEAD_BYTES = 4096  # of a `.git` file, which is one line


def project_of(folder: Path | None) -> str | None:
    """The name of the git repository that a folder lies in, a worktree's under its own repository; None outside."""
    for place in (folder, *folder.parents) if folder is not None else ():
        mark = place / ".git"
        try:
            if mark.is_dir():
                return as_id(place.name)
            if mark.is_file():
                return as_id(_main(mark, place).name)
        except OSError:
            return None
    return None


def _main(mark: Path, place: Path) -> Path:
    """The repository of a worktree, whose `.git` file points into that repository's own; else the folder itself."""
    with mark.open("rb") as stream:
        line = stream.read(HEAD_BYTES).decode(errors="replace").strip()
    target = (place / line.removeprefix("gitdir:").strip()).parts if line.startswith("gitdir:") else ()
    return Path(*target[: target.index(".git")]) if ".git" in target and "worktrees" in target else place
