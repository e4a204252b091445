"""`python -m aforesaid hook` as a host runs it: a process, an event on stdin, an answer on stdout, and exit code 0."""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.text.echo import FRAME_OPEN
from samples.hook_events import EVENTS, STRANGER, claude_event, codex_event
from samples.import_files import CLAUDE_CODE, CODEX, lines

SECRET = "zanzibar-4711"
ALONE = {"AFORESAID_DAEMON_ON": "off"}  # tests/test_daemon_hooks.py is with it


def call(
    folder: Path,
    event: Any,
    *args: str,
    provider: str = "hash",
    before: Callable[[], None] | None = None,
    **env: str,
) -> dict[str, Any]:
    """The answer. Whatever happens, the exit code is 0 and stdout holds one JSON object."""
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("AFORESAID_")}
    done = subprocess.run(
        [sys.executable, "-m", "aforesaid", "hook", "--store", str(folder / "memory.db"), *args],
        input=data,
        capture_output=True,
        check=False,
        timeout=300,
        preexec_fn=before,
        env={
            **clean,
            **ALONE,
            "AFORESAID_HOOKS_EVENT_MS": "120000",
            "XDG_STATE_HOME": str(folder / "state"),
            "AFORESAID_EMBED_PROVIDER": provider,
            **env,
        },
    )
    assert done.returncode == 0, done.stderr.decode()
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def log_of(folder: Path) -> str:
    return "".join(file.read_text() for file in folder.rglob("hook.log"))


@pytest.fixture
def transcripts(tmp_path: Path) -> dict[str, Path]:
    found = {"claude-code": tmp_path / "transcript.jsonl", "codex": tmp_path / "rollout-1.jsonl"}
    found["claude-code"].write_bytes(lines(CLAUDE_CODE))
    found["codex"].write_bytes(lines(CODEX))
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    return found


@pytest.mark.parametrize(
    ("host", "make", "word", "provider"),
    [("claude-code", claude_event, "7443", "local"), ("codex", codex_event, "ledger-eu", "hash")],
)
def test_a_session_from_beginning_to_end(
    tmp_path: Path, model_folder: Path, transcripts: dict[str, Path], host: str, make: Any, word: str, provider: str
) -> None:
    """Every event once, then another session that profits from it. One of the hosts has the real model."""
    cwd = tmp_path / "shop"
    slow = {"provider": provider, "AFORESAID_HOOKS_PROMPT_MS": "60000", "AFORESAID_HOOKS_EVENT_MS": "60000"}
    for name in EVENTS:
        assert call(tmp_path, make(name, transcripts[host], cwd), "--user", "ana", **slow) == {}
    later = make("UserPromptSubmit", tmp_path / "none.jsonl", cwd, session_id="later")
    added = call(tmp_path, later, "--user", "ana", "--host", host, **slow)["hookSpecificOutput"]
    assert added["hookEventName"] == "UserPromptSubmit"
    assert word in added["additionalContext"]
    stranger = {**later, "prompt": STRANGER, "session_id": "third"}
    rules = call(tmp_path, stranger, "--user", "ana", **slow).get("hookSpecificOutput", {}).get("additionalContext", "")
    assert FRAME_OPEN not in rules and word not in rules, "a new session gets the standing rules, and nothing far"
    log = log_of(tmp_path)
    assert log.count(f"{host} ") == len(log.splitlines())
    assert "failed" not in log
    assert "gave up" not in log


@pytest.mark.parametrize(
    "data", [b"", b"garbage", b"[]", b"{}", b'{"hook_event_name": "Stop"', b"\xff\x00", b"[" * 100_000]
)
def test_garbage_on_stdin(tmp_path: Path, data: bytes) -> None:
    assert call(tmp_path, data) == {}
    assert not (tmp_path / "memory.db").exists()


def test_options_and_settings_that_cannot_be_read(tmp_path: Path, transcripts: dict[str, Path]) -> None:
    event = claude_event("Stop", transcripts["claude-code"], tmp_path)
    (tmp_path / "bad.toml").write_text("[hooks\n")
    for args in (["--no-such-option"], ["--set", "nonsense"], ["--set", "hooks.x=1"], ["--timeout-ms", "soon"], ["word"],
                 ["--host", "emacs"], ["--config", str(tmp_path / "bad.toml")], ["--user", "x" * 1000]):  # fmt: skip
        assert call(tmp_path, event, *args) == {}
    assert "SettingsError" in log_of(tmp_path)
    assert call(tmp_path, event, XDG_STATE_HOME="/dev/null/x") == {}, "no log is no trouble"


