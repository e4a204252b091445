"""Where the daemon of a store is met: a socket and a lock in a folder that only this user can enter."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from recollect.errors import DaemonError

LONGEST_PATH = 100  # bytes that a socket's address may take; 104 on some systems
PRIVATE = 0o700


@dataclass(frozen=True, slots=True)
class Place:
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


def place_of(store: Path, environment: Mapping[str, str] = os.environ) -> Place:
    """The place of a store, the same by whatever path it is called."""
    name = blake2b(os.fsencode(store.expanduser().resolve()), digest_size=8).hexdigest()
    runtime = environment.get("XDG_RUNTIME_DIR")
    shared = Path(tempfile.gettempdir()) / f"recollect-{os.getuid()}"
    own = Path(runtime) / "recollect" if runtime and Path(runtime).is_dir() else shared
    place = Place(own, name)
    return place if len(os.fsencode(place.socket)) <= LONGEST_PATH else Place(shared, name)
