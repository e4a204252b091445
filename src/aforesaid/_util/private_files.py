"""Files that only their owner can read."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from pathlib import Path

FILE, FOLDER = 0o600, 0o700
OTHERS = 0o077  # the permission bits of the group and of everyone else

log = logging.getLogger(__name__)


def private_folder(folder: Path) -> Path:
    """Create a folder, and the missing folders above it, for the owner only. An existing folder stays as it is."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=FOLDER, exist_ok=True)
    return folder


def private_file(path: Path) -> None:
    """Create an empty file for the owner only; an existing one stays as it is."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE))


def make_private(path: Path) -> bool:
    """Take the permissions of others away from a file of ours, and log it. Return whether that was needed."""
    with suppress(OSError):
        found = path.stat()
        if found.st_mode & OTHERS and found.st_uid == os.geteuid():
            path.chmod(found.st_mode & ~OTHERS & 0o7777)
            log.warning("%s could be read by others; now only its owner can (store.private).", path)
            return True
    return False
