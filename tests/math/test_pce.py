"""The `pce` profile: every formula by hand, every law over random candidates, the seed's own numbers, and its speed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError
from aforesaid.math import pce
from aforesaid.settings.rows import GovernRows, PceRows, SearchRows

ROWS = PceRows()
unit = st.floats(0, 1)
cosine = st.floats(-1, 1)
finite = st.floats(-1e6, 1e6)
NAN = math.nan


def columns(*kinds: st.SearchStrategy[float], most: int = 12) -> st.SearchStrategy[list[tuple[float, ...]]]:
    return st.lists(st.tuples(*kinds), max_size=most)


def split(rows: list[tuple[float, ...]], width: int) -> list[list[float]]:
    return [[row[i] for row in rows] for i in range(width)]


# -- normalise ---------------------------------------------------------------------------------------------------------


def test_text_min_max() -> None:
    assert pce.text_min_max([2.0, 6.0, 4.0]).tolist() == [0, 1, 0.5]
    assert pce.text_min_max([-9.0, -1.0]).tolist() == [0, 1]
    assert pce.text_min_max([]).tolist() == []
    assert pce.text_min_max([3.0]).tolist() == [0]  # to the letter: 0 / ε
    assert pce.text_min_max([3.0, 3.0], epsilon=0).tolist() == [0, 0]
    assert pce.text_min_max([0.0, 1e-7]).tolist() == pytest.approx([0, 0.1])  # ε is the least spread
    missing = pce.text_min_max([1.0, None, 3.0])
    assert missing[[0, 2]].tolist() == [0, 1] and np.isnan(missing[1])
    assert np.isnan(pce.text_min_max([None, None])).all()


def test_text_by_rank() -> None:
    assert pce.text_by_rank([1, 2, 3, 9]).tolist() == pytest.approx([1 / 2, 1 / 3, 1 / 4, 1 / 10])
    assert np.isnan(pce.text_by_rank([None])).all()


def test_vector_share() -> None:
    assert pce.vector_share([-1, 0, 0.5, 1, 1.0000001]).tolist() == [0, 0.5, 0.75, 1, 1]


def test_fused() -> None:
    assert pce.fused([0.8], [0.4]).tolist() == pytest.approx([0.65 * 0.8 + 0.35 * 0.4])
    assert pce.fused([0.8], [0.4], 0).tolist() == [0.4]
    assert pce.fused([0.8], [0.4], 1).tolist() == [0.8]
    assert pce.fused([0.8, None], [NAN, 0.4]).tolist() == pytest.approx([0.65 * 0.8, 0.35 * 0.4])
    assert pce.fused([None], [None]).tolist() == [0]
    assert pce.fused([], []).tolist() == []


def test_candidates() -> None:
    assert (pce.text_candidates(12), pce.vector_candidates(12)) == (48, 96)  # the seed's policy example
    assert pce.text_candidates(1, SearchRows(text_factor=3)) == 3


def test_widened() -> None:
    assert pce.widened(48, 5, 12) == 96
    assert pce.widened(48, 6, 12) == 48  # k/2 is enough
    assert pce.widened(20, 2, 5) == 40  # 2 < 2.5
    assert pce.widened(96, 5, 12, once=True) == 96
    assert pce.widened(48, 0, 12, rows=SearchRows(widen=3)) == 144


@pytest.mark.parametrize(
    "call",
    [
        lambda: pce.text_min_max([math.inf]),
        lambda: pce.text_min_max(["x"]),  # type: ignore[list-item]
        lambda: pce.text_min_max([[1.0]]),  # type: ignore[list-item]
        lambda: pce.text_min_max([1.0], epsilon=-1),
        lambda: pce.text_by_rank([0]),
        lambda: pce.vector_share([1.1]),
        lambda: pce.fused([1.2], [0.5]),
        lambda: pce.fused([0.5], [0.5, 0.5]),
        lambda: pce.fused([0.5], [0.5], 1.5),
        lambda: pce.fused([0.5], [0.5], NAN),
        lambda: pce.text_candidates(0),
        lambda: pce.widened(4, -1, 4),
        lambda: pce.sigmoid([NAN]),
        lambda: pce.utility_z([math.inf]),
        lambda: pce.recency([-1], [30]),
        lambda: pce.recency([1], [0]),
        lambda: pce.recency([1, 2], [30]),
        lambda: pce.age_days(NAN, [0]),
        lambda: pce.usefulness([0.5], [None], [0.5]),
        lambda: pce.usefulness([0.5], [0.5, 0.5], [0.5]),
        lambda: pce.factor([0.5], 1.5, "x"),
        lambda: pce.score([1.5], [0.5]),
        lambda: pce.kept([NAN]),
        lambda: pce.feedback(0, 0.5, "lovely"),  # type: ignore[arg-type]
        lambda: pce.feedback(2, 0.5, "helpful"),
        lambda: pce.feedback(0, NAN, "helpful"),
        lambda: pce.decayed_utility([1.0], -1),
        lambda: pce.at_most([0.5], [], 1),
        lambda: pce.at_most([0.5], ["a"], 0),
        lambda: pce.mmr([0.5], np.full((1, 2), 0.9), 1),
        lambda: pce.mmr([0.5], np.full((1, 2), NAN), 1),
        lambda: pce.mmr([0.5], np.zeros((2, 2)), 1),
        lambda: pce.mmr([0.5], np.zeros(1), 1),
        lambda: pce.mmr([0.5], np.zeros((1, 2)), 0),
        lambda: pce.mmr([NAN], np.zeros((1, 2)), 1),
        lambda: pce.mmr([0.5], np.zeros((1, 2)), 1, 1.5),
    ],
)
def test_domains_are_checked(call: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        call()


@given(st.lists(st.one_of(finite, st.none()), max_size=12))
def test_min_max_is_bounded_and_keeps_the_order(scores: list[float | None]) -> None:
    got = pce.text_min_max(scores)
    present = [(score, share) for score, share in zip(scores, got.tolist(), strict=True) if score is not None]
    assert all(0 <= share <= 1 for _, share in present)
    assert all(a[1] <= b[1] for a in present for b in present if a[0] <= b[0])
    assert all(math.isnan(share) for score, share in zip(scores, got.tolist(), strict=True) if score is None)


@given(st.lists(cosine, max_size=12))
def test_vector_share_is_linear_and_bounded(cosines: list[float]) -> None:
    got = pce.vector_share(cosines)
    assert ((got >= 0) & (got <= 1)).all()
    assert got.tolist() == pytest.approx([(value + 1) / 2 for value in cosines])


@given(columns(st.one_of(unit, st.just(NAN)), st.one_of(unit, st.just(NAN))), unit)
def test_fused_lies_between_its_sides(rows: list[tuple[float, ...]], alpha: float) -> None:
    vector, text = split(rows, 2)
    got = pce.fused(vector, text, alpha)
    left, right = np.nan_to_num(vector), np.nan_to_num(text)
    assert not np.isnan(got).any()
    assert (got >= np.minimum(left, right) - 1e-12).all() and (got <= np.maximum(left, right) + 1e-12).all()


@given(st.integers(1, 1000), st.integers(0, 1000), st.integers(1, 1000), st.booleans())
def test_a_side_is_never_asked_for_less(asked: int, found: int, limit: int, once: bool) -> None:
    assert pce.widened(asked, found, limit, once=once) in (asked, 2 * asked)


# -- usefulness --------------------------------------------------------------------------------------------------------


def test_sigmoid() -> None:
    assert pce.sigmoid([0, 2, -2]).tolist() == pytest.approx([0.5, 0.880797, 0.119203], abs=1e-6)
    assert pce.sigmoid([1000, -1000]).tolist() == [1, 0]


def test_utility_z() -> None:
    z = pce.utility_z([0.0, 0.2, 0.4])
    assert z is not None and z.tolist() == pytest.approx([-math.sqrt(1.5), 0, math.sqrt(1.5)])
    assert pce.utility_z([0.4]) is None
    assert pce.utility_z([0.4, 0.4]) is None
    assert pce.utility_z([]) is None


def test_utility_share() -> None:
    assert pce.utility_share([0.0, 0.2, 0.4]).tolist() == pytest.approx([0.227, 0.5, 0.773], abs=1e-3)
    assert pce.utility_share([0.0]).tolist() == [0.5]  # no spread: (u + 1) / 2
    assert pce.utility_share([0.4, 0.4]).tolist() == pytest.approx([0.7, 0.7])
    assert pce.utility_share([-3.0]).tolist() == [0]
    assert pce.utility_share([]).tolist() == []


def test_half_lives() -> None:
    kinds = ["fact", "task", "preference", "policy_hint", None]
    assert pce.half_lives(kinds).tolist() == [120, 14, 90, 365, 30]  # type: ignore[arg-type]


def test_age_days() -> None:
    assert pce.age_days(200_000, [200_000 - 86_400, 200_000 - 43_200, 300_000]).tolist() == [1, 0.5, 0]


def test_recency() -> None:
    assert pce.recency([0, 30, 60], [30, 30, 30]).tolist() == [1, 0.5, 0.25]
    assert pce.recency([14], [14]).tolist() == [0.5]
    assert pce.recency([1e9], [30]).tolist() == [0]


def test_clipped() -> None:
    assert pce.clipped([-1, 0, 0.5, 1, 2], "x").tolist() == [1e-6, 1e-6, 0.5, 1, 1]


def test_factor() -> None:
    assert pce.factor([0.0, 0.5, 1.0], 0.6, "x").tolist() == pytest.approx([0.6, 0.8, 1.0], abs=1e-6)
    assert pce.factor([0.2], 1.0, "x").tolist() == [1]


def test_usefulness() -> None:
    assert pce.usefulness([1], [1], [1]).tolist() == [1]
    assert pce.usefulness([0], [0], [0]).tolist() == pytest.approx([0.6 * 0.5 * 0.3], abs=1e-5)
    assert pce.usefulness([0.5], [0.8], [0.5]).tolist() == pytest.approx([0.8 * 0.9 * 0.65])
    assert pce.usefulness([], [], []).tolist() == []


def test_quality_counts_only_when_it_is_on() -> None:
    on = replace(ROWS, use_quality=True)
    assert pce.usefulness([1], [1], [1], [0.2]).tolist() == [1]
    assert pce.usefulness([1], [1], [1], [0.2], on).tolist() == pytest.approx([0.6])
    assert pce.usefulness([1], [1], [1], None, on).tolist() == [1]


def test_score_and_threshold() -> None:
    assert pce.score([0.5], [0.3]).tolist() == [0.15]
    assert pce.kept([0.15, 0.1499, 0.3 * 0.5, 0, 1]).tolist() == [True, False, True, False, True]
    assert pce.kept([0.0], 0).tolist() == [True]
    assert pce.kept([]).tolist() == []


def test_feedback() -> None:
    assert pce.feedback(0, 0.5, "helpful") == pytest.approx((0.10, 0.55))
    assert pce.feedback(0, 0.5, "harmful") == pytest.approx((-0.20, 0.40))
    assert pce.feedback(0.3, 0.5, "outdated") == pytest.approx((0.3, 0.30))
    assert pce.feedback(0.4, 0.5, "duplicate") == pytest.approx((0.2, 0.5))
    assert pce.feedback(0.95, 0.99, "helpful") == (1, 1)
    assert pce.feedback(-0.9, 0.05, "harmful") == (-1, 0)
    assert pce.feedback(0, 0, "helpful", GovernRows(helpful_utility=0.5))[0] == 0.5


def test_decay() -> None:
    assert pce.decayed_utility([0.8, -0.8], 30).tolist() == pytest.approx([0.4, -0.4])
    assert pce.decayed_quality([0.8], 120).tolist() == pytest.approx([0.4])
    assert pce.decayed_quality([0.8], 0).tolist() == [0.8]


@given(st.lists(st.floats(-1, 1), max_size=12))
def test_utility_share_is_bounded_and_keeps_the_order(utilities: list[float]) -> None:
    got = pce.utility_share(utilities).tolist()
    assert all(0 <= value <= 1 for value in got)
    pairs = list(zip(utilities, got, strict=True))
    assert all(a[1] <= b[1] + 1e-12 for a in pairs for b in pairs if a[0] <= b[0])


@given(columns(finite, finite, finite, finite))
def test_g_is_bounded(rows: list[tuple[float, ...]]) -> None:
    on = replace(ROWS, use_quality=True)
    g = pce.usefulness(*split(rows, 4), rows=on)  # type: ignore[arg-type]
    assert (g >= 0.6 * 0.5 * 0.3 * 0.5).all() and (g <= 1).all()


@given(st.tuples(unit, unit, unit), st.integers(0, 2), unit)
def test_g_rises_in_each_term(terms: tuple[float, float, float], which: int, other: float) -> None:
    low, high = sorted((terms[which], other))
    less, more = list(terms), list(terms)
    less[which], more[which] = low, high
    assert pce.usefulness(*[[x] for x in less])[0] <= pce.usefulness(*[[x] for x in more])[0] + 1e-12


@given(st.floats(0, 1e5), st.floats(0, 1e5), st.floats(0.001, 1e6))
def test_recency_falls_with_age_and_halves(first: float, second: float, life: float) -> None:
    low, high = sorted((first, second))
    younger, older, half = pce.recency([low, high, high + life], [life] * 3)
    assert 0 <= half <= older <= younger <= 1
    assert half == pytest.approx(older / 2)


@given(columns(unit, unit))
def test_a_score_is_never_above_its_parts(rows: list[tuple[float, ...]]) -> None:
    fused, g = split(rows, 2)
    got = pce.score(fused, g)
    assert (got <= np.minimum(fused, g)).all() and (got >= 0).all()


@given(st.floats(-1, 1), unit, st.lists(st.sampled_from(pce.SIGNALS), max_size=40))
def test_feedback_stays_in_range(utility: float, confidence: float, signals: list[pce.Signal]) -> None:
    for signal in signals:
        utility, confidence = pce.feedback(utility, confidence, signal)
        assert -1 <= utility <= 1 and 0 <= confidence <= 1


@given(st.floats(-1, 1), st.floats(0, 500), st.floats(0, 500))
def test_decay_in_two_steps_is_decay_in_one(utility: float, first: float, second: float) -> None:
    once = pce.decayed_utility([utility], first + second)
    twice = pce.decayed_utility(pce.decayed_utility([utility], first), second)
    assert once.tolist() == pytest.approx(twice.tolist(), abs=1e-12)


# -- the response that spec P6 shows -------------------------------------------------------------------------------


def test_seed_response_recency() -> None:
    """`recent=12d` and `rec 0.93` agree for a fact (HL 120), not for the general half-life of 30 days."""
    assert pce.recency([12], pce.half_lives(["fact"]))[0] == pytest.approx(0.93, abs=0.005)
    assert pce.recency([12], pce.half_lives([None]))[0] == pytest.approx(0.758, abs=0.0005)


def test_seed_response_fused() -> None:
    """S = 0.76 of S_vec 0.91 and S_text 0.55 needs α ≈ 0.583; with the default 0.65 the formula gives 0.784."""
    assert pce.fused([0.91], [0.55])[0] == pytest.approx(0.784, abs=1e-9)
    assert pce.fused([0.91], [0.55], 0.583)[0] == pytest.approx(0.76, abs=0.0005)
    assert pce.vector_share([0.92])[0] == pytest.approx(0.96)  # its cos 0.92 is not its s_vec 0.91 either


def test_seed_response_score() -> None:
    """g of util .86, conf .72, rec .93 is 0.772, so the score is 0.587: the example's 0.82 > S cannot be, as g ≤ 1."""
    g = pce.usefulness([0.86], [0.72], [0.93])
    assert g[0] == pytest.approx(0.944 * 0.86 * 0.951, abs=1e-9) == pytest.approx(0.772, abs=0.0005)
    assert pce.score([0.76], g)[0] == pytest.approx(0.587, abs=0.0005)


