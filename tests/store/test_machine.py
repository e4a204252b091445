"""Random operations on SQLiteStore, held against DictStore after every step: reopening and crashing included."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from aforesaid.settings.rows import StoreRows
from aforesaid.store.memory import DictStore
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.testing.samples import ALL, NOON
from aforesaid.types import Edge, Event, EventFilter, Filter, Record

ROWS = StoreRows(synchronous="normal", segment_rows=16, sketch_from=24, sketch_survivors=1000)
WORDS = ["lisbon", "kyoto", "rent", "cat", "京都", "猫", "the", "error"]
DIMENSIONS = 6

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
users = st.sampled_from([None, "ana", "bo"])
records = st.builds(
    Record,
    id=st.sampled_from([f"r{i}" for i in range(30)]),
    kind=st.sampled_from(["turn", "claim", "node"]),
    text=texts,
    time=st.integers(0, 5).map(lambda days: NOON + timedelta(days=days)),
    tenant=st.sampled_from(["default", "default", "default", "other"]),
    scope=st.sampled_from(["session", "user", "global"]),
    user=users,
    session=st.sampled_from([None, "s1"]),
    boundary=st.sampled_from(["internal", "internal", "secret"]),
    durable=st.booleans(),
    valid_to=st.sampled_from([None, None, NOON + timedelta(days=2)]),
    dates=st.integers(0, 4),
)
filters = st.builds(
    Filter,
    tenant=st.sampled_from(["default", "default", "other"]),
    owners=st.sampled_from([None, ("user:ana",), ("user:", "global"), ("user:bo", "user:ana", "global")]),
    kinds=st.sampled_from([None, None, ("claim",)]),
    id_starts=st.sampled_from([None, None, None, "r1", "r"]),
    sessions=st.sampled_from([None, None, ("s1",)]),
    boundaries=st.sampled_from([None, ("internal",)]),
    valid_at=st.sampled_from([None, NOON + timedelta(days=3)]),
    durable=st.sampled_from([None, None, True]),
    echoes=st.just(True),
    rules=st.booleans(),
    least_dates=st.sampled_from([None, None, None, 1, 3]),
    most_dates=st.sampled_from([None, None, None, 2]),
)
vectors = st.integers(0, 10_000).map(
    lambda seed: np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
)


class StoreMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.generation = 0
        self.oracle = DictStore()
        self.store = self.opened()
        for store in self.both:
            store.add_space("test", DIMENSIONS)

    @property
    def path(self) -> Path:
        return self.folder / f"store{self.generation}.db"

    @property
    def both(self) -> tuple[DictStore, SQLiteStore]:
        return self.oracle, self.store

    @property
    def keys(self) -> list[str]:
        return [record.key for name in ("default", "other") for record in self.oracle.find(replace(ALL, tenant=name))]

    def opened(self) -> SQLiteStore:
        return SQLiteStore(self.path, ROWS)

    @rule(batch=st.lists(records, min_size=1, max_size=12), embedded=st.booleans(), seed=st.integers(0, 999))
    def put(self, batch: list[Record], embedded: bool, seed: int) -> None:
        keys = [record.key for record in batch]
        matrix = np.random.default_rng(seed).standard_normal((len(batch), DIMENSIONS)).astype(np.float32)
        for store in self.both:
            with store.transaction():
                store.put(batch)
                if embedded:
                    store.put_vectors(keys, matrix, passages=dict.fromkeys(keys[::2], matrix[:2]))

    @precondition(lambda self: self.keys)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        gone = data.draw(st.lists(st.sampled_from(self.keys), max_size=4))
        assert self.oracle.delete(gone) == self.store.delete(gone)

    @precondition(lambda self: len(self.keys) > 1)
    @rule(data=st.data(), kind=st.sampled_from(["hop", "covers"]))
    def link(self, data: st.DataObject, kind: str) -> None:
        source, target = data.draw(st.sampled_from(self.keys)), data.draw(st.sampled_from(self.keys))
        for store in self.both:
            store.link([Edge(source, target, kind, NOON)])
        assert self.oracle.edges([source]) == self.store.edges([source])
        assert self.oracle.edges([target], incoming=True) == self.store.edges([target], incoming=True)

    @rule(subject=st.sampled_from([None, "s1"]))
    def append(self, subject: str | None) -> None:
        for store in self.both:
            store.log.append([Event(NOON, "default", "test", subject, {"n": 1})])
        where = EventFilter("default", subject=subject)
        assert self.oracle.log.find(where) == self.store.log.find(where)

    @rule(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), where=filters, limit=st.integers(1, 20))
    def text_search(self, words: list[str], where: Filter, limit: int) -> None:
        expected, found = (store.text_search(words, where, limit) for store in self.both)
        assert found == expected, "the same scores, bit by bit"

    @rule(vector=vectors, where=filters, limit=st.integers(1, 20))
    def vector_search(self, vector: np.ndarray, where: Filter, limit: int) -> None:
        expected, found = (store.vector_search(vector, where, limit) for store in self.both)
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=1e-5)
        assert _settled(found) == _settled(expected)

    @precondition(lambda self: self.keys)
    @rule(data=st.data(), where=filters, reach=st.integers(0, 3))
    def look_around(self, data: st.DataObject, where: Filter, reach: int) -> None:
        keys = data.draw(st.lists(st.sampled_from(self.keys), unique=True, max_size=6))
        assert self.oracle.around(keys, where, reach) == self.store.around(keys, where, reach)
        assert self.oracle.glances(keys) == self.store.glances(keys)

    @rule(where=filters, limit=st.integers(1, 9), offset=st.integers(0, 3))
    def find(self, where: Filter, limit: int, offset: int) -> None:
        expected, found = (store.find(where, order="newest", limit=limit, offset=offset) for store in self.both)
        assert found == expected
        assert self.oracle.count(where) == self.store.count(where)
        assert [r.key for r in self.oracle.pending(where, 99)] == [r.key for r in self.store.pending(where, 99)]

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = self.opened()

    @rule(batch=st.lists(records, min_size=1, max_size=5))
    def crash(self, batch: list[Record]) -> None:
        """Copy the files in the middle of a write, as a power cut would leave them, and go on from the copy."""
        before, self.generation = self.path, self.generation + 1
        with pytest.raises(KeyboardInterrupt), self.store.transaction():
            self.store.put(batch)
            self.store.put_vectors([batch[0].key], np.ones((1, DIMENSIONS), dtype=np.float32))
            for suffix in ("", "-wal"):
                shutil.copy(f"{before}{suffix}", f"{self.path}{suffix}")
            raise KeyboardInterrupt
        self.store.close()
        self.store = self.opened()

    @rule(text=texts)
    def another_process_writes(self, text: str) -> None:
        record = Record(id="other", kind="turn", text=text, time=NOON)
        other = self.opened()
        other.put([record])
        other.close()
        self.oracle.put([record])

    @invariant()
    def same_coverage(self) -> None:
        for where in (Filter(), Filter(owners=("user:ana", "global")), Filter(tenant="other")):
            assert self.oracle.coverage(where) == self.store.coverage(where)

    def teardown(self) -> None:
        assert self.store.maintenance.verify() == []
        assert sorted(self.oracle.vectors(self.keys)) == sorted(self.store.vectors(self.keys))
        expected, found = (store.passages(self.keys) for store in self.both)
        assert sorted(found) == sorted(expected)
        assert all(np.array_equal(found[key], expected[key]) for key in found)
        self.store.close()
        shutil.rmtree(self.folder)


def _settled(found: list) -> list[str]:
    """Keys in order, those whose scores differ only by rounding in one order: float32 sums differ in the last bit."""
    return [hit.key for hit in sorted(found, key=lambda hit: (-round(hit.score, 4), hit.key))][: _sure(found)]


def _sure(found: list) -> int:
    """How many leading hits cannot be exchanged with one beyond the limit."""
    return sum(hit.score > found[-1].score + 1e-4 for hit in found) if found else 0


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(max_examples=40, stateful_step_count=30, suppress_health_check=list(HealthCheck))
