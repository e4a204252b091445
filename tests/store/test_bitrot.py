"""Flipped bits: no changed answer goes unnoticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.testing.bitrot import bitrot
from aforesaid.types import Turn
from support.clock import NOW

EMBEDDER = HashEmbedder(32)


@pytest.mark.parametrize("seed", [1, 2])
def test_no_flipped_bit_changes_an_answer_unnoticed(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "store.db"
    with Memory.open(path, embedder=EMBEDDER, clock=lambda: NOW) as memory:
        turns = [Turn(f"t{i}", f"s{i % 3}", "user", f"Ana likes mountain {i} and lake {i % 5}", NOW) for i in range(30)]
        memory.ingest(turns, user="ana")
    report = bitrot(path, 12, seed, EMBEDDER)
    assert report.outcomes.total() == 12
    assert report.passed, report.failures
