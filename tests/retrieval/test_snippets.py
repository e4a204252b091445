"""Which snippets of notes a prompt takes first, and how many (spec 10, O1)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aforesaid.retrieval.ranking.file_tiers import TIERS
from aforesaid.retrieval.snippets import SnippetBudget, by_boosted_score, by_tier, order_snippets
from aforesaid.settings import Settings
from aforesaid.types import Hit, Record
from support.clock import NOW

ROWS = Settings().openclaw
scored = st.lists(st.tuples(st.floats(-0.1, 1.15), st.sampled_from(TIERS)), max_size=20)


def chunks(*found: tuple[float, str]) -> list[Hit]:
    return [
        Hit(Record(f"{i}", "chunk", f"note {i}", NOW, meta={"tier": tier}), score, {}, "")
        for i, (score, tier) in enumerate(found)
    ]


def ids(hits: list[Hit]) -> list[int]:
    return [int(hit.record.id) for hit in hits]


def test_topics_come_first_unless_they_are_weak() -> None:
    assert ids(by_tier(chunks((0.5, "topic"), (0.9, "log"), (0.4, "log")), ROWS)) == [0, 1, 2]
    assert ids(by_tier(chunks((0.2, "topic"), (0.9, "log"), (0.4, "log")), ROWS)) == [1, 2, 0]
    assert ids(by_tier(chunks(*((0.5, tier) for tier in reversed(TIERS))), ROWS)) == [3, 2, 1, 0]


def test_a_boost_decides_between_near_scores_only() -> None:
    assert ids(by_boosted_score(chunks((0.9, "log"), (0.81, "topic"), (0.84, "curated")), ROWS)) == [1, 0, 2]
    assert ids(by_boosted_score(chunks((0.9, "log"), (0.79, "topic"), (0.86, "curated")), ROWS)) == [2, 0, 1]


@given(scored)
def test_the_order_by_tier_is_by_tier_above_the_threshold_and_by_score_below(found: list[tuple[float, str]]) -> None:
    hits = by_tier(chunks(*found), ROWS)
    assert sorted(ids(hits)) == list(range(len(found)))
    sure = [hit for hit in hits if hit.score >= ROWS.threshold]
    assert hits[: len(sure)] == sure, "what is sure comes first"
    places = [(TIERS.index(hit.record.meta["tier"]), -hit.score) for hit in sure]
    assert places == sorted(places)
    rest = [hit.score for hit in hits[len(sure) :]]
    assert rest == sorted(rest, reverse=True)


def test_other_records_keep_their_places() -> None:
    turn = Hit(Record("9", "turn", "said", NOW), 0.7, {}, "")
    first, second = chunks((0.9, "log"), (0.5, "topic"))
    hits = [first, turn, second]
    assert ids(list(order_snippets(hits, "openclaw", Settings(), len))) == [1, 9, 0]
    for profile in ("default", "libra", "pce"):
        assert ids(list(order_snippets(hits, profile, Settings(), len))) == [0, 9, 1], "all of them fit"


def test_a_budget_counts_snippets_and_tokens() -> None:
    budget = SnippetBudget(2, 100)
    assert budget.fits(100) and not budget.fits(101)
    assert budget.less(60) == SnippetBudget(1, 40)
    assert not budget.less(1).less(1).fits(1)