def test_seed_sql_rank() -> None:
    """The SQL of spec P5 counts rows from 1: the first has s_text 1/2."""
    assert pce.text_by_rank([1])[0] == 0.5


# -- diversity ---------------------------------------------------------------------------------------------------------


def unit_vectors(count: int, dimensions: int, seed: int = 0) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    matrix = np.random.default_rng(seed).normal(size=(count, dimensions))
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)  # type: ignore[no-any-return]


def plain_mmr(
    scores: list[float], vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]], limit: int, balance: float
) -> list[int]:
    """The definition, one candidate after another."""
    chosen: list[int] = []
    while len(chosen) < min(limit, len(scores)):
        best: tuple[float, float, int] | None = None
        for i in range(len(scores)):
            if i in chosen:
                continue
            near = max((round(float(vectors[i] @ vectors[j]), 6) for j in chosen), default=0.0)
            key = (balance * scores[i] - (1 - balance) * near, scores[i], -i)
            best = key if best is None or key > best else best
        assert best is not None
        chosen.append(-best[2])
    return chosen


def test_by_score() -> None:
    assert pce.by_score([0.1, 0.9, 0.5, 0.9]).tolist() == [1, 3, 2, 0]


def test_one_per_hash() -> None:
    assert pce.at_most([0.2, 0.9, 0.5, 0.5], ["a", "a", "b", "b"], 1).tolist() == [1, 2]
    assert pce.at_most([0.2, 0.9], [None, None], 1).tolist() == [1, 0]
    assert pce.at_most([], [], 1).tolist() == []


