"""Store contract: the event log appends, filters, erases and prunes, and its hash chain stays valid."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aforesaid.governance.audit import AuditReport, seal, verify
from aforesaid.store.hash_chain import content_of, digest_of
from aforesaid.store.protocols import Store
from aforesaid.testing.samples import DAY, NOON, make_event
from aforesaid.types import Event, EventFilter


class LogContract:
    """Tests of the event log."""

    def test_events_are_read_newest_first(self, store: Store) -> None:
        first, second = Event(NOON, "t", "ingest", "s1", {"n": 1}), Event(NOON, "t", "recall", "s1", {"n": 2})
        store.log.append([first, second])
        store.log.append([Event(NOON, "other", "ingest", None, {})])
        assert store.log.find(EventFilter("t")) == [second, first]
        assert store.log.find(EventFilter("t", topic="ingest", subject="s1")) == [first]
        assert store.log.find(EventFilter("t", subject="s2")) == []
        assert store.log.find(EventFilter("t", limit=1)) == [second]

    def test_events_are_numbered_and_chained_per_tenant(self, store: Store) -> None:
        store.log.append(make_event(1))
        with pytest.raises(RuntimeError), store.transaction():
            store.log.append(make_event(2))
            raise RuntimeError("stop")
        store.log.append([*make_event(3), *make_event(4, tenant="other"), *make_event(5)])
        mine, other = store.log.find(EventFilter("t", order="oldest")), store.log.find(EventFilter("other"))
        assert [event.body["n"] for event in mine] == [1, 3, 5]
        assert [event.number for event in (*mine, *other)] == [1, 2, 3, 1], "others cannot be counted"
        before = ""
        for event in mine:
            content = content_of(event.subject, event.body)
            assert event.digest == digest_of(before, event.time, "t", event.topic, content)
            before = event.digest
        assert verify(store, "t") == AuditReport(3, digest=before, sealed=True)
        assert verify(store, "other").intact

    def test_event_filters(self, store: Store) -> None:
        store.log.append(
            [*make_event(1, request="r1"), *make_event(2), *make_event(3, request="r1"), *make_event(4, request="r2")]
        )
        store.log.append(make_event(5, tenant="other", request="r1"))

        def found(**conditions: Any) -> list[int]:
            return [event.body["n"] for event in store.log.find(EventFilter("t", **conditions))]

        assert found(request="r1") == [3, 1]
        assert found(request="r1", topic="other") == []
        assert found(since=NOON + 2 * DAY, until=NOON + 3 * DAY) == [3, 2]
        assert found(order="oldest", limit=2, offset=1) == [2, 3]
        assert found(order="oldest", after=2) == [3, 4]
        assert found(after=2, limit=1) == [4]
        assert found(limit=0) == []

    def test_the_digest_covers_the_body_as_it_is_read_back(self, store: Store) -> None:
        odd: dict[Any, Any] = {2: "two", 10: ("a", 1.0, 1e-9), "日": {"z": None, "a": "\ud800"}}
        store.log.append([Event(NOON.replace(microsecond=7), "t", "odd", None, odd)])
        read = {"2": "two", "10": ["a", 1.0, 1e-9], "日": {"z": None, "a": "\ud800"}}
        assert store.log.find(EventFilter("t"))[0].body == read
        assert verify(store, "t").intact

    def test_erased_events_lose_their_content_and_the_chain_stays_valid(self, store: Store) -> None:
        bodies: list[dict[str, Any]] = [
            {},
            {"keys": ["k1", "k2"]},
            {"by": {"k3": [1, {"deep": "k4"}]}},
            {},
            {"note": "about k1"},
        ]
        subjects = ["user:ana/s1", "s1x", None, "user:bo/s2", "s1/other"]
        store.log.append(Event(NOON, "t", "x", *pair) for pair in zip(subjects, bodies, strict=True))
        store.log.append([Event(NOON, "else", "x", "s1", {"keys": ["k1"]})])
        digests = [event.digest for event in store.log.find(EventFilter("t"))]

        assert store.log.erase("t", ["no", "x", ""]) == 0
        assert store.log.erase("t", ["s1"]) == 1, "matches the last part of a subject"
        assert store.log.erase("t", ["user:bo"]) == 1, "matches the owner in a subject"
        assert store.log.erase("t", ["k1", "s1"]) == 1, "matches any whole string in the body"
        assert store.log.erase("t", ["k3"]) == 1, "matches a key in the body"
        found = store.log.find(EventFilter("t", order="oldest"))
        assert [event.erased for event in found] == [True, True, True, True, False]
        assert all(e.subject is None and e.body.keys() == {"content"} and e.topic == "x" for e in found[:4])
        assert [event.digest for event in store.log.find(EventFilter("t"))] == digests
        assert store.log.find(EventFilter("else"))[0].subject == "s1"
        store.log.append(make_event(1))
        report = verify(store, "t")
        assert (report.events, report.erased, report.problem) == (6, 4, "")

    def test_pruned_events_are_gone_and_the_chain_stays_valid(self, store: Store) -> None:
        store.log.append([event for day in (1, 2, 3, 9, 4, 10) for event in make_event(day)])
        store.log.append(make_event(1, tenant="other"))
        store.log.erase("t", ["about 2"])
        assert store.log.prune("t", NOON + DAY) == 0
        assert store.log.prune("t", NOON + 5 * DAY) == 4
        left = store.log.find(EventFilter("t", order="oldest"))
        assert [event.body.get("n") for event in left] == [9, None, 10], "one behind a younger event is erased"
        assert store.log.prune("t", NOON + 5 * DAY) == 0
        store.log.append(make_event(11))
        report = verify(store, "t")
        assert (report.events, report.erased, report.pruned, report.problem) == (4, 1, 3, "")
        assert store.log.prune("t", NOON + 99 * DAY) == 4
        assert verify(store, "t") == replace(report, events=0, erased=0, pruned=7)
        store.log.append(make_event(12))
        assert (verify(store, "t").events, verify(store, "t").problem) == (1, "")
        assert len(store.log.find(EventFilter("other"))) == 1

    def test_verify_finds_an_earlier_digest(self, store: Store) -> None:
        store.log.append([*make_event(1), *make_event(2), *make_event(3)])
        digests = [event.digest for event in store.log.find(EventFilter("t"))]
        assert all(verify(store, "t", digest).intact for digest in digests)
        assert "f00 is not in the log" in verify(store, "t", "f00").problem

    def test_a_log_that_was_sealed_with_another_key_shows_until_it_is_sealed_again(self, store: Store) -> None:
        store.log.append(make_event(1))
        head = store.log.head("t")
        assert head is not None and head.is_sealed("t", store.key)
        assert not head.is_sealed("t", b"another key") and not head.is_sealed("other", store.key)
        rebuilt = head.sealed("t", b"another key")
        assert rebuilt.following(head, "t", store.key).seal == head.seal
        assert head.following(rebuilt, "t", store.key).seal == "", "a later event does not mend the seal"
        assert seal(store, "t") == verify(store, "t") == AuditReport(1, digest=head.digest, sealed=True)

    def test_snapshots_nest_and_work_inside_a_transaction(self, store: Store) -> None:
        store.log.append(make_event(1))
        with store.snapshot(), store.snapshot():
            assert len(store.log.find(EventFilter("t"))) == 1
        with store.transaction(), store.snapshot():
            assert verify(store, "t").intact
        store.log.append(make_event(2))
        assert len(store.log.find(EventFilter("t"))) == 2
