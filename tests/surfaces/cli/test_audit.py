"""`aforesaid audit` and `aforesaid verify --audit`."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aforesaid.policy.document import read_policy
from aforesaid.policy.repository import adopt
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import Event
from support.audit_export import proved
from support.cli import data, run, words


@pytest.fixture
def log(path: Path) -> Path:
    store = SQLiteStore(path)
    for day, topic in enumerate(("ingest", "recall", "forget"), 1):
        time = datetime(2026, 5, day, 12, tzinfo=UTC)
        body = {"records": day, "session": None, "request": f"r{day}", "name": "a\x1b[31m\nb"}
        store.log.append([Event(time, "default", topic, f"user:ana/s{day}", body)])
    store.close()
    return path


def touched(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_events_newest_first(log: Path) -> None:
    lines = run(log, "audit").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["3", "2", "1"]
    assert lines[0].startswith("3  2026-05-03 12:00:00  forget  user:ana/s3  records=3 request=r3 name=a")
    assert "\x1b" not in "".join(lines)
    assert all(len(line) <= 90 for line in lines)
    found = data(run(log, "audit", "--json", "--request", "r2"))
    assert (found["tenant"], found["limit"], found["offset"]) == ("default", 50, 0)
    [event] = found["events"]
    assert (event["number"], event["topic"], event["subject"], event["erased"]) == (2, "recall", "user:ana/s2", False)
    assert (event["time"], len(event["digest"])) == ("2026-05-02T12:00:00+00:00", 64)
    assert event["body"]["request"] == "r2"


def test_narrowing(log: Path) -> None:
    def numbers(*args: str) -> list[int]:
        return [event["number"] for event in data(run(log, "audit", *args, "--json"))["events"]]

    assert numbers("--topic", "forget") == [3]
    assert numbers("--subject", "user:ana/s1") == [1]
    assert numbers("--since", "2026-05-02", "--until", "2026-05-02") == [2]
    assert numbers("--limit", "1", "--offset", "1") == [2]
    assert numbers("--tenant", "other") == []
    assert "go on with --offset 2" in run(log, "audit", "--limit", "2").stdout
    assert run(log, "audit", "--topic", "else").stdout == "No such events.\n"


def test_export(log: Path, tmp_path: Path) -> None:
    text = run(log, "audit", "--export", "-").stdout
    assert proved(text.splitlines())
    file = tmp_path / "out" / "audit.jsonl"
    file.parent.mkdir()
    assert run(log, "audit", "--export", str(file)).stdout == f"exported 5 lines to {file}\n"
    assert file.read_text() == text
    assert data(run(log, "audit", "--export", str(file), "--json")) == {"file": str(file), "lines": 5}
    assert "is the store itself" in run(log, "audit", "--export", str(log), code=2).stderr


def test_prune(log: Path) -> None:
    assert run(log, "audit", "--prune").stdout == "deleted 0 events\n"
    store = SQLiteStore(log)
    policy = read_policy("version: v1\naudit:\n  retention_days: 1\n", "test")
    adopt(store, "default", policy, datetime(2026, 5, 1, tzinfo=UTC))
    store.close()
    assert data(run(log, "audit", "--prune", "--json")) == {"pruned": 3}
    assert [event["topic"] for event in data(run(log, "audit", "--json"))["events"]] == ["prune"]
    report = data(run(log, "verify", "--audit", "--json"))
    assert (report["events"], report["pruned"], report["intact"]) == (1, 3, True)


def test_what_does_not_go_together(log: Path) -> None:
    for args in (("--prune", "--export", "-"), ("--prune", "--topic", "x"), ("--export", "-", "--since", "2026-05-01")):
        assert "cannot be combined with" in run(log, "audit", *args, code=2).stderr
    assert "--audit cannot be combined with --repair" in run(log, "verify", "--audit", "--repair", code=2).stderr
    assert "goes with --audit" in run(log, "verify", "--known", "x", code=2).stderr


def test_the_log_of_a_store_that_is_not_there(path: Path) -> None:
    assert f"There is no store at {path}" in run(path, "audit", code=2).stderr
    assert not path.exists()


def test_verify_says_whether_and_where(log: Path) -> None:
    text = run(log, "verify", "--audit").stdout
    assert " ".join(text.split()).startswith("intact yes events 3 erased 0 pruned 0 digest ")
    assert text.split()[-2:] == ["sealed", "yes"]
    digest = text.split()[text.split().index("digest") + 1]
    assert run(log, "verify", "--audit", "--known", digest).stdout == text
    assert "abc is not in the log" in run(log, "verify", "--audit", "--known", "abc", code=1).stdout
    touched(log, "UPDATE events SET topic = 'else' WHERE event = 2")
    text = run(log, "verify", "--audit", code=1).stdout
    assert "Event 2 (2026-05-02 12:00:00 UTC, else) does not match the digest of event 1. " in text
    report = json.loads(run(log, "verify", "--audit", "--json", code=1).stdout)
    assert report["intact"] is False
    assert report["problem"].startswith("Event 2 ")
    assert "log of tenant default" in run(log, "verify", code=1).stdout


def test_erased_and_unproved_events_are_told(log: Path) -> None:
    store = SQLiteStore(log)
    store.log.erase("default", ["s2"])
    store.close()
    assert run(log, "audit", "--topic", "recall").stdout == "2  2026-05-02 12:00:00  recall  -  (erased)\n"
    assert "events 3 erased 1 " in words(run(log, "verify", "--audit"))
