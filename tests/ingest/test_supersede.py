"""Stale facts lose: newer statements about the same thing win, and both stay."""

from __future__ import annotations

from datetime import timedelta

import pytest

from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.types import EventFilter, Filter, Turn
from support.clock import NOW

DAY = timedelta(days=1)


def say(memory: Memory, *said: tuple[str, str], role: str = "user", days_ago: int = 10) -> None:
    for i, (name, text) in enumerate(said):
        memory.ingest([Turn(name, "s", role, text, NOW - (days_ago - i) * DAY)], user="ana")


def test_a_newer_turn_comes_before_the_one_it_replaces(memory: Memory) -> None:
    say(memory, ("t1", "My manager is Ana Silva."), ("t2", "It rained all day."), ("t3", "My manager is Bo Lind now."))
    hits = memory.search("who is my manager, Ana Silva?", user="ana")
    ids = [hit.record.id for hit in hits]
    assert ids.index("t3") < ids.index("t1"), "the newest valid one wins"
    by_id = {hit.record.id: hit for hit in hits}
    assert "superseded=by t3" in by_id["t1"].reason
    assert "supersedes=t1" in by_id["t3"].reason
    assert memory.get("t1", user="ana").text == "My manager is Ana Silva.", "both remain"
    assert [record.id for record in memory.history("t3", user="ana")] == ["t1", "t3"]


def test_a_chain_in_one_batch(memory: Memory) -> None:
    said = ("My manager is Ana Silva.", "My manager is Bo Lind now.", "My manager is Cy Park now.")
    memory.ingest([Turn(f"t{i}", "s", "user", text, NOW + i * DAY) for i, text in enumerate(said)], user="ana")
    first, second, third = (memory.get(f"t{i}", user="ana") for i in range(3))
    assert (first.meta["superseded_by"], second.meta["superseded_by"]) == (second.key, third.key)
    assert len(memory.store.log.find(EventFilter("default", topic="supersede"))) == 2
    assert [record.id for record in memory.history("t1", user="ana")] == ["t0", "t1", "t2"]


def test_then_and_now(memory: Memory) -> None:
    say(memory, ("t1", "My manager is Ana Silva."), ("t3", "My manager is Bo Lind now."))
    then = memory.search("who is my manager?", user="ana", as_of=NOW - 10 * DAY)
    assert [hit.record.id for hit in then] == ["t1"]
    assert "superseded" not in then[0].reason, "nothing had replaced it then"


def test_what_replaced_a_hit_comes_along(memory: Memory) -> None:
    say(memory, ("t1", "We live in Lisbon."), ("t2", "We moved to Porto."))
    [first, *_] = memory.search("Lisbon", user="ana", limit=1)
    assert first.record.id == "t2"
    assert "found=through what it replaced" in first.reason or "supersedes=t1" in first.reason


def test_claims_end_when_something_replaces_them(memory: Memory) -> None:
    memory.remember("My manager is Ana Silva.", user="ana", time=NOW - 5 * DAY)
    newer = memory.remember("My manager is Bo Lind now.", user="ana", time=NOW - DAY)
    assert [hit.record.id for hit in memory.search("who is my manager", user="ana")] == [newer.id]
    then = memory.search("who is my manager", user="ana", as_of=NOW - 3 * DAY)
    assert [hit.record.text for hit in then] == ["My manager is Ana Silva."]
    events = memory.store.log.find(EventFilter("default", topic="supersede"))
    assert len(events) == 1 and "Ana" not in str(events[0].body)


def test_a_turn_ends_a_claim_and_not_the_other_way(memory: Memory) -> None:
    old = memory.remember("My manager is Ana Silva.", user="ana", time=NOW - 50 * DAY)
    say(memory, ("t1", "My manager is Bo Lind now."))
    assert memory.get(old.id, user="ana").valid_to is not None
    memory.remember("My manager is Cy Park now.", user="ana", time=NOW)
    turn = memory.get("t1", user="ana")
    assert turn.valid_to is None and turn.meta["superseded_by"], "a turn says more than one thing"


def test_history_that_arrives_late_is_stale_at_once(memory: Memory) -> None:
    say(memory, ("t9", "My manager is Bo Lind now."), days_ago=2)
    say(memory, ("t1", "My manager is Ana Silva."), days_ago=300)
    assert memory.get("t1", user="ana").meta["superseded_by"] == memory.get("t9", user="ana").key


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My manager is Ana Silva.", "My sister's manager is Bo Lind."),
        ("I have a dog called Rex.", "I have a cat called Figo."),
        ("The Tokyo office opens at nine.", "The Osaka office opens at ten."),
        ("My manager is Ana Silva.", "Is my manager Bo Lind now?"),
    ],
)
def test_look_alikes_stay(memory: Memory, older: str, newer: str) -> None:
    say(memory, ("t1", older), ("t2", newer))
    assert "superseded_by" not in memory.get("t1", user="ana").meta


def test_only_words_of_the_same_owner_and_not_of_agents_or_from_outside(memory: Memory) -> None:
    say(memory, ("t1", "My manager is Ana Silva."))
    memory.ingest([Turn("o1", "s", "user", "My manager is Bo Lind now.", NOW)], user="bo")
    say(memory, ("t2", "My manager is Bo Lind now."), role="assistant", days_ago=5)
    memory.ingest([Turn("t3", "s", "user", "My manager is Bo Lind now.", NOW, tainted=True)], user="ana")
    assert "superseded_by" not in memory.get("t1", user="ana").meta


def test_it_can_be_switched_off(memory: Memory) -> None:
    from dataclasses import replace

    off = Settings(readers=replace(Settings().readers, statements=False))
    other = Memory(memory.store, None, settings=off, clock=lambda: NOW)
    say(other, ("t1", "My manager is Ana Silva."), ("t2", "My manager is Bo Lind now."))
    assert "superseded_by" not in other.get("t1", user="ana").meta
    assert other.store.find(Filter(states=("speaker|manag",))) == []


def test_the_context_marks_what_changed(memory: Memory) -> None:
    say(memory, ("t1", "My manager is Ana Silva."), ("t3", "My manager is Bo Lind now."))
    context = memory.assemble("who is my manager?", user="ana", budget_tokens=300)
    [stale] = [line for line in context.recall.split("\n") if "Ana Silva" in line]
    [valid] = [line for line in context.recall.split("\n") if "Bo Lind" in line]
    assert "(changed since)" in stale and "(changed since)" not in valid
