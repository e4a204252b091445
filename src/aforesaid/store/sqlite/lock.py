"""A lock file that serves writers in order. SQLite's own busy handler polls, so a writer may starve."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from aforesaid.errors import StoreBusyError, StoreError

try:
    import fcntl

    HAS_FLOCK = True
except ImportError:  # Windows: only SQLite's own busy handler
    HAS_FLOCK = False


class FileLock:
    """An exclusive lock between threads and processes. The kernel releases it when its holder dies."""

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
        """Wait in the kernel's queue in a helper thread, because flock has no timeout."""
        waiter = _Waiter(descriptor)
        threading.Thread(target=waiter.acquire, daemon=True).start()
        if not waiter.wait(self._timeout_ms / 1000):
            raise StoreBusyError(
                f"Another process held {self._path} for {self._timeout_ms} ms.",
                "Try again, or raise store.lock_timeout_ms.",
            )

    def __exit__(self, *_: object) -> None:
        if self._held >= 0:
            os.close(self._held)  # closing releases the lock
            self._held = -1


class _Waiter:
    """Waits for the lock with a timeout. If the lock arrives after the timeout, it is released at once."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._guard = threading.Lock()
        self._ready = threading.Event()
        self._abandoned = False

    def acquire(self) -> None:
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
