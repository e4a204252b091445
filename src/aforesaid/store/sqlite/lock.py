"""A lock file that serves writers in turn. SQLite's own busy handler polls, and lets an unlucky writer starve."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import TracebackType

from aforesaid.errors import StoreBusyError, StoreError

try:
    import fcntl

    HAS_FLOCK = True
except ImportError:  # Windows: SQLite's own busy handler is all there is
    HAS_FLOCK = False


class FileLock:
    """Held by one thread of one process at a time; the kernel lets go when its holder dies."""

    def __init__(self, path: Path, timeout_ms: int) -> None:
        self._path = path
        self._timeout_ms = timeout_ms
        self._held = -1

    def __enter__(self) -> None:
        if not HAS_FLOCK:
            return
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(f"The lock file {self._path} cannot be opened: {error}.", "Check its folder.") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._wait(descriptor)
        self._held = descriptor

    def _wait(self, descriptor: int) -> None:
        """Stand in the kernel's queue from a helper thread, because flock itself knows no timeout."""
        queue = _Place(descriptor)
        threading.Thread(target=queue.stand, daemon=True).start()
        if not queue.wait(self._timeout_ms / 1000):
            raise StoreBusyError(
                f"Another process held {self._path} for {self._timeout_ms} ms.",
                "Try again, or raise store.lock_timeout_ms.",
            )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._held >= 0:
            os.close(self._held)  # closing lets go of the lock
            self._held = -1


class _Place:
    """A place in the queue that can be given up: whoever comes second, the lock or the patience, cleans up."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._guard = threading.Lock()
        self._ready = threading.Event()
        self._abandoned = False

    def stand(self) -> None:
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        with self._guard:
            if self._abandoned:
                os.close(self._descriptor)
            self._ready.set()

    def wait(self, seconds: float) -> bool:
        if self._ready.wait(seconds):
            return True
        with self._guard:
            self._abandoned = not self._ready.is_set()
            return not self._abandoned
