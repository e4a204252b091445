"""The files behind an open store: what they really are, and what happens when somebody takes them away."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aforesaid.errors import StoreError, StoreFullError
from aforesaid.settings.rows import StoreRows
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.testing.samples import ALL, make_record

SEVERAL = """
import sys
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.testing.samples import ALL, make_record
store = SQLiteStore(sys.argv[1])
for name in sys.argv[2:]:
    store.put([make_record(name)])
print(*sorted(record.id for record in store.find(ALL)))
store.close()
"""


def elsewhere(path: Path, *names: str) -> list[str]:
    """Another process stores records, and says what it sees."""
    command = [sys.executable, "-c", SEVERAL, str(path), *names]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def test_a_search_of_the_files_keeps_the_locks(path: Path) -> None:
    store = SQLiteStore(path)
    store.put([make_record("a")])
    store.maintenance.scan({b"nobody ever said this": "text"})
    assert elsewhere(path, "b") == ["a", "b"], "its last connection must not delete the log that we use"
    store.put([make_record("c")])
    assert elsewhere(path) == ["a", "b", "c"]
    store.close()


@pytest.mark.skipif(sys.platform != "linux", reason="open files are counted in /proc")
def test_searches_do_not_collect_open_files(path: Path, tmp_path: Path) -> None:
    store = SQLiteStore(path)
    store.put([make_record("a")])
    copy = store.maintenance.backup(tmp_path / "copy.db")

    def open_files() -> int:
        for _ in range(3):
            store.maintenance.scan({b"nobody ever said this": "text"}, [str(copy)])
            opened = SQLiteStore(copy)
            opened.put([make_record("b")])
            opened.maintenance.scan({b"nobody ever said this": "text"})
            opened.close()
        return len(list(Path("/proc/self/fd").iterdir()))

    assert open_files() == open_files()
    before = len(list(Path("/proc/self/fd").iterdir()))
    store.close()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before - 3


def replace_file(path: Path) -> None:
    other = path.with_name("other.db")
    SQLiteStore(other).close()
    other.replace(path)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (Path.unlink, "deleted while it was open"),
        (replace_file, "replaced by another file"),
        (lambda path: path.with_name("store.db-wal").unlink(), "log of .* deleted or replaced"),
        (lambda path: path.with_name("store.db-wal").replace(path.with_name("kept")), "deleted or replaced"),
    ],
)
def test_nothing_is_acknowledged_that_goes_to_a_deleted_file(
    path: Path, harm: Callable[[Path], object], words: str
) -> None:
    store = SQLiteStore(path)
    store.put([make_record("a")])
    harm(path)
    with pytest.raises(StoreError, match=words):
        store.put([make_record("b")])
    store.close()


def test_a_store_behind_a_symbolic_link_is_searched_where_it_really_is(tmp_path: Path) -> None:
    real, link = tmp_path / "far" / "real.db", tmp_path / "link.db"
    real.parent.mkdir()
    link.symlink_to(real)
    store = SQLiteStore(link)
    store.put([make_record("a", "the boat that sank in the harbour")])
    looked = store.maintenance.scan({b"the boat that sank": "key"})  # a key is never shared with a record
    names = {"real.db", "real.db-wal", "real.db-shm", "real.db.lock", "real.db.key"}
    assert {Path(file).name for file in looked.files} == names
    assert {Path(trace.file).name for trace in looked.found} == {"real.db"}, "it was in the log before pages were moved"
    assert looked.rewritten
    assert [file.name for file in tmp_path.glob("link*")] == ["link.db"], "one lock for every name"
    store.close()


def test_pipes_and_devices_are_no_stores(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for special in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(StoreError, match="pipe, a socket or a device"):
            SQLiteStore(special)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(StoreError, match="cannot be opened"):
        SQLiteStore(tmp_path / "loop")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a file system cannot be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("free", [0, 4096, 20_000, 45_000, 90_000])
def test_a_full_disk_at_open_is_named(small_disk: Path, free: int) -> None:
    ballast = small_disk / "ballast"
    with pytest.raises(OSError, match="No space"), ballast.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    os.truncate(ballast, ballast.stat().st_size - free)
    with pytest.raises(StoreFullError, match="disk is full"):
        SQLiteStore(small_disk / "store.db")
    ballast.unlink()
    store = SQLiteStore(small_disk / "store.db", StoreRows(synchronous="normal"))
    store.put([make_record("a")])
    assert store.count(ALL) == 1
    store.close()
