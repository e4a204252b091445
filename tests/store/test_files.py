"""The SQLite file itself: what may be wrong with it, what it keeps, and what it must not keep."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aforesaid.errors import (
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreVersionError,
)
from aforesaid.settings.rows import StoreRows
from aforesaid.store.memory import DictStore
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.store.sqlite import SQLiteStore, postings
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.postings import CHUNK
from aforesaid.store.sqlite.schema import MIGRATIONS, Migration
from aforesaid.testing.samples import ALL, NOON, fill, make_record, random_vectors
from aforesaid.types import Edge
from support.old_files import downgrade

ROWS = StoreRows(synchronous="normal", segment_rows=16)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def test_what_was_written_is_there_after_reopening(path: Path) -> None:
    store = SQLiteStore(path)
    keys = fill(store, [make_record("a"), make_record("b")], random_vectors(2))
    store.close()
    store = SQLiteStore(path)
    assert [record.id for record in store.find(ALL)] == ["a", "b"]
    assert store.vector_search(random_vectors(1)[0], ALL, 1)[0].key == keys[0]
    store.close()


def test_a_file_that_is_no_database(path: Path) -> None:
    path.write_bytes(b"just some notes, long enough to look like something" * 100)
    with pytest.raises(StoreCorruptError, match="not a database"):
        SQLiteStore(path)
    assert path.read_bytes().startswith(b"just some notes"), "it was not touched"


def test_another_programs_database(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    with pytest.raises(StoreCorruptError, match="another program"):
        SQLiteStore(path)


def test_a_store_from_a_newer_version(path: Path) -> None:
    SQLiteStore(path).close()
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(StoreVersionError, match="99"):
        SQLiteStore(path)


def test_a_folder_and_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder"):
        SQLiteStore(tmp_path)
    with pytest.raises(StoreError, match="does not exist"):
        SQLiteStore(tmp_path / "no" / "such" / "store.db")


def test_what_is_left_of_a_damaged_table_is_served_and_the_table_is_named(path: Path) -> None:
    store = SQLiteStore(path)
    fill(store, [make_record(str(i), text=f"words {i} " * 200) for i in range(200)], random_vectors(200))
    assert len(store.find(ALL)) == 200
    [root] = store._database.one("SELECT rootpage FROM sqlite_master WHERE name = 'records'")
    store.close()
    with path.open("r+b") as file:  # overwrite the page that the root of the table names first
        file.seek((root - 1) * 4096)
        page = file.read(4096)
        child = int.from_bytes(page[(at := int.from_bytes(page[12:14], "big")) : at + 4], "big")
        file.seek((child - 1) * 4096)
        file.write(os.urandom(4096))
    store = SQLiteStore(path)
    found = store.find(ALL)
    assert 0 < len(found) < 200
    assert store.get([found[0].key]) == found[:1] and store.vector_search(random_vectors(1)[0], ALL, 3)
    assert store.damage(ALL).tables == ("records",)
    assert {"table records"} <= {problem.where for problem in store.maintenance.verify()}
    with pytest.raises(StoreCorruptError, match=r"damaged tables \(records\)"):
        store.put([make_record("new")])
    store.close()


def test_a_full_disk_loses_nothing(path: Path) -> None:
    store = SQLiteStore(path, ROWS)
    fill(store, [make_record("first")], random_vectors(1))
    store.close()
    pages = path.stat().st_size // 4096
    store = SQLiteStore(path, ROWS)
    store._database.connection.execute(f"PRAGMA max_page_count = {pages + 8}")
    with pytest.raises(StoreFullError, match="disk is full"):
        store.put([make_record("big", text="long words " * 50_000)])
    assert [record.id for record in store.find(ALL)] == ["first"]
    store.put([make_record("small")])
    assert store.count(ALL) == 2
    assert store.maintenance.verify() == []
    store.close()


READ_ONLY = """
import os, sys, urllib.parse
import Stemmer
from aforesaid.errors import StoreReadOnlyError
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.testing.samples import ALL, make_record
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)   # root may write anything, so become nobody
store = SQLiteStore(sys.argv[1])
assert store.count(ALL) == 1 and len(store.text_search(["fox"], ALL, 5)) == 1
try:
    store.put([make_record("b")])
except StoreReadOnlyError as error:
    print(error)
