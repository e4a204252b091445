"""Watches folders and files and reports changes.

If a folder disappears, the watch waits for it to come back: it may be on a disk that was unplugged.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from stat import S_ISDIR
from typing import Any

from aforesaid.errors import InputError

CHECK_MS = 500  # how often to check whether to stop, and whether files and folders are still the same
STEP_MS = 50


def changes(
    folders: Sequence[Path], files: Sequence[Path], debounce_ms: int, stop: threading.Event
) -> Iterator[set[Path]]:
    """Sets of the folders (with anything in them) and files that changed, until `stop` is set.

    The first set names everything that is there, for changes from before the watch began. Raises InputError with the
    install command when the package `watchfiles` is missing.
    """
    try:
        from watchfiles import watch
    except ImportError:
        raise InputError("Watching needs the package watchfiles.", "pip install 'aforesaid[watch]'") from None
    return _changes(watch, folders, files, debounce_ms, stop)


def _changes(
    watch: Callable[..., Iterator[Any]],
    folders: Sequence[Path],
    files: Sequence[Path],
    debounce_ms: int,
    stop: threading.Event,
) -> Iterator[set[Path]]:
    polling: bool | None = None  # None: watchfiles decides
    while not stop.is_set():
        watched = {folder: _state(folder) for folder in folders}
        present = [folder for folder, state in watched.items() if state]
        seen: dict[Path, tuple[int, ...] | None] = {}
        batches = watch(
            *present, debounce=debounce_ms, step=min(STEP_MS, debounce_ms), stop_event=stop, rust_timeout=CHECK_MS,
            yield_on_timeout=True, watch_filter=None, force_polling=polling,
        )  # fmt: skip
        try:
            for batch in batches if present else _ticks(stop):
                now = {path: _state(path) for path in (*folders, *files)}
                if any(now[folder] != watched[folder] for folder in folders):
                    break  # a folder disappeared, was replaced or came back: watch again
                changed = {path for path, state in now.items() if state and state != seen.get(path)}
                changed |= {folder for folder in present if any(Path(name).is_relative_to(folder) for _, name in batch)}
                seen = now
                if changed:
                    yield changed
        except (OSError, RuntimeError):
            if all(folder.is_dir() for folder in present):
                if polling:
                    raise
                polling = True  # the system has no more watches


def _ticks(stop: threading.Event) -> Iterator[set[Any]]:
    """Empty batches, while there is no folder to watch."""
    while not stop.wait(CHECK_MS / 1000):
        yield set()


def _state(path: Path) -> tuple[int, ...] | None:
    """What tells a folder from one that replaced it, and a file from one with other content."""
    try:
        found = path.stat()
    except OSError:
        return None
    identity = found.st_dev, found.st_ino
    return identity if S_ISDIR(found.st_mode) else (*identity, found.st_size, found.st_mtime_ns)
