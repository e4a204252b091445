"""The `openclaw` profile: its numbers by hand, its laws over random chunks."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError
from aforesaid.math import openclaw
from aforesaid.settings.rows import FileRows, OpenclawRows

unit = st.floats(0, 1)
side = st.one_of(unit, st.none())


def boosted(
    score: float, *, topic: bool = False, curated: bool = False, age: float | None = 0, historical: bool = False
) -> float:
    return float(openclaw.boosted([score], [topic], [curated], [age], historical=historical)[0])


def test_norm_vec() -> None:
    assert [openclaw.norm_vec(place) for place in (-1, 0, 1, 2)] == [0, 0, 0.5, 0.75]
    assert openclaw.norm_vec(6) < openclaw.norm_vec(7) < 1


def test_same_meaning() -> None:
    assert openclaw.same_meaning(0.9, 0.6) and not openclaw.same_meaning(0.89, 0.6)
    assert openclaw.same_meaning(0.75, 0.0)


def test_numbers_agree() -> None:
    assert openclaw.numbers_agree("port 80 on db-7", "Port 80") and openclaw.numbers_agree("a port", "port 80")
    assert not openclaw.numbers_agree("port 80", "port 81")


def test_merged() -> None:
    assert openclaw.merged([0.3, 0.9, None, None], [0.5, 0.1, 0.4, math.nan]).tolist() == [0.5, 0.9, 0.4, 0]
    assert openclaw.merged([], []).tolist() == []


def test_boosted() -> None:
    assert boosted(0.5) == 0.5
    assert boosted(0.5, topic=True) == pytest.approx(0.60)
    assert boosted(0.5, curated=True) == pytest.approx(0.55)
    assert boosted(0.5, age=366) == pytest.approx(0.40)
    assert boosted(0.5, age=365) == 0.5  # older than, not as old as
    assert boosted(0.5, age=366, historical=True) == 0.5
    assert boosted(0.5, age=None) == 0.5
    assert boosted(0.5, topic=True, age=400) == pytest.approx(0.5)
    assert boosted(1.0, topic=True) == pytest.approx(1.10)  # not clamped
    assert boosted(0.0, age=400) == pytest.approx(-0.10)
    assert openclaw.boosted([], [], [], []).tolist() == []


def test_early_stop() -> None:
    assert openclaw.early_stop([0.9, 0.8, 0.7, 0.1], ["a", "b", "a", "c"], 0.7)
    assert not openclaw.early_stop([0.9, 0.8, 0.7, 0.1], ["a", "b", "c", "c"], 0.7)  # three files
    assert not openclaw.early_stop([0.9, 0.8, 0.6, 0.1], ["a", "b", "a", "c"], 0.7)  # one below
    assert not openclaw.early_stop([0.9, 0.8], ["a", "a"], 0.7)  # two hits are no three
    assert openclaw.early_stop([0.1, 0.7, 0.8, 0.9], ["c", "a", "b", "a"], 0.7)  # in whatever order
    assert not openclaw.early_stop([], [], 0.0)
    assert openclaw.early_stop([0.6 + 0.1], ["a"], 0.7, OpenclawRows(stop_top=1))


def test_strong_hits() -> None:
    assert openclaw.strong_hits([0.5, 0.49, 1.0, None]) == 2
    assert openclaw.strong_hits([]) == 0


def test_asks_vectors() -> None:
    assert openclaw.asks_vectors([0.9, 0.8, 0.5])
    assert not openclaw.asks_vectors([0.9, 0.8, 0.4])
    assert openclaw.asks_vectors([0.9, 0.8, 0.4], strong=0.4)
    assert not openclaw.asks_vectors([])


def test_flat() -> None:
    assert openclaw.flat([]) and openclaw.flat([0.9])
    assert openclaw.flat([0.5] * 20)
    assert openclaw.flat([0.54, 0.5, 0.5, 0.5])
    assert not openclaw.flat([0.55, 0.5, 0.5, 0.5])
    assert not openclaw.flat([0.9, 0.5, 0.4])
    assert not openclaw.flat([1.0000001, 0.5, 0.4])  # a cosine that overshoots by its rounding


def test_asks_text() -> None:
    assert openclaw.asks_text([0.9, 0.5, 0.4], rare=True)
    assert openclaw.asks_text([0.5, 0.5], rare=False)
    assert not openclaw.asks_text([0.9, 0.5, 0.4], rare=False)


def test_the_seeds_numbers_are_the_defaults() -> None:
    rows, files = OpenclawRows(), FileRows()
    assert (rows.vector_hybrid, rows.text_hybrid) == (12, 12)
    assert (rows.text_exact, rows.strong_exact, rows.vector_exact) == (20, 3, 6)
    assert (rows.vector_semantic, rows.text_semantic, rows.max_expansions) == (20, 8, 4)
    assert (files.max_snippets, files.max_tokens) == (6, 1200)


@given(st.lists(st.tuples(side, side), max_size=12))
def test_merged_is_one_of_its_sides(rows: list[tuple[float | None, float | None]]) -> None:
    got = openclaw.merged([row[0] for row in rows], [row[1] for row in rows]).tolist()
    assert got == [max(a or 0.0, b or 0.0) for a, b in rows]


@given(unit, unit, st.booleans(), st.booleans(), st.floats(0, 5000), st.booleans())
def test_boosts_keep_the_order_and_their_range(
    first: float, second: float, topic: bool, curated: bool, age: float, historical: bool
) -> None:
    low, high = sorted((first, second))
    less, more = (boosted(s, topic=topic, curated=curated, age=age, historical=historical) for s in (low, high))
    assert -0.1 <= less <= more <= 1.15 + 1e-12
    assert boosted(low, topic=topic, curated=curated, age=age, historical=True) >= less


@given(st.lists(st.tuples(unit, st.sampled_from("abc")), max_size=8), unit, unit)
def test_a_lower_threshold_stops_no_later(rows: list[tuple[float, str]], first: float, second: float) -> None:
    scores, files = [row[0] for row in rows], [row[1] for row in rows]
    low, high = sorted((first, second))
    assert openclaw.early_stop(scores, files, low) or not openclaw.early_stop(scores, files, high)


@given(st.lists(unit, max_size=12), unit)
def test_a_better_best_is_no_flatter(scores: list[float], more: float) -> None:
    raised = sorted(scores)
    if len(raised) > 2:
        raised[-1] = max(raised[-1], more)  # of three or more, the median does not move
        assert openclaw.flat(scores) or not openclaw.flat(raised)


@pytest.mark.parametrize(
    "call",
    [
        lambda: openclaw.merged([1.5], [0.5]),
        lambda: openclaw.merged([0.5], []),
        lambda: openclaw.boosted([None], [True], [True], [1]),
        lambda: openclaw.boosted([0.5], [True], [], [1]),
        lambda: openclaw.early_stop([0.5], [], 0.5),
        lambda: openclaw.early_stop([math.nan], ["a"], 0.5),
        lambda: openclaw.strong_hits([2.0]),
        lambda: openclaw.flat([None, 0.5]),
    ],
)
def test_domains_are_checked(call: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        call()
