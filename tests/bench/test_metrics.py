"""The metrics as arithmetic, and against trec_eval; intervals, folds and choices as they are promised."""

from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.bench.quality import metrics
from aforesaid.bench.quality.metrics import MIN_GROUPS, estimate, percentile
from aforesaid.bench.quality.types import FOLDS, BenchQuestion, choose, fold_of, session_of, stratified
from aforesaid.errors import InputError

RANKING = ["a", "b", "c", "d"]
IDS = st.sampled_from([f"s{n:04}-t{m:04}" for n in range(6) for m in range(5)])


def test_arithmetic() -> None:
    evidence = {"b", "d", "gone"}
    assert [metrics.any_at(RANKING, evidence, k) for k in (1, 2)] == [0, 1]
    assert [metrics.all_at(RANKING, {"b", "d"}, k) for k in (3, 4)] == [0, 1]
    assert [metrics.fraction_at(RANKING, evidence, k) for k in (1, 2, 4)] == [0, 1 / 3, 2 / 3]
    assert metrics.reciprocal_rank(RANKING, evidence) == 1 / 2
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert metrics.ndcg_at(RANKING, evidence, 4) == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / best)


def test_an_empty_ranking_is_worth_nothing_and_no_evidence_asks_for_nothing() -> None:
    assert set(metrics.ranking_metrics([], {"a"}, (5, 10)).values()) == {0.0}
    assert metrics.ranking_metrics(RANKING, set(), (5, 10)) == {}


@given(
    st.lists(IDS, max_size=25, unique=True),
    st.sets(IDS | st.sampled_from(["s0099-t0001"]), min_size=1),
    st.integers(1, 30),
)
def test_trec_eval_says_the_same(ranking: list[str], evidence: set[str], k: int) -> None:
    judge = pytrec_eval.RelevanceEvaluator(
        {"q": dict.fromkeys(evidence, 1)}, {f"ndcg_cut.{k}", f"recall.{k}", f"success.{k}", "recip_rank"}
    )
    expected = judge.evaluate({"q": {id_: float(-place) for place, id_ in enumerate(ranking)}})["q"] if ranking else {}
    assert metrics.ndcg_at(ranking, evidence, k) == pytest.approx(expected.get(f"ndcg_cut_{k}", 0))
    assert metrics.fraction_at(ranking, evidence, k) == pytest.approx(expected.get(f"recall_{k}", 0))
    assert metrics.any_at(ranking, evidence, k) == expected.get(f"success_{k}", 0)
    assert metrics.reciprocal_rank(ranking, evidence) == pytest.approx(expected.get("recip_rank", 0))
    assert metrics.all_at(ranking, evidence, k) == (expected.get(f"recall_{k}", 0) == pytest.approx(1))


@given(st.lists(IDS, max_size=25, unique=True))
def test_a_session_stands_where_its_best_turn_does(ranking: list[str]) -> None:
    ranked = metrics.sessions_ranked(ranking)
    first = {session: min(i for i, turn in enumerate(ranking) if session_of(turn) == session) for session in ranked}
    assert ranked == sorted(first, key=first.__getitem__)
    assert set(ranked) == set(map(session_of, ranking))


def test_repeats_are_counted_but_for_spacing_and_case() -> None:
    assert metrics.duplicate_share(["Hello there", "hello   THERE", "bye", "bye", "bye"]) == pytest.approx(3 / 5)
    assert metrics.duplicate_share([]) == 0


def test_intervals_are_the_same_every_time_and_hold_the_mean() -> None:
    values = np.random.default_rng(1).uniform(0, 1, 200).tolist()
    groups = [f"g{i}" for i in range(200)]
    found = estimate(values, groups)
    assert found is not None
    assert found == estimate(values, groups)
    assert found.mean == pytest.approx(np.mean(values))
    expected = 1.96 * np.std(values) / math.sqrt(200)
    assert found.high - found.mean == pytest.approx(expected, rel=0.15)
    assert found.mean - found.low == pytest.approx(expected, rel=0.15)
    assert estimate([], []) is None


def test_groups_are_resampled_whole_from_eight_on() -> None:
    def width(groups: int) -> float:
        """Ten equal answers in each group: only the groups vary."""
        found = estimate(
            [float(g % 2) for g in range(groups) for _ in range(10)],
            [f"g{g}" for g in range(groups) for _ in range(10)],
        )
        assert found is not None
        return found.high - found.low

    assert width(MIN_GROUPS) > 2 * width(MIN_GROUPS - 1), (
        "ten questions of one conversation are not ten independent ones"
    )


def test_percentiles() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2
    assert percentile([], 0.5) == 0


def question(number: int, type_: str = "a", group: str | None = None) -> BenchQuestion:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return BenchQuestion(f"q{number}", "?", type_, "c", group or f"g{number}", now, frozenset({"t"}))


def test_folds_are_fixed_for_good() -> None:
    assert [fold_of(name) for name in ("conv-26", "conv-30", "conv-41", "")] == [3, 2, 3, 1]
    assert Counter(fold_of(str(n)) for n in range(5000)).keys() == set(range(FOLDS))


def test_a_fold_and_its_rest_share_nothing_and_make_up_all() -> None:
    questions = [question(n, group=f"g{n % 20}") for n in range(100)]
    part, rest = choose(questions, fold=1), choose(questions, without_fold=1)
    assert {q.group for q in part}.isdisjoint(q.group for q in rest)
    assert sorted(q.id for q in (*part, *rest)) == sorted(q.id for q in questions)


def test_a_limit_keeps_the_mix_of_types() -> None:
    questions = [question(n, "rare" if n % 4 == 0 else "common") for n in range(80)]
    chosen = stratified(questions, 20)
    assert Counter(q.type for q in chosen) == {"common": 15, "rare": 5}
    assert chosen == stratified(questions, 20)
    assert [q.id for q in chosen] == [q.id for q in questions if q in chosen], "in their order"
    assert {q.id for q in stratified(questions, 10)} < {q.id for q in chosen}, "a smaller choice lies inside a larger"
    assert len(stratified(questions, 999)) == 80


def test_a_choice_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="no question of type 'b'"):
        choose([question(1)], types=("b",))
    with pytest.raises(InputError, match="No question is left"):
        choose([question(1)], without_fold=fold_of("g1"))
