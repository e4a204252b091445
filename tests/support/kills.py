"""Kills a process at its steps: SQL statements, and files that are opened, renamed, linked or deleted."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from typing import Any

STEPS = ("open", "os.rename", "os.link", "os.remove", "os.truncate", "sqlite3.connect")
NEVER = 0


def killed_at_each_step(
    work: Callable[[], object], reset: Callable[[], object], *, every: int, closely: int = 0
) -> Iterator[int]:
    """Run `work` in children that are killed at every so-manieth step, and at each of the last `closely` steps.

    `reset` puts the files back before each run. Yields after each death.
    """
    total = _steps_of(work)
    for step in sorted({*range(1, total, every), *range(max(total - closely, 1), total + 1)}):
        reset()
        child = os.fork()
        if child == 0:
            _run_and_die(work, step)
        status = os.waitpid(child, 0)[1]
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, (step, total, status)
        yield step


def _steps_of(work: Callable[[], object]) -> int:
    """How many steps there are when nobody is killed."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        _run_and_die(work, NEVER, theirs)
    os.close(theirs)
    with os.fdopen(ours) as stream:
        total = int(stream.read() or 0)
    assert os.waitpid(child, 0)[1] == 0, "the child failed by itself"
    return total


def _run_and_die(work: Callable[[], object], last: int, report: int | None = None) -> None:
    seen = 0

    def count(*_: object) -> None:
        nonlocal seen
        seen += 1
        if seen == last:
            os.kill(os.getpid(), signal.SIGKILL)

    def connect(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        made = plain_connect(*args, **kwargs)
        made.set_trace_callback(count)
        return made

    plain_connect = sqlite3.connect
    sqlite3.connect = connect  # only in this child
    sys.addaudithook(lambda event, _: count() if event in STEPS else None)
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - the parent sees the exit code
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(1)
    if report is not None:
        os.write(report, str(seen).encode())
    os._exit(0)
