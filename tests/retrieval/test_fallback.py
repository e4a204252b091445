"""When a search fails, summaries give way to the turns under them."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.engine.lineage import COVERS
from aforesaid.math.fusion import nothing_strong, weak_summaries
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.types import Edge, Filter, Record, Turn
from support.clock import NOW

DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("fell", "top", "failed"), [(True, 0.149, True), (True, 0.15, False), (False, 0.0, False), (True, 0.0, True)]
)
def test_s1_and_s2(fell: bool, top: float, failed: bool) -> None:
    assert nothing_strong(fell, top) is failed


@pytest.mark.parametrize(
    ("confidences", "failed"),
    [
        ([0.4, 0.4, 0.4, 0.4], True),
        ([0.4, 0.4, 0.4, 0.4, None, 1.0], True),
        ([0.2, 0.6, 0.6, 0.6], False),  # the mean is 0.5, which is not under it
        ([0.1, 0.1, 0.1], False),
        ([0.1, 0.1, None, 0.1], False),
        ([], False),
    ],
)
def test_s3(confidences: list[float | None], failed: bool) -> None:
    assert weak_summaries(confidences) is failed


def summary(memory: Memory, name: str, text: str, sources: list[str], confidence: float) -> Record:
    made = Record(name, "summary", text, NOW, user="ana", session=f"s-{name}", scope="session", confidence=confidence)
    memory.store.put([made])
    keys = [memory.get(source, user="ana").key for source in sources]
    memory.store.link([Edge(made.key, key, COVERS, NOW) for key in keys])
    embedder = HashEmbedder(64)
    memory.store.put_vectors([made.key], np.asarray(embedder.embed([text])))
    return made


def filled(memory: Memory, confidence: float) -> Memory:
    """Five summaries that name the harbour, and turns that hold what happened there without naming it."""
    for i in range(5):
        memory.ingest(
            [
                Turn(f"t{i}a", f"s{i}", "user", f"We hired boat number {i} from Rui.", NOW - DAY),
                Turn(f"t{i}b", f"s{i}", "user", f"It cost {i + 3}0 euros for the day.", NOW - DAY),
            ],
            user="ana",
        )
        summary(memory, f"sum{i}", f"Talk of the harbour trip harbour {i}", [f"t{i}a", f"t{i}b"], confidence)
    return memory


def test_weak_summaries_give_way_to_their_turns(memory: Memory) -> None:
    result = filled(memory, 0.3).search("harbour trip", user="ana", limit=8)
    assert "keep little" in result.recovered
    assert {hit.record.kind for hit in result} == {"turn"}
    assert all("recovered=" in hit.reason for hit in result)
    scores = [hit.score for hit in result]
    assert scores == sorted(scores, reverse=True)


def test_good_summaries_stay(memory: Memory) -> None:
    result = filled(memory, 0.9).search("harbour trip", user="ana", limit=8)
    assert result.recovered == ""
    assert [hit.record.kind for hit in result][:4] == ["summary"] * 4


def test_a_caller_who_asks_for_summaries_gets_them(memory: Memory) -> None:
    result = filled(memory, 0.3).search("harbour trip", user="ana", kinds=["summary"], limit=8)
    assert result.recovered == ""
    assert {hit.record.kind for hit in result} == {"summary"}


def test_turns_that_a_caller_may_not_see_are_not_recovered(memory: Memory) -> None:
    filled(memory, 0.3)
    hidden = memory.get("t0a", user="ana")
    result = memory.search("harbour trip", user="ana", exclude=[hidden.key], limit=20)
    assert result.recovered and hidden.key not in {hit.record.key for hit in result}
    recent = memory.search("harbour trip", user="ana", since=NOW - DAY / 2, limit=20)
    assert {hit.record.kind for hit in recent} == {"summary"}, "no turn of theirs is in view"


def test_the_context_recalls_the_turns(memory: Memory) -> None:
    context = filled(memory, 0.3).assemble("harbour trip", user="ana", budget_tokens=900)
    recalled = [item for item in context.trace if item.part == "recall" and item.taken]
    assert recalled and all("recovered=" in item.reason for item in recalled)
    assert {record.kind for record in context.records} == {"turn"}


def test_a_low_best_score_recovers_in_the_literal_profiles() -> None:
    memory = Memory(DictStore(), HashEmbedder(64), settings=Settings(), clock=lambda: NOW)
    memory.ingest([Turn("t1", "s", "user", "harbour boats of Rui", NOW - 900 * DAY)], user="ana")
    memory.ingest([Turn("t2", "s", "user", "harbour harbour trip", NOW - 900 * DAY)], user="ana")
    made = summary(memory, "old", "harbour trip boats Rui", ["t1"], 0.9)
    memory.store.put([Record("old", "summary", made.text, NOW - 900 * DAY, user="ana", session="s-old", scope="session",
                             confidence=0.9)])  # fmt: skip
    result = memory.search("harbour trip boats", user="ana", profile="libra-two-pass", now=NOW)
    assert result.recovered.startswith("the best score is 0.0")
    assert "old" not in {hit.record.id for hit in result}
    assert "t1" in {hit.record.id for hit in result}


def test_keys_narrow_every_read(memory: Memory) -> None:
    filled(memory, 0.9)
    chosen = tuple(memory.get(name, user="ana").key for name in ("t1a", "t3b"))
    where = Filter(owners=("user:ana",), keys=chosen)
    assert {record.key for record in memory.store.find(where)} == set(chosen)
    assert memory.store.count(where) == 2
    assert {item.key for item in memory.store.text_search(["boat", "cost", "euro"], where, 9)} <= set(chosen)
    vector = HashEmbedder(64).embed_query("boat")
    assert {item.key for item in memory.store.vector_search(vector, where, 9)} == set(chosen)
    assert memory.store.find(Filter(owners=("user:ana",), keys=())) == []
