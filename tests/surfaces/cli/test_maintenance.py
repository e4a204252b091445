"""`remember`, `forget`, `export`, `import`, `stats`, `verify`, `reindex`, `doctor`, `models`."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from pathlib import Path

import pytest

from aforesaid.embed import weights
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.types import Turn
from support.cli import data, filled, run, words


def test_remember_and_supersede(path: Path) -> None:
    text = run(
        path, "remember", "Ana", "prefers", "tea.", "--user", "ana", "--type", "preference", "--boundary", "pii"
    ).stdout
    first = text.split()[1]
    assert run(path, "remember", "Ana prefers tea.", "--user", "ana").stdout.split()[1] == first
    text = run(path, "remember", "Ana prefers coffee.", "--user", "ana", "--supersedes", first).stdout
    assert text.endswith(f"in place of {first}\n")
    found = data(run(path, "show", first, "--user", "ana", "--json"))
    assert (found["claim_type"], found["boundary"]) == ("preference", "pii")
    assert found["valid_to"]
    assert "redacted: " in run(path, "remember", "AKIAIOSFODNN7EXAMPLQ is the key").stdout
    run(path, "remember", "shared", "--scope", "project", code=2)
    run(path, "remember", "shared", "--scope", "project", "--project", "p")


def test_forget(path: Path) -> None:
    filled(path)
    assert "forgot 1 record kinds turn 1" in words(run(path, "forget", "t1", "--user", "ana", "--yes"))
    run(path, "show", "t1", "--user", "ana", code=3)
    assert b"moved to Lisbon" not in path.read_bytes()
    assert data(run(path, "forget", "--session", "s1", "--user", "ana", "--yes", "--json"))["records"] == 2
    assert data(run(path, "forget", "--before", "2026-01-01", "--user", "ana", "--yes", "--json"))["records"] == 0
    assert data(run(path, "forget", "--everything", "--user", "ana", "--yes", "--json"))["records"] == 1


def test_forget_by_words_and_time(path: Path) -> None:
    filled(path)
    text = words(run(path, "forget", "--query", "the weather", "--user", "ana", "--dry-run"))
    assert text == "would forget 1 record kinds turn 1 records: id kind derived t2 turn no"
    assert data(run(path, "stats", "--json"))["records"] == 4
    found = data(run(path, "forget", "--query", "weather", "--user", "ana", "--yes", "--json", "--reason", "asked"))
    assert (found["records"], found["kinds"], found["proven"]) == (1, {"turn": 1}, True)
    assert found["what"] == {"by": ["query"], "reason": "asked"}
    assert found["proof"]["found"] == []
    assert found["proof"]["bytes"] > 0
    span = ("--since", "2026-05-02", "--until", "2026-05-09")
    assert "proven yes" in words(run(path, "forget", *span, "--user", "ana", "--yes"))
    assert "Name one of them" in run(path, "forget", "--whole-tenant", "--user", "ana", "--yes", code=2).stderr
    assert data(run(path, "forget", "--whole-tenant", "--yes", "--json"))["records"] == 2


def test_a_forget_that_cannot_be_proven_fails(path: Path, tmp_path: Path) -> None:
    filled(path)
    copy = tmp_path / "copy.db"
    assert "copied " in run(path, "backup", str(copy)).stdout
    assert "already exists" in run(path, "backup", str(copy), code=2).stderr
    assert data(run(path, "backup", str(copy), "--force", "--json"))["file"] == str(copy)
    assert "backups cleaned 1" in words(run(path, "forget", "t3", "--user", "ana", "--yes"))
    assert b"called Figo" not in copy.read_bytes()
    copy.write_text("my notes: I moved to Lisbon in May.")
    narrow = {"COLUMNS": "40"}  # lines instead of a table, however long the path is
    text = words(run(path, "forget", "t1", "--user", "ana", "--yes", code=1, env=narrow))
    assert "NOT PROVEN" in text
    assert f"file {copy} offset 10 what text" in text
    assert f"Delete {copy}" in text


def test_backup_into_a_folder_and_restore(path: Path, tmp_path: Path) -> None:
    filled(path)
    folder = tmp_path / "copies"
    folder.mkdir()
    made = Path(data(run(path, "backup", "--keep", "2", str(folder), "--json"))["file"])
    assert [file.name for file in folder.iterdir()] == [made.name]
    run(path, "forget", "t3", "--user", "ana", "--yes")
    run(path, "remember", "Ana has a boat.", "--user", "ana")
    [listed] = data(run(path, "backup", "--list", "--json"))["backups"]
    assert (listed["path"], listed["state"]) == (str(made), "current")
    assert "--force goes with" in run(path, "backup", "--keep", "2", "--force", str(folder), code=2).stderr
    assert "'6 weeks' is not a duration" in run(path, "backup", "--every", "6 weeks", str(folder), code=2).stderr
    assert "cannot be combined" in run(path, "backup", "--list", "x.db", code=2).stderr
    assert "Add --yes" in run(path, "restore", str(made), code=2).stderr
    tried = data(run(path, "restore", str(made), "--dry-run", "--json"))
    assert (tried["records"], tried["forgotten"], tried["kept"], tried["dry_run"]) == (3, 0, None, True)
    assert data(run(path, "stats", "--json"))["records"] == 4
    assert "records 3" in words(run(path, "restore", str(made), "--yes"))
    assert data(run(path, "stats", "--json"))["records"] == 3
    assert "not a backup" in run(path, "restore", __file__, "--yes", code=2).stderr


def test_backups_replace_nothing_but_backups(path: Path, tmp_path: Path) -> None:
    filled(path)
    notes, link, pipe = tmp_path / "notes.txt", tmp_path / "link.db", tmp_path / "pipe"
    notes.write_text("mine")
    os.mkfifo(pipe)
    run(path, "backup", str(tmp_path / "copy.db"))
    link.symlink_to(tmp_path / "copy.db")
    for target, why in (
        (notes, "is not a file of aforesaid"),
        (link, "is a link, a pipe or a device"),
        (pipe, "is a link, a pipe or a device"),
        (Path("/dev/null"), "is a link, a pipe or a device"),
        (tmp_path, "is a folder"),
        (path, "is the store itself"),
        (path.with_name(f"{path.name}-journal"), "is the store itself"),
    ):
        assert why in " ".join(run(path, "backup", str(target), "--force", code=2).stderr.split()), target
    with Memory.open(tmp_path / "copy.db", settings=Settings().changed({"embed.provider": "hash"}, "test")):
        assert "is open as a store" in run(path, "backup", str(tmp_path / "copy.db"), "--force", code=2).stderr
    assert notes.read_text() == "mine"


def test_pipes_are_refused_and_nothing_waits_for_them(path: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    filled(path)
    for args in (
        ("export", str(pipe)), ("import", str(pipe)), ("import", "--format", "jsonl", str(pipe)),
        ("ingest", str(pipe)), ("restore", str(pipe), "--yes"), ("policy", "check", str(pipe)), ("load", str(pipe)),
    ):  # fmt: skip
        run(path, *args, code=None)
    assert "a pipe, a socket or a device" in run(path, "ingest", str(pipe), code=2).stderr
    assert "a pipe, a socket or a device" in run(pipe, "stats", code=1).stderr


def test_forget_needs_a_word_from_somebody(path: Path) -> None:
    filled(path)
    for args in (("t1",), ("--session", "s1"), ("--everything",), ("--before", "2027-01-01")):
        assert "Add --yes" in run(path, "forget", *args, "--user", "ana", stdin="y\n", code=2).stderr
    assert "Nothing was selected" in run(path, "forget", "--user", "ana", "--yes", code=2).stderr
    assert "Nothing was selected" in run(path, "forget", "--user", "ana", code=2).stderr
    assert "Both ids" in run(path, "forget", "t1", "--everything", "--user", "ana", "--yes", code=2).stderr
    assert data(run(path, "stats", "--json"))["records"] == 4


def test_care_needs_a_store_that_is_there(path: Path) -> None:
    for args in (("export",), ("verify",), ("reindex",), ("show", "x"), ("forget", "x", "--yes")):
        assert f"There is no store at {path}" in run(path, *args, code=2).stderr
    assert not path.exists()


def test_export_and_import_are_each_others_inverse(path: Path, tmp_path: Path) -> None:
    filled(path)
    file, other = tmp_path / "backup.jsonl", tmp_path / "other.db"
    assert "exported " in run(path, "export", str(file)).stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o600, "memories are nobody else's business"
    assert run(path, "export").stdout == file.read_text()
    assert "records 4 known 0 vectors 4" in words(run(other, "import", str(file)))
    assert "records 0 known 4" in words(run(other, "import", "-", stdin=file.read_text()))
    assert run(other, "export").stdout == file.read_text()
    bare = run(path, "export", "--no-vectors").stdout
    assert '"vector"' not in bare
    assert data(run(tmp_path / "bare.db", "import", "-", "--json", stdin=bare))["vectors"] == 0


def test_a_failed_export_leaves_what_was_there(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    folder = tmp_path / "out"
    folder.mkdir()
    target = folder / "backup.jsonl"
    target.write_text("the old one")
    monkeypatch.setattr("os.fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    assert "No space left on device" in run(path, "export", str(target), code=1).stderr
    assert [file.name for file in folder.iterdir()] == ["backup.jsonl"]
    assert target.read_text() == "the old one"
    assert "No such file or directory" in run(path, "export", str(tmp_path / "no" / "x"), code=1).stderr
    assert "is the store itself" in run(path, "export", str(path), code=2).stderr


def test_an_export_does_not_replace_a_device_or_a_link(path: Path, tmp_path: Path) -> None:
    filled(path)
    assert "a pipe, a socket or a device" in run(path, "export", "/dev/null", code=2).stderr
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    run(path, "export", str(link))
    assert link.is_symlink()
    assert (tmp_path / "real").is_file()


def test_a_bad_import_names_the_line_and_takes_nothing(path: Path, tmp_path: Path) -> None:
    lines = run(filled(path), "export").stdout.splitlines(keepends=True)
    file, other = tmp_path / "bad.jsonl", tmp_path / "other.db"
    for bad, why in (("{", "Line 3 cannot be imported"), ("\udcff", "bad.jsonl:3: byte 1 of the line (0xff)")):
        file.write_text("".join([*lines[:2], bad + "\n", *lines[2:]]), errors="surrogateescape")
        error = run(other, "import", str(file), code=2).stderr
        assert why in error
        assert str(file) in error
        assert data(run(other, "stats", "--json"))["records"] == 0
    assert "The import is empty" in run(other, "import", "-", code=2).stderr
    assert "cannot be read" in run(other, "import", str(tmp_path / "none"), code=2).stderr


def test_stats(path: Path) -> None:
    text = words(run(filled(path), "stats"))
    assert "records 4 kinds turn 4" in text
    assert "name dimensions active hash" in text
    found = data(run(path, "stats", "--json"))
    assert (found["records"], found["vectors"], found["pending"], found["store"]) == (4, 4, 0, str(path))


def test_verify_and_repair(path: Path) -> None:
    assert words(run(filled(path), "verify")) == "problems none records 4"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE owners SET records = 99")
    connection.close()
    result = run(path, "verify", code=1)
    assert "99 records were counted, 4 exist" in result.stdout
    assert "--repair" in result.stderr
    assert data(run(path, "verify", "--json", code=1))["problems"][0]["mended"] is False
    assert "mended" in run(path, "verify", "--repair").stdout
    run(path, "verify")


def test_reindex_changes_the_embedder(path: Path) -> None:
    filled(path)
    changed = ("--set", "embed.dimensions=32")
    error = run(path, *changed, "search", "Lisbon", "--user", "ana", code=1).stderr
    assert "Run `aforesaid reindex`" in error
    assert "fail  vectors" in run(path, *changed, "doctor", code=1).stdout
    assert run(path, *changed, "list", "--user", "ana").stdout, "what compares no vectors goes on"
    things = ["harbour", "lantern", "violin", "almond", "ferry"]
    with Memory.open(path, embedder=HashEmbedder(64)) as memory:
        memory.ingest([Turn(f"n{i}", "s", "user", f"{things[i % 5]} {i}") for i in range(36)])
    kept = run(path, *changed, "reindex", "--min-overlap", "1", code=1)
    assert "search still uses hash-64-0" in kept.stderr
    status = data(run(path, "reindex", "--status", "--json"))
    assert [(space["model"], space["active"], space["percent"]) for space in status["spaces"]] == [
        ("hash-64-0", True, 100),
        ("hash-32-0", False, 100),
    ]
    assert status["running"] is False
    assert "warn  reindex   100 % of the records have vectors of hash-32-0" in run(path, "doctor", code=None).stdout
    assert "deleted the vectors of hash-32-0" in run(path, "reindex", "--cancel").stdout
    switched = run(path, *changed, "reindex")
    assert words(switched).startswith("embedded 40 records model hash-32-0 before hash-64-0 overlap@10 0.")
    assert "everywhere" in switched.stderr
    run(path, *changed, "search", "Lisbon", "--user", "ana")
    again = data(run(path, *changed, "reindex", "--json"))
    assert (again["embedded"], again["comparison"]) == (0, None)


def test_doctor(path: Path, tmp_path: Path) -> None:
    missing = {check["name"]: check for check in data(run(path, "doctor", "--json"))["checks"]}
    assert {name: check["state"] for name, check in missing.items()} == {
        "aforesaid": "ok", "sqlite": "ok", "settings": "ok", "store": "warn", "disk": "ok", "model": "warn",
        "daemon": "ok",
    }  # fmt: skip
    assert missing["store"]["remedy"]
    text = run(filled(path), "doctor").stdout
    assert "with FTS5" in text
    assert f"{path}: 4 records" in " ".join(text.split())
    assert "embed.provider=hash" in text


def test_doctor_outlives_what_is_broken(tmp_path: Path) -> None:
    broken, config = tmp_path / "broken.db", tmp_path / "bad.toml"
    broken.write_bytes(b"nonsense" * 1000)
    config.write_text("gate = [")
    text = run(
        broken,
        "--config",
        str(config),
        "doctor",
        code=1,
        env={"AFORESAID_CACHE": str(tmp_path), "AFORESAID_OFFLINE": "1"},
    ).stdout
    assert "fail  settings" in text
    assert "fail  store     " in text
    assert "warn  model     no weights here" in text
    folder = run(tmp_path, "doctor", code=1).stdout
    assert "is a folder" in " ".join(folder.split())
    text = run(None, "--set", "embed.provider=local", "--set", f"embed.model={tmp_path}", "doctor", "--store",
               str(tmp_path / "x.db"), code=1).stdout  # fmt: skip
    assert "does not contain model.onnx" in " ".join(text.split())


def test_doctor_notices_damaged_weights(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "models" / weights.NAME
    folder.mkdir(parents=True)
    for pin in weights.PINS:
        (folder / pin.file).write_bytes(b"x")
    cache = {"AFORESAID_CACHE": str(tmp_path)}
    text = run(path, "--set", "embed.provider=local", "doctor", code=1, env=cache).stdout
    assert "fail  model" in text
    assert "aforesaid models pull" in " ".join(text.split())
    assert "has sha256" in run(path, "models", "verify", code=1, env=cache).stderr


def test_models(tmp_path: Path, model_folder: Path) -> None:
    cache = {"AFORESAID_CACHE": str(tmp_path), "AFORESAID_OFFLINE": "1"}
    assert "There are no weights" in run(None, "models", "path", code=1, env=cache).stderr
    assert "AFORESAID_OFFLINE" in run(None, "models", "pull", code=1, env=cache).stderr
    assert (
        json.loads(run(None, "models", "pull", "--json", code=1, env=cache).stderr)["error"]["type"]
        == "ModelMissingError"
    )
    shutil.copytree(model_folder, tmp_path / "models" / weights.NAME)
    assert data(run(None, "models", "path", "--json", env=cache))["folder"] == str(tmp_path / "models" / weights.NAME)
    assert ": good (cosine " in run(None, "models", "verify", env=cache).stdout
    assert run(None, "models", "pull", env=cache).stdout.strip() == str(tmp_path / "models" / weights.NAME)
    assert run(None, "models", "remove", env=cache).stdout.startswith("removed ")
    assert run(None, "models", "remove", env=cache).stdout.startswith("nothing at ")


def test_stats_counts_searches_when_they_are_logged(path: Path) -> None:
    run(path, "remember", "Ana likes green tea.", "--user", "ana")
    assert "searches" not in data(run(path, "stats", "--json"))
    on = ("--set", "search.log=on")
    run(path, *on, "search", "tea", "--user", "ana")
    run(path, *on, "--set", "embed.provider=off", "search", "tea", "--user", "ana")
    found = data(run(path, *on, "stats", "--json"))["searches"]
    assert (found["searches"], found["fallbacks"], found["fallback_ratio"]) == (2, 1, 0.5) and found["ms_p90"] > 0
    assert "fallback ratio 0.5" in words(run(path, *on, "stats"))
