"""The session that the caller is in: it changes the scope and the age of its records, and filters nothing (spec 5.11)."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import pytest

from aforesaid.memory import Memory
from aforesaid.types import Turn
from support.clock import NOW

HOUR = timedelta(hours=1)
TEXT = "the parcel from Horta weighs nine kilos"


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """The same text in two sessions, in the user's, the project's and the global memory."""
    memory.ingest([Turn("here", "now", "user", TEXT, NOW - HOUR), Turn("there", "old", "user", TEXT, NOW - HOUR)])
    memory.remember(TEXT, scope="user", time=NOW - HOUR)
    memory.remember(TEXT, scope="project", project="p", time=NOW - HOUR)
    memory.remember(TEXT, scope="global", time=NOW - HOUR)
    return memory


def parts(memory: Memory, **how: Any) -> dict[str, tuple[float, float, float]]:
    """Scope, recency and score of each hit; a claim has the name of its scope."""
    hits = memory.search(TEXT, project="p", profile="libra-single", now=NOW, **how)
    names = [hit.record.id if hit.record.kind == "turn" else hit.record.scope for hit in hits]
    return {name: (hit.parts["scope"], hit.parts["recency"], hit.score) for name, hit in zip(names, hits, strict=True)}


def test_all_scopes_are_in_one_ranking(filled: Memory) -> None:
    decay = {"here": 1e-4, "there": 1e-5, "user": 1e-5, "project": 1e-5, "global": 2e-6}
    scope = {"here": 1.0, "there": 0.6, "user": 0.6, "project": 0.6, "global": 0.3}
    found = parts(filled, active_session="now")
    assert found.keys() == scope.keys()
    for name, (weight, recency, score) in found.items():
        assert weight == scope[name]
        assert recency == pytest.approx(math.exp(-decay[name] * 3600))
        assert score == pytest.approx(0.7 + 0.2 * recency + 0.1 * weight, abs=1e-5)


def test_no_session_is_active_unless_it_is_named(filled: Memory) -> None:
    assert {name: found[0] for name, found in parts(filled).items()} == {
        "here": 0.6, "there": 0.6, "user": 0.6, "project": 0.6, "global": 0.3,
    }  # fmt: skip
    assert parts(filled, active_session="elsewhere") == parts(filled)


def test_a_filter_is_something_else(filled: Memory) -> None:
    assert {name: found[0] for name, found in parts(filled, session="old").items()} == {"there": 1.0}
    both = parts(filled, session="old", active_session="now")
    assert {name: found[0] for name, found in both.items()} == {"there": 0.6}


def test_a_document_with_the_name_of_the_session_stays_what_it_is(filled: Memory) -> None:
    filled.documents.load("now", text=f"On the pier {TEXT}.\n")
    [hit] = filled.search(TEXT, kinds=["node"], profile="libra-single", active_session="now", now=NOW)
    assert hit.parts["scope"] == 0.6


def test_an_intent_prefers_the_active_session(filled: Memory) -> None:
    filled.ingest([Turn("more", "old", "user", f"{TEXT}, said again", NOW - HOUR)])
    asked = {"project": "p", "intent": "debug_incident", "now": NOW, "limit": 9}
    preferred = {}
    for session in (None, "now", "old"):
        made = filled.activate(TEXT, active_session=session, **asked)
        assert made.scope == ("session" if session else "project")
        found = {item.record.id: item.parts["preference"] for item in made.items if item.record.kind == "turn"}
        preferred[session] = found["more"]
    assert preferred["old"] == pytest.approx(1.1 * preferred["now"])
    assert preferred[None] == preferred["now"], "a turn of another session counts as the user's"
