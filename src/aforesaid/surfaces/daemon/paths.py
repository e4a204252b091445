"""The files of a daemon: a socket and a lock in a folder that only this user can enter."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from aforesaid.errors import DaemonError

LONGEST_PATH = 100  # bytes of a socket's address; some systems allow 104
PRIVATE = 0o700


@dataclass(frozen=True, slots=True)
class DaemonPaths:
    """The files of one store's daemon."""

    folder: Path
    name: str

    @property
    def socket(self) -> Path:
        """The socket it listens on."""
        return self.folder / f"{self.name}.sock"

    @property
    def lock(self) -> Path:
        """The lock of the process that listens."""
        return self.folder / f"{self.name}.lock"

    def make(self) -> None:
        """Create the folder. One that other users can enter is refused, because they could listen in our place."""
        self.folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        found = self.folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
            raise DaemonError(
                f"{self.folder} can be entered by other users; no daemon listens there.",
                f"Remove it, or: chmod 700 {self.folder}",
            )


def paths_of(store: Path, folder: str = "") -> DaemonPaths:
    """The files for a store, the same for every path that leads to it.

    The environment does not matter: hosts pass different parts of it to our commands.
    """
    name = blake2b(os.fsencode(store.expanduser().resolve()), digest_size=8).hexdigest()
    runtime = Path(f"/run/user/{os.getuid()}")
    usual = runtime / "aforesaid" if os.access(runtime, os.W_OK) else Path(f"/tmp/aforesaid-{os.getuid()}")
    paths = DaemonPaths(Path(folder).expanduser() if folder else usual, name)
    if len(os.fsencode(paths.socket)) > LONGEST_PATH:
        raise DaemonError(f"{paths.folder} is too long a path for a socket.", "Shorten daemon.folder.")
    return paths
