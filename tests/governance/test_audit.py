"""The audit log: whoever touches the file shows, whatever may be taken out leaves the chain whole, and others can check it."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.errors import InputError, StoreBusyError, StoreCorruptError, StoreError
from aforesaid.governance.audit import AuditReport, export_lines, verify
from aforesaid.memory import Memory
from aforesaid.policy.document import read_policy
from aforesaid.policy.repository import adopt
from aforesaid.settings.rows import StoreRows
from aforesaid.store.hash_chain import Head, mentioning
from aforesaid.store.memory import DictStore
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.testing.samples import DAY, NOON, make_event
from aforesaid.types import Event, EventFilter, Turn
from support.audit_export import proved
from support.clock import NOW

ROWS = StoreRows(synchronous="normal")
COLUMNS = "time, tenant, topic, subject, body, digest, erased"


@pytest.fixture
def log(path: Path) -> Path:
    """A file with events 1 to 6 of a tenant, the first two pruned, the fifth erased."""
    store = SQLiteStore(path, ROWS)
    for day in range(1, 7):
        store.log.append(make_event(day, request=f"r{day}"))
    store.log.prune("t", NOON + 3 * DAY)
    store.log.erase("t", ["about 5"])
    assert verify(store, "t").intact
    store.close()
    return path


def checked(path: Path, known: str = "") -> AuditReport:
    store = SQLiteStore(path, ROWS)
    try:
        return verify(store, "t", known)
    finally:
        store.close()


def tampered(path: Path, *statements: str) -> AuditReport:
    """What a check says after somebody went at the file with SQL."""
    connection = sqlite3.connect(path)
    for statement in statements:
        assert connection.execute(statement).rowcount, statement
    connection.commit()
    connection.close()
    return checked(path)


def with_head(change: str) -> str:
    return f"UPDATE log_heads SET head = json_set(head, {change}) WHERE tenant = 't'"


FORGED = "'%s', 0" % ("0" * 64)


@pytest.mark.parametrize(
    ("statements", "where"),
    [
        (["UPDATE events SET body = '{\"n\": 5}' WHERE number = 4"], "Event 4 (2026-05-07 12:00:00 UTC, test)"),
        (["UPDATE events SET body = replace(body, 'r3', 'r4') WHERE number = 3"], "Event 3 (2026-05-06 12:00:00"),
        (["UPDATE events SET subject = 'else' WHERE number = 4"], "Event 4 "),
        (["UPDATE events SET subject = NULL WHERE number = 6"], "Event 6 "),
        (["UPDATE events SET topic = 'else' WHERE number = 4"], "Event 4 "),
        (["UPDATE events SET time = time + 1 WHERE number = 4"], "Event 4 "),
        (["UPDATE events SET digest = replace(digest, 'a', 'b') WHERE number = 4"], "Event 4 "),
        (["UPDATE events SET digest = '' WHERE number = 4"], "Event 4 (2026-05-07 12:00:00 UTC, test) does not match the digest of event 3"),
        (["UPDATE events SET tenant = 'else' WHERE number = 4"], "Event 5 "),
        (["UPDATE events SET time = time + 1 WHERE number = 5"], "Event 5 "),  # erased, and still proved
        (["UPDATE events SET topic = 'else' WHERE number = 5"], "Event 5 "),
        (["UPDATE events SET body = '{\"content\": \"0\"}' WHERE number = 5"], "Event 5 "),
        (["UPDATE events SET body = '{}' WHERE number = 5"], "Event 5 "),
        (["UPDATE events SET erased = 0 WHERE number = 5"], "Event 5 "),
        (["UPDATE events SET body = '{' WHERE number = 4"], "Event 4 cannot be read"),
        (["UPDATE events SET body = '[]' WHERE number = 4"], "Event 4 cannot be read"),
        (["UPDATE events SET time = 'noon' WHERE number = 4"], "Event 4 cannot be read"),
        (["UPDATE events SET subject = x'00ff' WHERE number = 4"], "Event 4 cannot be read"),
        (["DELETE FROM events WHERE number = 4"], "does not match the digest of event 3"),
        (["DELETE FROM events WHERE number = 3"], "Event 4 (2026-05-07 12:00:00 UTC, test) does not match the last pruned digest"),
        (["DELETE FROM events WHERE number = 6"], "4 expected, 3 found; the last is event 5"),
        (["DELETE FROM events WHERE number > 3"], "4 expected, 1 found; the last is event 3"),
        (["DELETE FROM events"], "4 expected, 0 found; no event is left"),
        (["UPDATE events SET number = 99 WHERE number = 4"], "Event 5 "),
        (
            [
                "UPDATE events SET number = 98 WHERE number = 3",
                "UPDATE events SET number = 3 WHERE number = 4",
                "UPDATE events SET number = 4 WHERE number = 98",
            ],
            "Event 3 (2026-05-07 12:00:00 UTC, test) does not match the last pruned digest",
        ),
        ([f"INSERT INTO events (number, {COLUMNS}) SELECT 7, {COLUMNS} FROM events WHERE number = 6"], "Event 7 "),
        ([f"INSERT INTO events (number, {COLUMNS}) VALUES (7, 0, 't', 'x', NULL, '{{}}', {FORGED})"], "Event 7 "),
        ([f"INSERT INTO events (number, {COLUMNS}) VALUES (0, 0, 't', 'x', NULL, '{{}}', {FORGED})"], "Event 0 "),
        ([f"INSERT INTO events (number, {COLUMNS}) VALUES (-3, 0, 't', 'x', NULL, '{{}}', '', 0)"], "Event -3 "),
        ([with_head("'$.anchor', 'forged'")], "Event 3 (2026-05-06 12:00:00 UTC, test) does not match the last pruned digest"),
        ([with_head("'$.digest', 'forged'")], "newest digest differs from the one in the head of the log; the last is event 6"),
        ([with_head("'$.events', 7")], "5 expected, 4 found"),
        ([with_head("'$.pruned', 3")], "3 expected, 4 found"),
        ([with_head("'$.pruned', 3, '$.events', 7")], "The seal of the log does not fit"),
        ([with_head("'$.pruned', 3, '$.events', 7, '$.seal', ''")], ""),  # without a seal it can only be believed
        ([with_head("'$.erased', 0")], "counts 0 erased events, 1 found"),
        ([with_head("'$.erased', 'x'")], "The head of the log of tenant 't' cannot be read"),
        (["UPDATE log_heads SET head = 'x' WHERE tenant = 't'"], "The head of the log of tenant 't' cannot be read"),
        (["DELETE FROM log_heads WHERE tenant = 't'"], "Event 3 (2026-05-06 12:00:00 UTC, test) does not match the start"),
    ],
)  # fmt: skip
def test_tampering_shows(log: Path, statements: list[str], where: str) -> None:
    report = tampered(log, *statements)
    assert where in report.problem
    assert report.intact == (where == "")


def test_a_head_that_was_deleted_shows_when_nothing_was_pruned(path: Path) -> None:
    store = SQLiteStore(path, ROWS)
    store.log.append(make_event(1))
    store.close()
    assert "head of the log is missing, but 1 events are stored" in tampered(path, "DELETE FROM log_heads").problem


def test_cutting_both_the_log_and_its_head_shows_to_whom_noted_a_digest(log: Path) -> None:
    noted = checked(log).digest
    assert checked(log, noted).intact
    assert tampered(log, "DELETE FROM events", "DELETE FROM log_heads") == AuditReport(0)
    assert f"{noted} is not in the log" in checked(log, noted).problem


@pytest.mark.parametrize("seal", [None, ""])
def test_a_chain_that_was_rebuilt_without_the_key_shows(path: Path, seal: str | None) -> None:
    """Somebody changes an event and computes every digest and the head anew, with a wrong seal or without one."""
    store = SQLiteStore(path, ROWS)
    store.log.append([*make_event(1), *make_event(2)])
    assert verify(store, "t").sealed
    events = store.log.find(EventFilter("t", order="oldest"))
    store.close()
    forger = DictStore(b"not the key of the store")
    forger.log.append([replace(events[0], body={"n": "forged"}), events[1]])
    head = forger.log.head("t")
    assert head is not None
    report = tampered(
        path,
        *(
            f"UPDATE events SET body = '{json.dumps(dict(e.body))}', digest = '{e.digest}' WHERE event = {e.number}"
            for e in forger.log.find(EventFilter("t"))
        ),
        f"UPDATE log_heads SET head = '{(head if seal is None else replace(head, seal=seal)).write()}' WHERE tenant = 't'",
    )
    assert not report.sealed
    assert ("The seal of the log does not fit" in report.problem) == (seal is None)
    with Memory(SQLiteStore(path, ROWS), tenant="t") as memory:
        memory.remember("tea at four")
        assert not memory.audit.verify().sealed, "a later event does not mend it"
        assert memory.audit.verify(seal=True).sealed and memory.audit.verify().sealed


def test_one_event_after_a_break_the_counts_are_still_right(log: Path) -> None:
    report = tampered(log, "UPDATE events SET topic = 'x' WHERE event = 3", "DELETE FROM events WHERE event = 6")
    assert (report.events, report.erased, report.pruned) == (3, 1, 2)
    assert report.problem.startswith("Event 3 "), "the first place"


def test_an_unreadable_head_does_not_stop_writers_and_the_log_says_so(log: Path) -> None:
    tampered(log, "UPDATE log_heads SET head = 'x' WHERE tenant = 't'")
    store = SQLiteStore(log, ROWS)
    with pytest.raises(StoreCorruptError, match="head of the log"):
        list(export_lines(store, "t"))
    store.log.append(make_event(9))
    newest, notice, *before = store.log.find(EventFilter("t"))
    assert (newest.topic, notice.topic, len(before)) == (make_event(9)[0].topic, "damage", 4)
    assert "made again" in notice.body["what"]
    store.close()


@pytest.mark.parametrize(
    ("touch", "where"),
    [
        (lambda events: events[:1] + events[2:], "Event 3 "),
        (lambda events: events[:2], "2 found; the last is event 2"),
        (lambda events: [events[1], events[0], events[2]], "Event 2 "),
        (lambda events: [*events, events[2]], "Event 3 "),
        (lambda events: [events[0], replace(events[1], body={}), events[2]], "Event 2 "),
        (lambda events: [events[0], replace(events[1], erased=True), events[2]], "Event 2 "),
    ],
)
def test_the_plainest_store_shows_it_too(
    touch: Callable[[list[Event]], list[Event]], where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = DictStore()
    store.log.append([*make_event(1), *make_event(2), *make_event(3)])
    pages = iter([touch(store.log.find(EventFilter("t", order="oldest"))), []])
    monkeypatch.setattr(store.log, "find", lambda _: next(pages))
    assert where in verify(store, "t").problem


@pytest.mark.parametrize("work", ["erase", "prune"])
def test_what_was_taken_out_is_in_no_file(path: Path, work: str) -> None:
    store = SQLiteStore(path, ROWS)
    store.log.append(Event(NOON, "t", "x", "user:ana/hush-hush", {"keys": ["very-secret-name"]}) for _ in range(300))
    store.log.append(Event(NOON + 9 * DAY, "t", "x", "user:bo/s", {"keys": ["other"]}) for _ in range(300))
    found = store.log.erase("t", ["hush-hush"]) if work == "erase" else store.log.prune("t", NOON + DAY)
    assert found == 300
    for file in path.parent.iterdir():
        assert b"hush-hush" not in file.read_bytes()
        assert b"very-secret-name" not in file.read_bytes()
    assert verify(store, "t").intact
    store.close()


def test_many_writers_make_one_chain(path: Path) -> None:
    stores = [SQLiteStore(path, ROWS) for _ in range(4)]

    def write(store: SQLiteStore) -> None:
        for day in range(25):
            store.log.append(make_event(day))

    threads = [threading.Thread(target=write, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (verify(stores[0], "t").events, verify(stores[0], "t").problem) == (100, "")
    for store in stores:
        store.close()


def test_a_check_sees_one_state_while_others_write(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hasty = replace(ROWS, lock_timeout_ms=300)
    store, other = SQLiteStore(path, hasty), SQLiteStore(path, hasty)
    store.log.append(make_event(1))
    read = store.log.head

    def then_another_writes(tenant: str) -> Head | None:
        found = read(tenant)
        other.log.append(make_event(2))
        other.log.prune("t", NOON + 2 * DAY)
        return found

    monkeypatch.setattr(store.log, "head", then_another_writes)
    report = verify(store, "t")
    assert (report.events, report.pruned, report.problem) == (1, 0, "")
    monkeypatch.undo()
    assert (verify(store, "t").events, verify(store, "t").pruned) == (1, 1)
    with pytest.raises(StoreError), store.snapshot():
        store.log.append(make_event(3))
    assert verify(store, "t").intact
    store.close()
    other.close()


steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("append"),
            st.sampled_from(["t", "u"]),
            st.integers(0, 9),
            st.sampled_from(["a", "b/c", "c", '猫\n"\\']),
        ),
        st.tuples(st.just("erase"), st.sampled_from(["t", "u"]), st.sampled_from(["a", "c", "b/c", '猫\n"\\', "n"])),
        st.tuples(st.just("prune"), st.sampled_from(["t", "u"]), st.integers(0, 9)),
    ),
    max_size=25,
)


@given(steps)
@settings(max_examples=60)
def test_both_stores_keep_the_same_log(tmp_path_factory: pytest.TempPathFactory, steps: list[tuple]) -> None:
    file = SQLiteStore(tmp_path_factory.mktemp("log") / "store.db", ROWS)
    plain = DictStore(file.key)
    for verb, tenant, *rest in steps:
        for store in (plain, file):
            if verb == "append":
                store.log.append([Event(NOON + rest[0] * DAY, tenant, "x", rest[1], {"n": rest[0], "of": [rest[1]]})])
        if verb == "erase":
            assert plain.log.erase(tenant, rest) == file.log.erase(tenant, rest)
        if verb == "prune":
            before = NOON + rest[0] * DAY
            assert plain.log.prune(tenant, before) == file.log.prune(tenant, before)
    for tenant in ("t", "u"):
        assert plain.log.head(tenant) == file.log.head(tenant)
        expected, found = plain.log.find(EventFilter(tenant)), file.log.find(EventFilter(tenant))
        assert [repr(event) for event in found] == [repr(event) for event in expected], "number and digest too"
        assert verify(plain, tenant) == verify(file, tenant)
        assert verify(file, tenant).intact
    file.close()


# The verbs


def keep(memory: Memory, days: float | None) -> None:
    text = "version: v1\n" + (f"audit:\n  retention_days: {days}\n" if days is not None else "")
    adopt(memory.store, memory.tenant, read_policy(text, "test"), NOW)


def noted(memory: Memory, ago: int, topic: str = "x", **body: str) -> None:
    memory.store.log.append([Event(NOW - timedelta(days=ago), memory.tenant, topic, f"s{ago}", body)])


def test_looking_into_the_log(memory: Memory) -> None:
    noted(memory, 9, "ingest", request="r1")
    noted(memory, 5, "recall", request="r1", trace="t1")
    noted(memory, 1, "forget", request="r2")
    noted(memory.for_tenant("other"), 1, "forget", request="r1")
    assert [event.topic for event in memory.audit.events()] == ["forget", "recall", "ingest"]
    assert [event.topic for event in memory.audit.events(request="r1")] == ["recall", "ingest"]
    assert [event.topic for event in memory.audit.events("recall", "s5", "r1")] == ["recall"]
    assert [event.topic for event in memory.audit.events(since=NOW - timedelta(days=5), until="2026-05-30")] == [
        "recall"
    ]
    assert [event.topic for event in memory.audit.events(limit=1, offset=1)] == ["recall"]
    with pytest.raises(InputError, match="Give 0 or more"):
        memory.audit.events(limit=-1)


def test_what_a_request_did_can_be_found(memory: Memory) -> None:
    for request in ("r1", "r2"):
        turn = Turn(request, "s", "user", f"I moved to Lisbon in {request}.", NOW)
        memory.acting(request=request, trace="t1").ingest([turn], user="ana")
    found = memory.audit.events(request="r2")
    assert {(event.body["request"], event.body["trace"]) for event in found} == {("r2", "t1")}
    assert len(found) < len(memory.audit.events())
    assert memory.audit.verify().intact


def test_retention_by_policy(memory: Memory) -> None:
    for ago in (40, 31, 29, 0):
        noted(memory, ago)
    assert memory.audit.prune() == 0, "nobody asked for it"
    keep(memory, None)
    assert memory.audit.prune() == 0
    keep(memory, 30)
    assert memory.audit.prune() == 2
    newest = memory.audit.events()[0]
    assert (newest.topic, newest.body["events"], newest.body["policy"]) == ("prune", 2, "v1")
    assert [event.subject for event in memory.audit.events()[1:]] == ["s0", "s29"]
    assert memory.audit.prune() == 0
    assert len(memory.audit.events()) == 3, "nothing to tell"
    assert memory.audit.prune(now=NOW + timedelta(days=365)) == 3
    assert memory.audit.verify().intact
    assert memory.audit.verify().pruned == 5
    keep(memory, 1_000_000)
    assert memory.audit.prune() == 0, "longer than the calendar"


def test_an_export_can_be_checked_without_aforesaid(memory: Memory) -> None:
    for ago in (50, 40, 9, 8, 7):
        noted(memory, ago, name=f"名前 {ago}", share="0.1", request=f"r{ago}")
    memory.store.log.append(
        [Event(NOW, memory.tenant, "x", None, {"share": 1e-9, "odd": ["\ud800", None, 10**20, 1.0]})]
    )
    memory.store.log.erase(memory.tenant, ["s8"])
    keep(memory, 30)
    memory.audit.prune()
    lines = list(memory.audit.export())
    assert [json.loads(line)["number"] for line in lines[1:-1]] == [3, 4, 5, 6, 7]
    assert proved(lines)
    assert not proved(lines[:2] + lines[3:])
    assert not proved(lines[:-2] + lines[-1:])
    assert not proved([line.replace("r9", "r8") for line in lines])
    assert proved(list(Memory(DictStore(), None).audit.export())), "an empty one"


def test_a_log_that_is_pruned_while_it_is_written_out(memory: Memory) -> None:
    noted(memory, 9)
    lines = memory.audit.export()
    next(lines)
    memory.store.log.prune(memory.tenant, NOW)
    with pytest.raises(StoreBusyError, match="pruned during"):
        list(lines)


def test_what_counts_as_naming() -> None:
    mentions = mentioning(["s1", "k", "b/s2", 'say "é"', "user:bo", "project:/a/b"])
    assert mentions("s1", "{}")
    assert mentions("user:ana/s1", "{}")
    assert mentions("a/b/s2", "{}")
    assert mentions("user:bo/x", "{}")
    assert mentions("project:/a/b/c/x", "{}")
    assert not mentions("user:bob/x", "{}")
    assert mentions(None, json.dumps({"a": [{"b": {"k": 1}}]}))
    assert mentions(None, json.dumps({"a": 'say "é"'}))
    assert not mentions("s1/x", json.dumps({"a": ["s1 and k"]}))
    assert not mentions("s11", json.dumps({"n": 1}))
    assert not mentions(None, "{}")


def test_a_head_comes_back_as_it_was_written() -> None:
    head = Head(5, 7, "a", 1, 3, "b", "2026-05-03")
    assert Head.read(head.write()) == head
    for text in ("", "[]", "3", '{"x": 1}', '{"events": "5"}', '{"events": true}', '{"digest": null}'):
        with pytest.raises(ValueError, match=r"."):
            Head.read(text)
