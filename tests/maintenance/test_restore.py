"""A restore gives back what the backup holds, all of it or nothing, and nothing that was forgotten."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import InputError, StoreBusyError, StoreCorruptError
from aforesaid.maintenance.restore import RestoreReport
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.settings.rows import StoreRows
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import EventFilter, Filter, Turn
from support.clock import NOW, standing_clock
from support.kills import killed_at_each_step

SETTINGS = Settings().changed({"store.lock_timeout_ms": 300, "store.synchronous": "normal"}, "test")
WHOLE = Filter(echoes=True, withheld=True)


def opened(path: Path) -> Memory:
    return Memory(SQLiteStore(path, SETTINGS.store), HashEmbedder(16), settings=SETTINGS, clock=standing_clock)


def say(memory: Memory, *names: str) -> None:
    memory.ingest([Turn(name, "s", "user", f"The word of {name} is zqx{name}vw.", NOW) for name in names], user="ana")


def names_in(path: Path) -> set[str]:
    with opened(path) as memory:
        assert memory.maintenance.verify() == []
        return {record.id for record in memory.store.find(WHOLE)}


def restore(path: Path, backup: Path, *, dry_run: bool = False) -> RestoreReport:
    return Memory.restore(path, backup, settings=SETTINGS, clock=standing_clock, dry_run=dry_run)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder with a store (a, b, c), and a backup of it that has a and b. The store was killed: its log is full."""
    folder = tmp_path / "home"
    folder.mkdir()
    with opened(folder / "m.db") as memory:
        say(memory, "a", "b")
        memory.maintenance.backup(folder / "copy.db")
    script = "import sys; sys.path[:0] = [sys.argv[2]]; from test_restore import *; from os import _exit\n"
    script += "say(opened(Path(sys.argv[1])), 'c'); _exit(0)"
    here = Path(__file__).parent
    command = [sys.executable, "-c", script, str(folder / "m.db"), str(here)]
    subprocess.run(command, check=True, env={"PYTHONPATH": ":".join([*sys.path, str(here.parent)])})
    assert (folder / "m.db-wal").stat().st_size
    return folder


def test_a_store_comes_back_as_it_was(home: Path) -> None:
    tried = restore(home / "m.db", home / "copy.db", dry_run=True)
    assert (tried.records, tried.kept, tried.dry_run) == (2, None, True)
    assert names_in(home / "m.db") == {"a", "b", "c"}
    done = restore(home / "m.db", home / "copy.db")
    assert (done.records, done.forgotten, done.old_readable) == (2, 0, True)
    assert names_in(home / "m.db") == {"a", "b"}
    assert done.kept is not None and Path(done.kept).name == f"m.db.before-restore-{NOW:%Y%m%dT%H%M%SZ}"
    assert Path(done.kept).stat().st_mode & 0o777 == 0o600
    assert names_in(Path(done.kept)) == {"a", "b", "c"}, "with what was in its log"
    with opened(Path(done.kept)) as memory:
        assert memory.audit.verify().sealed, "with its key"
    with opened(home / "m.db") as memory:
        assert memory.search("word of a", user="ana")
        assert memory.audit.verify().intact
        assert memory.store.log.find(EventFilter("default", topic="restore"))
        assert {Path(each.path).name for each in memory.maintenance.backups()} == {"copy.db", Path(done.kept).name}
        memory.forget(["b"], user="ana")  # everywhere
        memory.forget(["a"], user="ana")
    assert not [file for file in home.iterdir() if b"zqxavw" in file.read_bytes() or b"zqxbvw" in file.read_bytes()]
    assert not [file.name for file in home.iterdir() if ".part" in file.name]


def test_a_store_that_was_lost_comes_back(home: Path, tmp_path: Path) -> None:
    done = restore(tmp_path / "new.db", home / "copy.db")
    assert (done.kept, names_in(tmp_path / "new.db")) == (None, {"a", "b"})


def test_forgotten_records_stay_forgotten(home: Path, tmp_path: Path) -> None:
    offline = tmp_path / "offline.db"
    shutil.move(home / "copy.db", offline)
    with opened(home / "m.db") as memory:
        memory.forget(["a"], user="ana")
        assert "zqxavw" in offline.read_bytes().decode("latin-1"), "it could not be reached"
        memory.maintenance.backup(home / "later.db")
        say(memory, "b2", "a")  # said again
        memory.maintenance.backup(home / "again.db")
    assert restore(home / "m.db", offline, dry_run=True).forgotten == 1
    assert (restore(home / "m.db", offline).forgotten, names_in(home / "m.db")) == (1, {"b"})
    assert b"zqxavw" not in (home / "m.db").read_bytes()
    done = restore(home / "m.db", home / "again.db")
    assert (done.forgotten, names_in(home / "m.db")) == (0, {"a", "b", "b2", "c"}), "what was said again is there"
    restore(home / "m.db", home / "later.db")
    assert restore(home / "m.db", offline).forgotten == 1, "a restore does not lose what was forgotten"