"""


def test_a_read_only_file_can_be_read() -> None:
    with tempfile.TemporaryDirectory() as name:  # directly under /tmp, which other users can enter
        path = Path(name) / "store.db"
        store = SQLiteStore(path)
        fill(store, [make_record("a")])
        store.close()
        path.chmod(0o444)
        path.parent.chmod(0o555)
        done = subprocess.run([sys.executable, "-c", READ_ONLY, str(path)], capture_output=True, text=True, check=False)
        path.parent.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert "read-only" in done.stdout


FOLLOW = """
import os, sys
import Stemmer
from aforesaid.errors import StoreReadOnlyError
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.testing.samples import ALL
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
for _ in sys.stdin:  # one line for each count
    try:
        store = globals().get("store") or SQLiteStore(sys.argv[1])
        print(store.count(ALL), len(store.find(ALL)), len(store.text_search(["fox"], ALL, 999)), flush=True)
    except StoreReadOnlyError as error:
        print(error.message, flush=True)
"""


@pytest.fixture
def shared() -> Iterator[Path]:
    """The path of a store in a folder that others can enter but not write."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name) / "store.db"


def test_a_reader_without_write_permission_sees_every_acknowledged_write(shared: Path) -> None:
    writer = SQLiteStore(shared, StoreRows(private=False))
    shared.chmod(0o644)
    fill(writer, [make_record("0")])
    command = [sys.executable, "-c", FOLLOW, str(shared)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdin is not None and reader.stdout is not None

        def ask() -> str:
            assert reader.stdin is not None and reader.stdout is not None
            reader.stdin.write("\n")
            reader.stdin.flush()
            return reader.stdout.readline().strip()

        for i in range(1, 30):
            writer.put([make_record(str(i))])
            answer = ask()
            assert answer == f"{i + 1} {i + 1} {i + 1}" or "cannot be read without write permission" in answer
            if i % 10 == 0:  # a restart of the writer removes the log and writes a new one
                writer.close()
                assert ask().startswith(f"{i + 1} ")
                writer = SQLiteStore(shared, StoreRows(private=False))
        reader.stdin.close()
    writer.close()


def test_a_store_and_its_companions_are_for_their_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    before = os.umask(0)
    try:
        store = SQLiteStore(path)
        store.put([make_record("a")])
        store.maintenance.backup(tmp_path / "copy.db")
        names = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert set(names) >= {"store.db", "store.db-wal", "store.db-shm", "store.db.lock", "copy.db"}
    assert set(names.values()) == {0o600}
    store.close()


def test_an_open_store_is_made_private_with_a_notice(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "store.db"
    SQLiteStore(path).close()
    path.chmod(0o644)
    SQLiteStore(path, StoreRows(private=False)).close()
    assert path.stat().st_mode & 0o777 == 0o644
    assert not caplog.records
    SQLiteStore(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert [str(path) in record.getMessage() for record in caplog.records] == [True]


def test_a_lock_held_too_long_is_named(path: Path) -> None:
    holder = SQLiteStore(path)
    waiter = SQLiteStore(path, StoreRows(lock_timeout_ms=50))
    with holder.transaction(), pytest.raises(StoreBusyError, match="50 ms"):
        waiter.put([make_record("a")])
    waiter.put([make_record("a")])
    assert holder.count(ALL) == 1
    holder.close()
    waiter.close()


def test_another_process_is_seen_at_once(path: Path) -> None:
    reader, writer = SQLiteStore(path, ROWS), SQLiteStore(path, ROWS)
    writer.add_space("test", 8)
    for i in range(40):
        writer.put([make_record(str(i))])
        writer.put_vectors([make_record(str(i)).key], random_vectors(1, seed=i))
        found = reader.vector_search(random_vectors(1, seed=i)[0], ALL, 1)
        assert found[0].key == make_record(str(i)).key
    writer.delete([make_record("7").key])
    assert reader.vector_search(random_vectors(1, seed=7)[0], ALL, 1)[0].key != make_record("7").key
    reader.close()
    writer.close()


def test_a_forked_child_gets_its_own_connection(path: Path) -> None:
    store = SQLiteStore(path)
    store.put([make_record("parent")])
    child = os.fork()
    if child == 0:
        store.put([make_record("child")])
        os._exit(0 if store.count(ALL) == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert store.count(ALL) == 2
    store.close()


def test_threads_share_a_store(path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    store = SQLiteStore(path, ROWS)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: store.put([make_record(str(i))]), range(100)))
        assert set(pool.map(lambda _: store.count(ALL), range(16))) == {100}
    store.close()


def test_deleted_words_leave_every_file(path: Path) -> None:
    store = SQLiteStore(path, ROWS)
    store.add_space("test", 8)
    secret = make_record("s", text="zanzibar marzipan quokka", session="sess", meta={"note": "flibbertigibbet"})
    vector = np.array([[0.123, -0.456, 0.789, 0.321, -0.654, 0.987, 0.111, -0.222]], dtype=np.float32)
    vector /= np.linalg.norm(vector)
    store.put([make_record(str(i)) for i in range(50)])
    store.put([secret])
    store.put_vectors([secret.key], vector)
    store.put([replace(secret, utility=1.0)])
    traces = [b"zanzibar", b"marzipan", b"quokka", b"flibbertigibbet", secret.key.encode(), vector.tobytes()]
    files = sorted(path.parent.iterdir())
    assert all(any(trace in file.read_bytes() for file in files) for trace in traces), "they were there"
    with store.transaction():
        store.delete([secret.key])
    for file in sorted(path.parent.iterdir()):
        for trace in traces:
            assert trace not in file.read_bytes(), f"{trace!r} is still in {file.name}"
    assert store.count(ALL) == 50
    store.close()


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        ("UPDATE segment_sketches SET data = zeroblob(length(data))", "sketch"),
        ("UPDATE owners SET records = records + 5", "counted"),
        ("DELETE FROM places", "missing from the text index"),
        ("DELETE FROM placed", "missing from the text index"),
        ("DELETE FROM postings WHERE term = 'fox'", "do not match its text"),
        ("UPDATE postings SET data = x'003030' WHERE term = 'fox'", "do not match its text"),
        ("UPDATE postings SET data = CAST(data || x'FF03' AS BLOB) WHERE term = 'fox'", "a deleted record"),
        ("UPDATE postings SET data = CAST(data || data AS BLOB) WHERE term = 'fox'", "bytes"),
        ("UPDATE places SET data = x'0102'", "2 bytes"),
        ("INSERT INTO postings SELECT 77, chunk, term, data FROM postings", "a deleted record"),
        ("UPDATE segments SET used = used - 1", "placed"),
        ("UPDATE segment_vectors SET data = zeroblob(10)", "wrong size"),
        ("UPDATE passages SET data = zeroblob(10)", "10 bytes"),
        ("UPDATE passages SET data = randomblob(length(data))", "damaged"),
        ("UPDATE passages SET row = row + 100", "gone"),
    ],
)
def test_verify_finds_and_repairs_derived_data(path: Path, damage: str, word: str) -> None:
    store = SQLiteStore(path, replace(ROWS, sketch_from=0))
    keys = fill(store, [make_record(str(i)) for i in range(40)], random_vectors(40))
    store.put_vectors(keys[:1], random_vectors(1), passages={keys[0]: random_vectors(3)})
    expected = [hit.key for hit in store.vector_search(random_vectors(1, seed=5)[0], ALL, 5)]
    store.close()
    with sqlite3.connect(path) as raw:
        raw.execute(damage)
    raw.close()
    store = SQLiteStore(path, replace(ROWS, sketch_from=0))
    if word == "sketch":
        found = [hit.key for hit in store.vector_search(random_vectors(1, seed=5)[0], ALL, 5)]
        assert found == expected, "a bad sketch is not trusted"
    problems = store.maintenance.verify()
    assert problems
    assert word in problems[0].what
    assert all(problem.mended for problem in store.maintenance.verify(repair=True))
    assert store.maintenance.verify() == []
    store.put_vectors(keys, random_vectors(40))
    assert [hit.key for hit in store.vector_search(random_vectors(1, seed=5)[0], ALL, 5)] == expected
    assert len(store.text_search(["fox"], ALL, 50)) == 40
    store.close()


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM segment_sketches",
        "DELETE FROM segment_sketches WHERE segment % 2 = 0",
        "UPDATE segment_sketches SET version = version - 1",
    ],
)
def test_missing_and_outdated_sketches_are_stored_again_at_open(path: Path, damage: str) -> None:
    rows = replace(ROWS, sketch_from=0)
    store = SQLiteStore(path, rows)
    fill(store, [make_record(str(i)) for i in range(400)], random_vectors(400))  # more than are stored at once
    whole = sketches(path)
    expected = store.vector_search(random_vectors(1, seed=5)[0], ALL, 5)
    store.close()
    assert len(whole) == 25
    with sqlite3.connect(path) as raw:
        raw.execute(damage)
    raw.close()
    assert sketches(path) != whole
    store = SQLiteStore(path, rows)
    assert sketches(path) == whole
    assert store.vector_search(random_vectors(1, seed=5)[0], ALL, 5) == expected
    assert store.maintenance.verify() == []
    store.close()


