"""Acknowledged means durable: several processes at once, and processes killed in the middle."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.testing.torture import torture


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    report = torture(tmp_path / "store.db", writers=2, turns=50)
    assert report.acknowledged == 100
    assert report.missing == ()
    assert report.problems == ()


def test_killed_processes_lose_nothing_acknowledged(tmp_path: Path) -> None:
    report = torture(tmp_path / "store.db", writers=2, turns=10_000, kills=3, seed=1)
    assert report.acknowledged > 0
    assert report.missing == ()
    assert report.problems == ()


@pytest.mark.skipif(sys.platform != "linux", reason="open files are counted in /proc")
def test_threads_that_end_give_their_connections_back(path: Path) -> None:
    with Memory.open(path, settings=Settings().changed({"embed.provider": "hash"}, "test")) as memory:

        def work() -> None:
            memory.remember("Ana lives in Horta.", user="ana")
            assert len(memory.search("Horta", user="ana")) == 1

        work()
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(20):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        assert len(list(Path("/proc/self/fd").iterdir())) < before + 5
