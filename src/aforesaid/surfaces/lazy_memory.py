"""A memory that a server opens in the background and keeps open. It opens again after a failure or a new file."""

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

FileId = tuple[int, int] | None  # device and inode


class LazyMemory:
    """Call it to get the memory; the call waits until the memory is open."""

    def __init__(self, store: Path, opener: Callable[[], Memory]) -> None:
        self._store, self._opener = store, opener
        self._guard = threading.Lock()
        self._opening: Future[Memory] | None = None
        self._thread: threading.Thread | None = None
        self._file: FileId = None

    def begin(self) -> Future[Memory]:
        """Start to open it, unless it is open and the file is still the same."""
        with self._guard:
            if self._opening is not None and not self._is_stale(self._opening):
                return self._opening
            opening: Future[Memory] = Future()
            self._opening = opening
            self._thread = threading.Thread(target=self._open, args=(opening,), daemon=True, name="aforesaid-opening")
            self._thread.start()
            return opening

    def __call__(self) -> Memory:
        return self.begin().result()

    def close(self) -> None:
        """Close the store, if it was opened."""
        with self._guard:
            opening, thread = self._opening, self._thread
            self._opening = self._thread = None
        if opening is not None and thread is not None:
            thread.join()  # its first search may still run
            with suppress(Exception):  # the caller that asked for the memory got this error
                opening.result().close()

    def _is_stale(self, opening: Future[Memory]) -> bool:
        """Whether opening failed, or another file has the name of the store now."""
        return opening.done() and (opening.exception() is not None or file_id(self._store) != self._file)

    def _open(self, opening: Future[Memory]) -> None:
        try:
            memory = self._opener()
            self._file = file_id(self._store)
        except BaseException as error:  # noqa: BLE001 - it is raised for the caller that waits
            opening.set_exception(error)
            return
        opening.set_result(memory)
        with suppress(AforesaidError):  # loads the model; a failure is reported by the first real search
            memory.search("ready", limit=1)


def file_id(path: Path) -> FileId:
    """The identity of the file under a path."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
