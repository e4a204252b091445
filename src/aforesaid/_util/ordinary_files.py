"""Refuses pipes, sockets and devices where a file is expected: reading a pipe may wait for ever."""

from __future__ import annotations

import stat
from pathlib import Path

from aforesaid.errors import InputError


def check_ordinary(path: Path, remedy: str) -> None:
    """Raise InputError if something that is neither a file nor a folder is there. Nothing may be there."""
    try:
        mode = path.stat().st_mode
    except OSError:  # whoever opens it says what is wrong
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(f"{path} is a pipe, a socket or a device.", remedy)
