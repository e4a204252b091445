"""The store contract as a test suite. Every backend runs it.

To test a backend, subclass `StoreContract` in a test module and add a `store` fixture that returns an empty store:

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self):
            return MyStore()

If your backend differs on purpose, override the test with a skip that gives the reason. docs/store.md shows a small
backend that passes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aforesaid.store.protocols import Damage, Slot, Store, ValueKind
from aforesaid.testing.log import LogContract
from aforesaid.testing.records import RecordContract
from aforesaid.testing.samples import ALL, NOON, fill, make_record, random_vectors
from aforesaid.testing.search import SearchContract
from aforesaid.testing.vectors import VectorContract
from aforesaid.types import Edge


class StoreContract(RecordContract, SearchContract, VectorContract, LogContract):
    """The whole contract. The tests defined here cover edges, values, transactions and statistics."""

    def test_edges_are_unique_and_readable_from_both_ends(self, store: Store) -> None:
        a, b = fill(store, [make_record("a"), make_record("b")])
        edge = Edge(a, b, "covers", NOON)
        store.link([edge, edge, Edge(a, "nobody", "covers", NOON)])
        assert store.edges([a]) == [edge] == store.edges([b], incoming=True)
        assert store.edges([b]) == []

    def test_values_are_kept_by_slot(self, store: Store) -> None:
        slot = Slot(ValueKind.DOCUMENT, "default", "user:ana", "AGENTS.md")
        store.values.put(slot, "1")
        store.values.put(slot, "2")
        assert store.values.get(slot) == "2"
        assert store.values.get(replace(slot, owner="user:bob")) is None
        store.values.drop(slot)
        store.values.drop(slot)
        assert store.values.get(slot) is None

    def test_values_are_listed_by_kind_tenant_owner_and_prefix(self, store: Store) -> None:
        kind, other = ValueKind.NOTES_FILE, ValueKind.CONTEXT
        places = [("a", "user:ana", "notes/1"), ("a", "user:ana", "notes/2"), ("a", "user:ana", "x")]
        places += [("a", "user:bob", "notes/1"), ("b", "user:ana", "notes/1")]
        slots = [*(Slot(kind, *place) for place in places), Slot(other, "a", "user:ana", "c")]
        for slot in reversed(slots):
            store.values.put(slot, slot.name)
        assert list(store.values.items(kind, "a")) == slots[:4]
        assert list(store.values.items(kind, "a", "user:ana")) == slots[:3]
        assert store.values.items(kind, "a", "user:ana", "notes/") == {slots[0]: "notes/1", slots[1]: "notes/2"}
        assert store.values.drop_owner("a", "user:ana") == 4
        assert [*store.values.items(kind, "a"), *store.values.items(other, "a")] == [slots[3]]
        assert list(store.values.items(kind, "b")) == [slots[4]]

    def test_a_failed_transaction_changes_nothing(self, store: Store) -> None:
        fill(store, [make_record("a")], random_vectors(1))
        with pytest.raises(RuntimeError), store.transaction():
            store.put([make_record("b", text="unlucky")])
            store.put_vectors([make_record("b").key], random_vectors(1))
            with store.transaction():
                store.delete([make_record("a").key])
            raise RuntimeError("stop")
        assert [record.id for record in store.find(ALL)] == ["a"]
        assert store.text_search(["unlucki"], ALL, 5) == []
        assert store.coverage(ALL) == (1, 0)
        assert store.maintenance.verify() == []

    def test_a_failed_transaction_leaves_nothing_in_caches(self, store: Store) -> None:
        [key] = fill(store, [make_record("a")], np.eye(1, 4, dtype=np.float32))
        other, third = np.eye(2, 4, 1, dtype=np.float32)
        with pytest.raises(RuntimeError), store.transaction():
            store.put_vectors([key], other.reshape(1, -1))
            assert store.vector_search(other, ALL, 1)[0].score == pytest.approx(1)
            raise RuntimeError("stop")
        store.put_vectors([key], third.reshape(1, -1))
        assert store.vector_search(third, ALL, 1)[0].score == pytest.approx(1)
        assert store.vector_search(other, ALL, 1)[0].score == pytest.approx(0)

    def test_reads_inside_a_transaction_see_its_writes(self, store: Store) -> None:
        with store.transaction():
            fill(store, [make_record("a")], random_vectors(1))
            assert len(store.text_search(["fox"], ALL, 5)) == 1
            assert len(store.vector_search(random_vectors(1)[0], ALL, 5)) == 1

    def test_stats_and_tenants(self, store: Store) -> None:
        a, b, _ = fill(store, [make_record("a"), make_record("b", kind="claim"), make_record("c", tenant="t2")])
        store.link([Edge(a, b, "hop", NOON)])
        stats = store.maintenance.stats("default")
        assert (stats.records, dict(stats.kinds), stats.edges, stats.pending) == (2, {"claim": 1, "turn": 1}, 1, 2)
        assert store.tenants() == ["default", "t2"]
        assert store.maintenance.verify() == []

    def test_a_sound_store_reports_no_damage(self, store: Store) -> None:
        fill(store, [make_record("a")], random_vectors(1))
        assert store.damage(ALL) == Damage()
        assert store.delete_damaged([1]) == 0
        assert store.count(ALL) == 1

    def test_scan_finds_no_trace_of_deleted_records(self, store: Store) -> None:
        [key, _] = fill(store, [make_record("a", "the boat that sank in the harbour"), make_record("b")])
        store.delete([key])
        looked = store.maintenance.scan({key.encode(): "key", b"the boat that sank": "text"})
        assert (looked.needles, looked.found) == (2, ())
        assert store.maintenance.copies() == []
