"""Calibration against its definitions: isotonic by brute force, Platt by its gradient and by a grid."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.errors import InputError
from aforesaid.math import calibration, pce
from aforesaid.math.calibration import Calibration

labelled = st.lists(st.tuples(st.integers(-5, 5).map(float), st.sampled_from([0.0, 0.25, 1.0])), min_size=1, max_size=9)
judged = st.lists(st.tuples(st.floats(-20, 20), st.booleans()), min_size=1, max_size=30)


def brute_isotonic(raw: list[float], labels: list[float]) -> dict[float, float]:
    """ŷ(x) = max over a ≤ x of min over b ≥ x of the mean label of all points in [a, b]: the definition as a minimax."""
    points = sorted(set(raw))

    def mean(low: float, high: float) -> float:
        inside = [label for score, label in zip(raw, labels, strict=True) if low <= score <= high]
        return sum(inside) / len(inside)

    return {x: max(min(mean(a, b) for b in points if b >= x) for a in points if a <= x) for x in points}


# -- isotonic ----------------------------------------------------------------------------------------------------------


def test_isotonic_by_hand() -> None:
    xs, ys = calibration.isotonic_fit([1, 2, 3, 4], [0, 1, 0, 1])
    assert xs.tolist() == [1, 2, 3, 4]
    assert ys.tolist() == [0, 0.5, 0.5, 1]
    got = calibration.isotonic_apply([0, 1, 1.5, 2.5, 3.5, 9, math.nan], xs, ys)
    assert got[:6].tolist() == [0, 0, 0.25, 0.5, 0.75, 1]
    assert np.isnan(got[6])


def test_isotonic_degenerate() -> None:
    assert calibration.isotonic_apply([-9, 2, 9], *calibration.isotonic_fit([2], [0.3])).tolist() == [0.3] * 3
    assert calibration.isotonic_apply([2], *calibration.isotonic_fit([2, 2, 2], [0, 0, 1])).tolist() == pytest.approx(
        [1 / 3]
    )
    assert calibration.isotonic_fit([1, 2, 3], [1, 0.5, 0])[1].tolist() == [0.5, 0.5]  # all fall: one pool
    assert calibration.isotonic_apply([], [0.0], [1.0]).tolist() == []


@given(labelled)
def test_isotonic_follows_its_definition(rows: list[tuple[float, float]]) -> None:
    raw, labels = [row[0] for row in rows], [row[1] for row in rows]
    want = brute_isotonic(raw, labels)
    got = calibration.isotonic_apply(list(want), *calibration.isotonic_fit(raw, labels))
    assert got.tolist() == pytest.approx(list(want.values()), abs=1e-9)


@given(labelled, st.lists(st.floats(-10, 10), max_size=20))
def test_isotonic_rises_and_is_bounded(rows: list[tuple[float, float]], probes: list[float]) -> None:
    fitted = calibration.Calibration.fit("isotonic", [row[0] for row in rows], [row[1] for row in rows], "1")
    got = fitted.apply(sorted(probes))
    assert ((got >= 0) & (got <= 1)).all() and (np.diff(got) >= 0).all()


@given(labelled)
def test_isotonic_keeps_the_mean(rows: list[tuple[float, float]]) -> None:
    raw, labels = [row[0] for row in rows], [row[1] for row in rows]
    got = calibration.isotonic_apply(raw, *calibration.isotonic_fit(raw, labels))
    assert got.mean() == pytest.approx(sum(labels) / len(labels), abs=1e-9)


# -- Platt -------------------------------------------------------------------------------------------------------------


def test_platt_targets() -> None:
    assert calibration.platt_targets([True, True, False]).tolist() == pytest.approx([3 / 4, 3 / 4, 1 / 3])


def test_platt_apply() -> None:
    assert calibration.platt_apply([0, 1], 2, -1).tolist() == pytest.approx([0.268941, 0.731059], abs=1e-6)
    assert calibration.platt_apply([1e9, -1e9], 1, 0).tolist() == [1, 0]


def test_platt_loss() -> None:
    p = 1 / (1 + math.exp(-0.5))
    want = -(0.75 * math.log(p) + 0.25 * math.log(1 - p))
    assert calibration.platt_loss(np.array([1.0]), np.array([0.75]), 0.5, 0) == pytest.approx(want)


def gradient(raw: list[float], labels: list[bool], slope: float, intercept: float) -> tuple[float, float]:
    """∂loss/∂a and ∂loss/∂b by differences, scores as they are."""
    x, t = np.asarray(raw), calibration.platt_targets(labels)
    h = 1e-5

    def loss(a: float, b: float) -> float:
        return float(sum(-ti * math.log(p) - (1 - ti) * math.log(1 - p) for ti, p in zip(t, ps(a, b), strict=True)))

    def ps(a: float, b: float) -> list[float]:
        return [min(max(1 / (1 + math.exp(-min(max(a * xi + b, -500), 500))), 1e-300), 1 - 1e-16) for xi in x]

    return (
        (loss(slope + h, intercept) - loss(slope - h, intercept)) / (2 * h),
        (loss(slope, intercept + h) - loss(slope, intercept - h)) / (2 * h),
    )


def test_platt_finds_the_bottom_of_a_grid() -> None:
    raw, labels = [0.1, 0.2, 0.4, 0.5, 0.7, 0.9], [False, False, True, False, True, True]
    slope, intercept = calibration.platt_fit(raw, labels)
    targets = calibration.platt_targets(labels)
    best = min(
        calibration.platt_loss(np.asarray(raw), targets, slope + da, intercept + db)
        for da in np.linspace(-1, 1, 41)
        for db in np.linspace(-1, 1, 41)
    )
    assert calibration.platt_loss(np.asarray(raw), targets, slope, intercept) == pytest.approx(best, abs=1e-12)
    assert max(map(abs, gradient(raw, labels, slope, intercept))) < 1e-6
    assert slope > 0


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(-20, 20).map(lambda n: n / 4), st.booleans()), min_size=2, max_size=30))
def test_platt_has_no_slope_left(rows: list[tuple[float, bool]]) -> None:
    raw, labels = [row[0] for row in rows], [row[1] for row in rows]
    slope, intercept = calibration.platt_fit(raw, labels)
    if abs(slope) < 20:  # beyond, differences say nothing
        assert max(map(abs, gradient(raw, labels, slope, intercept))) < 1e-4 * len(rows)


@given(judged)
def test_platt_is_finite_and_bounded(rows: list[tuple[float, bool]]) -> None:
    raw, labels = [row[0] for row in rows], [row[1] for row in rows]
    slope, intercept = calibration.platt_fit(raw, labels)
    assert math.isfinite(slope) and math.isfinite(intercept)
    got = calibration.platt_apply(sorted(raw), slope, intercept)
    assert ((got >= 0) & (got <= 1)).all()
    steps = np.diff(got)
    assert (steps >= -1e-12).all() if slope >= 0 else (steps <= 1e-12).all()


def test_platt_degenerate() -> None:
    slope, intercept = calibration.platt_fit([3.0, 3.0, 3.0], [True, True, False])  # equal scores: the mean target
    assert calibration.platt_apply([3.0], slope, intercept)[0] == pytest.approx((0.75 + 0.75 + 1 / 3) / 3, abs=1e-6)
    slope, intercept = calibration.platt_fit([1.0, 2.0], [True, True])  # one class: its smoothed target
    assert calibration.platt_apply([1.0, 2.0], slope, intercept).tolist() == pytest.approx([0.75, 0.75], abs=1e-6)
    slope, _ = calibration.platt_fit([0.0, 1.0], [False, True])  # separable, and still finite
    assert 0 < slope < 10
    assert calibration.platt_fit([1000.0, 2000.0, 3000.0], [False, True, True])[0] > 0


# -- the value ---------------------------------------------------------------------------------------------------------


@given(judged)
def test_json_there_and_back(rows: list[tuple[float, bool]]) -> None:
    raw, labels = [row[0] for row in rows], [row[1] for row in rows]
    for fitted in (
        calibration.Calibration.fit("platt", raw, labels, "7"),
        calibration.Calibration.fit("isotonic", raw, [float(label) for label in labels], "7"),
    ):
        back = Calibration.from_json(json.loads(json.dumps(fitted.to_json())))
        assert back == fitted
        assert Calibration.from_json(fitted.to_json(), "7") == fitted
        assert Calibration.from_json(fitted.to_json(), "8") is None
        assert back is not None and back.apply(raw).tolist() == fitted.apply(raw).tolist()


GOOD = {"format": 1, "method": "isotonic", "policy_version": "1", "xs": [0.0, 1.0], "ys": [0.2, 0.9]}


@pytest.mark.parametrize(
    "value",
    [
        None,
        "text",
        [],
        {},
        GOOD | {"format": 2},
        GOOD | {"policy_version": None},
        GOOD | {"method": "quantile"},
        GOOD | {"method": "platt"},
        GOOD | {"xs": [1.0, 0.0]},
        GOOD | {"ys": [0.9, 0.2]},
        GOOD | {"ys": [0.2, 1.9]},
        GOOD | {"ys": [0.2]},
        GOOD | {"xs": [], "ys": []},
        GOOD | {"xs": [0.0, math.nan]},
        GOOD | {"xs": 3},
        GOOD | {"xs": ["a", "b"]},
        {"format": 1, "method": "platt", "policy_version": "1", "slope": math.inf, "intercept": 0},
        {"format": 1, "method": "platt", "policy_version": "1", "slope": None, "intercept": 0},
    ],
)
def test_unreadable_falls_back(value: object) -> None:
    read = Calibration.from_json(value)
    assert read is None
    assert calibration.calibrated([1.0, 3.0, 2.0], read, pce.text_min_max).tolist() == [0, 1, 0.5]
    assert calibration.calibrated([0.0], read, pce.vector_share).tolist() == [0.5]


def test_readable_is_used() -> None:
    read = Calibration.from_json(GOOD)
    assert calibration.calibrated([0.0, 0.5, 2.0], read, pce.text_min_max).tolist() == pytest.approx([0.2, 0.55, 0.9])


@pytest.mark.parametrize(
    "call",
    [
        lambda: calibration.isotonic_fit([], []),
        lambda: calibration.isotonic_fit([1.0], [2.0]),
        lambda: calibration.isotonic_fit([1.0, 2.0], [1.0]),
        lambda: calibration.isotonic_fit([math.nan], [1.0]),
        lambda: calibration.platt_fit([], []),
        lambda: calibration.platt_fit([math.inf], [True]),
        lambda: calibration.platt_fit([1.0, 2.0], [True]),
        lambda: Calibration("platt", "1", slope=math.nan),
        lambda: Calibration("isotonic", "1"),
        lambda: Calibration("magic", "1"),  # type: ignore[arg-type]
    ],
)
def test_domains_are_checked(call: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        call()


def test_scores_that_are_probabilities_are_left_about_as_they_are() -> None:
    random = np.random.default_rng(0)
    raw = random.uniform(0, 1, 1000)
    right = random.uniform(0, 1, 1000) < raw
    fits = (
        calibration.Calibration.fit("isotonic", raw, right.astype(np.float64), "1"),
        calibration.Calibration.fit("platt", raw, right.tolist(), "1"),
    )
    for fitted in fits:
        assert float(np.abs(fitted.apply(raw) - raw).mean()) < 0.1