def sketches(path: Path) -> list[tuple[int, int, int, bytes]]:
    with sqlite3.connect(path) as raw:
        found = raw.execute("SELECT segment, version, checksum, data FROM segment_sketches ORDER BY segment").fetchall()
    raw.close()
    return found


def test_a_store_that_cannot_store_its_sketches_opens_and_searches(path: Path) -> None:
    rows = replace(ROWS, sketch_from=0, lock_timeout_ms=50)
    writer = SQLiteStore(path, rows)
    fill(writer, [make_record(str(i)) for i in range(40)], random_vectors(40))
    query = random_vectors(1, seed=5)[0]
    expected = writer.vector_search(query, ALL, 5)
    with sqlite3.connect(path) as raw:
        raw.execute("DELETE FROM segment_sketches")
    raw.close()
    with writer.transaction():
        waiting = SQLiteStore(path, rows)
        assert waiting.vector_search(query, ALL, 5) == expected
        assert sketches(path) == []
        waiting.close()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE segment_vectors SET data = zeroblob(10)")
    raw.close()
    damaged = SQLiteStore(path, rows)
    assert any("wrong size" in problem.what for problem in damaged.maintenance.verify())
    damaged.close()
    writer.close()


def test_blocks_of_another_length_are_still_searched(path: Path) -> None:
    store = SQLiteStore(path, replace(ROWS, segment_rows=64))
    fill(store, [make_record(str(i)) for i in range(100)], random_vectors(100))
    query = random_vectors(1, seed=5)[0]
    expected = [hit.key for hit in store.vector_search(query, ALL, 5)]
    store.close()
    for length in (16, 32, 128):
        store = SQLiteStore(path, replace(ROWS, segment_rows=length, sketch_from=0))
        assert [hit.key for hit in store.vector_search(query, ALL, 5)] == expected
        store.close()