def test_stores_that_cannot_be_used(tmp_path: Path, transcripts: dict[str, Path]) -> None:
    events = [
        claude_event("UserPromptSubmit", transcripts["claude-code"], tmp_path),
        codex_event("Stop", transcripts["codex"], tmp_path),
    ]
    (tmp_path / "memory.db").write_bytes(b"not a store at all " * 500)
    for event in events:
        assert call(tmp_path, event) == {}
    (tmp_path / "memory.db").unlink()
    (tmp_path / "memory.db").mkdir()
    for event in events:
        assert call(tmp_path, event) == {}
    assert "StoreCorruptError" in log_of(tmp_path)


def test_a_full_disk(tmp_path: Path, transcripts: dict[str, Path]) -> None:
    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    event = claude_event("Stop", transcripts["claude-code"], tmp_path)
    assert call(tmp_path, event, before=small) == {}
    assert "failed" in log_of(tmp_path)
    assert call(tmp_path, event) == {}, "and with room again, it goes on"
    assert "stored new turns" in log_of(tmp_path)


def test_a_missing_model_is_not_fetched(tmp_path: Path, transcripts: dict[str, Path]) -> None:
    nowhere = {"provider": "local", "XDG_CACHE_HOME": str(tmp_path / "cache"), "AFORESAID_HOOKS_PROMPT_MS": "60000"}
    call(tmp_path, claude_event("Stop", transcripts["claude-code"], tmp_path), **nowhere)
    later = claude_event("UserPromptSubmit", tmp_path / "none", tmp_path, session_id="later")
    assert "7443" in str(call(tmp_path, later, **nowhere)), "words find it without a model"
    assert not (tmp_path / "cache").exists()
    assert "failed" not in log_of(tmp_path)


def test_a_service_that_does_not_answer(tmp_path: Path, transcripts: dict[str, Path]) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        silent = {"provider": "ollama", "OLLAMA_HOST": f"http://127.0.0.1:{server.getsockname()[1]}"}
        silent |= {"AFORESAID_EMBED_MODEL": "m", "AFORESAID_HOOKS_PROMPT_MS": "5000"}
        (tmp_path / "memory.db").touch()
        event = claude_event("UserPromptSubmit", tmp_path / "none", tmp_path, prompt=f"{SECRET} which port is it?")
        assert call(tmp_path, event, **silent) == {}
    assert "gave up after 5 s" in log_of(tmp_path)
    assert SECRET not in log_of(tmp_path)


def test_the_limit_holds_from_the_start(tmp_path: Path, transcripts: dict[str, Path]) -> None:
    event = claude_event("Stop", transcripts["claude-code"], tmp_path)
    assert call(tmp_path, event, "--timeout-ms", "1") == {}
    assert "gave up" in log_of(tmp_path)
    assert call(tmp_path, event) == {}


def test_five_stops_at_once_are_one(tmp_path: Path, transcripts: dict[str, Path]) -> None:
    event = json.dumps(claude_event("Stop", transcripts["claude-code"], tmp_path)).encode()
    at = [sys.executable, "-m", "aforesaid", "--store", str(tmp_path / "memory.db")]
    env = {**os.environ, **ALONE, "XDG_STATE_HOME": str(tmp_path / "state"), "AFORESAID_EMBED_PROVIDER": "hash"}
    running = [
        subprocess.Popen([*at, "hook"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) for _ in range(5)
    ]
    assert [process.communicate(event)[0].strip() for process in running] == [b"{}"] * 5
    listed = subprocess.run([*at, "list", "--json", "--limit", "100"], capture_output=True, env=env, check=True).stdout
    ids = [record["id"] for record in json.loads(listed)["records"]]
    assert len(ids) == len(set(ids)) > 5
    assert "failed" not in log_of(tmp_path)


def test_a_writer_in_the_way_does_not_cost_the_answer(tmp_path: Path, transcripts: dict[str, Path]) -> None:
    call(tmp_path, claude_event("Stop", transcripts["claude-code"], tmp_path))
    later = claude_event("UserPromptSubmit", tmp_path / "none", tmp_path, session_id="later")
    settings = Settings().changed({"embed.provider": "hash"}, "test")
    with Memory.open(tmp_path / "memory.db", settings=settings) as memory, memory.store.transaction():
        memory.store.values.put(Slot(ValueKind.USES, "in"), "the way")
        answer = call(tmp_path, later, AFORESAID_HOOKS_PROMPT_MS="20000")
    assert "7443" in str(answer)
    assert "gave up" not in log_of(tmp_path)
