"""Daemons in tests: ask one how it is, and leave none behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from aforesaid.surfaces.daemon.connection import dial, paths_of

PATIENCE_SECONDS = 60


def status(store: Path) -> dict[str, Any] | None:
    """What the daemon of a store says of itself; None when none listens."""
    line = dial(paths_of(store))
    if line is None:
        return None
    with line:
        found: dict[str, Any] = line.call("status")
        return found


def stopped(store: Path) -> None:
    """Stop the daemon of a store, if there is one, and wait until it has gone."""
    found = status(store)
    if found is not None:
        with suppress(ProcessLookupError):
            os.kill(found["pid"], signal.SIGTERM)
        until(lambda: not alive(found["pid"]))


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended, with all its threads, and that nobody buried does not."""
    try:
        dead = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        return not dead or len(list(Path(f"/proc/{pid}/task").iterdir())) > 1
    except OSError:
        return False


def until(true: Callable[[], Any]) -> None:
    """Wait for something to become true."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < ends, "it did not come to that"
        time.sleep(0.02)
