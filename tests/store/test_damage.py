"""Damaged records and vectors: they are left out and named, and nothing else stops working."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import StoreCorruptError
from aforesaid.memory import Memory
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import Filter, Turn
from support.clock import NOW

TEXTS = [f"Ana likes mountain {i} and the river {i % 3}" for i in range(12)]
QUERY = "which mountain does Ana like?"
DAMAGES = {
    "checksum": "UPDATE records SET text = replace(text, 'mountain', 'fountain') WHERE id = 't3'",
    "json": "UPDATE records SET fields = '{' WHERE id = 't3'",
    "utf-8": "UPDATE records SET text = CAST(x'ff616263' AS TEXT) WHERE id = 't3'",
    "utf-8 key": "UPDATE records SET key = CAST(x'ff616263' AS TEXT) WHERE id = 't3'",
    "filter column": "UPDATE records SET boundary = 'public' WHERE id = 't3'",
    "bad list": "UPDATE records SET allow = '[' WHERE id = 't3'",
    "type": "UPDATE records SET time = 'noon' WHERE id = 't3'",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    with opened(path) as memory:
        for session in ("s1", "s2"):
            turns = [
                Turn(f"t{i}", session, "user", text, NOW)
                for i, text in enumerate(TEXTS)
                if (i < 6) == (session == "s1")
            ]
            memory.ingest(turns, user="ana")
        memory.ingest([Turn("b1", "s9", "user", "Bob likes mountain bikes", NOW)], user="bob")
    return path


def opened(path: Path) -> Memory:
    return Memory.open(path, embedder=HashEmbedder(64), clock=lambda: NOW)


def harm(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute(sql)


@pytest.fixture(params=DAMAGES.values(), ids=DAMAGES.keys())
def damaged(path: Path, request: pytest.FixtureRequest) -> Iterator[Memory]:
    harm(path, request.param)
    with opened(path) as memory:
        yield memory


@pytest.mark.parametrize("profile", ["default", "libra", "libra-two-pass", "libra-single", "pce", "openclaw"])
def test_a_damaged_record_is_left_out_of_a_search_and_named(path: Path, profile: str) -> None:
    harm(path, DAMAGES["checksum"])
    with opened(path) as memory:
        result = memory.search("mountain 3", user="ana", limit=12, now=NOW, profile=profile)
        assert result.hits and "t3" not in {hit.record.id for hit in result}
        assert result.freshness.damaged == 1
        assert "1 record is damaged and left out: run `aforesaid verify`" in result.freshness.line
        other = memory.search("mountain", user="bob", now=NOW, profile=profile)
        assert other.freshness.damaged == 0, "another user's damage is not shown"


def test_everything_works_beside_a_damaged_record(damaged: Memory) -> None:
    memory = damaged
    found = memory.search(QUERY, user="ana", limit=12, now=NOW)
    assert len(found) == 11
    assert found.freshness.damaged == 1 or memory.maintenance.verify(), "a damaged column can hide it from a search"
    assert {record.id for record in memory.list(user="ana")} == {f"t{i}" for i in range(12)} - {"t3"}
    context = memory.assemble(QUERY, user="ana", session="s3", budget_tokens=2000, now=NOW)
    assert context.records and not context.degraded
    lines = list(memory.export())
    assert sum('"record":' in line for line in lines) == 12 and '{"damaged":1}' in lines, "it says what it left out"
    assert memory.ingest([Turn("t99", "s2", "user", "Ana likes lakes", NOW)], user="ana")[0].status
    memory.sessions.compact("s1", user="ana")
    memory.maintenance.reindex()
    memory.maintenance.backup(Path(str(memory.store.path)).with_name("copy.db"))
    assert memory.search("lakes", user="ana", now=NOW)[0].record.id == "t99"


def test_a_page_of_records_is_filled_up_behind_damaged_ones(path: Path) -> None:
    harm(path, "UPDATE records SET fields = '{' WHERE id IN ('t0', 't1', 't2')")
    with opened(path) as memory:
        where = Filter(owners=("user:ana",))
        assert [r.id for r in memory.store.find(where, limit=2)] == ["t3", "t4"]
        assert [r.id for r in memory.store.find(where, limit=2, offset=2)] == ["t5", "t6"]
        assert memory.store.count(where) == 9


def test_forget_reaches_the_damaged_record_itself(damaged: Memory) -> None:
    memory = damaged
    receipt = memory.forget(ids=["t3"], user="ana")
    assert (receipt.records, receipt.proven) == (1, True)
    assert memory.search(QUERY, user="ana", limit=12, now=NOW).freshness.damaged == 0
    assert memory.maintenance.verify() == []


def test_forget_everything_reaches_damaged_records(damaged: Memory) -> None:
    memory = damaged
    assert memory.forget(tenant=True).records == 13
    assert memory.stats().records == 0
    assert memory.maintenance.verify() == []


def test_a_record_said_again_replaces_the_damaged_one(path: Path) -> None:
    harm(path, DAMAGES["json"])
    with opened(path) as memory:
        memory.ingest([Turn("t3", "s1", "user", TEXTS[3], NOW)], user="ana")
        found = memory.search("mountain 3", user="ana", limit=3, now=NOW)
        assert found[0].record.id == "t3" and found.freshness.damaged == 0
        memory.maintenance.reindex()
        assert memory.maintenance.verify() == []


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE segment_vectors SET data = zeroblob(length(data)) WHERE segment = 1",
        "UPDATE segments SET rows = zeroblob(length(rows)) WHERE segment = 1",
        "UPDATE segments SET used = used + 1000 WHERE segment = 1",
        "DELETE FROM segment_vectors WHERE segment = 1",
    ],
)
def test_damaged_vectors_are_left_out_and_named(path: Path, damage: str) -> None:
    harm(path, damage)
    with opened(path) as memory:
        found = memory.search(QUERY, user="ana", limit=12, now=NOW)
        assert len(found) == 12, "found by their words"
        assert found.freshness.pending == 12 and found.freshness.damaged_vectors > 0
        assert "vectors" in found.freshness.line and "damaged" in found.freshness.line
        assert not memory.search(QUERY, user="bob", now=NOW).freshness.damage
        memory.ingest([Turn("t99", "s2", "user", "Ana likes lakes", NOW)], user="ana")
        memory.forget(ids=["t4"], user="ana")
        assert memory.search("lakes", user="ana", now=NOW)[0].record.id == "t99"


def test_a_damaged_value_is_left_out_and_a_damaged_policy_is_an_error(path: Path) -> None:
    slot = Slot(ValueKind.CALIBRATION, "default", name="x")
    with opened(path) as memory:
        memory.store.values.put(slot, "1")
        memory.policy.apply("version: v1\n")
    harm(path, "UPDATE kept SET value = '2' WHERE kind = 'calibration'")
    with opened(path) as memory:
        assert memory.store.values.get(slot) is None and memory.store.values.items(slot.kind, "default") == {}
        assert memory.search(QUERY, user="ana", now=NOW)
    harm(path, "UPDATE kept SET value = replace(value, 'v1', 'v2') WHERE kind = 'policy' AND name = 'active'")
    with opened(path) as memory:
        with pytest.raises(StoreCorruptError, match="is damaged"):
            memory.search(QUERY, user="ana", now=NOW)
        assert all(problem.mended for problem in memory.maintenance.verify(repair=True))
        active = memory.policy.current()
        assert active is not None and active.version == "v1", "restored from the history"


def test_a_damaged_event_or_head_of_the_log_stops_nobody(path: Path) -> None:
    harm(path, "UPDATE events SET body = '{' WHERE event = 1")
    harm(path, "UPDATE log_heads SET head = 'x'")
    with opened(path) as memory:
        memory.ingest([Turn("t99", "s2", "user", "Ana likes lakes", NOW)], user="ana")
        assert "damage" in {event.topic for event in memory.audit.events()}
        assert memory.audit.verify().problem
        assert memory.assemble("lakes", user="ana", session="s3", now=NOW).records
        assert list(memory.export())
        assert memory.forget(["t99"], user="ana").proven


def test_repair_restores_a_record_from_its_own_row(path: Path) -> None:
    with opened(path) as memory:
        before = memory.list(user="ana")
    for damage in (
        "UPDATE records SET boundary = 'public', time = 'noon' WHERE id = 't3'",
        "UPDATE records SET text = replace(text, 'mountain', 'mouotain') WHERE id = 't3'",  # one flipped bit
        "UPDATE records SET checksum = checksum + (1 - 2 * (checksum & 1)) WHERE id = 't3'",
    ):
        harm(path, damage)
        with opened(path) as memory:
            [problem] = memory.maintenance.verify(repair=True)
            assert problem.mended and "restored from its own row" in problem.done
            assert memory.list(user="ana") == before and memory.maintenance.verify() == []


def test_repair_restores_a_record_from_a_backup_as_closed_as_it_was(path: Path) -> None:
    with opened(path) as memory:
        memory.maintenance.backup(path.with_name("copy.db"))
    harm(path, "UPDATE records SET text = 'lost', fields = json_set(fields, '$.boundary', 'secret') WHERE id = 't3'")
    with opened(path) as memory:
        [problem] = memory.maintenance.verify(repair=True)
        assert problem.mended and "copy.db" in problem.done
        memory.maintenance.reindex()
        assert memory.maintenance.verify() == []
        [record] = memory.store.find(Filter(ids=("t3",)))
        assert (record.text, record.boundary) == (TEXTS[3], "secret")


def test_repair_drops_what_is_lost_with_a_receipt_that_holds_no_text(path: Path) -> None:
    harm(path, "UPDATE records SET text = 'lost words', fields = '{' WHERE id = 't3'")
    harm(path, "UPDATE segment_vectors SET data = zeroblob(length(data)) WHERE segment = 1")
    with opened(path) as memory:
        problems = memory.maintenance.verify(repair=True)
        assert all(problem.mended and "dropped" in problem.done for problem in problems)
        [event] = memory.audit.events(topic="damage")
        assert (event.body["id"], event.body["what"]) == ("t3", "dropped") and "lost" not in str(event.body)
        assert memory.search(QUERY, user="bob", now=NOW).freshness.pending == 0, "only the damaged segment is dropped"
        memory.maintenance.reindex()
        assert memory.maintenance.verify() == []
        assert len(memory.search(QUERY, user="ana", limit=12, now=NOW)) == 11


def test_verify_finds_a_changed_event_and_a_changed_schema(path: Path) -> None:
    harm(path, "UPDATE events SET body = json_set(body, '$.extra', 1) WHERE event = 1")
    with opened(path) as memory:
        assert [problem.where for problem in memory.maintenance.verify()] == ["log of tenant default"]
    harm(path, "DROP INDEX records_by_id")
    with opened(path) as memory:
        assert "schema records_by_id" in {problem.where for problem in memory.maintenance.verify()}