def test_verify_reports_a_record_that_cannot_be_read(path: Path) -> None:
    store = SQLiteStore(path)
    fill(store, [make_record("a")])
    store.close()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE records SET fields = '{\"kind\": 3}'")
    raw.close()
    store = SQLiteStore(path)
    assert "a record is damaged" in store.maintenance.verify(repair=True)[0].what
    store.close()


def test_migrations_run_once_each_and_keep_a_backup(path: Path) -> None:
    SQLiteStore(path).close()
    later = (*MIGRATIONS, "CREATE TABLE extra (x);\nINSERT INTO extra VALUES (1);\nINSERT INTO extra VALUES (2);")
    for _ in range(2):
        database = Database(path, ROWS, later)
        assert database.rows("SELECT x FROM extra") == [(1,), (2,)]
        database.close()
    backup = path.with_name(f"store.db.v{len(MIGRATIONS)}.bak")
    assert backup.exists()
    SQLiteStore(backup).close()
    with pytest.raises(StoreVersionError):
        SQLiteStore(path)


def test_a_file_of_the_first_schema_gets_its_dates_counted(path: Path) -> None:
    store = SQLiteStore(path)
    text = "From 2026-04-02 to 2026-04-05."
    fill(store, [make_record("a", text, meta={"n": float("inf")}), make_record("b", "no date", kind="claim")])
    store.close()
    downgrade(path, 1)
    store = SQLiteStore(path)
    assert {record.id: record.dates for record in store.find(ALL)} == {"a": 2, "b": 0}
    assert [record.id for record in store.find(replace(ALL, least_dates=1))] == ["a"]
    assert store.find(ALL) == [
        make_record("a", text, meta={"n": float("inf")}),
        make_record("b", "no date", kind="claim"),
    ]
    assert store.maintenance.verify() == []
    store.close()


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_file_of_every_schema_opens_with_all_it_held(path: Path, version: int) -> None:
    store = SQLiteStore(path, ROWS)
    records = [
        make_record(str(i), f"fox {i} 日本\x00", user=None if i % 2 else "ana", meta={"n": i}) for i in range(40)
    ]
    keys = fill(store, records, random_vectors(40))
    store.put_vectors(keys[:2], random_vectors(2), passages={keys[0]: random_vectors(3)})
    store.link([Edge(keys[0], keys[1], "hop", NOON)])
    slot = Slot(ValueKind.CALIBRATION, "default", name="fußnote")
    store.values.put(slot, "1")
    query = random_vectors(1, seed=5)[0]
    expected = (store.find(ALL), store.vector_search(query, ALL, 5), store.text_search(["fox"], ALL, 50))
    store.close()
    downgrade(path, version)
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (version,)
    store = SQLiteStore(path, ROWS)
    assert (store.find(ALL), store.vector_search(query, ALL, 5), store.text_search(["fox"], ALL, 50)) == expected
    assert (len(store.edges(keys)), store.values.get(slot), list(store.passages(keys))) == (1, "1", keys[:1])
    assert store.maintenance.verify() == []
    assert path.with_name(f"store.db.v{version}.bak").exists()
    store.close()


