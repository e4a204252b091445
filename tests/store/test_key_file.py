"""The key of a store: a private file beside it or elsewhere, made once, never copied."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from aforesaid.errors import StoreError
from aforesaid.memory import Memory
from aforesaid.settings.rows import StoreRows
from aforesaid.store.key_file import read_or_create_key
from aforesaid.store.sqlite import SQLiteStore
from support.cli import run


def key_of(path: Path, rows: StoreRows | None = None) -> bytes:
    store = SQLiteStore(path, rows)
    store.close()
    return store.key


def test_a_store_keeps_its_key_beside_it_for_its_owner_only(path: Path) -> None:
    key, file = key_of(path), path.with_name("store.db.key")
    assert len(key) == 32 and key_of(path) == key
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    assert key_of(path) == key and file.stat().st_mode & 0o777 == 0o600


def test_the_key_may_lie_elsewhere(path: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "keys" / "mine.key"
    rows = StoreRows(key_file=str(elsewhere))
    with pytest.raises(StoreError, match="cannot be written"):
        key_of(path, rows)
    elsewhere.parent.mkdir()
    assert key_of(path, rows).hex() == elsewhere.read_text().strip()
    assert not path.with_name("store.db.key").exists()


def test_no_copy_of_the_store_holds_the_key(path: Path, tmp_path: Path) -> None:
    with Memory.open(path) as memory:
        memory.remember("password=hunter2", user="ana")
        copy = memory.maintenance.backup(tmp_path / "copy.db")
        lines = "".join(memory.export())
        memory.forget(everything=True, user="ana")  # opens the copy too
        key = memory.store.key
    for data in (path.read_bytes(), copy.read_bytes(), lines.encode()):
        assert key not in data and key.hex().encode() not in data
    assert not (tmp_path / "copy.db.key").exists()


def test_a_lost_key_is_replaced_and_doctor_says_so(path: Path) -> None:
    first = key_of(path)
    assert "is a new key" not in run(path, "doctor").stdout
    path.with_name("store.db.key").unlink()
    assert key_of(path) != first
    assert "is a new key" in " ".join(run(path, "doctor").stdout.split())


def test_a_damaged_key_file_is_named(path: Path) -> None:
    key_of(path)
    path.with_name("store.db.key").write_text("not a key")
    with pytest.raises(StoreError, match=r"store\.db\.key") as caught:
        key_of(path)
    assert "a new key is made" in caught.value.remedy


def test_many_that_create_it_at_once_agree(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: read_or_create_key(tmp_path / "k"), range(16)))) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["k"]