def test_at_most() -> None:
    assert pce.at_most([0.1, 0.2, 0.3, 0.4], ["x", "x", "x", None]).tolist() == [3, 2, 1]
    assert pce.at_most([0.1, 0.2, 0.3], ["x", "x", "y"], 1).tolist() == [2, 1]


def test_mmr() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    # after 0: .85·.9 − .15·1 = .615 for its twin, .85·.8 − 0 = .68 for the other
    assert pce.mmr([1.0, 0.9, 0.8], vectors, 3).tolist() == [0, 2, 1]
    assert pce.mmr([1.0, 0.9, 0.8], vectors, 3, 1).tolist() == [0, 1, 2]
    assert pce.mmr([0.8, 0.9, 1.0], vectors, 2, 0).tolist() == [2, 1]
    assert pce.mmr([0.5] * 3, np.zeros((3, 2), dtype=np.float32), 5).tolist() == [0, 1, 2]
    assert pce.mmr([], np.zeros((0, 2)), 5).tolist() == []
    assert pce.mmr([0.3], np.zeros((1, 2)), 5).tolist() == [0]


def test_diverse() -> None:
    vectors = np.eye(5, dtype=np.float32)
    got = pce.diverse([0.5, 0.9, 0.8, 0.7, 0.6], ["a", "a", "b", "c", "d"], ["x", "x", "x", "x", "y"], vectors, 12)
    assert got.tolist() == [1, 2, 4]  # 0 is a copy of 1; 3 is the third of x
    assert pce.diverse([], [], [], np.zeros((0, 5)), 12).tolist() == []


