"""Daemons as hosts meet them: real processes that start, share, are killed, make way and end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from aforesaid.bench import starts
from aforesaid.surfaces.daemon.connection import paths_of
from samples.hook_events import claude_event
from samples.import_files import CLAUDE_CODE, lines
from support.cli import run
from support.daemons import alive, status, stopped, until
from support.mcp_process import Host

AT = [sys.executable, "-m", "aforesaid"]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store whose daemons write their log beside it, and none of which outlives the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    store = tmp_path / "store.db"
    yield store
    stopped(store)


def host_for(path: Path, user: str = "ana", *options: str) -> Host:
    host = Host(path, "--user", user, *options, daemon=True)
    host.greet()
    return host


def pid_of(path: Path) -> int:
    found = status(path)
    assert found is not None
    return int(found["pid"])


def log_of(path: Path) -> str:
    return "".join(file.read_text() for file in path.parent.rglob("daemon.log"))


def texts(found: Any) -> list[str]:
    assert "structuredContent" in found, found
    return [hit["text"] for hit in found["structuredContent"]["hits"]]


def test_hosts_share_one_and_see_their_own(path: Path) -> None:
    ana, ben = host_for(path), host_for(path, "ben", "--grant", "read")
    assert not ana.call("memory_remember", text="Ana moors her boat in Horta.")["isError"]
    assert texts(ana.call("memory_search", query="boat")) == ["Ana moors her boat in Horta."]
    assert texts(ben.call("memory_search", query="boat")) == []
    assert ben.call("memory_remember", text="x")["isError"], "granted to the other only"
    until(lambda: (status(path) or {}).get("clients") == 2)
    for host in (ana, ben):
        assert host.end() == (0, "")
    until(lambda: (status(path) or {}).get("clients") == 0)
    assert log_of(path).count("listening") == 1


def test_many_that_come_at_once_start_one(path: Path) -> None:
    hosts = [Host(path, "--user", "ana", daemon=True) for _ in range(6)]
    greeted = [threading.Thread(target=host.greet) for host in hosts]
    for thread in greeted:
        thread.start()
    for thread in greeted:
        thread.join(60)
    for number, host in enumerate(hosts):
        assert not host.call("memory_remember", text=f"Fact number {number} is true.")["isError"]
        assert host.end() == (0, "")
    assert log_of(path).count("listening") == 1
    assert len(json.loads(run(path, "list", "--user", "ana", "--json").stdout)["records"]) == 6


def test_a_restore_stops_it_and_the_host_goes_on(path: Path, tmp_path: Path) -> None:
    host = host_for(path)
    assert not host.call("memory_remember", text="Ana moors her boat in Horta.")["isError"]
    run(path, "backup", str(tmp_path / "copy.db"))
    assert not host.call("memory_remember", text="Ana sold her boat.")["isError"]
    before = pid_of(path)
    found = run(path, "restore", str(tmp_path / "copy.db"), "--yes")
    assert "stopped the daemon" in found.stderr
    assert texts(host.call("memory_search", query="boat")) == ["Ana moors her boat in Horta."]
    assert pid_of(path) != before
    assert host.end() == (0, "")


def test_a_host_that_is_killed_harms_nobody(path: Path) -> None:
    dead, other = host_for(path), host_for(path)
    dead.send('{"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": {"name": "memory_status", "arg')
    dead.process.kill()
    dead.end()
    assert not other.call("memory_status")["isError"]
    until(lambda: (status(path) or {}).get("clients") == 1)
    assert other.end() == (0, "")


def test_a_daemon_that_is_killed_is_replaced_and_nothing_acknowledged_is_lost(path: Path) -> None:
    host = host_for(path)
    assert not host.call("memory_remember", text="Ana moors her boat in Horta.")["isError"]
    first = pid_of(path)
    os.kill(first, signal.SIGKILL)
    until(lambda: not alive(first))
    assert texts(host.call("memory_search", query="boat")) == ["Ana moors her boat in Horta."]
    assert pid_of(path) != first
    assert host.end() == (0, "")


def test_a_call_that_its_daemon_did_not_survive_is_answered(path: Path) -> None:
    host = host_for(path)
    pid = pid_of(path)
    os.kill(pid, signal.SIGSTOP)
    killer = threading.Timer(0.5, os.kill, (pid, signal.SIGKILL))
    killer.start()
    assert "call again" in host.call("memory_status")["error"]["message"]
    assert not host.call("memory_status")["isError"]
    assert host.end() == (0, "")


def test_another_kind_takes_the_place_and_the_old_one_serves_its_hosts_to_the_end(path: Path) -> None:
    old = host_for(path)
    first = pid_of(path)
    new = Host(path, "--user", "ana", "--set", "search.limit=3", daemon=True)
    new.greet()
    second = pid_of(path)
    assert second != first
    assert not old.call("memory_remember", text="Ana moors her boat in Horta.")["isError"]
    assert texts(new.call("memory_search", query="boat")) == ["Ana moors her boat in Horta."]
    assert old.end() == (0, "")
    until(lambda: not alive(first))
    assert alive(second) and new.end() == (0, "")


def test_stopped_it_is_gone_and_started_again_by_the_next_call(path: Path) -> None:
    host = host_for(path)
    first = pid_of(path)
    assert run(path, "daemon", "stop").stdout.strip() == f"stopped {first}"
    until(lambda: not alive(first))
    assert run(path, "daemon", "status", code=1).stdout.startswith("no daemon for ")
    assert not host.call("memory_status")["isError"]
    assert host.end() == (0, "")


def test_it_can_be_looked_at_and_started_by_hand(path: Path) -> None:
    assert json.loads(run(path, "daemon", "status", "--json", code=1).stdout) == {"running": False}
    assert run(path, "daemon", "start").stdout.strip() == "running"
    assert "ok    daemon" in run(path, "doctor").stdout
    until(lambda: (status(path) or {}).get("clients") == 0)  # doctor has hung up
    found = json.loads(run(path, "daemon", "status", "--json").stdout)
    assert found["running"] and found["store"] == str(path)
    assert str(found["pid"]) in run(path, "daemon", "status").stdout
    second = subprocess.run([*AT, "--store", str(path), "daemon"], capture_output=True, text=True, check=False)
    assert second.returncode == 1 and "Another daemon serves" in second.stderr
    assert json.loads(run(path, "daemon", "stop", "--json").stdout)["pid"] == found["pid"]
    assert run(path, "daemon", "stop").stdout.startswith("no daemon for ")


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT], ids=lambda sent: sent.name)
def test_in_the_foreground_it_ends_by_a_signal_or_by_itself(path: Path, sent: signal.Signals) -> None:
    process = subprocess.Popen([*AT, "--store", str(path), "daemon"], stderr=subprocess.PIPE)
    until(lambda: status(path) is not None)
    process.send_signal(sent)
    assert process.wait(20) == 0 and process.communicate()[1] == b""
    assert not paths_of(path).socket.exists()
    done = subprocess.run([*AT, "--store", str(path), "daemon", "--idle", "0.1"], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_where_none_can_listen_the_host_is_served_all_the_same(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:  # a short path
        Path(folder).chmod(0o755)
        host = Host(path, "--user", "ana", "--set", f"daemon.folder={folder}", daemon=True)
        host.greet()
        assert not host.call("memory_status")["isError"]
        code, errors = host.end()
    assert code == 0 and "entered by other users" in errors


def test_a_host_may_hand_on_part_of_the_environment(path: Path) -> None:
    whole = host_for(path)
    part = Host(path, "--user", "ana", daemon=True, bare=True)
    part.greet()
    until(lambda: (status(path) or {}).get("clients") == 2)
    for host in (whole, part):
        assert host.end() == (0, "")


def test_one_that_is_frozen_does_not_freeze_its_hosts(path: Path) -> None:
    host_for(path).end()
    pid = pid_of(path)
    os.kill(pid, signal.SIGSTOP)
    host = Host(path, "--user", "ana", "--set", "daemon.start_ms=500", daemon=True)
    host.greet()
    assert not host.call("memory_status")["isError"]
    code, errors = host.end()
    os.kill(pid, signal.SIGCONT)
    assert code == 0 and "opened here" in errors


# Hooks


def hooked(path: Path, event: dict[str, Any], *options: str, **env: str) -> dict[str, Any]:
    done = subprocess.run(
        [*AT, "--store", str(path), "hook", "--user", "ana", *options],
        input=json.dumps(event).encode(), capture_output=True, check=True, timeout=60,
        env={**os.environ, "AFORESAID_EMBED_PROVIDER": "hash", "AFORESAID_HOOKS_PROMPT_MS": "30000", **env},
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def hook_log(path: Path) -> str:
    return "".join(file.read_text() for file in path.parent.rglob("hook.log"))


def test_hooks_ask_the_same_daemon_and_find_what_they_find_alone(path: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_bytes(lines(CLAUDE_CODE))
    assert hooked(path, claude_event("SessionStart", transcript, tmp_path)) == {}
    first = pid_of(path)
    assert hooked(path, claude_event("Stop", transcript, tmp_path)) == {}
    taken = json.loads(run(path, "list", "--user", "ana", "--json", "--limit", "100").stdout)["records"]
    assert len(taken) > 5
    other = claude_event("UserPromptSubmit", tmp_path / "none.jsonl", tmp_path, session_id="other")
    warm = hooked(path, other)
    alone = hooked(path, {**other, "session_id": "third"}, AFORESAID_DAEMON_ON="off")
    assert warm == alone and warm["hookSpecificOutput"]["additionalContext"]
    assert pid_of(path) == first
    assert "failed" not in hook_log(path) and "no daemon" not in hook_log(path)


def test_a_prompt_makes_no_store(path: Path, tmp_path: Path) -> None:
    event = claude_event("UserPromptSubmit", tmp_path / "none.jsonl", tmp_path)
    assert hooked(path, event) == {}
    assert not path.exists() and "no store yet" in hook_log(path)


def test_what_fails_in_the_daemon_is_in_the_hooks_log_and_harms_nobody(path: Path, tmp_path: Path) -> None:
    path.write_bytes(b"this is no database " * 500)
    assert hooked(path, claude_event("SessionStart", tmp_path / "none.jsonl", tmp_path)) == {}
    assert "is not a database" in hook_log(path)
    path.unlink()
    assert hooked(path, claude_event("SessionStart", tmp_path / "none.jsonl", tmp_path)) == {}
    assert path.exists()


def test_without_weights_nothing_is_fetched(path: Path, tmp_path: Path) -> None:
    event = claude_event("SessionStart", tmp_path / "none.jsonl", tmp_path)
    cache = tmp_path / "cache"
    assert hooked(path, event, AFORESAID_EMBED_PROVIDER="local", AFORESAID_CACHE=str(cache)) == {}
    assert path.exists() and not list(cache.rglob("*.onnx"))
    assert "failed" not in hook_log(path)


def test_many_clients_leave_no_open_files(path: Path, tmp_path: Path) -> None:
    event = claude_event("SessionStart", tmp_path / "none.jsonl", tmp_path)
    hooked(path, event)
    folder = Path(f"/proc/{pid_of(path)}/fd")
    before = len(list(folder.iterdir()))
    for _ in range(12):
        hooked(path, event)
    assert len(list(folder.iterdir())) < before + 12


# What it saves


def test_the_bench_measures_one_way(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("--set", "embed.provider=hash", "--set", "daemon.on=off", "--set", "hooks.prompt_ms=60000")
    found = starts.Way(path, options, stop=False).measure("each for itself", 1)
    assert found["initialize"] <= found["first_call"] and found["hook"] > 0
    monkeypatch.setattr(starts, "measure", lambda runs, options: [found])
    [row] = json.loads(run(path, "bench", "starts", "--json").stdout)
    assert row["way"] == "each for itself"
