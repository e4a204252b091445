"""The `libra` profile: decay, the single pass, and the speed of both passes. Arithmetic, then laws."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError
from aforesaid.math import libra as hy
from aforesaid.math.libra import DEFAULTS, decay_constants, recency
from aforesaid.math.summaries import decay_rate
from aforesaid.types import SCOPES

SHARE = st.floats(0, 1)
COSINE = st.floats(-1, 1)
AGE = st.floats(0, 1e12)
BAD_SHARES = [math.nan, -0.1, 1.1, math.inf, None, "x"]
HOUR, DAY = 3600, 86_400


# decay


def test_half_lives_are_those_of_the_table() -> None:
    table = [1.9 * HOUR, 19 * HOUR, 19 * HOUR, 4 * DAY]  # of SCOPES, rounded as the original rounds them
    assert recency(table, decay_constants(SCOPES)) == pytest.approx([0.5] * 4, abs=0.01)
    assert recency(math.log(2) / decay_constants(SCOPES), decay_constants(SCOPES)) == pytest.approx([0.5] * 4)


def test_recency_is_arithmetic() -> None:
    assert recency(0, 1e-4) == 1
    assert recency([10_000, 20_000], 1e-4) == pytest.approx([math.exp(-1), math.exp(-2)])
    assert list(decay_constants(SCOPES)) == [1e-4, 1e-5, 1e-5, 2e-6]


@given(AGE, AGE, st.sampled_from(SCOPES))
def test_recency_is_bounded_and_falls_with_age(one: float, other: float, scope: str) -> None:
    young, old = sorted((one, other))
    found = recency([young, old], decay_constants([scope])[0])
    assert 0 <= found[1] <= found[0] <= 1


@given(AGE)
def test_session_fades_before_user_before_global(age: float) -> None:
    session, user, project, everybody = recency(age, decay_constants(SCOPES))
    assert session <= user == project <= everybody


@pytest.mark.parametrize("age", [-1, math.nan, math.inf, None, "old", [1, -1]])
def test_impossible_ages_are_refused(age: object) -> None:
    with pytest.raises(InputError, match="age_seconds"):
        recency(age, 1e-4)


def test_impossible_decay_scopes_and_shapes_are_refused() -> None:
    for wrong in (-1e-4, math.nan, 2):
        with pytest.raises(InputError, match="decay"):
            recency(1, wrong)
    for call in (lambda: decay_constants(["planet"]), lambda: decay_constants(["user", "planet"])):
        with pytest.raises(InputError, match="planet"):
            call()
    with pytest.raises(InputError, match="do not go together"):
        recency([1, 2], [1e-4, 1e-4, 1e-4])


# single pass


def test_single_pass_is_arithmetic() -> None:
    found = hy.single_pass([0.8, -0.4], [10_000, 0], ["session", "global"], [0.4, 0.4], [True, False])
    first = (0.7 * 0.8 + 0.2 * math.exp(-1) + 0.1 * 1.0) * (1 - 0.5 * 0.4)
    assert found.score == pytest.approx([first, 0.7 * 0 + 0.2 * 1 + 0.1 * 0.3])
    assert found.quality == pytest.approx([0.8, 1])
    assert found.score == pytest.approx(found.base * found.quality)


def test_default_weights_and_scope_weights() -> None:
    assert hy.hybrid_weights().values == pytest.approx((0.7, 0.2, 0.1))
    assert not hy.hybrid_weights().defaulted
    assert list(hy.scope_weights(SCOPES)) == [1.0, 0.6, 0.6, 0.3]
    assert hy.base(0, 0, 1) == pytest.approx(0.1)  # the most that scope can bring
    with pytest.raises(InputError, match="planet"):
        hy.scope_weights(["planet"])


def test_weights_are_clamped_then_normalised() -> None:
    assert hy.normalised((7, 1, -3), (1, 1, 1)).values == (0.5, 0.5, 0)
    assert hy.normalised((0.2, 0.2, 0.1), (1, 1, 1)).values == pytest.approx((0.4, 0.4, 0.2))
    nothing = hy.normalised((0, -1, 0), (0.7, 0.2, 0.1))
    assert nothing.values == pytest.approx((0.7, 0.2, 0.1))
    assert nothing.defaulted
    assert hy.hybrid_weights(replace(DEFAULTS, alpha=0.0, beta=0.0, gamma=0.0)).defaulted
    for wrong in ((math.nan, 1, 1), (1, 1), ("x", 1, 1)):
        with pytest.raises(InputError):
            hy.normalised(wrong, (1, 1, 1))
    with pytest.raises(InputError, match="all zero"):
        hy.normalised((0,), (0,))


@given(st.lists(st.floats(allow_nan=False), min_size=3, max_size=3))
def test_weights_are_shares_of_one(weights: list[float]) -> None:
    found = hy.normalised(weights, (0.7, 0.2, 0.1)).values
    assert all(0 <= weight <= 1 for weight in found)
    assert math.fsum(found) == pytest.approx(1)


@given(COSINE, SHARE, SHARE, st.lists(SHARE, min_size=3, max_size=3))
def test_base_is_a_convex_combination(cosine: float, recent: float, scope: float, weights: list[float]) -> None:
    terms = (max(cosine, 0), recent, scope)
    assert min(terms) <= hy.base(cosine, recent, scope, hy.normalised(weights, (0.7, 0.2, 0.1))) <= max(terms)


@given(COSINE, SHARE, SHARE)
def test_one_weight_of_one_leaves_its_term_alone(cosine: float, recent: float, scope: float) -> None:
    for i, term in enumerate((max(cosine, 0), recent, scope)):
        weights = hy.normalised([float(j == i) for j in range(3)], (1, 1, 1))
        assert hy.base(cosine, recent, scope, weights) == pytest.approx(term)


@given(SHARE, SHARE)
def test_quality_is_between_one_minus_delta_and_one(rate: float, delta: float) -> None:
    assert 1 - delta <= hy.quality(rate, True, delta) <= 1
    assert 0.5 <= hy.quality(rate) <= 1
    assert hy.quality(rate, True, 0) == 1
    assert hy.quality(rate, True, 1) == 1 - rate >= 0
    assert hy.quality(rate, False, delta) == 1


def test_quality_at_the_default_delta_spans_half_to_one() -> None:
    assert list(hy.quality([0, 0.5, 1])) == [1, 0.75, 0.5]
    assert list(hy.quality([math.nan, 0.5], [False, True])) == [1, 0.75]  # no summary, no decay rate


@given(COSINE, AGE, st.sampled_from(SCOPES), SHARE, st.booleans(), SHARE)
def test_the_single_pass_is_bounded(
    cosine: float, age: float, scope: str, rate: float, summary: bool, delta: float
) -> None:
    found = hy.single_pass([cosine], [age], [scope], [rate], [summary], replace(DEFAULTS, delta=delta))
    assert 0 <= found.score[0] <= found.base[0] <= 1


@given(SHARE, SHARE, SHARE, SHARE)
def test_higher_confidence_never_scores_lower(one: float, other: float, base: float, delta: float) -> None:
    low, high = sorted((one, other))
    rates = decay_rate([low, high])
    factors = hy.quality(rates, True, delta)
    scores = hy.score(base, factors)
    assert rates[1] <= rates[0] and factors[0] <= factors[1] and scores[0] <= scores[1]
    if high - low > 1e-6 and base > 1e-6 and delta > 1e-6:
        assert scores[0] < scores[1]


@pytest.mark.parametrize("bad", BAD_SHARES)
def test_what_is_no_share_is_refused(bad: object) -> None:
    calls: list[Callable[[], object]] = [
        lambda: hy.base(0.5, bad, 0.5),
        lambda: hy.base(0.5, 0.5, bad),
        lambda: hy.quality(bad),
        lambda: hy.quality(0.5, True, bad),
        lambda: hy.score(bad, 1),
        lambda: hy.score(1, bad),
    ]
    for call in calls:
        with pytest.raises(InputError):
            call()
