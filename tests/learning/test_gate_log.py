"""The gate's ledger: every decision with its terms, and what other weights would have made of it."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import InputError, SettingsError
from aforesaid.ingest.gate import gate_rows
from aforesaid.learning.gate_log import REPLAYABLE, replayed, weighted
from aforesaid.math.gate import TERMS, decide
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.settings.rows import GateRows
from aforesaid.store.memory import DictStore
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.text.extract.signals import Signals
from aforesaid.types import Turn
from support.clock import NOW
from support.requests import request_for

MINUTE = timedelta(minutes=1)
PIECES = (
    "ok",
    "thanks",
    "I moved to Lisbon in May with my sister Lena.",
    "We decided to use PostgreSQL 16 from now on.",
    "Fixed: src/app/main.py raised ValueError: E1234, see https://example.org/x",
    "```python\ndef run(path: str) -> None: ...\n```",
    "My favourite tea is sencha, 200 g a month.",
    "the build fails with exit code 137",
    "git checkout 3b90fb5 && pytest tests/test_app.py",
    "what do you think?",
)


def corpus(seed: int, turns: int = 40) -> list[Turn]:
    chance = random.Random(seed)
    texts = [" ".join(chance.choices(PIECES, k=chance.randint(1, 3))) for _ in range(turns)]
    return [
        Turn(f"t{i}", f"s{i % 3}", chance.choice(["user", "user", "assistant"]), text, NOW + i * MINUTE)
        for i, text in enumerate(texts)
    ]


def taken(seed: int = 1, embedder: HashEmbedder | None = None, **settings: float) -> Memory:
    rows = Settings.load(environment={}, arguments={f"gate.{name}": value for name, value in settings.items()})
    memory = Memory(DictStore(), embedder, settings=rows, clock=lambda: NOW + timedelta(days=1))
    memory.ingest(corpus(seed), user="ana")
    return memory


def decisions(memory: Memory) -> dict[str, str]:
    return {entry.id: entry.decision for entry in memory.gate.log(user="ana", limit=1000)}


def test_the_ledger_is_what_the_records_say(memory: Memory) -> None:
    memory.ingest(corpus(3), user="ana")
    memory.ingest([Turn("x", "s0", "user", "Mine alone.", NOW)], user="bo")
    entries = memory.gate.log(user="ana", limit=1000)
    people = [turn for turn in corpus(3) if turn.role == "user"]
    assert [entry.id for entry in entries] == [turn.id for turn in reversed(people)], "newest first, people only"
    for entry in entries:
        record = memory.get(entry.id, user="ana")
        assert record.gate is not None
        assert (entry.key, entry.text, entry.session) == (record.key, record.text, record.session)
        assert (entry.decision, entry.score, entry.threshold) == (
            record.gate.decision,
            record.gate.score,
            record.gate.threshold,
        )
        assert dict(entry.signals) == dict(record.gate.signals)
        assert {"T", "H", "R", "Dnl", "P", "A", "Dtech", "G"} <= entry.signals.keys()
    assert len(memory.gate.log(limit=1000)) == 0, "nobody's own turns"


def test_the_ledger_is_filtered_and_paged(memory: Memory) -> None:
    memory.ingest(corpus(4), user="ana")
    whole = memory.gate.log(user="ana", limit=1000)
    assert {entry.decision for entry in whole} == {"admit", "reject"}
    for decision in ("admit", "defer", "reject"):
        found = memory.gate.log(user="ana", decision=decision, limit=1000)
        assert found == [entry for entry in whole if entry.decision == decision]
    assert memory.gate.log(user="ana", limit=5, offset=7) == whole[7:12]
    assert memory.gate.log(user="ana", session="s1", limit=99) == [e for e in whole if e.session == "s1"]
    middle = NOW + 20 * MINUTE
    assert memory.gate.log(user="ana", since=middle, limit=99) == [e for e in whole if e.time >= middle]
    assert memory.gate.log(user="ana", until=middle, limit=99) == [e for e in whole if e.time <= middle]
    with pytest.raises(InputError, match="decision 'maybe' is unknown"):
        memory.gate.log(user="ana", decision="maybe")
    with pytest.raises(InputError, match="no such page"):
        memory.gate.log(user="ana", limit=0)


def test_what_was_forgotten_is_gone_from_the_ledger_and_what_was_replaced_is_not(memory: Memory) -> None:
    memory.ingest([Turn("t1", "s", "user", "I like tea.", NOW), Turn("t2", "s", "user", "I drink tea.", NOW)])
    memory.feedback("t1", "duplicate", of="t2", now=NOW)
    assert {entry.id for entry in memory.gate.log()} == {"t1", "t2"}
    memory.forget(["t1"])
    assert {entry.id for entry in memory.gate.log()} == {"t2"}


# -- replay ------------------------------------------------------------------------------------------------------------

NAMES = tuple(name.removeprefix("gate.") for name in REPLAYABLE)
WEIGHTS = st.fixed_dictionaries({}, optional={name: st.floats(0, 1) for name in NAMES})


@given(st.integers(0, 10_000), st.booleans(), WEIGHTS)
@hypothesis_settings(max_examples=15)
def test_a_replay_with_the_weights_in_force_changes_nothing(
    seed: int, vectors: bool, weights: dict[str, float]
) -> None:
    memory = taken(seed, HashEmbedder(32) if vectors else None, **weights)
    for named in ({}, {f"gate.{name}": value for name, value in weights.items()}):
        found = memory.gate.replay(named, user="ana")
        assert (found.changes, found.changed, found.unreadable) == (0, (), 0)
        assert dict(found.before) == dict(found.after) == dict(Counter(decisions(memory).values()))
    for entry in memory.gate.log(user="ana", limit=1000):
        assert replayed(entry, memory.settings.gate) == (entry.score, entry.decision), "to the last digit"


@given(st.integers(0, 10_000), WEIGHTS)
@hypothesis_settings(max_examples=15)
def test_a_replay_equals_taking_the_turns_anew(seed: int, weights: dict[str, float]) -> None:
    """Without vectors no turn's terms hang on what became of those before it."""
    memory = taken(seed)
    anew = taken(seed, **weights)
    found = memory.gate.replay({f"gate.{name}": value for name, value in weights.items()}, user="ana")
    wanted = decisions(anew)
    assert dict(found.after) == dict(Counter(wanted.values()))
    assert {c.entry.id: c.decision for c in found.changed} == {
        name: decision for name, decision in wanted.items() if decision != decisions(memory)[name]
    }
    scores = {entry.id: entry.score for entry in anew.gate.log(user="ana", limit=1000)}
    assert all(change.score == scores[change.entry.id] for change in found.changed)


