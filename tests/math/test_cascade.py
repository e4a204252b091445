"""Matryoshka tiers: arithmetic, and never NaN. tests/retrieval/test_cascade.py searches with them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from aforesaid.errors import InputError
from aforesaid.math.cascade import tier_vectors, tiers_for
from aforesaid.settings.rows import CascadeRows

Matrix = NDArray[np.float32]


def vectors(rows: int, seed: int = 0, dimensions: int = 16) -> Matrix:
    found = np.random.default_rng(seed).standard_normal((rows, dimensions))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


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
