"""Matryoshka tiers and the early exit, against plain numpy over the full vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from aforesaid.errors import InputError
from aforesaid.math.cascade import backfill, cascade_search, dirty_tiers, tier_vectors, tiers_for
from aforesaid.settings.rows import CascadeRows

Matrix = NDArray[np.float32]
WIDTHS = (4, 8, 16)
NEVER = (1.0, 1.0)  # thresholds that only an exact likeness reaches


def vectors(rows: int, seed: int = 0, dimensions: int = 16) -> Matrix:
    found = np.random.default_rng(seed).standard_normal((rows, dimensions))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def all_tiers(full: Matrix) -> list[Matrix]:
    return [tier_vectors(full, width) for width in WIDTHS]


def test_tiers_of_a_model() -> None:
    assert tiers_for(768, True) == (64, 256, 768)
    assert tiers_for(384, True) == (64, 256, 384)
    assert tiers_for(256, True) == (64, 256)
    assert tiers_for(64, True) == (64,)
    assert tiers_for(768, False) == (768,)
    assert tiers_for(100, True, CascadeRows(tier1_dimensions=50, tier2_dimensions=10)) == (10, 50, 100)
    with pytest.raises(InputError):
        tiers_for(0, True)


def test_a_tier_vector_is_arithmetic() -> None:
    assert tier_vectors([3.0, 4.0, 12.0], 2) == pytest.approx([0.6, 0.8])
    assert tier_vectors([3.0, 4.0], 2, epsilon=0.1) == pytest.approx(np.array([3, 4]) / math.sqrt(25.01))
    assert tier_vectors([[0, 0, 1], [1e-8, 0, 0]], 1) == pytest.approx(np.array([[0], [1 / math.sqrt(2)]]))


@given(st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=1, max_size=12), st.data())
def test_a_tier_vector_is_never_longer_than_one(values: list[float], data: st.DataObject) -> None:
    width = data.draw(st.integers(1, len(values)))
    found = tier_vectors(values, width)
    length = float(np.linalg.norm(found.astype(np.float64)))
    assert found.shape == (width,) and np.isfinite(found).all()
    assert length <= 1 + 1e-6
    if not any(values[:width]):
        assert not found.any()
    elif math.hypot(*values[:width]) > 1e-3:
        assert length == pytest.approx(1, abs=1e-5)


def test_a_prefix_of_a_unit_vector_is_made_unit_again() -> None:
    full = vectors(30)
    assert (np.linalg.norm(full[:, :4], axis=1) < 0.999).all()
    assert np.linalg.norm(tier_vectors(full, 4), axis=1) == pytest.approx(np.ones(30))


@pytest.mark.parametrize(
    ("wrong", "width"), [([math.nan, 1], 1), ([math.inf], 1), ([1.0], 2), ([1.0], 0), (1.0, 1), ([[[1.0]]], 1)]
)
def test_what_is_no_vector_is_refused(wrong: object, width: int) -> None:
    with pytest.raises(InputError):
        tier_vectors(wrong, width)


def test_a_best_score_at_the_threshold_exits() -> None:
    first, second, full = np.array([[1.0]]), np.array([[1.0, 0.0]]), np.array([[1.0, 0, 0]])
    query = [0.5, 0.5, 1.0]
    found = cascade_search([first, second, full], query)
    assert (found.tier, found.best) == (0, (1.0,))
    found = cascade_search([-first, second, full], query, (0.65, 0.70))
    assert (found.tier, found.best) == (1, pytest.approx((-1.0, 0.5**0.5)))
    found = cascade_search([-first, second, full], query)  # 0.71 < 0.75
    assert (found.tier, found.best) == (2, pytest.approx((-1.0, 0.5**0.5, 6**-0.5)))
    exact = cascade_search([np.array([[0.65]]), full], [1.0, 0, 0], (float(np.float32(0.65)),))
    assert exact.tier == 0


@given(st.integers(1, 40), st.integers(0, 99), st.integers(0, 50))
def test_without_an_exit_the_answer_is_brute_force(rows: int, seed: int, limit: int) -> None:
    full, query = vectors(rows, seed), vectors(1, seed + 1000)[0]
    found = cascade_search(all_tiers(full), query, NEVER, limit)
    scores = tier_vectors(full, 16) @ tier_vectors(query, 16)
    assert found.tier == 2
    assert list(found.positions) == list(np.argsort(-scores, kind="stable")[:limit])
    assert list(found.scores) == [scores[i] for i in found.positions]


@given(st.integers(1, 30), st.integers(0, 99), st.floats(-1, 1), st.floats(-1, 1))
def test_the_first_tier_over_its_threshold_answers(rows: int, seed: int, one: float, two: float) -> None:
    tiers, query = all_tiers(vectors(rows, seed)), vectors(1, seed + 1000)[0]
    scores = [tier @ tier_vectors(query, tier.shape[1]) for tier in tiers]
    over = [tier for tier, least in enumerate((one, two)) if float(scores[tier].max()) >= least]
    found = cascade_search(tiers, query, (one, two), 5)
    assert found.tier == (over[0] if over else 2)
    assert found.best == tuple(float(scores[tier].max()) for tier in range(found.tier + 1))
    assert found.positions[0] == int(scores[found.tier].argmax())


@pytest.mark.parametrize("thresholds", [(0.65, 0.75), (-1.0, -1.0)])
def test_empty_tiers_score_zero_and_fall_through(thresholds: tuple[float, float]) -> None:
    full, query = vectors(9), vectors(1, 7)[0]
    for nothing in (None, np.empty((0, 4), dtype=np.float32)):
        found = cascade_search([nothing, nothing, full], query, thresholds)
        assert (found.tier, found.best[:2]) == (2, (0.0, 0.0))
        empty = cascade_search([nothing, None, None], query, thresholds)
        assert (empty.tier, empty.best, empty.positions.size) == (2, (0.0, 0.0, 0.0), 0)


def test_dirty_tiers_fall_through_and_a_zero_query_finds_zero() -> None:
    full = vectors(9)
    first, second, whole = all_tiers(full)
    broken = np.full_like(first, np.nan)
    for dirty in (first[:5], broken, first[0]):
        assert cascade_search([dirty, second, whole], full[0]).tier == 1
    found = cascade_search([first, second, whole], np.zeros(16))
    assert found.tier == 2
    assert found.best == (0.0, 0.0, 0.0)
    with pytest.raises(InputError, match="not numbers"):
        cascade_search([None, None, np.full_like(whole, np.nan)], full[0])


def test_a_search_that_cannot_be_is_refused() -> None:
    full = vectors(3)
    for tiers, query, thresholds in (
        ([], full[0], (0.65, 0.75)),
        ([full, full, full], full[0], (0.65,)),
        ([full], full[0][:5], ()),
        ([full], full, ()),
        ([full], [math.nan] * 16, ()),
        ([full, full], full[0], (math.nan,)),
    ):
        with pytest.raises(InputError):
            cascade_search(tiers, query, thresholds)


def test_backfill_makes_dirty_tiers_again_and_leaves_the_others() -> None:
    full = vectors(9)
    first, second, whole = all_tiers(full)
    broken = np.full_like(second, np.nan)
    for tiers, dirty in (
        ([first, second, whole], ()),
        ([None, second, whole], (0,)),
        ([first[:4], second[:, :3], whole], (0, 1)),
        ([first, broken, whole], (1,)),
    ):
        assert dirty_tiers(tiers, WIDTHS) == dirty
        found = backfill(tiers, WIDTHS)
        assert dirty_tiers(found, WIDTHS) == ()
        for made, expected in zip(found, (first, second, whole), strict=True):
            assert made == pytest.approx(expected, abs=1e-6)
    assert backfill([first, None, whole], WIDTHS)[0] is first
    assert dirty_tiers([whole], (16,)) == ()


def test_without_the_full_tier_nothing_can_be_rebuilt() -> None:
    full = vectors(3)
    for tiers in ([None, None, None], [None, None, full[:, :5]], [full], [], [None, None, full * np.nan]):
        with pytest.raises(InputError, match="embed the texts again"):
            dirty_tiers(tiers, WIDTHS)
