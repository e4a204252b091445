"""Which folders and files changed, told as they do. Each is watched in a thread of its own; the caller does the work.

A folder that goes away is waited for: it may be a disk that is plugged in again, and its index stays until then.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aforesaid.errors import InputError

LOOK_MS = 500  # how often a watch sees whether it is to end, and whether its folder is still the same one
STEP_MS = 50
BACK_SECONDS = 0.3  # between two looks for a folder that went away

Told = queue.Queue[Path | BaseException]


def changes(
    folders: Sequence[Path], files: Sequence[Path], debounce_ms: int, stop: threading.Event
) -> Iterator[set[Path]]:
    """Sets of those folders (anything in them) and files that changed, until told to stop. Watching begins at once.

    InputError, with what to install, when the package is missing.
    """
    try:
        from watchfiles import watch
    except ImportError:
        raise InputError("Watching needs the package watchfiles.", "pip install 'aforesaid[watch]'") from None
    told: Told = queue.Queue()
    beside: dict[Path, set[Path]] = {}
    for file in files:  # their folders are watched, because editors write a new file and rename it over the old one
        beside.setdefault(file.parent, set()).add(file)
    watched = [_Watched(folder, None) for folder in folders]
    watched += [_Watched(folder, frozenset(mine)) for folder, mine in beside.items()]
    threads = [
        threading.Thread(target=each.run, args=(watch, debounce_ms, stop, told), daemon=True) for each in watched
    ]
    for thread in threads:
        thread.start()
    return _told(told, stop, threads)


def _told(told: Told, stop: threading.Event, threads: Sequence[threading.Thread]) -> Iterator[set[Path]]:
    """What the threads tell, everything that is there already in one go."""
    try:
        while not stop.is_set():
            try:
                batch = [told.get(timeout=LOOK_MS / 1000)]
            except queue.Empty:
                continue
            while not told.empty():
                batch.append(told.get_nowait())
            for each in batch:
                if isinstance(each, BaseException):
                    raise each
            yield {each for each in batch if isinstance(each, Path)}
    finally:
        stop.set()
        for thread in threads:
            thread.join(timeout=2 * LOOK_MS / 1000)


@dataclass(frozen=True, slots=True)
class _Watched:
    """A folder with all in it, or some files that lie in it."""

    folder: Path
    files: frozenset[Path] | None

    def run(self, watch: Callable[..., Iterator[Any]], debounce_ms: int, stop: threading.Event, told: Told) -> None:
        """Watch for as long as it takes; by polling where the system has no more watches to give."""
        polling: bool | None = None
        while not stop.is_set():
            try:
                for batch in self._while_there(watch, debounce_ms, stop, polling):
                    for path in sorted({self.folder} if self.files is None else batch & self.files):
                        told.put(path)
            except (OSError, RuntimeError) as error:
                if self.folder.is_dir() and polling:
                    told.put(error)
                    return
                polling = True if self.folder.is_dir() else polling
            if self._returned(stop):
                for path in sorted({self.folder} if self.files is None else self.files):
                    told.put(path)

    def _while_there(
        self, watch: Callable[..., Iterator[Any]], debounce_ms: int, stop: threading.Event, polling: bool | None
    ) -> Iterator[set[Path]]:
        """Batches of changes until the folder is another one, or none; at first one look in any case.

        What changed while the watch was being set up would otherwise stay unseen.
        """
        first, begun = _identity(self.folder), False
        batches = watch(
            self.folder, recursive=self.files is None, debounce=debounce_ms, step=min(STEP_MS, debounce_ms),
            stop_event=stop, rust_timeout=LOOK_MS, yield_on_timeout=True, raise_interrupt=False, watch_filter=None,
            force_polling=polling,
        )  # fmt: skip
        for batch in batches:
            if batch or not begun:
                begun = True
                yield {Path(name) for _, name in batch}
            if first is None or _identity(self.folder) != first:
                return

    def _returned(self, stop: threading.Event) -> bool:
        """Wait for the folder; False when told to stop first."""
        while not stop.is_set() and not self.folder.is_dir():
            stop.wait(BACK_SECONDS)
        return not stop.is_set()


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