def test_a_damaged_record_does_not_keep_an_old_file_from_opening(path: Path) -> None:
    store = SQLiteStore(path, ROWS)
    fill(store, [make_record("a", "On 2026-04-02."), make_record("b", "On 2026-04-03.")])
    store.close()
    downgrade(path, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("UPDATE records SET text = CAST(x'ff32303236' AS TEXT), fields = '{' WHERE id = 'a'")
    store = SQLiteStore(path, ROWS)
    assert store.get([make_record("b").key]) == [make_record("b", "On 2026-04-03.", dates=1)]
    store.close()


def fails(_: object) -> None:
    raise StoreError("It fails.", "Nothing to do.")


@pytest.mark.parametrize("step", ["CREATE TABLE half (x);\nINSERT INTO nowhere VALUES (1);", fails])
def test_a_failing_migration_leaves_the_store_as_it_was(path: Path, step: Migration) -> None:
    store = SQLiteStore(path)
    fill(store, [make_record("a")])
    store.close()
    with pytest.raises(StoreError):
        Database(path, ROWS, (*MIGRATIONS, step))
    store = SQLiteStore(path)
    assert store.count(ALL) == 1
    assert store.maintenance.stats("default").schema == len(MIGRATIONS)
    store.close()


def test_an_index_of_several_chunks_is_exact_after_deletions(path: Path) -> None:
    store, expected = SQLiteStore(path, ROWS), DictStore()
    records = [make_record(str(i), f"fox {'dog ' * (i % 5)} {i % 300} long", user="ana") for i in range(2 * CHUNK + 9)]
    gone = [record.key for i, record in enumerate(records) if i < CHUNK or i % 3 == 0]
    changed = [replace(record, text="dog dog dog") for record in records[-5:-1]]
    for each in (store, expected):
        each.put(records[: CHUNK + 1])
        each.put(records[CHUNK + 1 :])
        each.delete(gone)
        each.put([*changed, make_record("new", "fox dog", user="ana")])
    for words in (["fox"], ["7", "dog"], ["long", "299"]):
        assert store.text_search(words, ALL, 3000) == expected.text_search(words, ALL, 3000) != []
    assert store._database.rows("SELECT chunk FROM places") == [(1,), (2,)], "a chunk without records is gone"
    assert store.maintenance.verify() == []
    store.delete([record.key for record in store.find(ALL)])
    for table in ("placed", "places", "postings"):
        assert store._database.one(f"SELECT count(*) FROM {table}") == (0,)
    store.close()


def test_a_record_indexed_by_an_older_analysis_is_removed_completely(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SQLiteStore(path, ROWS)
    monkeypatch.setattr(postings, "terms", lambda text: [word.upper() for word in text.split()])
    old = make_record("a", "zanzibar quokka")
    store.put([old, make_record("b", "quokka")])
    monkeypatch.undo()
    store.delete([old.key])
    assert store._database.rows("SELECT term FROM postings") == [("QUOKKA",)]
    assert store.text_search(["QUOKKA"], ALL, 5)[0].key == make_record("b").key
    store.close()


def test_backup_is_a_store(path: Path, tmp_path: Path) -> None:
    store = SQLiteStore(path)
    fill(store, [make_record("a")], random_vectors(1))
    store.maintenance.backup(tmp_path / "copy.db")
    store.close()
    copy = SQLiteStore(tmp_path / "copy.db")
    assert copy.count(ALL) == 1
    assert copy.maintenance.verify() == []
    copy.close()
