"""Authority, keyword coverage and the two passes: arithmetic, then laws."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError
from aforesaid.math import libra as au
from aforesaid.math.libra import normalised

SHARE = st.floats(0, 1)
COSINE = st.floats(-1, 1)
AGE = st.floats(0, 1e12)
ACCESSES = st.integers(0, 10**9)


def test_authority_is_arithmetic() -> None:
    assert au.authority_weights().values == pytest.approx((0.5, 0.2, 0.3))
    assert au.recency(60 * 86_400, au.DEFAULTS.authority_decay) == pytest.approx(0.25), "it halves in 30 days"
    assert au.access_frequency([0, 3, 7], 7) == pytest.approx([0, math.log(4) / math.log(9), math.log(8) / math.log(9)])
    assert au.authority(0.4, 0.5, 1) == pytest.approx(0.5 * 0.4 + 0.2 * 0.5 + 0.3)


def test_cold_start_has_no_frequency() -> None:
    assert list(au.access_frequency([0, 0, 0], 0)) == [0, 0, 0]
    with pytest.raises(InputError, match="accesses"):
        au.access_frequency([3], 2)


@given(ACCESSES, ACCESSES, ACCESSES)
def test_frequency_is_bounded_and_grows(one: int, other: int, more: int) -> None:
    low, high = sorted((one, other))
    found = au.access_frequency([0, low, high], high + more)
    assert 0 == found[0] <= found[1] <= found[2] < 1


def test_coverage_is_arithmetic() -> None:
    assert list(au.keyword_coverage({"a", "b", "c", "d"}, [{"a", "x"}, set(), ["d", "a", "b", "c"]])) == [0.25, 0, 1]
    assert list(au.coverage([1, 2], 4)) == [0.25, 0.5]
    assert list(au.keyword_coverage(set(), [{"a"}, set()])) == [0, 0]
    assert au.coverage(0, 0) == 0
    for matched, keywords in ((3, 2), (1, 0), (-1, 2), (math.nan, 2), (0, -1)):
        with pytest.raises(InputError):
            au.coverage(matched, keywords)


@given(st.sets(st.sampled_from("abcdef")), st.lists(st.sets(st.sampled_from("abcdefgh")), max_size=5))
def test_coverage_is_a_share(keywords: set[str], terms: list[set[str]]) -> None:
    found = au.keyword_coverage(keywords, terms)
    assert ((found >= 0) & (found <= 1)).all()
    assert all((share == 1) == (bool(keywords) and keywords <= term) for share, term in zip(found, terms, strict=True))


@given(SHARE, COSINE, SHARE)
def test_kappa_zero_is_purely_semantic(omega: float, cosine: float, covered: float) -> None:
    assert au.second_pass(omega, cosine, covered, kappa=0) == omega * max(cosine, 0)


def test_kappa_as_the_seed_reads_it() -> None:
    none, full = au.keyword_factor([0, 1], 0.5)
    assert full == 1
    assert none / full == pytest.approx(1 - 1 / 3)  # a third of the ceiling is the keywords' to give
    assert list(au.keyword_factor([0, 1], 1.0)) == [0.5, 1]  # full support restores the ceiling, none halves it
    assert au.second_pass(0.8, 0.5, 0.5) == pytest.approx(0.8 * 0.5 * 1.15 / 1.3)
    assert au.second_pass(0.8, 0.5, 0.5, quality_factor=0.75) == pytest.approx(0.8 * 0.5 * 1.15 / 1.3 * 0.75)


@given(SHARE, COSINE, SHARE, st.floats(0, 1e300), SHARE)
def test_final_score_is_under_authority(omega: float, cosine: float, covered: float, kappa: float, q: float) -> None:
    assert 0 <= au.second_pass(omega, cosine, covered, kappa, q) <= omega <= 1
    assert au.second_pass(omega, -abs(cosine), covered, kappa) == 0


@given(AGE, ACCESSES, ACCESSES, SHARE, st.lists(SHARE, min_size=3, max_size=3))
def test_authority_is_convex(age: float, count: int, more: int, authored: float, weights: list[float]) -> None:
    terms = [au.recency(age, au.DEFAULTS.authority_decay), au.access_frequency(count, count + more), authored]
    assert 0 <= min(terms) <= au.authority(*terms, normalised(weights, (0.5, 0.2, 0.3))) <= max(terms) <= 1


@given(st.lists(COSINE, max_size=40), st.integers(1, 20), COSINE)
def test_first_pass_is_top_k_then_threshold(cosines: list[float], k1: int, theta: float) -> None:
    best = sorted(range(len(cosines)), key=lambda i: (-cosines[i], i))[:k1]
    assert list(au.first_pass(cosines, k1, theta)) == [i for i in best if cosines[i] >= theta]


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=30), st.integers(1, 12))
def test_survivors_are_the_best_in_order(scores: list[float], k2: int) -> None:
    assert list(au.survivors(scores, k2)) == sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:k2]


def test_passes_want_positive_counts() -> None:
    for call in (lambda: au.first_pass([0.5], 0), lambda: au.survivors([0.5], 0), lambda: au.second_pass(1, 1, 1, -1)):
        with pytest.raises(InputError):
            call()
    assert au.first_pass([]).size == au.survivors([]).size == 0


@pytest.mark.parametrize("bad", [math.nan, -0.1, 1.1, math.inf, None, "x"])
def test_what_is_no_share_is_refused(bad: object) -> None:
    for call in (
        lambda: au.authority(bad, 0, 0),
        lambda: au.authority(0, bad, 0),
        lambda: au.authority(0, 0, bad),
        lambda: au.second_pass(bad, 0.5, 0),
        lambda: au.second_pass(0.5, 0.5, bad),
        lambda: au.second_pass(0.5, 0.5, 0.5, quality_factor=bad),
        lambda: au.survivors([bad]),
    ):
        with pytest.raises(InputError):
            call()
    with pytest.raises(InputError, match="cosine"):
        au.second_pass(0.5, 1.1, 0)
