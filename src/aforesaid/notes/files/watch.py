"""Watches folders and files and reports changes. Each one is watched in its own thread.

If a folder disappears, the watch waits for it to come back: it may be on a disk that was unplugged.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aforesaid.errors import InputError

CHECK_MS = 500  # how often a watch checks whether to stop, and whether its folder is still the same
STEP_MS = 50
RETRY_SECONDS = 0.3  # between two checks for a folder that disappeared

Changed = queue.Queue[Path | BaseException]


def changes(
    folders: Sequence[Path], files: Sequence[Path], debounce_ms: int, stop: threading.Event
) -> Iterator[set[Path]]:
    """Sets of the folders (with anything in them) and files that changed, until `stop` is set. Starts watching at once.

    Raises InputError with the install command when the package `watchfiles` is missing.
    """
    try:
        from watchfiles import watch
    except ImportError:
        raise InputError("Watching needs the package watchfiles.", "pip install 'aforesaid[watch]'") from None
    changed: Changed = queue.Queue()
    beside: dict[Path, set[Path]] = {}
    for file in files:  # watch their folders, because editors write a new file and rename it
        beside.setdefault(file.parent, set()).add(file)
    watched = [_Watched(folder, None) for folder in folders]
    watched += [_Watched(folder, frozenset(mine)) for folder, mine in beside.items()]
    threads = [
        threading.Thread(target=each.run, args=(watch, debounce_ms, stop, changed), daemon=True) for each in watched
    ]
    for thread in threads:
        thread.start()
    return _batches(changed, stop, threads)


def _batches(changed: Changed, stop: threading.Event, threads: Sequence[threading.Thread]) -> Iterator[set[Path]]:
    """The changes from all threads; what is waiting already comes as one set."""
    try:
        while not stop.is_set():
            try:
                batch = [changed.get(timeout=CHECK_MS / 1000)]
            except queue.Empty:
                continue
            while not changed.empty():
                batch.append(changed.get_nowait())
            for each in batch:
                if isinstance(each, BaseException):
                    raise each
            yield {each for each in batch if isinstance(each, Path)}
    finally:
        stop.set()
        for thread in threads:
            thread.join(timeout=2 * CHECK_MS / 1000)


@dataclass(frozen=True, slots=True)
class _Watched:
    """A folder with everything in it, or only some files in it."""

    folder: Path
    files: frozenset[Path] | None

    def run(
        self, watch: Callable[..., Iterator[Any]], debounce_ms: int, stop: threading.Event, changed: Changed
    ) -> None:
        """Watch until `stop` is set. Falls back to polling when the system has no more watches."""
        polling: bool | None = None
        while not stop.is_set():
            try:
                for batch in self._while_present(watch, debounce_ms, stop, polling):
                    for path in sorted({self.folder} if self.files is None else batch & self.files):
                        changed.put(path)
            except (OSError, RuntimeError) as error:
                if self.folder.is_dir() and polling:
                    changed.put(error)
                    return
                polling = True if self.folder.is_dir() else polling
            if self._wait_for_folder(stop):
                for path in sorted({self.folder} if self.files is None else self.files):
                    changed.put(path)

    def _while_present(
        self, watch: Callable[..., Iterator[Any]], debounce_ms: int, stop: threading.Event, polling: bool | None
    ) -> Iterator[set[Path]]:
        """Batches of changes until the folder is gone or replaced.

        The first batch comes even if it is empty, for changes made while the watch was being set up.
        """
        first, begun = _identity(self.folder), False
        batches = watch(
            self.folder, recursive=self.files is None, debounce=debounce_ms, step=min(STEP_MS, debounce_ms),
            stop_event=stop, rust_timeout=CHECK_MS, yield_on_timeout=True, raise_interrupt=False, watch_filter=None,
            force_polling=polling,
        )  # fmt: skip
        for batch in batches:
            if batch or not begun:
                begun = True
                yield {Path(name) for _, name in batch}
            if first is None or _identity(self.folder) != first:
                return

    def _wait_for_folder(self, stop: threading.Event) -> bool:
        """Wait until the folder exists. False when `stop` is set first."""
        while not stop.is_set() and not self.folder.is_dir():
            stop.wait(RETRY_SECONDS)
        return not stop.is_set()


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