def test_a_deletion_that_was_interrupted_is_finished_after_a_restore(home: Path) -> None:
    with opened(home / "m.db") as memory:
        memory.store.maintenance.copies = None  # type: ignore[assignment,method-assign]
        with pytest.raises(TypeError):  # it dies before it comes to the backups
            memory.forget(["a"], user="ana")
    assert b"zqxavw" in (home / "copy.db").read_bytes()
    assert restore(home / "m.db", home / "copy.db").forgotten == 1
    assert names_in(home / "m.db") == {"b"}
    assert not [file.name for file in home.iterdir() if b"zqxavw" in file.read_bytes()]


def test_a_damaged_store_is_replaced_and_kept_with_what_was_in_its_log(home: Path) -> None:
    with (home / "m.db").open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 4000)
    done = restore(home / "m.db", home / "copy.db")
    assert (done.old_readable, names_in(home / "m.db")) == (False, {"a", "b"})
    assert any(b"zqxcvw" in file.read_bytes() for file in home.glob("m.db.before-restore-*"))


def test_what_is_not_ours_is_neither_restored_nor_replaced(home: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("my own notes")
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    for path, backup, words in (
        (home / "m.db", notes, "not a backup"),
        (home / "m.db", tmp_path / "other.db", "not a backup"),
        (home / "m.db", tmp_path / "none.db", "no backup"),
        (home / "m.db", home / "m.db", "the store itself"),
        (notes, home / "copy.db", "not a store"),
        (tmp_path / "other.db", home / "copy.db", "not a store"),
        (tmp_path / "no" / "x.db", home / "copy.db", "does not exist"),
    ):
        with pytest.raises(InputError, match=words):
            restore(path, backup)
    data = bytearray((home / "copy.db").read_bytes())
    place = data.index(b"zqxbvw")
    data[place : place + 6] = b"ZQXBVW"
    (home / "copy.db").write_bytes(data)
    with pytest.raises(StoreCorruptError, match="damaged"):
        restore(home / "m.db", home / "copy.db")
    assert notes.read_text() == "my own notes"
    assert names_in(home / "m.db") == {"a", "b", "c"}


HOLD = """
import sys
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.testing.samples import ALL
store = SQLiteStore(sys.argv[1])
print(store.count(ALL), flush=True)
sys.stdin.read()
"""


def test_a_store_that_somebody_uses_is_not_replaced(home: Path) -> None:
    with opened(home / "m.db"), pytest.raises(StoreBusyError, match="in use"):
        restore(home / "m.db", home / "copy.db")
    command = [sys.executable, "-c", HOLD, str(home / "m.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None and other.stdout is not None
        other.stdout.readline()
        with pytest.raises(StoreBusyError, match="in use"):
            restore(home / "m.db", home / "copy.db")
        other.stdin.close()
    restore(home / "m.db", home / "copy.db")
    assert names_in(home / "m.db") == {"a", "b"}


def test_a_killed_restore_leaves_one_store_or_the_other_and_can_be_repeated(home: Path, tmp_path: Path) -> None:
    aside = tmp_path / "aside"
    shutil.copytree(home, aside)
    outcomes = Counter[str]()

    def reset() -> None:
        shutil.rmtree(home)
        shutil.copytree(aside, home)

    for _ in killed_at_each_step(lambda: restore(home / "m.db", home / "copy.db"), reset, every=20, closely=20):
        there = names_in(home / "m.db")
        assert there in ({"a", "b", "c"}, {"a", "b"})
        outcomes["old" if "c" in there else "new"] += 1
        for kept in home.glob("m.db.before-restore-*Z"):
            assert names_in(kept) >= {"a", "b"}
        restore(home / "m.db", home / "copy.db")
        assert names_in(home / "m.db") == {"a", "b"}
        assert not [file.name for file in home.iterdir() if ".part" in file.name]
    assert outcomes["old"] > 10
    assert outcomes["new"] > 0


def test_backups_rotate(tmp_path: Path) -> None:
    folder, times = tmp_path / "copies", [NOW + timedelta(hours=6 * i) for i in range(5)]
    folder.mkdir()
    (folder / "m-notes.db").write_text("mine")
    moments = [NOW]
    store = SQLiteStore(tmp_path / "m.db", StoreRows(synchronous="normal"))
    with Memory(store, None, clock=lambda: moments[-1]) as memory:
        say(memory, "a")
        for time in times:
            moments.append(time)
            made = memory.maintenance.rotate(folder, keep=2)
        assert Path(made.file).name == f"m-{times[-1]:%Y%m%dT%H%M%SZ}.db"
        assert len(made.deleted) == 1
        left = sorted(file.name for file in folder.iterdir())
        assert left == [*(f"m-{time:%Y%m%dT%H%M%SZ}.db" for time in times[3:]), "m-notes.db"]
        assert [Path(each.path).name for each in memory.maintenance.backups()] == left[:2]
        assert {each.state for each in memory.maintenance.backups()} == {"current"}
        memory.forget(["a"], user="ana")
        assert not any(b"zqxavw" in file.read_bytes() for file in folder.iterdir())
        with pytest.raises(InputError, match="not a folder"):
            memory.maintenance.rotate(tmp_path / "none")
