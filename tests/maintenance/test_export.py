"""Forgetting, moving house, and coming back the same."""

from __future__ import annotations

import json
import threading
import tracemalloc
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from pathlib import Path

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import FormatError, InputError, NotFoundError, StoreBusyError
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.settings.rows import StoreRows
from aforesaid.store.memory import DictStore
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import EventFilter, Record, SearchResult, Turn
from support.clock import NOW, standing_clock
from support.growth import cpu_seconds, is_linear

DAY = timedelta(days=1)
ASIDE = "Can you suggest some throw pillows? By the way, my dentist moved to Porto."


def fill(memory: Memory) -> Memory:
    memory.ingest(
        [
            Turn("t1", "s1", "user", "I moved to Lisbon in May.", NOW - 30 * DAY, "b"),
            Turn("t2", "s1", "assistant", "Noted, 猫も一緒ですね。", NOW - 30 * DAY, "b"),
            Turn("t3", "s2", "user", "The cat is called Figo.", NOW - DAY),
        ],
        user="ana",
    )
    memory.ingest([Turn("t1", "s1", "user", "I stay in Porto.", NOW)], user="bo")
    old = memory.remember("My manager is Ines.", user="ana", time=NOW - 9 * DAY)
    memory.remember("My manager is Jonas.", user="ana", time=NOW - DAY, supersedes=old.id, meta={"why": ["x", 1.5]})
    return memory


def same(one: SearchResult, other: SearchResult) -> bool:
    """The same records in the same order with the same scores, but for the rounding of the two stores."""
    return [hit.record for hit in one] == [hit.record for hit in other] and [hit.score for hit in one] == pytest.approx(
        [hit.score for hit in other], abs=1e-6
    )


def test_forget_by_id_session_time_and_user(memory: Memory) -> None:
    fill(memory)
    assert memory.forget(["t3"], user="ana").records == 1
    with pytest.raises(NotFoundError):
        memory.get("t3", user="ana")
    assert memory.forget(before=NOW - 20 * DAY, user="ana").records == 2
    assert memory.forget(session="s1", user="bo").records == 1
    receipt = memory.forget(user="ana", everything=True)
    assert receipt.records == 2
    assert memory.stats().records == 0
    assert memory.store.log.find(EventFilter("default", topic="forget", limit=1))[0].body["records"] == 2


def test_forgetting_by_address_spares_a_namesake(memory: Memory) -> None:
    memory.ingest([Turn("1", "s1", "user", "tea"), Turn("1", "s2", "user", "coffee")], user="ana")
    key = memory.get("1", user="ana", session="s1").key
    assert memory.forget([key], user="ana").records == 1
    assert [record.text for record in memory.list(user="ana")] == ["coffee"]


def test_forget_needs_to_know_what(memory: Memory) -> None:
    fill(memory)
    with pytest.raises(InputError, match="Nothing was selected"):
        memory.forget(user="ana")
    with pytest.raises(NotFoundError):
        memory.forget(["nobody"], user="ana")
    assert memory.forget(session="no such session", user="ana").records == 0
    assert memory.stats().records == 6


def test_one_user_cannot_forget_for_another(memory: Memory) -> None:
    fill(memory)
    memory.forget(user="bo", everything=True)
    assert len(memory.list(user="ana", superseded=True)) == 5


