"""Temporal retrieval: every formula by hand, every law and edge case of spec 5.7 over random pools."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError
from aforesaid.math import temporal
from aforesaid.settings.rows import TimeRows

ROWS = TimeRows()
NO_FLAGS = np.zeros(0, dtype=np.bool_)
shares = st.floats(0, 1)
present = st.frozensets(st.sampled_from((*temporal.PATTERNS, "natural_date", "other")))


def flags(*rows: str) -> temporal.Flags:
    """Matches as a picture: one string a record, 1 where it covers the slot."""
    return np.array([[sign == "1" for sign in row] for row in rows], dtype=np.bool_).reshape(len(rows), -1)


@st.composite
def pools(draw: st.DrawFn, least: int = 0) -> tuple[list[float], list[float], temporal.Flags]:
    size, slots = draw(st.integers(least, 8)), draw(st.integers(0, 4))
    final, anchors = (draw(st.lists(shares, min_size=size, max_size=size)) for _ in range(2))
    bits = draw(st.lists(st.booleans(), min_size=size * slots, max_size=size * slots))
    return final, anchors, np.array(bits, dtype=np.bool_).reshape(size, slots)


@st.composite
def weights(draw: st.DrawFn) -> TimeRows:
    final, anchor, coverage = (draw(shares) for _ in range(3))
    return replace(ROWS, weight_final=final, weight_anchor=anchor, weight_coverage=coverage)


def projected(final: object, anchors: object, gains: object, xi: float, rows: TimeRows = ROWS) -> temporal.Floats:
    return temporal.projected_score(final, temporal.coverage_score(final, anchors, gains, rows), xi)  # type: ignore[arg-type]


# -- ξ(q) and A(d) -----------------------------------------------------------------------------------------------------


def test_query_indicator() -> None:
    assert temporal.query_indicator([]) == 0
    assert temporal.query_indicator(["when_did"]) == pytest.approx(0.7 / 1.5)
    assert temporal.query_indicator(["how_many_days"]) == pytest.approx(1.0 / 1.5)
    assert temporal.query_indicator(["since_between", "when_did"]) == pytest.approx(1.4 / 1.5)
    assert temporal.query_indicator(["natural_date"]) == 0
    assert temporal.query_indicator(temporal.PATTERNS) == 1


def test_every_pattern_has_a_weight() -> None:
    assert set(temporal.PATTERNS) <= {field.name for field in fields(TimeRows)}
    assert [getattr(ROWS, name) for name in temporal.PATTERNS] == [1.0, 0.9, 0.8, 0.8, 0.7, 0.7]


def test_two_strong_signals_saturate_the_indicator() -> None:
    strong = [name for name in temporal.PATTERNS if getattr(ROWS, name) >= 0.8]
    assert len(strong) == 4
    assert all(temporal.query_indicator(pair) == 1 for pair in combinations(strong, 2))


@given(present, present)
def test_the_indicator_is_bounded_and_grows(some: frozenset[str], more: frozenset[str]) -> None:
    assert 0 <= temporal.query_indicator(some) <= temporal.query_indicator(some | more) <= 1


def test_active() -> None:
    assert not temporal.active(0)
    assert not temporal.active(0.2999)
    assert temporal.active(0.3)
    assert temporal.active(0.1 + 0.2) and temporal.active(0.8 - 0.5)  # 0.30000000000000004 and a hair under 0.3
    assert temporal.active(1)


@given(present)
def test_any_shipped_pattern_switches_the_path_on_and_none_leaves_it_off(some: frozenset[str]) -> None:
    assert temporal.active(temporal.query_indicator(some)) == bool(some & set(temporal.PATTERNS))


def test_anchor_density() -> None:
    assert [temporal.anchor_density(count) for count in (0, 1, 2)] == pytest.approx([0, 1 / 3, 2 / 3])
    assert temporal.anchor_density(1, replace(ROWS, anchor_norm=1)) == 1


@given(st.integers(3, 10**9))
def test_three_anchors_saturate_the_density(count: int) -> None:
    assert temporal.anchor_density(count) == 1


@given(st.integers(0, 10**6), st.integers(1, 1000))
def test_the_density_is_bounded_and_grows(count: int, norm: int) -> None:
    rows = replace(ROWS, anchor_norm=norm)
    assert 0 <= temporal.anchor_density(count, rows) <= temporal.anchor_density(count + 1, rows) <= 1


# -- φ and ΔΦ ----------------------------------------------------------------------------------------------------------


def test_slot_matches() -> None:
    found = temporal.slot_matches([[0.5, 0.49], [-1.0, 1.0]])
    assert found.tolist() == [[True, False], [False, True]]
    assert temporal.slot_matches([[0.0]], replace(ROWS, slot_cosine=0.0)).tolist() == [[True]]
    assert temporal.slot_matches(np.zeros((3, 0))).shape == (3, 0)


def test_marginal_coverage() -> None:
    matches = flags("1100", "0110", "0000")
    assert temporal.marginal_coverage(matches, flags("0000")[0]).tolist() == [0.5, 0.5, 0]
    assert temporal.marginal_coverage(matches, temporal.covered_slots(matches, [0])).tolist() == [0, 0.25, 0]
    assert temporal.marginal_coverage(matches, flags("1111")[0]).tolist() == [0, 0, 0]


@given(pools(), st.data())
def test_marginal_coverage_as_the_seed_writes_it(
    pool: tuple[list[float], list[float], temporal.Flags], data: st.DataObject
) -> None:
    matches = pool[2]
    records, slots = matches.shape
    chosen = data.draw(st.lists(st.integers(0, records - 1), unique=True)) if records else []
    expected = [
        sum(matches[d, j] and not any(matches[other, j] for other in chosen) for j in range(slots)) / max(slots, 1)
        for d in range(records)
    ]
    assert temporal.marginal_coverage(matches, temporal.covered_slots(matches, chosen)).tolist() == expected


@given(pools(least=1), st.data())
def test_marginal_coverage_is_bounded_never_grows_and_is_nothing_for_the_chosen(
    pool: tuple[list[float], list[float], temporal.Flags], data: st.DataObject
) -> None:
    matches = pool[2]
    order = data.draw(st.permutations(range(len(matches))))
    before = np.ones(len(matches))
    for count in range(len(order) + 1):
        gains = temporal.marginal_coverage(matches, temporal.covered_slots(matches, order[:count]))
        assert ((gains >= 0) & (gains <= before)).all()
        assert not gains[list(order[:count])].any()
        before = gains
    assert not before.any()  # every slot that can be covered is


# -- S_cov, S_proj and the degeneracy table ----------------------------------------------------------------------------


def test_coverage_score() -> None:
    assert temporal.coverage_score([0.5, 1, 0], [1 / 3, 1, 0], [0.25, 1, 0]) == pytest.approx(
        [0.3 + 0.2 / 3 + 0.05, 1, 0]
    )
    heavy = replace(ROWS, weight_final=1.0, weight_anchor=0.5, weight_coverage=0.5)  # sums to 2: halved
    assert temporal.coverage_score([0.8], [0.4], [0.0], heavy) == pytest.approx([0.5 * 0.8 + 0.25 * 0.4])
    nothing = replace(ROWS, weight_final=0.0, weight_anchor=0.0, weight_coverage=0.0)
    assert temporal.coverage_score([0.8], [0.4], [1.0], nothing) == pytest.approx([0.8])


def test_projected_score() -> None:
    assert temporal.projected_score([0.4, 0.4], [0.8, 0.0], 0.25) == pytest.approx([0.5, 0.3])
    # the substituted form: (1 − ξ(1−μ))·S + ξν·A + ξρ·ΔΦ
    assert projected([0.5], [1.0], [0.5], 0.7) == pytest.approx([(1 - 0.7 * 0.4) * 0.5 + 0.7 * 0.2 + 0.7 * 0.2 * 0.5])


@given(shares, shares, shares, shares, weights())
def test_scores_are_bounded_and_lie_between_their_parts(
    final: float, anchor: float, gain: float, xi: float, rows: TimeRows
) -> None:
    (covering,) = temporal.coverage_score([final], [anchor], [gain], rows)
    assert min(final, anchor, gain) - 1e-12 <= covering <= max(final, anchor, gain) + 1e-12
    (score,) = temporal.projected_score([final], [covering], xi)
    assert 0 <= score <= 1
    assert min(final, covering) <= score <= max(final, covering)


@given(shares, shares, shares, shares)
def test_the_coefficients_sum_to_one(final: float, anchor: float, gain: float, xi: float) -> None:
    parts = (1 - xi * (1 - 0.6), xi * 0.2, xi * 0.2)
    assert sum(parts) == pytest.approx(1)
    by_hand = parts[0] * final + parts[1] * anchor + parts[2] * gain
    assert projected([final], [anchor], [gain], xi) == pytest.approx([by_hand])


@given(shares, shares, shares, weights())
def test_without_a_temporal_signal_the_score_is_the_ordinary_one(
    final: float, anchor: float, gain: float, rows: TimeRows
) -> None:
    assert projected([final], [anchor], [gain], 0.0, rows).tolist() == [final]


@given(shares, shares, shares, weights())
def test_a_saturated_signal_gives_the_coverage_score(final: float, anchor: float, gain: float, rows: TimeRows) -> None:
    assert projected([final], [anchor], [gain], 1.0, rows) == pytest.approx(
        temporal.coverage_score([final], [anchor], [gain], rows)
    )


@given(shares, shares, shares)
def test_the_no_op_weights_leave_the_ordinary_score(final: float, anchor: float, gain: float) -> None:
    no_op = replace(ROWS, weight_final=1.0, weight_anchor=0.0, weight_coverage=0.0)
    assert projected([final], [anchor], [gain], 1.0, no_op).tolist() == [final]


@given(st.lists(shares, min_size=1, max_size=5), shares)
def test_without_slots_the_coverage_term_vanishes(final: list[float], xi: float) -> None:
    gains = temporal.marginal_coverage(np.zeros((len(final), 0), dtype=np.bool_), NO_FLAGS)
    assert gains.tolist() == [0.0] * len(final)
    mixed = [(1 - xi * 0.4) * score + xi * 0.2 * 1.0 for score in final]
    assert projected(final, [1.0] * len(final), gains, xi) == pytest.approx(mixed)


@given(pools(least=1))
def test_of_an_empty_choice_the_gain_is_the_whole_share_of_slots(
    pool: tuple[list[float], list[float], temporal.Flags],
) -> None:
    matches = pool[2]
    gains = temporal.marginal_coverage(matches, temporal.covered_slots(matches, []))
    assert gains.tolist() == [row.mean() if len(row) else 0 for row in matches]


@given(pools(least=1))
def test_with_all_slots_covered_no_record_gains(pool: tuple[list[float], list[float], temporal.Flags]) -> None:
    covered = np.ones(pool[2].shape[1], dtype=np.bool_)
    assert not temporal.marginal_coverage(pool[2], covered).any()


# -- the recovery set --------------------------------------------------------------------------------------------------


@given(st.integers(1, 12), st.integers(0, 40))
def test_the_levels_of_density_go_from_one_to_zero(norm: int, count: int) -> None:
    rows = replace(ROWS, anchor_norm=norm)
    levels = list(temporal.density_levels(rows))
    [place] = [i for i, (least, most) in enumerate(levels) if least <= count and (most is None or count <= most)]
    assert temporal.anchor_density(count, rows) == pytest.approx(1 - place / norm)
    assert len(levels) == norm + 1


# -- the greedy selector -----------------------------------------------------------------------------------------------


def test_select_brings_the_missing_anchor_in() -> None:
    """The set-scoring gap of spec L9.1: B completes A although C and D are each more alike to the query."""
    final, anchors = [0.60, 0.58, 0.57, 0.40], [1.0, 0.0, 0.0, 1.0]
    matches = flags("10", "10", "10", "01")
    assert [choice.index for choice in temporal.select(final, anchors, matches, 1.0)] == [0, 3, 1]
    first, second, third = temporal.select(final, anchors, matches, 1.0)
    assert (first.score, first.gain) == pytest.approx((0.36 + 0.2 + 0.1, 0.5))
    assert (second.score, second.gain) == pytest.approx((0.24 + 0.2 + 0.1, 0.5))
    assert (third.score, third.gain) == pytest.approx((0.6 * 0.58, 0.0))


def test_select_recomputes_the_gain_at_every_step() -> None:
    matches = flags("11", "11", "00")
    chosen = temporal.select([0.5, 0.5, 0.45], [0.0, 0.0, 0.3], matches, 1.0)
    assert [choice.index for choice in chosen] == [0, 2, 1]  # 1 was as good as 0 until 0 covered both slots
    assert [choice.gain for choice in chosen] == [1.0, 0.0, 0.0]


def test_select_takes_the_first_of_equals() -> None:
    same = [0.5] * 6
    assert [c.index for c in temporal.select(same, same, flags(*["1"] * 6), 0.8)] == [0, 1, 2]


def test_select_stops_under_the_threshold() -> None:
    none = np.zeros((3, 0), dtype=np.bool_)
    assert [c.index for c in temporal.select([0.5, 0.09, 0.1], [0.0] * 3, none, 0.0)] == [0, 2]
    assert temporal.select([0.09] * 3, [0.0] * 3, none, 0.0) == ()
    assert len(temporal.select([0.1] * 3, [0.0] * 3, none, 0.0)) == 3  # at the threshold it goes on


def test_an_empty_pool_selects_nothing() -> None:
    assert temporal.select([], [], np.zeros((0, 2), dtype=np.bool_), 1.0) == ()
    assert temporal.injection_scores([], [], np.zeros((0, 2), dtype=np.bool_), [], 1.0).tolist() == []


def test_no_slots_do_not_divide_by_zero() -> None:
    chosen = temporal.select([0.5, 0.6], [1.0, 0.0], np.zeros((2, 0), dtype=np.bool_), 1.0)
    assert [(c.index, c.gain) for c in chosen] == [(0, 0.0), (1, 0.0)]


@given(st.floats(0, 0.2999))
def test_below_the_threshold_the_ordinary_path_runs(xi: float) -> None:
    assert not temporal.active(xi)


@given(pools(), shares)
def test_what_is_selected_depends_on_no_token_budget_and_is_part_of_the_pool(
    pool: tuple[list[float], list[float], temporal.Flags], xi: float
) -> None:
    chosen = [choice.index for choice in temporal.select(*pool, xi)]
    assert len(set(chosen)) == len(chosen) <= ROWS.k_coverage
    assert set(chosen) <= set(range(len(pool[0])))


@given(pools(), shares, st.integers(1, 5), weights())
def test_the_selector_against_a_plain_loop(
    pool: tuple[list[float], list[float], temporal.Flags], xi: float, k: int, rows: TimeRows
) -> None:
    final, anchors, matches = pool
    rows = replace(rows, k_coverage=k)
    taken: list[int] = []
    while len(taken) < k and len(taken) < len(final):
        gains = temporal.marginal_coverage(matches, temporal.covered_slots(matches, taken))
        scores = projected(final, anchors, gains, xi, rows)
        best = min((i for i in range(len(final)) if i not in taken), key=lambda i: (-scores[i], i))
        if scores[best] + temporal.SLACK < rows.stop:
            break
        taken.append(best)
    assert [choice.index for choice in temporal.select(final, anchors, matches, xi, rows)] == taken


@given(pools(), shares)
def test_scores_fall_from_step_to_step(pool: tuple[list[float], list[float], temporal.Flags], xi: float) -> None:
    chosen = temporal.select(*pool, xi)
    assert all(0 <= choice.score <= 1 and 0 <= choice.gain <= 1 for choice in chosen)
    assert all(later.score <= earlier.score + 1e-12 for earlier, later in pairwise(chosen))


def test_injection_scores() -> None:
    final, anchors, matches = [0.5, 0.4, 0.3], [1.0, 0.0, 0.0], flags("110", "011", "000")
    found = temporal.injection_scores(final, anchors, matches, [0, 1], 1.0)
    assert found == pytest.approx([0.3 + 0.2 + 0.2 / 3, 0.24 + 0.2 / 3])  # the middle slot is covered by both


@given(pools(), shares)
def test_injection_scores_are_those_without_the_record_itself(
    pool: tuple[list[float], list[float], temporal.Flags], xi: float
) -> None:
    final, anchors, matches = pool
    chosen = [choice.index for choice in temporal.select(final, anchors, matches, xi)]
    found = temporal.injection_scores(final, anchors, matches, chosen, xi)
    assert len(found) == len(chosen)
    for score, index in zip(found, chosen, strict=True):
        others = temporal.covered_slots(matches, [other for other in chosen if other != index])
        gains = temporal.marginal_coverage(matches, others)
        assert score == pytest.approx(projected(final, anchors, gains, xi)[index])
        assert 0 <= score <= 1


# -- domains and speed -------------------------------------------------------------------------------------------------

NAN = float("nan")


@pytest.mark.parametrize("xi", [-0.1, 1.1, NAN])
def test_an_indicator_out_of_its_domain_is_refused(xi: float) -> None:
    with pytest.raises(InputError):
        temporal.active(xi)
    with pytest.raises(InputError):
        temporal.projected_score([0.5], [0.5], xi)


@pytest.mark.parametrize("value", [-0.01, 1.01, NAN])
def test_scores_out_of_their_domain_are_refused(value: float) -> None:
    for final, anchor in ((value, 0.5), (0.5, value)):
        with pytest.raises(InputError):
            temporal.select([final], [anchor], flags("1"), 0.5)
    with pytest.raises(InputError):
        temporal.coverage_score([0.5], [0.5], [value])


@pytest.mark.parametrize("cosine", [-1.1, 1.1, NAN])
def test_cosines_out_of_their_domain_are_refused(cosine: float) -> None:
    with pytest.raises(InputError):
        temporal.slot_matches([[cosine]])


def test_shapes_that_differ_are_refused() -> None:
    with pytest.raises(InputError):
        temporal.anchor_density(-1)
    with pytest.raises(InputError):
        temporal.slot_matches([0.5])
    with pytest.raises(InputError):
        temporal.marginal_coverage(flags("10"), NO_FLAGS)
    with pytest.raises(InputError):
        temporal.marginal_coverage(np.ones((1, 2)), np.zeros(2, dtype=np.bool_))  # type: ignore[arg-type]
    with pytest.raises(InputError):
        temporal.select([0.5], [0.5, 0.5], flags("1"), 0.5)
