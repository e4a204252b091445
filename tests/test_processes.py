"""Acknowledged means durable: several processes at once, and processes killed in the middle."""

from __future__ import annotations

from pathlib import Path

from recollect.testing.torture import torture


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    report = torture(tmp_path / "store.db", writers=2, turns=100)
    assert report.acknowledged == 200
    assert report.missing == ()
    assert report.problems == ()


def test_killed_processes_lose_nothing_acknowledged(tmp_path: Path) -> None:
    report = torture(tmp_path / "store.db", writers=3, turns=10_000, kills=4, seed=1)
    assert report.acknowledged > 0
    assert report.missing == ()
    assert report.problems == ()
