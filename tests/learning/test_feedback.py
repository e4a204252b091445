"""Feedback on records: how it changes utility and confidence, what it leaves alone, and how duplicates are merged."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import InputError, NotFoundError
from aforesaid.memory import Memory
from aforesaid.store.memory import DictStore
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.text.analyze import query_terms
from aforesaid.types import Edge, EventFilter, Record, Turn
from support.clock import NOW

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


@pytest.fixture
def boat(memory: Memory) -> Record:
    memory.ingest([Turn("t1", "s1", "user", "My boat lies in the harbour of Lisbon.", NOW)], user="ana")
    return memory.get("t1", user="ana")


def test_each_signal_moves_worth_by_its_rule(memory: Memory, boat: Record) -> None:
    report = memory.feedback("t1", "helpful", user="ana", now=NOW)
    assert (report.id, report.counted, report.before.utility, report.before.confidence) == ("t1", True, 0.0, 1.0)
    assert (report.after.utility, report.after.confidence) == (pytest.approx(0.10), 1.0), "confidence is at its top"
    report = memory.feedback("t1", "harmful", user="ana", now=NOW)
    assert (report.after.utility, report.after.confidence) == (pytest.approx(-0.10), pytest.approx(0.90))
    report = memory.feedback("t1", "outdated", user="ana", now=NOW)
    assert (report.after.utility, report.after.confidence) == (pytest.approx(-0.10), pytest.approx(0.70))
    held = memory.get("t1", user="ana")
    assert (held.utility, held.confidence) == (report.after.utility, report.after.confidence)
    assert (held.text, held.updated, held.valid_to) == (boat.text, None, None), "neither older nor newer than it was"


def test_utility_and_quality_fade_before_they_move(memory: Memory, boat: Record) -> None:
    memory.store.put([replace(boat, utility=0.8, meta={**boat.meta, "quality": 0.6})])
    memory.feedback("t1", "outdated", user="ana", now=NOW + 30 * DAY)
    held = memory.get("t1", user="ana")
    assert held.utility == pytest.approx(0.4)
    assert held.meta["quality"] == pytest.approx(0.6 * 2 ** (-30 / 120))
    memory.feedback("t1", "helpful", user="ana", now=NOW + 60 * DAY)
    held = memory.get("t1", user="ana")
    assert held.utility == pytest.approx(0.2 + 0.1), "from the last feedback on, not from the beginning"
    memory.feedback("t1", "helpful", user="ana", now=NOW)
    assert memory.get("t1", user="ana").utility == pytest.approx(0.4), "a time before the last one fades nothing"


def test_the_same_signal_counts_once_a_minute(memory: Memory, boat: Record) -> None:
    at = NOW.replace(second=5)
    first = memory.feedback("t1", "helpful", user="ana", now=at)
    after = memory.get("t1", user="ana")
    again = memory.feedback("t1", "helpful", user="ana", now=at + timedelta(seconds=50))
    assert (first.counted, again.counted) == (True, False)
    assert again.before == again.after == first.after
    assert memory.get("t1", user="ana") == after
    assert len(memory.store.log.find(EventFilter("default", topic="feedback"))) == 1
    assert memory.feedback("t1", "harmful", user="ana", now=at).counted, "another signal is another thing"
    assert memory.feedback("t1", "helpful", user="ana", now=at + MINUTE).counted


def test_feedback_is_an_event_without_words(memory: Memory, boat: Record) -> None:
    memory.feedback("t1", "helpful", user="ana", query="harbour of Lisbon", now=NOW)
    [event] = memory.store.log.find(EventFilter("default", topic="feedback"))
    assert event.subject == boat.key
    assert event.body["signal"] == "helpful"
    assert event.body["before"] == {"utility": 0.0, "confidence": 1.0}
    assert event.body["after"] == {"utility": pytest.approx(0.1), "confidence": 1.0}
    assert event.body["label"]["label"] == 1
    assert "arbour" not in json.dumps(event.body), "neither the record's words nor the query's"


@pytest.mark.parametrize(("signal", "label"), [("helpful", 1), ("harmful", 0), ("outdated", 0)])
def test_a_query_leaves_a_label_with_the_scores_of_both_arms(
    memory: Memory, boat: Record, signal: str, label: int
) -> None:
    report = memory.feedback("t1", signal, user="ana", query="boat harbour", now=NOW)
    [found] = memory.store.text_search(query_terms("boat harbour"), memory.where(user="ana"), 5)
    assert report.label is not None
    vector = HashEmbedder(64).embed_query("boat harbour")
    assert report.label["cos"] == pytest.approx(float(memory.store.vectors([boat.key])[boat.key] @ vector), abs=1e-6)
    assert (found.key, report.label["bm25"]) == (boat.key, pytest.approx(found.score)), "as any search would see it"
    assert report.label["label"] == label
    other = memory.feedback("t1", signal, user="ana", query="zebra", now=NOW + MINUTE)
    assert other.label is not None
    assert other.label["bm25"] is None, "a word that it does not hold"


def test_without_vectors_a_label_has_words_only(memory: Memory, boat: Record) -> None:
    mute = Memory(memory.store, None, settings=memory.settings, clock=lambda: NOW)
    report = mute.feedback("t1", "helpful", user="ana", query="boat", now=NOW)
    assert report.label is not None
    assert report.label["cos"] is None


def test_mistakes_are_named(memory: Memory, boat: Record) -> None:
    with pytest.raises(InputError, match="signal 'great' is unknown"):
        memory.feedback("t1", "great", user="ana")
    with pytest.raises(NotFoundError):
        memory.feedback("t1", "helpful", user="bo")
    with pytest.raises(InputError, match="needs a representative record"):
        memory.feedback("t1", "duplicate", user="ana")
    with pytest.raises(InputError, match="no representative"):
        memory.feedback("t1", "helpful", of="t1", user="ana")
    with pytest.raises(InputError, match="query is empty"):
        memory.feedback("t1", "helpful", query=" ", user="ana")
    assert memory.store.log.find(EventFilter("default", topic="feedback")) == []
    assert memory.get("t1", user="ana") == boat


# -- duplicates --------------------------------------------------------------------------------------------------------


@pytest.fixture
def pair(memory: Memory) -> tuple[Record, Record]:
    """A claim and another that repeats it, with utility, uses, evidence and a summary of their own."""
    one = memory.remember("Ana lives in Lisbon.", user="ana", time=NOW - DAY)
    two = memory.remember("Lisbon is Ana's home.", user="ana", time=NOW)
    memory.ingest([Turn("t1", "s1", "user", "I moved to Lisbon.", NOW - DAY)], user="ana")
    source = memory.get("t1", user="ana")
    summary = memory.remember("What Ana says about Lisbon.", user="ana", time=NOW)
    memory.store.put(
        [
            replace(one, utility=0.2, confidence=0.5, meta={**one.meta, "uses": 3}),
            replace(two, utility=0.4, confidence=0.4, meta={**two.meta, "uses": 4}),
        ]
    )
    memory.store.link(
        [
            Edge(two.key, source.key, "evidence", NOW),
            Edge(summary.key, two.key, "covers", NOW),
            Edge(two.key, source.key, "hop", NOW),
        ]
    )
    return memory.get(one.id, user="ana"), memory.get(two.id, user="ana")


def edges(memory: Memory, record: Record) -> set[tuple[str, str, str]]:
    found = [*memory.store.edges([record.key]), *memory.store.edges([record.key], incoming=True)]
    return {(edge.source, edge.target, edge.kind) for edge in found}


def test_a_duplicate_is_merged_into_its_representative(memory: Memory, pair: tuple[Record, Record]) -> None:
    one, two = pair
    before = edges(memory, two)
    report = memory.feedback(two.id, "duplicate", of=one.id, user="ana", now=NOW)
    assert (report.counted, report.into) == (True, one.id)
    kept, gone = memory.get(one.id, user="ana"), memory.get(two.id, user="ana")
    assert kept.utility == pytest.approx(0.4), "the better of the two, one faded by a day"
    assert (kept.confidence, kept.meta["uses"], kept.valid_to) == (0.5, 7, None)
    assert memory.store.values.get(Slot(ValueKind.USES, "default", "user:ana")) == "7"
    assert (gone.text, gone.valid_to) == (two.text, NOW)
    assert gone.utility == pytest.approx(0.2), "damped"
    moved = {(one.key if a == two.key else a, one.key if b == two.key else b, kind) for a, b, kind in before}
    assert edges(memory, one) == {edge for edge in moved if edge[2] != "hop"} | {(one.key, two.key, "supersedes")}
    assert before < edges(memory, two), "nothing is deleted"
    texts = [hit.record.text for hit in memory.search("Lisbon home", user="ana", now=NOW)]
    assert two.text not in texts
    earlier = memory.search("Lisbon home", user="ana", as_of=NOW - timedelta(seconds=1), now=NOW)
    assert len(earlier) > 0


def test_merging_twice_is_merging_once(memory: Memory, pair: tuple[Record, Record]) -> None:
    one, two = pair
    memory.feedback(two.id, "duplicate", of=one.id, user="ana", now=NOW)
    kept = memory.get(one.id, user="ana")
    for later in (NOW, NOW + DAY):
        assert not memory.feedback(two.id, "duplicate", of=one.id, user="ana", now=later).counted
    assert memory.get(one.id, user="ana") == kept


def test_what_cannot_be_merged_is_refused_and_nothing_changes(memory: Memory, pair: tuple[Record, Record]) -> None:
    one, two = pair
    memory.ingest([Turn("t2", "s1", "user", "Other words.", NOW)], user="ana")
    shared = memory.remember("Everybody lives in Lisbon.", scope="global", time=NOW)
    old = memory.remember("Ana lives in Porto.", user="ana", time=NOW - 2 * DAY)
    memory.store.put([replace(old, valid_to=NOW - DAY)])
    summary = memory.get("t1", user="ana")
    memory.store.link([Edge(one.key, summary.key, "covers", NOW)])
    for what, of, why in (
        (two.id, two.id, "they are one record"),
        (two.id, shared.id, "different owners"),
        (two.id, old.id, "was superseded itself"),
        (old.id, one.id, "was superseded already"),
        ("t1", one.id, "one was made from the other"),
        (one.id, "t1", "one was made from the other"),
    ):
        with pytest.raises(InputError, match=why):
            memory.feedback(what, "duplicate", of=of, user="ana", now=NOW)
    assert memory.get(one.id, user="ana") == one
    assert memory.get(two.id, user="ana") == two
    assert memory.store.log.find(EventFilter("default", topic="feedback")) == []
    memory.feedback(two.id, "duplicate", of=one.id, user="ana", now=NOW)
    with pytest.raises(InputError, match="was superseded itself"):
        memory.feedback(one.id, "duplicate", of=two.id, user="ana", now=NOW)


# -- laws --------------------------------------------------------------------------------------------------------------

SIGNALS = st.sampled_from(["helpful", "harmful", "outdated"])
STEPS = st.lists(st.tuples(SIGNALS, st.integers(0, 200_000)), max_size=12)


def fresh() -> Memory:
    memory = Memory(DictStore(), HashEmbedder(16), clock=lambda: NOW)
    memory.ingest([Turn("t", "s", "user", "The secret garden of words.", NOW)], user="ana")
    return memory


@given(STEPS, st.floats(-1, 1), st.floats(0, 1))
@hypothesis_settings(max_examples=60)
def test_worth_stays_in_range_and_words_stay_out_of_events(
    steps: list[tuple[str, int]], utility: float, confidence: float
) -> None:
    memory = fresh()
    record = memory.get("t", user="ana")
    memory.store.put([replace(record, utility=utility, confidence=confidence, meta={"quality": confidence})])
    at = NOW
    for signal, minutes in steps:
        at += minutes * MINUTE
        report = memory.feedback("t", signal, user="ana", query="garden", now=at)
        assert -1 <= report.after.utility <= 1
        assert 0 <= report.after.confidence <= 1
        held = memory.get("t", user="ana")
        assert (held.utility, held.confidence) == (report.after.utility, report.after.confidence)
        assert 0 <= held.meta["quality"] <= confidence
    for event in memory.store.log.find(EventFilter("default", topic="feedback")):
        assert "garden" not in json.dumps(event.body)


@given(st.lists(SIGNALS, min_size=1, max_size=8), st.randoms(use_true_random=False))
@hypothesis_settings(max_examples=40)
def test_within_a_minute_neither_order_nor_repetition_counts(signals: list[str], random: object) -> None:
    outcomes = []
    for order in (signals, sorted(set(signals)), random.sample(signals, len(signals))):  # type: ignore[attr-defined]
        memory = fresh()
        memory.store.put([replace(memory.get("t", user="ana"), confidence=0.5)])
        counted = [memory.feedback("t", signal, user="ana", now=NOW).counted for signal in order]
        assert sum(counted) == len(set(signals))
        held = memory.get("t", user="ana")
        outcomes.append((round(held.utility, 9), round(held.confidence, 9)))
    assert outcomes[0] == outcomes[1] == outcomes[2]