@given(st.lists(unit, max_size=9), st.integers(0, 1000), st.integers(1, 12), st.sampled_from([0.0, 0.5, 0.85, 1.0]))
def test_mmr_follows_its_definition(scores: list[float], seed: int, limit: int, balance: float) -> None:
    scores = [round(score, 3) for score in scores]
    vectors = unit_vectors(len(scores), 3, seed)
    got = pce.mmr(scores, vectors, limit, balance).tolist()
    assert len(set(got)) == len(got) == min(limit, len(scores))
    want = plain_mmr(scores, vectors, limit, balance)
    chosen: list[int] = []
    for mine, other in zip(got, want, strict=True):  # a gain equal to a rounding may go either way
        if mine != other:
            gains = [
                balance * scores[i] - (1 - balance) * max((float(vectors[i] @ vectors[j]) for j in chosen), default=0.0)
                for i in (mine, other)
            ]
            assert gains[0] == pytest.approx(gains[1], abs=3e-6)
            break
        chosen.append(mine)


@given(st.lists(unit, max_size=12), st.integers(0, 99))
def test_lambda_one_is_plain_order(scores: list[float], seed: int) -> None:
    got = pce.mmr(scores, unit_vectors(len(scores), 4, seed), 12, 1.0)
    assert got.tolist() == pce.by_score(scores).tolist()


@given(st.lists(st.tuples(unit, st.sampled_from(["a", "b", None]), st.sampled_from(["x", "y", None])), max_size=15))
def test_no_hash_twice_and_no_cluster_thrice(rows: list[tuple[float, str | None, str | None]]) -> None:
    scores, hashes, clusters = [r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows]
    first = pce.at_most(scores, hashes, 1).tolist()
    for name in {h for h in hashes if h}:
        kept = [i for i in first if hashes[i] == name]
        assert len(kept) == 1 and scores[kept[0]] == max(s for s, h in zip(scores, hashes, strict=True) if h == name)
    assert sum(hashes[i] is None for i in first) == hashes.count(None)
    second = pce.at_most(scores, clusters).tolist()
    assert all(sum(clusters[i] == name for i in second) == min(2, clusters.count(name)) for name in ("x", "y"))
    got = pce.diverse(scores, hashes, clusters, unit_vectors(len(rows), 3), 5).tolist()
    assert len(got) <= 5 and set(got) <= set(first)
