"""Where the daemon of a store is met: a socket and a lock in a folder that only this user can enter."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from aforesaid.errors import DaemonError

LONGEST_PATH = 100  # bytes that a socket's address may take; 104 on some systems
PRIVATE = 0o700


@dataclass(frozen=True, slots=True)
class DaemonPaths:
    """The files of one store's daemon."""

    folder: Path
    name: str

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.folder / f"{self.name}.sock"

    @property
    def lock(self) -> Path:
        """Held by the one that listens."""
        return self.folder / f"{self.name}.lock"

    def make(self) -> None:
        """Make the folder; one that others may enter is refused, for they could listen in our place."""
        self.folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        found = self.folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
            raise DaemonError(
                f"{self.folder} is open to others; no daemon listens there.", f"Remove it, or: chmod 700 {self.folder}"
            )


def place_of(store: Path, folder: str = "") -> DaemonPaths:
    """The place of a store, the same by whatever path it is called; in a folder of one's own, or the usual one.

    The environment has no say: a host hands it on to one of our commands whole, and to another in part.
    """
    name = blake2b(os.fsencode(store.expanduser().resolve()), digest_size=8).hexdigest()
    runtime = Path(f"/run/user/{os.getuid()}")
    usual = runtime / "aforesaid" if os.access(runtime, os.W_OK) else Path(f"/tmp/aforesaid-{os.getuid()}")
    place = DaemonPaths(Path(folder).expanduser() if folder else usual, name)
    if len(os.fsencode(place.socket)) > LONGEST_PATH:
        raise DaemonError(f"{place.folder} is too long a path for a socket.", "Shorten daemon.folder.")
    return place