EVERYTHING = tuple(
    spec.name
    for spec in fields(GateRows)
    if spec.name.split("_")[0] in ("technical", "natural", "action", "structure") and not spec.name.endswith("_norm")
)
COSINES = st.none() | st.lists(st.floats(-1, 1), max_size=6)
ROWS = st.builds(GateRows, **{f"weight_{term}": st.floats(0, 1) for term in TERMS}, threshold=st.floats(0, 1))


@given(st.frozensets(st.sampled_from(EVERYTHING)), COSINES, ROWS, ROWS)
def test_a_decision_replayed_is_the_decision_that_would_have_been_made(
    present: frozenset[str], cosines: list[float] | None, then: GateRows, now: GateRows
) -> None:
    signals = Signals(present, {"specific_path": 1})
    made = decide(signals, 40, cosines, cosines, then)
    wanted = decide(signals, 40, cosines, cosines, now)
    assert replayed(made, now) == (wanted.score, wanted.decision)


def test_a_replay_tells_what_would_change_and_changes_nothing(memory: Memory) -> None:
    memory.ingest(corpus(5), user="ana")
    before = memory.store.find(memory.where(user="ana"))
    found = memory.gate.replay({"gate.threshold": 1.0}, user="ana")
    admitted = [entry for entry in memory.gate.log(user="ana", limit=1000) if entry.decision == "admit"]
    assert found.changes == len(admitted) > 0
    assert [change.entry for change in found.changed] == admitted, "newest first"
    assert all((c.decision, c.score) == ("reject", c.entry.score) for c in found.changed)
    few = memory.gate.replay({"gate.threshold": 1.0}, user="ana", limit=2)
    assert (few.changes, few.changed) == (found.changes, found.changed[:2])
    assert memory.store.find(memory.where(user="ana")) == before
    assert memory.gate.replay({"gate.threshold": 1.0}, user="ana", session="nowhere").turns == 0
    seen: list[tuple[int, int]] = []
    memory.gate.replay({}, user="ana", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (40, 40)


@pytest.mark.parametrize("name", [f"gate.{spec.name}" for spec in fields(GateRows)])
def test_what_can_be_replayed_is_told_by_name(name: str) -> None:
    memory = Memory(DictStore(), None, clock=lambda: NOW)
    if name in REPLAYABLE:
        assert memory.gate.replay({name: 0.5}).turns == 0
    else:
        with pytest.raises(InputError, match=f"{name} cannot be replayed"):
            memory.gate.replay({name: 1})


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf"), True, "many"])
def test_weights_out_of_range_are_refused(value: Any) -> None:
    with pytest.raises(SettingsError, match=r"gate\.threshold .* is"):
        weighted(GateRows(), {"gate.threshold": value})


def test_unknown_settings_are_refused() -> None:
    for name in ("gate.magic", "threshold"):
        with pytest.raises(SettingsError, match="Unknown setting"):
            weighted(GateRows(), {name: 0.5})


def test_terms_that_cannot_be_read_are_left_out_and_counted(memory: Memory) -> None:
    memory.ingest(corpus(6, 10), user="ana")
    first = memory.gate.log(user="ana")[0]
    record = memory.get(first.id, user="ana")
    assert record.gate is not None
    for signals in ({}, {**record.gate.signals, "H": 7.0}, {**record.gate.signals, "T": "high"}):
        memory.store.put([replace(record, gate=replace(record.gate, signals=signals))])
        found = memory.gate.replay({"gate.threshold": 0.9}, user="ana")
        assert found.unreadable == 1
        assert sum(found.after.values()) == found.turns - 1


def test_without_a_calibrated_threshold_the_settings_stand(memory: Memory) -> None:
    rows = memory.settings.gate
    assert gate_rows(request_for(memory)) == rows
    for kept in ("", "{", "[]", '{"threshold": "x", "policy_version": "none"}', '{"threshold": 3, "policy_version": "none"}',
                 '{"threshold": 0.5, "policy_version": "other"}'):  # fmt: skip
        memory.store.values.put(Slot(ValueKind.CALIBRATION, "default", name="gate.threshold"), kept)
        assert gate_rows(request_for(memory)) == rows
    memory.store.values.put(
        Slot(ValueKind.CALIBRATION, "default", name="gate.threshold"), '{"threshold": 0.5, "policy_version": "none"}'
    )
    assert gate_rows(request_for(memory)) == replace(rows, threshold=0.5)
    assert gate_rows(request_for(memory.for_tenant("other"))) == rows
    assert len(TERMS) + 1 == len(REPLAYABLE)
