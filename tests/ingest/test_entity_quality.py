"""What ingest and remember note for ranking: the entity of a record and its quality, and what `pce` does with them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.text.extract.reader import Readers
from aforesaid.types import Turn
from support.clock import NOW, standing_clock

DAY = timedelta(days=1)
DATES = (
    "The launch is on Friday.",
    "The launch is on 12 May.",
    "The launch is on Monday next week.",
    "The launch is in May.",
)


def with_settings(memory: Memory, **arguments: object) -> Memory:
    named = {f"pce.{name}": value for name, value in arguments.items()}
    settings = Settings.load(environment={}, arguments=named)
    return Memory(memory.store, HashEmbedder(64), settings=settings, clock=standing_clock)


@pytest.mark.parametrize(
    ("role", "text", "entity"),
    [
        ("user", "The launch is on Friday.", "launch"),
        ("user", "I live in Lisbon.", "speaker|home"),
        ("Caroline", "I live in Lisbon.", "carolin|home"),
        ("user", "Caroline moved to Berlin.", "carolin"),
        ("user", "私は大阪に住んでいます。", "speaker|home"),
        ("user", "Set PORT_A=5 for that.", "set|port"),
        ("user", "good morning", None),
        ("assistant", "The launch is on Friday.", None),
    ],
)
def test_the_entity_is_what_a_statement_is_about(memory: Memory, role: str, text: str, entity: str | None) -> None:
    memory.ingest([Turn("t1", "s", role, text, NOW)], user="ana")
    assert memory.get("t1", user="ana").entity == entity
    if role == "user":
        assert memory.remember(text, user="bo", time=NOW).entity == entity


def test_pce_returns_two_of_an_entity(memory: Memory) -> None:
    memory.ingest([Turn(f"t{i}", f"s{i}", "user", text, NOW - i * DAY) for i, text in enumerate(DATES)], user="ana")
    memory.ingest([Turn("other", "s", "user", "Who comes to the launch party?", NOW)], user="ana")
    asked = {"user": "ana", "profile": "pce", "now": NOW}
    capped, all_of_them = (
        with_settings(memory, threshold=0, per_entity=most).search("when is the launch", **asked)  # type: ignore[arg-type]
        for most in (2, 9)
    )
    assert sum(hit.record.entity == "launch" for hit in all_of_them) == len(DATES)
    assert [hit.record.entity for hit in capped].count("launch") == 2
    assert "other" in {hit.record.id for hit in capped}, "records without an entity are not counted"


def test_quality_is_known_when_a_record_is_written(memory: Memory) -> None:
    claim = memory.remember("The harbour master keeps the blue ledger in a locked drawer.", user="ana", time=NOW)
    short = memory.remember("Blue ledger.", user="ana", time=NOW)
    outside = memory.remember("A page says that the ledger is kept in a safe now.", user="ana", time=NOW, tainted=True)
    assert (claim.quality, outside.quality) == (1.0, 0.5) and short.quality == pytest.approx(3 / 8)
    memory.ingest(
        [
            Turn("a", "s", "user", "I keep the red ledger in the attic since 12 May, and I prefer it there.", NOW),
            Turn("b", "s", "assistant", "I will remember where the red ledger is kept, thank you.", NOW),
        ],
        user="ana",
    )
    said = memory.get("a", user="ana")
    assert said.gate is not None and said.quality == pytest.approx(0.5 + 0.5 * said.gate.score, abs=1e-3)
    assert memory.get("b", user="ana").quality == 0.5


def test_use_quality_weighs_and_quality_decays(memory: Memory) -> None:
    good, poor = "The harbour master keeps the blue ledger.", "The harbour master keeps the red ledger."
    memory.remember(good, user="ana", time=NOW)
    memory.remember(poor, user="ana", time=NOW, tainted=True)

    def parts(now: object, **settings: object) -> dict[str, tuple[float, float]]:
        found = with_settings(memory, threshold=0, **settings).search(
            "harbour ledger", user="ana", profile="pce", now=now
        )  # type: ignore[arg-type]
        return {hit.record.text: (hit.parts["g"], hit.parts.get("quality", 1.0)) for hit in found}

    plain, weighed = parts(NOW), parts(NOW, use_quality=True)
    assert plain[good] == plain[poor]
    assert weighed[good] == (pytest.approx(plain[good][0]), 1.0)
    assert weighed[poor] == (pytest.approx(plain[poor][0] * 0.75), 0.5)
    later = parts(NOW + 120 * DAY, use_quality=True)
    assert (later[good][1], later[poor][1]) == (pytest.approx(0.5), pytest.approx(0.25)), "half after 120 days"


def test_what_the_caller_notes_is_kept_and_never_fails_a_search(memory: Memory) -> None:
    meta = {"quality": "high", "entity": ["a", "list"]}
    made = memory.remember("The blue ledger is kept by the harbour master.", user="ana", time=NOW, meta=meta)
    assert made.meta == meta and made.quality is None and made.entity is None
    assert len(with_settings(memory, use_quality=True).search("ledger", user="ana", profile="pce", now=NOW)) == 1
    memory.feedback(made.id, "helpful", user="ana", now=NOW)
    named = memory.remember("The ledger is blue and it is old.", user="ana", meta={"entity": "ledger"}, time=NOW)
    assert named.entity == "ledger"


def test_a_reader_that_fails_costs_only_the_entity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AFORESAID_STRICT_READERS")

    def broken(text: str, speaker: str) -> tuple[()]:
        raise RuntimeError(text)

    with Memory(
        DictStore(), HashEmbedder(64), settings=Settings(), clock=standing_clock, readers=Readers(statements=broken)
    ) as memory:
        [outcome] = memory.ingest([Turn("t1", "s", "user", "The launch is on Friday.", NOW)], user="ana")
        record = memory.get("t1", user="ana")
    assert outcome.status == "stored" and record.entity is None and record.quality is not None


def test_a_deferred_message_gets_its_quality_with_its_decision(tmp_path: object) -> None:
    store = DictStore()
    Memory(store, None, settings=Settings(), clock=standing_clock).ingest(
        [Turn("t1", "s", "user", "I keep the red ledger in the attic since 12 May.", NOW)], user="ana"
    )
    with Memory(store, HashEmbedder(64), settings=Settings(), clock=standing_clock) as memory:
        assert memory.get("t1", user="ana").quality == 0.5
        memory.maintenance.reindex()
        decided = memory.get("t1", user="ana")
    assert decided.gate is not None and decided.gate.decision != "defer"
    assert decided.quality == pytest.approx(0.5 + 0.5 * decided.gate.score, abs=1e-3)
