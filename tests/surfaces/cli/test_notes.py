"""`aforesaid index`, `watch FOLDER`, `search --files` and `show path:lines`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.store.sqlite import SQLiteStore
from support.cli import data, run, words
from support.file_trees import chunks, write
from support.processes import COMMAND, ENV, PATIENCE_SECONDS, wait_for

NOTES = {
    "MEMORY.md": "# Memory\n\nAna likes green tea.\n",
    "memory/topics/deploy.md": "# Deploy\n\nRun make ship on Tuesdays.\n",
    "memory/2026-05-03.md": "EADDRINUSE on port 8080.\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "ws", NOTES)


def test_index_says_what_changed_and_what_was_left_out(path: Path, folder: Path) -> None:
    write(folder, {"bad.md": b"\x00"})
    first = words(run(path, "index", "ws", "--user", "ana"))
    assert "added 3 changed 0 renamed 0 removed 0 unchanged 0 chunks 3 embedded 3" in first
    assert first.endswith("skipped: path why bad.md binary")
    (folder / "MEMORY.md").write_text("# Memory\n\nAna likes coffee.\n")
    would = words(run(path, "index", "ws", "--user", "ana", "--dry-run"))
    assert "changed 1" in would and "dry run yes" in would
    (report,) = data(run(path, "index", "ws", "--user", "ana", "--json"))
    assert (report["changed"], report["unchanged"], report["chunks"]) == (1, 2, 3)
    assert report["skipped"] == [{"path": "bad.md", "why": "binary"}]
    assert f"ws {folder}" in words(run(path, "index", "--user", "ana"))
    assert "removed 3" in words(run(path, "index", "ws", "--user", "ana", "--remove"))
    assert "No folder is indexed" in run(path, "index", "--user", "ana", code=3).stderr


def test_errors_say_what_to_do(path: Path, folder: Path) -> None:
    assert "There is no folder 'none'" in run(path, "index", "none", code=2).stderr
    assert "`aforesaid load` is for rules" in run(path, "index", "ws/MEMORY.md", code=2).stderr
    assert "--name is for one folder" in run(path, "index", "ws", "ws/memory", "--name", "x", code=2).stderr
    assert "Indexed here: nothing" in run(path, "index", "ws", "--remove", code=3).stderr
    failed = run(path, "search", "--files", "x", "--kind", "turn", code=2)
    assert "--files cannot be combined with --kind" in failed.stderr


def test_search_files_shows_place_mode_and_reason(path: Path, folder: Path) -> None:
    run(path, "remember", "I like tea.", "--user", "ana")
    assert "`aforesaid index PATH`" in run(path, "search", "--files", "tea", "--user", "ana").stdout
    run(path, "index", "ws", "--user", "ana")
    text = run(path, "search", "--files", "EADDRINUSE", "--user", "ana").stdout
    assert "ws/memory/2026-05-03.md:1  log" in text and "mode B (exact first)" in text and "fts=rank:1" in text
    found = data(run(path, "search", "--files", "make ship", "--user", "ana", "--json"))
    assert (found["mode"], found["hits"][0]["place"]) == ("A", "ws/memory/topics/deploy.md:1-3")
    assert found["hits"][0]["tier"] == "topic" and found["tokens"] <= 1200
    assert (
        "Try other words"
        in run(path, "search", "--files", "zzz", "--user", "ana", "--set", "embed.provider=off").stdout
    )


def test_show_prints_lines_and_says_when_they_changed(path: Path, folder: Path) -> None:
    run(path, "index", "ws", "--user", "ana")
    whole = run(path, "show", "ws/memory/topics/deploy.md:1-3", "--user", "ana")
    assert whole.stdout == "1  # Deploy\n2  \n3  Run make ship on Tuesdays.\n" and whole.stderr == ""
    (folder / "MEMORY.md").write_text("New first line.\n\x1b[31mred\n")
    now = run(path, "show", "ws/MEMORY.md:1-2", "--user", "ana")
    assert now.stdout.startswith("1  New first line.\n2  ") and "\x1b" not in now.stdout
    assert "changed since it was indexed" in now.stderr
    assert data(run(path, "show", "ws/MEMORY.md:1", "--user", "ana", "--json"))["changed"] is True
    chunk = data(run(path, "search", "--files", "ship", "--user", "ana", "--json"))["hits"][0]["id"]
    assert "file ws/memory/topics/deploy.md" in words(run(path, "show", chunk, "--user", "ana"))
    assert "No note" in run(path, "show", "../x.md:1", "--user", "ana", code=3).stderr
    assert "No record has the id" in run(path, "show", "s1-t1", "--user", "ana", code=3).stderr


class Watching:
    """`aforesaid watch` as a process, with what it printed."""

    def __init__(self, store: Path, out: Path, *paths: str) -> None:
        self.out = out
        with out.open("wb") as stream:
            command = [*COMMAND, "--store", str(store), "watch", *paths, "--user", "ana"]
            self.child = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT, env=ENV, cwd=out.parent)
        self.until("watching")

    def until(self, text: str) -> None:
        wait_for(lambda: text in self.out.read_text())

    def __enter__(self) -> Watching:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.terminate()
        self.child.wait(10)


def test_watch_follows_folders_and_documents(path: Path, folder: Path, tmp_path: Path) -> None:
    rules = tmp_path / "AGENTS.md"
    rules.write_text("- Never push.\n")
    with Watching(path, tmp_path / "out.txt", "ws", "AGENTS.md") as watching:
        watching.until("watching 1 file and 1 folder")
        (folder / "new.md").write_text("Entirely new.\n")
        watching.until("added 1, changed 0")
        fresh = folder / ".MEMORY.md.swp"
        fresh.write_text("# Memory\n\nAna likes cocoa.\n")
        os.replace(fresh, folder / "MEMORY.md")  # noqa: PTH105 - as editors do
        watching.until("added 0, changed 1")
        (folder / "memory/topics").rename(folder / "memory/briefs")
        watching.until("renamed 1")
        (folder / "new.md").unlink()
        watching.until("removed 1")
        rules.write_text("- Never push.\n- Test first.\n")
        watching.until("same 1, added 1, removed 0")
        folder.rename(tmp_path / "unplugged")
        time.sleep(1)
        assert watching.child.poll() is None
        with Memory(SQLiteStore(path)) as memory:
            assert len(chunks(memory)) == 3, "a folder that went away keeps what was indexed last"
        write(folder, {"back.md": "Back again with zebras.\n"}, old=False)
        wait_for(lambda: "zebras" in run(path, "search", "--files", "zebras", "--user", "ana").stdout)
        shutil.rmtree(folder)
        write(folder, {"again.md": "And again with okapis.\n"}, old=False)
        wait_for(lambda: "okapis" in run(path, "search", "--files", "okapis", "--user", "ana").stdout)


def test_watching_without_its_package_says_what_to_install(path: Path, folder: Path) -> None:
    blocked = "import sys; sys.modules['watchfiles'] = None; from aforesaid.surfaces.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", blocked, "--store", str(path), "watch", "ws"],
        capture_output=True, text=True, env=ENV, check=False,
    )  # fmt: skip
    assert done.returncode != 0 and "pip install 'aforesaid[watch]'" in done.stderr


def test_memory_watch_yields_reports_until_stopped(folder: Path, tmp_path: Path) -> None:
    stop = threading.Event()
    seen = []
    with Memory(SQLiteStore(tmp_path / "m.db"), HashEmbedder(64)) as memory:
        deadline = time.monotonic() + PATIENCE_SECONDS
        for report in memory.notes.watch(folder, user="ana", stop=stop):
            seen.append(report)
            if len(seen) == 1:
                (folder / "one.md").write_text("one\n")
            elif report.added == 1:
                for number in range(300):
                    (folder / f"many-{number}.md").write_text(f"number {number}\n")
            if sum(each.added for each in seen) >= 304 or time.monotonic() > deadline:
                stop.set()
        assert sum(each.added for each in seen) == 304
        assert memory.notes.search("number 299", user="ana", limit=3)[0].text == "number 299"


def test_bench_files_measures_beside_the_floor(path: Path, folder: Path) -> None:
    found = data(run(path, "bench", "files", "--notes", "30", "--model-texts", "0", "--json"))
    assert found["notes"] == 30 and found["chunks"] >= 30 and found["ratio"] > 0
    assert len(found["edit_seconds"]) == 5
