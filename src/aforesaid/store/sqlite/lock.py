"""A lock file that serves writers in order. SQLite's own busy handler polls, so a writer may starve."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future
from pathlib import Path

from aforesaid.errors import StoreBusyError, StoreError
from aforesaid.store.sqlite.failures import NO_SPACE

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
        descriptor = self._opened()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._wait(descriptor)
        self._held = descriptor

    def try_acquire(self) -> bool:
        """Take the lock if nobody has it; `release` frees it."""
        if not HAS_FLOCK:
            return True
        descriptor = self._opened()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._held = descriptor
        return True

    def _opened(self) -> int:
        try:
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if error.errno in NO_SPACE:
                raise
            raise StoreError(f"The lock file {self._path} cannot be opened: {error}.", "Check its folder.") from error

    def _wait(self, descriptor: int) -> None:
        """Wait in the kernel's queue in a helper thread, because flock has no timeout."""
        lock: Future[None] = Future()

        def acquire() -> None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if lock.set_running_or_notify_cancel():
                lock.set_result(None)
            else:  # the lock came after the timeout
                os.close(descriptor)

        threading.Thread(target=acquire, daemon=True).start()
        try:
            lock.result(self._timeout_ms / 1000)
        except TimeoutError:
            if lock.cancel():
                raise StoreBusyError(
                    f"Another process held {self._path} for {self._timeout_ms} ms.",
                    "Try again, or raise store.lock_timeout_ms.",
                ) from None

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Free the lock, if it is held."""
        if self._held >= 0:
            os.close(self._held)  # closing releases the lock
            self._held = -1
