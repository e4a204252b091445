"""`aforesaid import`: other programs' files from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aforesaid.importers.formats.detect import FORMATS
from aforesaid.importers.formats.items import OPTIONAL
from aforesaid.surfaces.cli.special import INCLUDED
from aforesaid.surfaces.verbs import maintenance
from samples.import_files import CHAT, CLAUDE_CODE, CODEX, MEM0, claude, conversation, lines, write
from support.cli import data, filled, run, words


def test_the_lists_of_the_command_are_those_of_the_formats() -> None:
    assert ("auto", *FORMATS) == maintenance.FORMATS
    assert INCLUDED == OPTIONAL


def test_a_folder_of_many_formats(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "have"
    write(folder / "c.jsonl", lines(CLAUDE_CODE))
    write(folder / "r.jsonl", lines(CODEX))
    write(folder / "conversations.json", json.dumps([conversation()]).encode())
    write(folder / "mem0.json", json.dumps(MEM0).encode())
    write(folder / "odd.jsonl", b'{"x": 1}\n')
    text = words(run(path, "import", str(folder), "--user", "ana"))
    assert "imported 20 turns claims 2 sessions 3 span 2025-02-19 21:20 to 2026-04-01 08:00" in text
    assert " skipped bookkeeping 5" in text
    assert "skipped 1" in text
    assert "injected context" in text
    assert all(form in text for form in ("claude-code", "codex", "chatgpt", "mem0"))
    text = words(run(path, "import", str(folder), "--user", "ana"))
    assert text.startswith("imported 0 turns stored before 22")
    assert "unchanged 4" in text
    assert "port 7443" in run(path, "search", "which port does staging use", "--user", "ana").stdout


def test_json_says_everything(path: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "s.jsonl", lines(CLAUDE_CODE) + b"{oops\n")
    found = data(run(path, "import", str(file), "--json"))
    assert (found["turns"], found["claims"], found["known"], found["bad"], found["sessions"]) == (8, 0, 0, 1, 1)
    assert found["left"]["thinking"] == 1
    assert found["files"][0]["problems"][0]["where"] == f"{file}:{len(CLAUDE_CODE) + 1}"
    assert found["first"].startswith("2026-03-05T10:00:01")
    assert (found["dry_run"], found["stopped"], found["notes"]) == (False, False, [])


def test_a_dry_run_and_a_limit(path: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "s.jsonl", lines(CLAUDE_CODE))
    text = words(run(path, "import", str(file), "--dry-run", "--include", "thinking, sidechains"))
    assert "would import 10 turns" in text
    assert data(run(path, "stats", "--json"))["records"] == 0
    assert "stopped at the limit" in words(run(path, "import", str(file), "--limit", "2"))
    assert data(run(path, "import", str(file), "--no-tools", "--json"))["known"] == 2
    assert "none of thinking" in run(path, "import", str(file), "--include", "all", code=2).stderr


def test_the_standard_place_is_named(path: Path, tmp_path: Path) -> None:
    home = {"CODEX_HOME": str(tmp_path / "codex")}
    error = run(path, "import", "--from", "codex", code=2, env=home).stderr
    assert f"There is nothing at {tmp_path / 'codex' / 'sessions'}" in error
    write(tmp_path / "codex/sessions/2026/04/01/rollout-1.jsonl", lines(CODEX))
    done = run(path, "import", "--from", "codex", env=home)
    assert f"reading {tmp_path / 'codex' / 'sessions'}" in done.stderr
    assert "imported 6 turns" in words(done)
    assert "no path was given" in run(path, "import", code=2).stderr


def test_bad_lines_are_listed_and_strict_stops(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "chat.jsonl", lines(CHAT) + b"{\n" * 25 + lines(CHAT))
    file = "chat.jsonl"
    text = words(run(path, "import", str(file)))
    assert f"cannot be read: where message {file}:6 it is" in text
    assert f"{file}:6" in run(path, "import", str(file), "--strict", "--user", "bob", code=2).stderr


def test_an_export_of_our_own_is_still_taken_whole(path: Path, tmp_path: Path) -> None:
    run(filled(path), "export", str(tmp_path / "backup.jsonl"))
    other = tmp_path / "other.db"
    env = {"AFORESAID_USER": "ana"}
    assert "records 4" in words(run(other, "import", str(tmp_path / "backup.jsonl"), env=env))
    error = run(other, "import", str(tmp_path / "backup.jsonl"), "--dry-run", code=2).stderr
    assert "is imported as it is" in error
    assert "export of aforesaid" in run(other, "import", str(tmp_path), "--json").stdout
    assert "Only an export" in run(other, "import", "-", "--from", "jsonl", stdin="{}", code=2).stderr


def test_what_a_file_says_cannot_move_the_cursor(path: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "s\x1b[2J.jsonl", lines([claude(1, "user", "hello")]) + b"{\x1b[2J\n")
    assert "\x1b" not in run(path, "import", str(file)).stdout


def test_an_interruption_says_how_to_go_on(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "s.jsonl", lines(CLAUDE_CODE))

    def stopped(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("aforesaid.importers.runner.ingest", stopped)
    assert "run it again to go on" in run(path, "import", str(file), code=130).stderr
