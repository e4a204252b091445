"""Active contexts: their order, their scores, what they say about themselves, and the events about them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.types import Turn
from support.clock import NOW, standing_clock

DAY = timedelta(days=1)
QUERY = "how do we deploy the shop to staging"
TEXTS = (
    "We deploy the shop to staging with a script.",
    "We deploy the shop to staging with the script.",
    "We deploy the shop to staging by a script.",
    "The staging database of the shop needs a tunnel.",
    "Deploy keys are kept in the vault.",
)


@pytest.fixture
def filled(memory: Memory) -> Memory:
    for days, text in enumerate(TEXTS):
        memory.remember(text, user="ana", time=NOW - days * DAY)
    return memory


def with_settings(memory: Memory, **arguments: object) -> Memory:
    named = {name.replace("__", "."): value for name, value in arguments.items()}
    settings = Settings.load(environment={}, arguments=named)
    return Memory(memory.store, HashEmbedder(64), settings=settings, clock=standing_clock)


def texts(memory: Memory) -> list[str]:
    return [item.record.text for item in memory.activate(QUERY, user="ana", now=NOW).items]


def test_lambda_decides_the_order_of_an_active_context(filled: Memory) -> None:
    by_score, by_difference = (
        texts(with_settings(filled, pce__mmr_lambda=value, pce__threshold=0)) for value in (1, 0.2)
    )
    assert sorted(by_score) == sorted(by_difference)
    assert set(by_score[:2]) <= set(TEXTS[:3]), "only scores count"
    assert by_difference[0] == by_score[0] and by_difference[1] not in TEXTS[:3], "the second says something else"


def test_the_saved_score_is_the_records_own_and_the_intent_moves_it_only(filled: Memory) -> None:
    memory = with_settings(filled, pce__mmr_lambda=1, pce__threshold=0)
    memory.remember("A task: deploy the shop to staging.", user="ana", type="task", time=NOW - 9 * DAY)
    scores = {hit.record.key: hit.score for hit in memory.search(QUERY, user="ana", profile="pce", now=NOW)}
    made = memory.activate(QUERY, user="ana", intent="resume_task", now=NOW)
    again = memory.governance.active(made.id, user="ana", now=NOW)
    for item in (*made.items, *again.items):
        assert item.score == pytest.approx(scores[item.record.key]) == pytest.approx(item.parts["S"] * item.parts["g"])
    lifted = [item.score * item.parts["preference"] for item in made.items]
    assert lifted == sorted(lifted, reverse=True)
    task = next(item for item in made.items if item.record.claim_type == "task")
    assert task.parts["preference"] > 1.2
    assert [item.rank for item in made.items] == list(range(1, len(made.items) + 1))


def test_a_context_and_its_items_say_where_they_come_from(filled: Memory) -> None:
    filled.remember("The shop deploys from its own branch.", project="shop", time=NOW)
    made = filled.acting(request="r1", trace="t1").activate(QUERY, user="ana", project="shop", now=NOW)
    again = filled.governance.active(made.id, user="ana", project="shop", now=NOW)
    for context in (made, again):
        assert {item.scope for item in context.items} == {"user", "project"}
        assert {item.provenance.method for item in context.items if item.provenance} == {"remember"}
        assert context.scope == "project" and context.provenance.who == "ana"
        assert context.provenance.sources == tuple(item.record.key for item in context.items)
        assert (context.policy_version, context.request_id, context.trace_id) == ("none", "r1", "t1")
        assert dict(context.details) == {"alpha": pytest.approx(0.65), "k_txt": 48, "k_vec": 96, "k_final": 12}


def test_search_carries_its_ids_and_parameters(filled: Memory) -> None:
    filled.policy.apply('version: "7"\nretrieval: {search.limit: 3}\n')
    named = filled.acting(request="r1", trace="t1").search(QUERY, user="ana", profile="pce", now=NOW)
    assert (named.policy_version, named.request_id, named.trace_id) == ("7", "r1", "t1")
    assert dict(named.details) == {"alpha": pytest.approx(0.65), "k_txt": 12, "k_vec": 24, "k_final": 3}
    for profile in ("default", "libra", "openclaw", "pce"):
        result = filled.search(QUERY, user="ana", profile=profile, now=NOW)
        assert result.policy_version == "7" and result.request_id == result.trace_id != "", profile


def test_candidates_under_the_threshold_are_listed_and_logged(filled: Memory) -> None:
    memory = with_settings(filled, pce__threshold=0.4)
    found = memory.search(QUERY, user="ana", profile="pce", now=NOW)
    assert found and found.below_threshold, "some are hits, some are not"
    assert len(found) + len(found.below_threshold) == len(TEXTS)
    assert all(hit.score < 0.4 and hit.reason.startswith("reason=below_threshold; ") for hit in found.below_threshold)
    assert not memory.audit.events("below_threshold"), "a search writes nothing"
    made = memory.activate(QUERY, user="ana", now=NOW)
    [event] = memory.audit.events("below_threshold", subject=made.id)
    assert event.body["count"] == made.below_threshold == len(found.below_threshold)
    assert [key for key, _ in event.body["records"]] == [hit.record.key for hit in found.below_threshold]
    assert event.body["request"] == made.request_id
    dropped = found.below_threshold[0].record
    memory.forget([dropped.key], user="ana")
    assert [event.erased for event in memory.audit.events() if event.topic == "below_threshold"] == [True]


def test_the_event_of_an_activation_holds_the_spread_of_its_scores(filled: Memory) -> None:
    made = filled.activate(QUERY, user="ana", now=NOW)
    [event] = filled.audit.events("activate")
    columns = {name: [item.parts[name] for item in made.items] for name in ("s_text", "s_vec", "S", "g")}
    columns["score_final"] = [item.score for item in made.items]
    for name, values in columns.items():
        assert event.body[name]["avg"] == pytest.approx(sum(values) / len(values), abs=1e-5)
        assert min(values) - 1e-5 <= event.body[name]["p50"] <= event.body[name]["p90"] <= max(values) + 1e-5
    assert {name: event.body[name] for name in made.details} == dict(made.details)
    assert event.body["items"] == len(made.items) > 1
    empty = filled.activate("zebra", user="bo", now=NOW)
    assert not empty.items and filled.audit.events("activate", subject=empty.id)[0].body["score_final"] == {}


SEED = """
version: "0.1.3"
retrieval:
  hybrid:
    alpha: 0.4
    k_txt: 5
    k_vec: 7
    k_final: 3
    recency_half_life_days: 10
  rerank:
    use_quality: true
"""


def test_the_keys_of_pce_work_in_a_policy(filled: Memory) -> None:
    filled.policy.apply(SEED)
    found = filled.search(QUERY, user="ana", profile="pce", now=NOW)
    assert dict(found.details) == {"alpha": 0.4, "k_txt": 5, "k_vec": 7, "k_final": 3}
    assert found.policy_version == "0.1.3" and all("quality" in hit.parts for hit in found)
    assert len(filled.search("shop", user="ana", now=NOW)) <= 3
    filled.ingest([Turn("t1", "s", "user", "We deploy the shop to staging on Mondays.", NOW - 10 * DAY)], user="bo")
    [turn] = filled.search(QUERY, user="bo", profile="pce", now=NOW)
    assert turn.parts["recency"] == pytest.approx(0.5)
