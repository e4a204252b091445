"""Both stores pass the contract; SQLite also with small blocks and with sketches from the first record on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aforesaid.settings.rows import StoreRows
from aforesaid.store.memory import DictStore
from aforesaid.store.protocols import Store
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.testing.store import StoreContract


class TestDictStore(StoreContract):
    @pytest.fixture
    def store(self) -> Store:
        return DictStore()


class TestSQLiteStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = SQLiteStore(tmp_path / "store.db", StoreRows(synchronous="normal"))
        yield store
        store.close()


class TestSQLiteStoreSketched(StoreContract):
    """Every search goes through the sketches, over blocks of sixteen."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        rows = StoreRows(synchronous="normal", segment_rows=16, sketch_from=0, vector_cache_mb=0)
        store = SQLiteStore(tmp_path / "store.db", rows)
        yield store
        store.close()
