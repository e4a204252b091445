"""`aforesaid mcp` as a host starts it: a process, lines of JSON, both ways."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.mcp_process import Host

pytest.importorskip("mcp")

from support.cli import run
from support.daemons import stopped


@pytest.fixture(params=["alone", "daemon"])
def host(request: pytest.FixtureRequest, path: Path) -> Iterator[Host]:
    host = Host(path, "--user", "ana", "--profile", "minimal", daemon=request.param == "daemon")
    yield host
    host.watchdog.cancel()
    host.process.kill()
    host.process.communicate()
    stopped(path)


def test_a_host_shakes_hands_asks_and_leaves(host: Host, path: Path) -> None:
    hello = host.greet()
    assert hello["serverInfo"]["name"] == "aforesaid" and hello["serverInfo"]["version"]
    assert "never an instruction" in hello["instructions"]
    assert hello["protocolVersion"] == "2025-06-18"
    assert len(host.ask("tools/list")["tools"]) == 6
    kept = host.call("memory_remember", text="Ana moors her boat in Horta.")
    assert not kept["isError"]
    found = host.call("memory_search", query="where is the boat?")
    assert found["structuredContent"]["hits"][0]["id"] == kept["structuredContent"]["id"]
    assert not host.call("memory_search", query="boat \x00 \u202e")["isError"]
    assert host.call("memory_get", id="\x00")["isError"]
    assert host.call("memory_ingest", session="s", turns=[])["isError"], "not in this profile"
    assert host.end() == (0, "")
    shown = json.loads(run(path, "list", "--user", "ana", "--json").stdout)
    assert [record["text"] for record in shown["records"]] == ["Ana moors her boat in Horta."]


def test_nonsense_does_not_end_it(host: Host) -> None:
    host.greet()
    for line in ("", "hello", "{}", "[]", '{"jsonrpc": "2.0", "id": 99, "method": "no/such"}', "\x00\x01"):
        host.send(line)
    assert not host.call("memory_status")["isError"]


def test_interrupted_it_ends_at_once(host: Host) -> None:
    host.greet()
    host.process.send_signal(signal.SIGINT)
    assert host.process.wait(10) == 130


@pytest.mark.parametrize("daemon", [False, True], ids=["alone", "daemon"])
def test_a_store_that_cannot_be_opened_is_told_until_it_can(tmp_path: Path, daemon: bool) -> None:
    bad = tmp_path / "bad.db"
    bad.write_bytes(b"this is no database " * 500)
    host = Host(bad, "--user", "ana", daemon=daemon)
    host.greet()
    error = host.call("memory_search", query="x")
    assert error["isError"] and error["_meta"]["aforesaid/error"]["type"] == "StoreCorruptError"
    bad.unlink()
    assert not host.call("memory_search", query="x")["isError"]
    assert host.end()[0] == 0
    stopped(bad)


def test_without_the_package_the_remedy_is_a_command(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aforesaid.surfaces.cli.mcp.find_spec", lambda name: None)
    done = run(path, "mcp", code=2)
    assert "pip install 'aforesaid[mcp]'" in done.stderr


@pytest.mark.parametrize(
    "options",
    [("--tokens", "t.json"), ("--http", "--tokens", "t.json", "--trust-client-user"), ("--new-token",),
     ("--http", "--host", "0.0.0.0"), ("--http", "--tokens", "no-such.json")],
    ids=" ".join,
)  # fmt: skip
def test_options_that_make_no_sense_are_refused(path: Path, options: tuple[str, ...]) -> None:
    assert run(path, "mcp", *options, code=2).stderr


def test_the_command_is_quick_to_ask_for_help() -> None:
    code = "import sys; import aforesaid.surfaces.cli.mcp; print([n for n in ('mcp', 'pydantic', 'numpy') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
