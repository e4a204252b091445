"""Globs over tags such as `tool:contact-lookup`."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from aforesaid.errors import InputError

MAX_CHARS = 200  # of a tag or glob


def admits(globs: Iterable[str], purpose: str) -> bool:
    """Whether one of the globs matches the purpose. Case matters; `*` is any run, colons too, `?` one character."""
    return any(fnmatchcase(purpose, glob) for glob in globs)


def check_globs(globs: Iterable[str]) -> tuple[str, ...]:
    """The globs, checked. Brackets raise InputError, because databases read them differently."""
    found = tuple(globs)
    for glob in found:
        if not isinstance(glob, str) or not glob.strip() or len(glob) > MAX_CHARS or any(c in glob for c in "[]\x00"):
            raise InputError(f"{glob!r} is not a tag.", "Use letters, digits, `:`, `-`, and `*` for any run.")
    return found
