"""A memory that a server opens in the background and holds for long: opened again when that failed or the file went."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid.errors import AforesaidError

if TYPE_CHECKING:
    from aforesaid.memory import Memory

Identity = tuple[int, int] | None  # device and inode


class Waking:
    """Call it for the memory; whoever comes before it is open waits."""

    def __init__(self, store: Path, opener: Callable[[], Memory]) -> None:
        self._store, self._opener = store, opener
        self._guard = threading.Lock()
        self._opening: Future[Memory] | None = None
        self._thread: threading.Thread | None = None
        self._file: Identity = None

    def begin(self) -> Future[Memory]:
        """Start to open it, unless that was done; a store that was put in its place since is another one."""
        with self._guard:
            if self._opening is not None and not self._gone(self._opening):
                return self._opening
            opening: Future[Memory] = Future()
            self._opening = opening
            self._thread = threading.Thread(target=self._open, args=(opening,), daemon=True, name="aforesaid-waking")
            self._thread.start()
            return opening

    def __call__(self) -> Memory:
        return self.begin().result()

    def close(self) -> None:
        """Let go of the store, if it was opened."""
        with self._guard:
            opening, thread = self._opening, self._thread
            self._opening = self._thread = None
        if opening is not None and thread is not None:
            thread.join()  # it may be at its first search still
            with suppress(Exception):  # whoever asked for it was told
                opening.result().close()

    def _gone(self, opening: Future[Memory]) -> bool:
        """Whether it failed, or what is open is no longer the file of that name."""
        return opening.done() and (opening.exception() is not None or identity(self._store) != self._file)

    def _open(self, opening: Future[Memory]) -> None:
        try:
            memory = self._opener()
            self._file = identity(self._store)
        except BaseException as error:  # noqa: BLE001 - it is raised where the memory is asked for
            opening.set_exception(error)
            return
        opening.set_result(memory)
        with suppress(AforesaidError):  # a model that sleeps on is told by the search that needs it
            memory.search("ready", limit=1)


def identity(path: Path) -> Identity:
    """What tells a file from another that takes its name."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
