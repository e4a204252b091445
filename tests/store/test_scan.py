"""The raw scan: it finds what is there, wherever a piece ends, and nothing else, in linear work."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.deletion.fragments import fragments, text_fragments, vector_fragments, word_fragments
from aforesaid.settings.rows import StoreRows
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.store.sqlite import SQLiteStore, scan
from aforesaid.testing.samples import make_record, random_vectors

letters = st.binary(min_size=8, max_size=20).map(lambda data: bytes(97 + byte % 3 for byte in data))


@given(st.lists(letters, max_size=8), st.lists(letters, max_size=30), st.integers(1, 64))
def test_it_finds_what_a_plain_search_finds(needles: list[bytes], pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces)
    with TemporaryDirectory() as folder, patch.object(scan, "PIECE_BYTES", size):
        path = Path(folder) / "file"
        path.write_bytes(data)
        length, found = scan.scan_file(path, needles)
    assert length == len(data)
    assert found == {needle: data.find(needle) for needle in needles if needle in data}


def test_work_grows_with_the_file_and_hardly_with_the_needles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts the table lookups instead of measuring time: one per byte of the file, one per needle."""
    lookups: list[int] = []
    hashed = scan._hashed
    monkeypatch.setattr(scan, "_hashed", lambda words: (lookups.append(words.size), hashed(words))[1])
    random = Random(1)
    needles = [random.randbytes(24) for _ in range(1000)]
    pieces = 3 * scan.PIECE_BYTES
    (tmp_path / "file").write_bytes(random.randbytes(pieces))
    for count in (10, 1000):
        lookups.clear()
        assert scan.scan_file(tmp_path / "file", needles[:count])[1] == {}
        assert pieces <= sum(lookups) < pieces + count + 200, "pieces overlap by less than a needle"


def test_fragments_say_what_they_are_of() -> None:
    text = "The boat sank in the harbour of Porto, and nobody saw it."
    assert all(part in text.encode() and len(part) == 24 for part in text_fragments(text))
    assert text_fragments("short") == []
    assert text_fragments("eight ch") == [b"eight ch"]
    assert fragments(b"-" * 100) == [], "runs of one sign are everywhere"
    assert vector_fragments(bytes(400)) == []
    assert rb"\u732b" in b"".join(text_fragments("猫が好きです"))
    assert word_fragments("the harbours, the lighthouses") == [b"lighthous"]
    assert len(vector_fragments(random_vectors(1, 384)[0].tobytes())) == 6


@pytest.fixture
def store(tmp_path: Path) -> SQLiteStore:
    store = SQLiteStore(tmp_path / "store.db", StoreRows(lock_timeout_ms=200))
    store.put([make_record("kept", "the quick brown fox is kept")])
    return store


@pytest.mark.parametrize("end", ["-journal", ".lock"])
def test_a_text_planted_beside_the_store_is_found(store: SQLiteStore, end: str) -> None:
    needles = dict.fromkeys(text_fragments("the boat that sank in the harbour"), "text")
    assert store.maintenance.scan(needles).found == ()
    planted = store.path.with_name(store.path.name + end)
    planted.write_bytes(b"x" * 5000 + b"the boat that sank in the harbour")
    found = store.maintenance.scan(needles).found
    assert {trace.file for trace in found} == {str(planted)}
    assert min(trace.offset for trace in found) == 5000
    planted.unlink()
    store.close()


def test_a_text_in_the_log_of_writes_is_found(store: SQLiteStore) -> None:
    """While it is in the store, it is also in the write-ahead log: `held` there is what forgetting must end."""
    record = make_record("gone", "the boat that sank in the harbour")
    store.put([record])
    assert b"the boat that sank" in store.path.with_name(store.path.name + "-wal").read_bytes()
    needles = {record.key.encode(): "key", **dict.fromkeys(text_fragments(record.text), "text")}
    looked = store.maintenance.scan(needles)
    assert {trace.what for trace in looked.found} == {"key"}, "the text is held by right, an address never is"
    assert looked.shared == len(needles) - 1
    store.delete([record.key])
    assert store.maintenance.scan(needles).found == ()
    store.close()


def test_text_in_values_or_in_the_event_log_is_found(store: SQLiteStore) -> None:
    store.values.put(Slot(ValueKind.DOCUMENT, "default", name="notes"), "the boat that sank in the harbour")
    found = store.maintenance.scan(dict.fromkeys(text_fragments("the boat that sank in the harbour"), "text")).found
    assert found
    assert store.maintenance.scan({b"harbour of": "text"}).found == ()
    assert store.maintenance.scan({b"the boat": "word"}).found == (), "a word alone may stand anywhere"
    store.close()


def test_a_number_behind_a_name_makes_no_longer_name(store: SQLiteStore) -> None:
    """An index writes a row's number right behind an id: row 48 behind `visitor-number-1` reads as `…-10`."""
    store.put([make_record(f"filler {i}") for i in range(46)])
    store.put([make_record("visitor-number-1")])
    assert b"visitor-number-10" in store.path.with_name(store.path.name + "-wal").read_bytes()
    looked = store.maintenance.scan({b"visitor-number-10": "name"})
    assert (looked.found, looked.shared) == ((), 1)
    store.values.put(Slot(ValueKind.DOCUMENT, "default", name="notes"), "visitor-number-20")
    assert len(store.maintenance.scan({b"visitor-number-20": "name"}).found) == 1
    store.close()
