"""Budgets of tokens: arithmetic, then laws against the definition."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError
from aforesaid.math import packing as pk

COSTS = st.lists(st.integers(0, 60), max_size=15)
TOKENS = st.integers(0, 5000)
SHARE = st.floats(0, 1)


def test_packing_is_arithmetic() -> None:
    costs = [5, 4, 20, 3, 1]
    assert pk.longest_prefix(costs, 12) == 2  # one long item ends a prefix
    assert pk.longest_prefix(costs, 33) == 5
    assert pk.longest_prefix(costs, 0) == pk.longest_prefix([], 9) == 0


@given(COSTS, st.integers(0, 400))
def test_a_prefix_is_the_longest_that_fits(costs: list[int], budget: int) -> None:
    taken = pk.longest_prefix(costs, budget)
    assert taken == max(r for r in range(len(costs) + 1) if sum(costs[:r]) <= budget)
    assert taken == len(costs) or sum(costs[: taken + 1]) > budget


@given(COSTS, st.integers(0, 400), st.integers(0, 100))
def test_a_larger_budget_never_shortens_a_prefix(costs: list[int], budget: int, more: int) -> None:
    assert pk.longest_prefix(costs, budget) <= pk.longest_prefix(costs, budget + more)


def test_reserves_are_arithmetic() -> None:
    assert pk.share_tokens(100, 0.29) == 29  # not 28.999999999999996
    assert pk.hard_fits(2000, 500) and not pk.hard_fits(2000, 501)
    assert pk.mandatory_fits(100, 60, 40) and not pk.mandatory_fits(100, 60, 41)
    assert pk.soft_budget(2000, 500, 300) == 400  # α2·τ
    assert pk.soft_budget(2000, 500, 1200) == 300  # what is left
    assert pk.soft_budget(2000, 500, 1600) == 0  # never negative
    assert pk.share_tokens(2000, pk.DEFAULTS.tail) == 500
    assert pk.tail_budget(2000, 500, 300, 100) == 500  # the target
    assert pk.tail_budget(2000, 500, 300, 900) == 900  # the base is larger
    assert pk.tail_budget(2000, 1200, 400, 100) == 400  # what is left
    assert pk.recall_budget(2000, 500 + 300 + 500) == 700
    assert pk.recall_budget(2000, 1500 + 300 + 500) == 0


@given(TOKENS, TOKENS, TOKENS, SHARE, SHARE, COSTS)
def test_no_budget_is_negative_and_all_parts_fit(
    total: int, hard: int, base: int, soft_share: float, tail_share: float, costs: list[int]
) -> None:
    allowed = pk.soft_budget(total, hard, base, soft_share)
    soft = sum(costs[: pk.longest_prefix(costs, allowed)])
    tail = pk.tail_budget(total, hard, soft, base, tail_share)
    rest = pk.recall_budget(total, hard + soft + tail)
    assert allowed >= 0 and tail >= 0 and rest >= 0
    assert soft <= allowed <= total
    if pk.mandatory_fits(total, hard, base):
        assert hard + soft + tail + rest <= total + 1e-6
        assert base <= tail  # the last turns are never dropped for soft rules


@given(TOKENS, TOKENS, TOKENS, SHARE)
def test_soft_budget_shrinks_as_the_mandatory_parts_grow(total: int, hard: int, base: int, share: float) -> None:
    assert pk.soft_budget(total, hard + 1, base, share) <= pk.soft_budget(total, hard, base, share)
    assert pk.soft_budget(total, hard, base + 1, share) <= pk.soft_budget(total, hard, base, share)


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf, None])
def test_what_is_no_count_of_tokens_is_refused(bad: object) -> None:
    for call in (
        lambda: pk.longest_prefix([1], bad),
        lambda: pk.longest_prefix([1, bad], 5),
        lambda: pk.soft_budget(bad, 1, 1),
        lambda: pk.soft_budget(1, bad, 1),
        lambda: pk.share_tokens(bad, 0.5),
        lambda: pk.share_tokens(100, bad),
        lambda: pk.tail_budget(100, 1, bad, 1),
        lambda: pk.recall_budget(100, bad),
        lambda: pk.hard_fits(100, bad),
        lambda: pk.mandatory_fits(100, 1, bad),
    ):
        with pytest.raises(InputError):
            call()
