"""The arithmetic of confidence: rarity, coverage, the logistic function and its fit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.math.confidence import Logistic, coverage, fit_logistic, logistic, rarity


def test_a_rare_word_weighs_more() -> None:
    assert rarity(10, 0) == pytest.approx(math.log(22))
    assert rarity(10, 2) == pytest.approx(math.log(1 + 8.5 / 2.5))
    assert rarity(10, 10) == pytest.approx(math.log(1 + 0.5 / 10.5))
    assert rarity(0, 0) == pytest.approx(math.log(2))


def test_coverage_is_the_share_of_words_by_rarity() -> None:
    assert coverage({"a", "x"}, {"a": 3.0, "b": 1.0}) == 0.75
    assert coverage({"a", "b"}, {"a": 3.0, "b": 1.0}) == 1.0
    assert coverage({"a"}, {}) == 0.0


@given(st.floats(-1e6, 1e6))
def test_the_logistic_function_is_a_probability(value: float) -> None:
    assert 0.0 <= logistic(value) <= 1.0
    assert logistic(value) + logistic(-value) == pytest.approx(1.0)


def test_a_model_adds_its_signals() -> None:
    model = Logistic(-1.0, {"a": 2.0, "b": -0.5})
    assert model.probability({"a": 1.0, "b": 2.0, "ignored": 9.0}) == 0.5
    assert model.probability({"a": 0.5, "b": 0.0}) == 0.5


def test_a_fit_gives_the_shares_of_two_groups() -> None:
    """With one signal that is 0 or 1, the fitted chance of a group is the share of its labels."""
    signals = np.array([[0.0]] * 10 + [[1.0]] * 10)
    labels = np.array([1.0] * 2 + [0.0] * 8 + [1.0] * 7 + [0.0] * 3)
    intercept, [weight] = fit_logistic(signals, labels, np.ones(20), ridge=0.0)
    assert logistic(intercept) == pytest.approx(0.2)
    assert logistic(intercept + weight) == pytest.approx(0.7)
    heavier = np.array([2.0] * 2 + [1.0] * 18)
    intercept, _ = fit_logistic(signals, labels, heavier, ridge=0.0)
    assert logistic(intercept) == pytest.approx(4 / 12)


def test_a_ridge_keeps_weights_of_separable_labels_finite() -> None:
    signals = np.array([[0.0], [1.0]])
    _, [weight] = fit_logistic(signals, np.array([0.0, 1.0]), np.ones(2), ridge=1.0)
    assert 0 < weight < 5
