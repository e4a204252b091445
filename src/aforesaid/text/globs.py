"""Tags such as `tool:contact-lookup`, and the globs that admit them."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from aforesaid.errors import InputError

MAX_CHARS = 200  # of a tag or glob


def admits(globs: Iterable[str], purpose: str) -> bool:
    """Whether one glob matches the purpose: case counts, `*` is any run (also of colons), `?` one character."""
    return any(fnmatchcase(purpose, glob) for glob in globs)


def check_globs(globs: Iterable[str]) -> tuple[str, ...]:
    """The globs as they are, or InputError: a bracket would mean one thing here and another in a database."""
    found = tuple(globs)
    for glob in found:
        if not isinstance(glob, str) or not glob.strip() or len(glob) > MAX_CHARS or any(c in glob for c in "[]\x00"):
            raise InputError(f"{glob!r} is not a tag.", "Use letters, digits, `:`, `-`, and `*` for any run.")
    return found
