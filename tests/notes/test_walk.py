"""Walking a folder: what is left out, where links lead, and files that cannot be read."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from aforesaid.memory import Memory
from aforesaid.notes.files import walk as walking
from aforesaid.notes.files.walk import Ignored, Unreadable, is_junk, name_problem, printable, read_note, walk
from aforesaid.settings.rows import FileRows
from support.file_trees import chunks, write

ROWS = FileRows()


def found(root: Path, rows: FileRows = ROWS) -> list[str]:
    return [each.path for each in walk(root.resolve(), rows).found]


def skipped(root: Path, rows: FileRows = ROWS) -> dict[str, str]:
    return {each.path: each.why for each in walk(root.resolve(), rows).skipped}


def test_what_holds_nobodys_notes_is_left_out(tmp_path: Path) -> None:
    names = [
        "a.md", "sub/b.txt", "c.MD", "node_modules/x/readme.md", ".git/HEAD.md", "logs/today.md", "deep/logs/x.md", "x.log",
        ".obsidian/app.md", ".hidden.md", "picture.png", "noending", "deep/er/d.markdown", "changelog.md", "catalogs/e.md",
    ]  # fmt: skip
    write(tmp_path, dict.fromkeys(names, "text"))
    assert found(tmp_path) == ["a.md", "c.MD", "catalogs/e.md", "changelog.md", "deep/er/d.markdown", "sub/b.txt"]
    assert [name for name in names if not is_junk(name)] == [
        "a.md", "sub/b.txt", "c.MD", "picture.png", "noending", "deep/er/d.markdown", "changelog.md", "catalogs/e.md",
    ]  # fmt: skip
    assert found(tmp_path, FileRows(endings="md")) == ["a.md", "c.MD", "catalogs/e.md", "changelog.md"]


def test_ignore_files_of_a_folder_count_from_there_and_ours_has_the_last_word(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "drafts/\n*.tmp.md\n!keep.tmp.md\nsecret.md\n",
            "sub/.gitignore": "/only-here.md\n!a.tmp.md\n",
            ".aforesaidignore": "private/\n!secret.md\n",
            **dict.fromkeys(
                ["drafts/x.md", "a.tmp.md", "keep.tmp.md", "sub/only-here.md", "sub/deep/only-here.md", "sub/a.tmp.md",
                 "private/p.md", "secret.md", "plain.md"], "text"
            ),
        },
    )  # fmt: skip
    assert found(tmp_path) == ["keep.tmp.md", "plain.md", "secret.md", "sub/a.tmp.md", "sub/deep/only-here.md"]


PATTERNS = [
    "*.md", "!b.md", "/a.md", "sub/", "sub/*", "!sub/c.md", "**/d.md", "sub/**", "/sub/deep/", "deep", "a*", "?.md", "[ab].md",
    "!deep/", "# comment", r"\#odd.md", "*.txt", "sub/**/b.md", "/*", "!/sub", " ", "deep/../a.md", "[!a].md", "a.md ", "**/deep/**",
]  # fmt: skip
FILES = [
    "a.md",
    "b.md",
    "c.txt",
    "#odd.md",
    "sub/a.md",
    "sub/c.md",
    "sub/deep/a.md",
    "sub/deep/b.md",
    "deep/d.md",
    "deep/a/b.md",
]


@pytest.mark.parametrize("seed", range(40))
def test_ignoring_is_what_git_does(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    write(tmp_path, dict.fromkeys(FILES, "text"))
    for folder in ["", "sub/", "deep/"]:
        if chance.random() < 0.7:
            lines = "\n".join(chance.sample(PATTERNS, chance.randint(1, 5)))
            write(tmp_path, {f"{folder}.gitignore": lines + "\n"})
    git = ["git", "-C", str(tmp_path), "-c", "core.excludesFile=/dev/null"]
    subprocess.run([*git, "init", "-q"], check=True, capture_output=True)
    kept = subprocess.run(
        [*git, "ls-files", "--others", "--exclude-standard", "-z"], check=True, capture_output=True, text=True
    ).stdout.split("\0")
    assert found(tmp_path) == sorted(name for name in kept if name.endswith((".md", ".txt")))


def test_patterns_that_cannot_be_read_are_passed_over() -> None:
    ignored = Ignored().within("", ["a.md\n[z-a].md\n!!\n\\\n", None])
    assert ignored.ignores("a.md") and not ignored.ignores("b.md")


def test_links_lead_nowhere_outside_and_loops_end(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.md": "a", "sub/b.md": "b", ".data/deep/c.md": "c"})
    write(tmp_path / "outside", {"secret.md": "s"})
    (root / "out.md").symlink_to(tmp_path / "outside/secret.md")
    (root / "outdir").symlink_to(tmp_path / "outside")
    (root / "up").symlink_to("..")
    (root / "loop").symlink_to(".")
    (root / "sub/again").symlink_to("..")
    (root / "same.md").symlink_to("a.md")
    (root / "kept").symlink_to(".data/deep")
    (root / "broken.md").symlink_to("none.md")
    (root / "circle.md").symlink_to("circle.md")
    assert found(root) == ["a.md", "kept/c.md", "sub/b.md"]
    assert skipped(root) == {
        "out.md": "a link that leads out of the folder",
        "outdir": "a link that leads out of the folder",
        "up": "a link that leads out of the folder",
        "broken.md": "a link that leads nowhere",
        "circle.md": "a link that leads nowhere",
    }


def test_a_file_that_became_a_link_is_not_read(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.md": "a"}).resolve()
    write(tmp_path, {"secret.md": "s"})
    (root / "a.md").unlink()
    (root / "a.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(Unreadable, match="out of the folder"):
        read_note(root, "a.md", ROWS)
    with pytest.raises(Unreadable):
        read_note(root, "../secret.md", ROWS)


def test_what_cannot_be_a_note_is_said_and_the_rest_goes_on(memory: Memory, tmp_path: Path) -> None:
    root = write(
        tmp_path / "root",
        {"good.md": "good", "binary.md": b"a\x00b", "latin.md": "caf\xe9".encode("latin-1"), "wide.md": "x".encode("utf-16"),
         "huge.md": b"x" * 3000, "mark.md": "\ufeffmarked".encode(), "empty.md": "", "blank.md": " \n\n"},
    )  # fmt: skip
    os.mkfifo(root / "pipe.md")
    server = socket.socket(socket.AF_UNIX)
    os.chdir(root)
    server.bind("socket.md")
    report = memory.__class__(
        memory.store, None, settings=memory.settings.changed({"files.max_bytes": 2000}, "test")
    ).notes.index(root, user="ana")
    server.close()
    why = dict(report.skipped)
    assert why == {
        "binary.md": "binary",
        "latin.md": "not UTF-8 (unexpected end of data at byte 3); save it as UTF-8",
        "wide.md": "UTF-16 text; save it as UTF-8",
        "huge.md": "3,000 bytes, more than files.max_bytes = 2,000",
        "pipe.md": "not a plain file",
        "socket.md": "not a plain file",
    }
    assert [record.text for record in chunks(memory)] == ["good", "marked"]
    assert report.added == 4, "empty notes are notes"


def test_names_that_would_lie_about_a_place_are_left_out(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {"fine ✓ ünï.md": "x", "new\nline.md": "x", "esc\x1b[31m.md": "x", "back\\slash.md": "x"})
    (root / os.fsdecode(b"bad\xff.md")).write_text("x")
    deep = root / "/".join(["d" * 90] * 5)
    write(deep, {"x.md": "x"})
    assert found(root) == ["fine ✓ ünï.md"]
    why = skipped(root)
    assert why["new\\nline.md"] == "control characters in its name"
    assert why["bad\\udcff.md"] == "its name is not UTF-8"
    assert sum("more than 400 characters" in each for each in why.values()) == 1
    assert all(name.isprintable() for name in why)
    assert name_problem("a\u2028b.md") and not name_problem("メモ/日記.md")
    assert printable("a\tb") == "a\\tb"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_read_keeps_its_chunks(memory: Memory, tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.md": "a", "sub/b.md": "b", "c.md": "c"})
    memory.notes.index(root, user="ana")
    (root / "sub").chmod(0)
    (root / "c.md").chmod(0)
    os.utime(root / "c.md")
    report = memory.notes.index(root, user="ana")
    (root / "sub").chmod(0o755)
    assert len(chunks(memory)) == 3 and report.removed == 0
    assert {path for path, _ in report.skipped} == {"sub", "c.md"}


def test_a_folder_that_cannot_be_listed_keeps_its_chunks(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "root", {"a.md": "a", "sub/b.md": "b", "sub/deep/c.md": "c"})
    memory.notes.index(root, user="ana")
    real = os.scandir

    def refusing(path: Path) -> object:
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(walking.os, "scandir", refusing)
    report = memory.notes.index(root, user="ana")
    assert len(chunks(memory)) == 3 and report.removed == 0
    assert report.skipped == (("sub", "cannot be read: Permission denied"),)


def test_a_file_that_grows_while_it_is_read_waits_for_the_next_run(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "root", {"a.md": "first words"})
    memory.notes.index(root, user="ana")
    (root / "a.md").write_text("half a sen")
    real, calls = os.fstat, [0]

    def growing(handle: int) -> os.stat_result:
        calls[0] += 1
        if calls[0] == 2:
            with (root / "a.md").open("a") as stream:
                stream.write("tence.")
        return real(handle)

    monkeypatch.setattr(walking.os, "fstat", growing)
    report = memory.notes.index(root, user="ana")
    assert report.skipped == (("a.md", "changed while it was read; the next run takes it"),)
    assert [record.text for record in chunks(memory)] == ["first words"], "what was indexed stays"
    monkeypatch.undo()
    assert memory.notes.index(root, user="ana").changed == 1
    assert [record.text for record in chunks(memory)] == ["half a sentence."]


def test_a_note_that_is_none_any_more_goes(memory: Memory, tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.md": "words", "b.md": "more"})
    memory.notes.index(root, user="ana")
    (root / "a.md").write_bytes(b"\x00\x01")
    assert memory.notes.index(root, user="ana").removed == 1
    assert [record.text for record in chunks(memory)] == ["more"]


def test_pathspec_is_only_imported_where_there_is_something_to_ignore(tmp_path: Path) -> None:
    write(tmp_path / "root", {"a.md": "a"})
    code = (
        "import sys, pathlib; from aforesaid.notes.files.walk import walk; from aforesaid.settings.rows import FileRows;"
        f"walk(pathlib.Path({str(tmp_path / 'root')!r}), FileRows()); print('pathspec' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
