"""Turns in: once each, cleaned, weighed, all of a batch or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import ConflictError, EmbedderChangedError, EndpointError, InputError, ModelMissingError
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import Filter, Turn
from support.clock import NOW, standing_clock

KEY = "sk-" + "proj-" + "Ab3dEf6hIj9kLmN0pQr5tUvWx2yZ1aBcD4eF7gHiJ"


def turn(id: str, text: str, role: str = "user", session: str = "s1", **more: object) -> Turn:
    return Turn(id, session, role, text, **more)


def test_a_turn_is_stored_with_its_gate_decision(memory: Memory) -> None:
    [outcome] = memory.ingest([turn("t1", "My sister Lena moved to Lisbon on 3 May 2026.")], user="ana")
    assert outcome.status == "stored"
    assert outcome.gate is not None
    assert outcome.gate.decision == "admit"
    record = memory.get("t1", user="ana")
    assert record.durable
    assert record.gate == outcome.gate
    assert record.gate.signals["H"] == 1.0, "an empty memory: everything is new"
    assert (record.id, record.session, record.role, record.time) == ("t1", "s1", "user", NOW)


def test_small_talk_is_kept_but_not_durable(memory: Memory) -> None:
    memory.ingest([turn("t0", "My sister Lena moved to Lisbon on 3 May 2026."), turn("t1", "ok")], user="ana")
    memory.ingest([turn("t2", "ok")], user="ana")
    record = memory.get("t2", user="ana")
    assert not record.durable
    assert record.gate is not None
    assert record.gate.decision == "reject"


def test_only_people_go_through_the_gate(memory: Memory) -> None:
    memory.ingest([turn("t1", "Noted, Lisbon it is.", "assistant"), turn("t2", "I like tea.", "Caroline")])
    assert memory.get("t1").gate is None
    assert memory.get("t2").gate is not None


def test_the_same_turn_twice_is_one(memory: Memory) -> None:
    memory.ingest([turn("t1", "I like tea.")], user="ana")
    report = memory.ingest([turn("t1", "I like tea."), turn("t2", "Green."), turn("t2", "Green.")], user="ana")
    assert [outcome.status for outcome in report] == ["duplicate", "stored", "duplicate"]
    assert len(memory.list(user="ana")) == 2


def test_the_same_id_with_other_words_is_refused_and_nothing_of_the_batch_is_stored(memory: Memory) -> None:
    memory.ingest([turn("t1", "I like tea.")], user="ana")
    with pytest.raises(ConflictError, match="t1"):
        memory.ingest([turn("t2", "And rain."), turn("t1", "I like coffee.")], user="ana")
    assert [record.id for record in memory.list(user="ana")] == ["t1"]


def test_the_same_id_in_another_session_or_of_another_user_is_another_turn(memory: Memory) -> None:
    memory.ingest([turn("1", "tea"), turn("1", "coffee", session="s2")], user="ana")
    memory.ingest([turn("1", "milk")], user="bo")
    assert memory.get("1", user="ana", session="s2").text == "coffee"
    assert memory.get("1", user="bo").text == "milk"
    with pytest.raises(InputError, match="Several"):
        memory.get("1", user="ana")


@pytest.mark.parametrize("text", ["", "  \n", "HEARTBEAT_OK", "[heartbeat]"])
def test_nothing_to_say_is_skipped(memory: Memory, text: str) -> None:
    [outcome] = memory.ingest([turn("t1", text)])
    assert outcome.status == "skipped"
    assert memory.list() == []


def test_secrets_never_reach_the_disk(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", embedder=HashEmbedder(64)) as memory:
        [outcome] = memory.ingest([turn("t1", f"Use {KEY} for the demo, it lives in Lisbon.")])
        memory.remember(f"The key is {KEY}.")
        assert outcome.redactions
        assert "[secret:" in memory.get("t1").text
        assert "Lisbon" in memory.get("t1").text
        for file in tmp_path.iterdir():
            assert KEY.encode() not in file.read_bytes()


def test_our_own_frames_are_taken_out(memory: Memory) -> None:
    memory.ingest([turn("t1", "Figo the cat weighs six kilos and hates the vet.")], user="ana")
    context = memory.assemble("how heavy is the cat?", user="ana", session="s2", budget_tokens=300)
    pasted = f"{context.recall}\nThanks, and what about the dog?"
    memory.ingest([turn("t2", pasted, session="s2")], user="ana")
    assert memory.get("t2", user="ana").text.strip() == "Thanks, and what about the dog?"
    [outcome] = memory.ingest([turn("t3", context.recall, session="s2")], user="ana")
    assert (outcome.status, outcome.reason) == ("skipped", "recalled text only")


def test_an_echo_stays_in_the_history_and_out_of_retrieval(memory: Memory) -> None:
    fact = "Figo the cat weighs six kilos and hates the vet on Rua das Flores, who once gave him a bath by mistake."
    memory.ingest([turn("t1", fact)], user="ana")
    memory.assemble("how heavy is the cat?", user="ana", session="s2", budget_tokens=300)
    report = memory.ingest(
        [
            turn("t2", f"You told me: {fact}", "assistant", "s2"),
            turn("t3", "A cat of that weight should eat less in the evening and play more.", "assistant", "s2"),
            turn("t4", f"You told me: {fact}", "assistant", "another session, which was shown nothing"),
        ],
        user="ana",
    )
    assert [outcome.status for outcome in report] == ["echo", "stored", "stored"]
    assert "t2" not in [hit.record.id for hit in memory.search("cat weighs six kilos", user="ana")]
    assert "t2" in [record.id for record in memory.list(user="ana")]


def test_turns_may_come_as_a_stream(memory: Memory) -> None:
    seen: list[tuple[int, int | None]] = []
    turns = [turn(str(i), f"thought number {i}") for i in range(150)]
    report = memory.ingest(iter(turns), progress=lambda done, total: seen.append((done, total)))
    assert report.count("stored") == 150
    assert seen == [(64, None), (128, None), (150, None)]
    memory.ingest(turns[:2], progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (2, 2)


def test_repetition_inside_a_batch_counts(memory: Memory) -> None:
    together = memory.ingest([turn(str(i), "I always take the window seat on the train.") for i in range(8)], user="a")
    one_by_one = [
        memory.ingest([turn(str(i), "I always take the window seat on the train.")], user="b")[0] for i in range(8)
    ]
    for left, right in zip(together, one_by_one, strict=True):
        assert left.gate is not None
        assert right.gate is not None
        assert left.gate.decision == right.gate.decision
        assert left.gate.signals == pytest.approx(right.gate.signals, abs=1e-4)


@pytest.mark.parametrize(
    "bad",
    [
        {"id": ""},
        {"id": "x" * 600},
        {"id": 7},
        {"id": "a\x00b"},
        {"id": "\ud800"},
        {"session": " "},
        {"role": ""},
        {"text": b"bytes"},
        {"text": None},
        {"time": "yesterday"},
        {"time": float("nan")},
        {"time": 1e300},
        {"time": object()},
        {"bundle": ""},
    ],
)
def test_bad_turns_are_refused_at_the_door(bad: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Turn(**({"id": "t", "session": "s", "role": "user", "text": "hi", "time": NOW} | bad))


def test_huge_turns_are_refused_and_nothing_is_lost(memory: Memory) -> None:
    memory.ingest([turn("t1", "before")])
    with pytest.raises(InputError, match=r"ingest\.max_text_chars"):
        memory.ingest([turn("t2", "fine"), turn("t3", "x" * 1_000_001)])
    assert [record.id for record in memory.list()] == ["t1"]


@pytest.mark.parametrize("text", ["\x00\x01\x02 binary", "lone \ud800 surrogate", "🦊" * 1000, "a" * 100_000, "\u202e"])
def test_strange_text_is_stored(memory: Memory, text: str) -> None:
    [outcome] = memory.ingest([turn("t1", text)])
    assert outcome.status == "stored"
    assert memory.get("t1").text == text.replace("\ud800", "\ufffd")


def test_dates_are_resolved_against_the_time_they_were_said(memory: Memory) -> None:
    said = datetime(2023, 5, 25, 18, tzinfo=UTC)
    memory.ingest([turn("t1", "We met last Saturday, and again yesterday.", time=said), turn("t2", "no dates here")])
    assert memory.get("t1").dates == 2
    meta = memory.get("t1").meta
    assert ["2023-05-20T00:00:00+00:00", "2023-05-21T00:00:00+00:00"] in meta["when"]
    assert ["2023-05-24T00:00:00+00:00", "2023-05-25T00:00:00+00:00"] in meta["when"]
    assert "when" not in memory.get("t2").meta


def test_an_id_is_a_name_never_a_path(tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    names = ["../../etc/passwd", "/dev/null", "a/b\\c", "'; DROP TABLE records; --", "%00", "~"]
    with Memory.open(tmp_path / "m.db", embedder=HashEmbedder(64)) as memory:
        memory.ingest([turn(name, "hello", session=name) for name in names], user="../ana")
        assert {record.id for record in memory.list(user="../ana")} == set(names)
    assert sorted({file.name.split(".db")[0] for file in tmp_path.iterdir()}) == ["m"]
    assert before == []


def test_times_in_any_zone_are_one_moment(memory: Memory) -> None:
    memory.ingest([turn("a", "x1", time="2026-05-01T10:00:00+09:00"), turn("b", "x2", time="2026-05-01T01:00")])
    assert memory.get("a").time == memory.get("b").time == datetime(2026, 5, 1, 1, tzinfo=UTC)


class Flaky:
    """An embedder that fails when told to."""

    name, dimensions = HashEmbedder(64).name, 64

    def __init__(self, error: Exception | None) -> None:
        self.error = error
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.calls += 1
        if self.error:
            raise self.error
        return HashEmbedder(64).embed(texts)

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed([text])[0]


def test_without_a_model_words_still_work_and_the_answer_says_so() -> None:
    embedder = Flaky(ModelMissingError("The weights are not here.", "Run `aforesaid models pull`."))
    memory = Memory(DictStore(), embedder, settings=Settings(), clock=standing_clock)
    report = memory.ingest([turn("t1", "I might go to Lisbon."), turn("t2", "ok")])
    assert report.freshness is not None
    assert report.freshness.pending == 2
    assert report[0].gate is not None
    assert report[0].gate.decision == "defer"
    result = memory.search("lisbon")
    assert [(hit.record.id, hit.parts["words"]) for hit in result] == [("t1", 1.0), ("t2", 0.0)], "the next turn too"
    assert "no search by meaning (The weights are not here." in result.freshness.line
    assert embedder.calls == 1, "missing weights are not looked for again at every call"


def test_what_was_deferred_is_decided_once_vectors_can_be_had() -> None:
    store = DictStore()
    embedder = Flaky(EndpointError("The service is down.", "Start it."))
    memory = Memory(store, embedder, settings=Settings(), clock=standing_clock)
    memory.ingest([turn("t1", "I might go to Lisbon."), turn("t2", "ok"), turn("t3", "ok")])
    assert embedder.calls == 1
    embedder.error = None
    late = "3 of 3 records have no vector yet, so only their words are searched"
    assert memory.search("lisbon").freshness.line == f"search by meaning and by words; {late}"
    assert memory.maintenance.reindex().embedded == 3
    assert memory.search("lisbon").freshness.line == "search by meaning and by words; all records are indexed"
    gates = [record.gate for record in store.find(Filter())]
    assert all(gate is not None and gate.decision in ("admit", "reject") for gate in gates)


def test_another_model_is_refused_until_reindexed(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory.open(path, embedder=HashEmbedder(64)) as memory:
        memory.ingest([turn("t1", "I like Lisbon.")])
    with pytest.raises(EmbedderChangedError, match="reindex"):
        Memory.open(path, embedder=HashEmbedder(32))
    with Memory.open(path, embedder=HashEmbedder(32), change_embedder=True) as memory:
        assert memory.maintenance.reindex().embedded == 1
    with Memory.open(path, embedder=HashEmbedder(32)) as memory:
        assert len(memory.search("Lisbon")) == 1
        assert memory.maintenance.verify() == []


def test_two_processes_ingesting_the_same_turns_store_them_once(tmp_path: Path) -> None:
    one, two = (SQLiteStore(tmp_path / "m.db") for _ in range(2))
    first, second = (Memory(store, HashEmbedder(64), settings=Settings()) for store in (one, two))
    turns = [turn(str(i), f"message {i}") for i in range(20)]
    first.ingest(turns[:15])
    assert second.ingest(turns).count("duplicate") == 15
    assert first.stats().records == 20
    first.close()
    second.close()


def test_what_is_private_is_never_kept(memory: Memory) -> None:
    report = memory.ingest(
        [
            Turn("t1", "s", "user", "I live in Lisbon. <private>My pin is at the bank.</private> I like tea.", NOW),
            Turn("t2", "s", "user", "<private>Nobody shall know.</private>", NOW),
            Turn("t3", "s", "user", "Open: <PRIVATE> never closed", NOW),
        ],
        user="ana",
    )
    assert [(outcome.status, outcome.reason) for outcome in report][1] == ("skipped", "private")
    texts = [record.text for record in memory.list(user="ana")]
    assert sorted(texts) == ["I live in Lisbon.   I like tea.", "Open:"]
