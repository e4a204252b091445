"""Unit rows, sketches and the choice of the best: against plain numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import DimensionError
from aforesaid.math.vectors import Sketch, estimated_cosines, rotate, top_indices, unit_rows
from aforesaid.settings.rows import StoreRows
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.testing.samples import fill, make_record, random_vectors
from aforesaid.types import Filter


def like_text(count: int, dimensions: int = 384, seed: int = 0) -> np.ndarray:
    """Vectors as models make them: all near one direction, in clusters, as spread out as the default model's."""
    chance, fixed = np.random.default_rng(seed), np.random.default_rng(99)
    spread = 1 / np.arange(1, dimensions + 1) ** 0.3
    centres = fixed.standard_normal((40, dimensions)) * spread
    rows = centres[chance.integers(0, 40, count)] + chance.standard_normal((count, dimensions)) * spread
    rows += 1.5 * fixed.standard_normal(dimensions) / dimensions**0.5 * np.linalg.norm(spread)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_rows_become_unit_and_zero_stays_zero() -> None:
    found = unit_rows([[3.0, 4.0], [0.0, 0.0], [1e30, 0.0], [1e-30, 1e-30]], 4, 2, "x")
    assert found == pytest.approx(np.array([[0.6, 0.8], [0, 0], [1, 0], [0.5**0.5, 0.5**0.5]]))


def test_unit_rows_are_left_bit_by_bit() -> None:
    rows = random_vectors(50, 384)
    assert unit_rows(rows, 50, 384, "x").tobytes() == rows.tobytes()


@pytest.mark.parametrize("bad", [[[1.0]], [[np.nan, 1.0]], [[np.inf, 1.0]], [], [1.0, 2.0]])
def test_bad_rows_are_refused(bad: list) -> None:
    with pytest.raises(DimensionError):
        unit_rows(bad, 1, 2, "x")


def test_rotation_keeps_angles() -> None:
    rows = random_vectors(20, 100)
    rotated = rotate(rows) / 128**0.5
    assert rotated @ rotated.T == pytest.approx(rows @ rows.T, abs=1e-5)


def test_a_sketch_comes_back_from_bytes() -> None:
    sketch = Sketch.of(like_text(64))
    copy = Sketch.from_bytes(sketch.to_bytes(), 64, 384)
    assert copy is not None
    assert all(np.array_equal(getattr(copy, name), getattr(sketch, name)) for name in Sketch.__slots__)
    assert Sketch.from_bytes(sketch.to_bytes()[:-1], 64, 384) is None


def test_estimates_are_near_the_truth() -> None:
    rows, queries = like_text(2048), like_text(20, seed=1)
    blocks = [Sketch.of(rows[:1024]), Sketch.of(rows[1024:])]
    for query in queries:
        assert np.corrcoef(estimated_cosines(blocks, query), rows @ query)[0, 1] > 0.85
    assert estimated_cosines([], queries[0]).size == 0


def test_sketched_search_finds_what_exact_search_finds(tmp_path: Path) -> None:
    """recall@10 ≥ 0.99 of exact, under every filter."""
    rows = like_text(6000)
    records = [
        make_record(str(i), "x", session=f"s{i % 50}", durable=i % 10 == 0, kind="claim" if i % 97 == 0 else "turn")
        for i in range(6000)
    ]
    store = SQLiteStore(tmp_path / "s.db", StoreRows(synchronous="normal", sketch_from=0, sketch_survivors=250))
    exact = SQLiteStore(tmp_path / "s.db", StoreRows(sketch_from=1_000_000))
    fill(store, records, rows)
    for where in (Filter(), Filter(durable=True), Filter(sessions=("s3",)), Filter(kinds=("claim",))):
        found = 0
        for query in like_text(15, seed=5):
            expected = {hit.key for hit in exact.vector_search(query, where, 10)}
            found += len(expected & {hit.key for hit in store.vector_search(query, where, 10)})
        assert found / 150 >= 0.99, where
    store.close()
    exact.close()


@given(st.lists(st.integers(0, 5), max_size=60), st.integers(-1, 70))
def test_top_indices_is_a_stable_sort(values: list[int], limit: int) -> None:
    scores = np.array(values, dtype=np.float32)
    assert top_indices(scores, limit).tolist() == np.argsort(-scores, kind="stable")[: max(limit, 0)].tolist()