def test_forgotten_words_leave_the_files(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", embedder=HashEmbedder(64)) as memory:
        fill(memory)
        memory.forget(["t3"], user="ana")
        for file in tmp_path.iterdir():
            for trace in (b"Figo", b"figo"):
                assert trace not in file.read_bytes(), file


def test_forgotten_sentences_leave_the_files(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", embedder=HashEmbedder(64)) as memory:
        memory.ingest([Turn("t1", "s", "user", ASIDE), Turn("t2", "s", "user", "Something else.")], user="ana")
        key = memory.get("t1", user="ana").key
        traces = [row.astype("<f2").tobytes() for row in memory.store.passages([key])[key]]
        files = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert all(trace in files for trace in traces)
        memory.forget(["t1"], user="ana")
        for file in tmp_path.iterdir():
            assert not any(trace in file.read_bytes() for trace in traces), file


def test_an_export_comes_back_the_same(memory: Memory, tmp_path: Path) -> None:
    memory.ingest([Turn("t9", "s9", "user", ASIDE, NOW - DAY)], user="cleo")
    lines = list(fill(memory).export())
    assert sum('"passages":"' in line for line in lines) == 1
    copy = Memory(SQLiteStore(tmp_path / "copy.db"), HashEmbedder(64), settings=Settings(), clock=standing_clock)
    report = copy.import_(lines)
    assert (report.records, report.vectors, report.edges) == (7, 7, 1)
    assert list(copy.export()) == lines
    for query in ("Lisbon", "manager", "猫"):
        assert same(copy.search(query, user="ana"), memory.search(query, user="ana"))
    assert copy.maintenance.verify() == []
    again = copy.import_(lines)
    assert (again.records, again.known) == (0, 7)
    assert list(copy.export()) == lines
    copy.close()


def test_an_export_without_vectors_is_embedded_again_by_reindex(memory: Memory) -> None:
    lines = list(fill(memory).export(vectors=False))
    copy = Memory(DictStore(), HashEmbedder(64), settings=Settings(), clock=standing_clock)
    assert copy.import_(lines).vectors == 0
    assert copy.maintenance.reindex().embedded == 6
    assert list(copy.export()) == list(memory.export())
    assert same(copy.search("Lisbon", user="ana"), memory.search("Lisbon", user="ana"))


def test_an_export_enters_the_importing_tenant_only(memory: Memory) -> None:
    lines = list(fill(memory).export())
    other = memory.for_tenant("other")
    other.import_(lines)
    assert memory.stats().records == other.stats().records == 6
    assert other.stats().edges == 1
    assert {record.tenant for record in other.list(user="ana")} == {"other"}


def test_an_export_is_the_state_at_its_start(tmp_path: Path) -> None:
    rows = {"store.lock_timeout_ms": 5000, "store.synchronous": "normal"}
    settings = Settings().changed(rows, "test")
    store = SQLiteStore(tmp_path / "m.db", settings.store)
    with Memory(store, HashEmbedder(16), settings=settings, clock=standing_clock) as memory:
        told = [Turn(f"t{i}", f"s{i % 7}", "user", f"word {i}", NOW + i % 5 * DAY) for i in range(1200)]
        memory.ingest(told, user="ana")
        expected = list(memory.export())
        lines = memory.export()
        found = [next(lines) for _ in range(3)]

        def change() -> None:
            memory.forget([f"t{i}" for i in range(0, 1200, 3)], user="ana")
            memory.ingest([Turn(f"n{i}", "s1", "user", f"new {i}", NOW) for i in range(50)], user="ana")

        thread = threading.Thread(target=change)
        thread.start()
        found += [next(lines) for _ in range(600)]
        thread.join()
        assert [*found, *lines] == expected
        assert (tmp_path / "m.db-wal").stat().st_size == 0, "the log is emptied when the export ends"
        assert memory.stats().records == 1200 - 400 + 50
        assert sum('"record":' in line for line in memory.export()) == 850


def big_memory(folder: Path, records: int) -> Memory:
    memory = Memory(SQLiteStore(folder / f"{records}.db", StoreRows(synchronous="normal")), None, clock=standing_clock)
    for first in range(0, records, 1000):  # as an import would, in many owners and out of order
        memory.store.put(
            Record(f"t{i}", "turn", f"text {i}", NOW - i % 97 * DAY, user=f"u{i % 50}", session="s")
            for i in range(first, min(first + 1000, records))
        )
    return memory


def test_an_export_takes_linear_time_and_flat_memory(tmp_path: Path) -> None:
    small, large = 1000, 10_000
    memories = {size: big_memory(tmp_path, size) for size in (small, large)}

    def export(size: int) -> None:
        assert sum(1 for _ in memories[size].export()) > size

    assert is_linear(export, small, large, slack=1.6)
    peaks = []
    for memory in memories.values():
        tracemalloc.start()
        assert sum(map(len, memory.export()))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0] + large * 12, "a row number for each record, and one page"
    for memory in memories.values():
        memory.close()


def test_the_first_line_of_an_export_does_not_wait_for_the_last(tmp_path: Path) -> None:
    with big_memory(tmp_path, 10_000) as memory:
        first = cpu_seconds(lambda size: list(islice(memory.export(), size)), 2)
        assert first < cpu_seconds(lambda size: list(islice(memory.export(), size)), 10_000) / 5


def test_a_log_that_grows_too_far_ends_the_export(tmp_path: Path) -> None:
    settings = Settings().changed({"store.frozen_log_mb": 1, "store.synchronous": "normal"}, "test")
    store = SQLiteStore(tmp_path / "m.db", settings.store)
    with Memory(store, None, settings=settings, clock=standing_clock) as memory:
        memory.ingest([Turn(f"t{i}", "s", "user", f"word {i}", NOW) for i in range(1200)], user="ana")
        lines = memory.export()
        next(lines)
        memory.store.put([Record("long", "turn", "long words " * 100_000, NOW, user="ana", session="s")])
        with pytest.raises(StoreBusyError, match="grew by 1 MB"):
            list(lines)
        assert (tmp_path / "m.db-wal").stat().st_size == 0
        assert sum('"record":' in line for line in memory.export()) == 1201


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: lines[:4],
        lambda lines: [],
        lambda lines: lines[1:],
        lambda lines: [lines[0], "not json", *lines[1:]],
        lambda lines: [*lines, '{"record": {"id": "x"}}'],
        lambda lines: [*lines, '{"record": {"id": "x", "kind": "turn", "text": 3, "time": "2026-01-01"}}'],
        lambda lines: [*lines, '{"record": {"id": "x", "kind": "dream", "text": "", "time": "2026-01-01"}}'],
        lambda lines: [*lines, '{"record": {"id": "x", "kind": "turn", "text": "", "time": "2026-01-01", "new": 1}}'],
        lambda lines: [*lines, '{"something": 1}'],
        lambda lines: [*lines, "[1, 2]"],
        lambda lines: [*lines, '{"edge": [1]}'],
        lambda lines: ['{"aforesaid": 99, "records": 0, "space": null}'],
        lambda lines: [line.replace('"vector":"', '"vector":"AAAA') for line in lines],
    ],
)
def test_a_bad_import_changes_nothing(memory: Memory, damage: object) -> None:
    lines = list(fill(memory).export())
    copy = Memory(DictStore(), HashEmbedder(64), settings=Settings(), clock=standing_clock)
    copy.ingest([Turn("mine", "s", "user", "already here")])
    before = list(copy.export())
    with pytest.raises(FormatError):
        copy.import_(damage(lines))  # type: ignore[operator]
    assert list(copy.export()) == before


def test_a_turn_is_not_overwritten_by_an_import(memory: Memory) -> None:
    lines = list(fill(memory).export())
    changed = [line.replace("Lisbon", "Madrid") for line in lines]
    with pytest.raises(FormatError, match="different text"):
        memory.import_(changed)
    assert memory.get("t1", user="ana").text == "I moved to Lisbon in May."


def test_exports_are_plain_json_lines(memory: Memory) -> None:
    head, *rest = map(json.loads, fill(memory).export())
    assert head["aforesaid"] == 1
    assert head["records"] == 6
    assert {next(iter(line)) for line in rest} == {"record", "edge", "event"}


def test_a_record_may_change_its_other_fields(memory: Memory) -> None:
    fill(memory)
    record = replace(memory.get("t1", user="ana"), utility=0.5)
    memory.store.put([record])
    assert memory.get("t1", user="ana").utility == 0.5
