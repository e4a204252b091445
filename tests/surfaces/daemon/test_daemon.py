"""The daemon's parts in this process: the place, the wire, who may come in, coming and going, and the thin front end."""

from __future__ import annotations

import io
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import DaemonError, StoreCorruptError
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.surfaces.daemon.client import Client, ClientIdentity
from aforesaid.surfaces.daemon.connection import (
    INCOMPATIBLE,
    LONGEST_PATH,
    MAX_REQUEST_BYTES,
    DaemonPaths,
    LineConnection,
    RpcError,
    dial,
    paths_of,
)
from aforesaid.surfaces.daemon.daemon import Daemon
from aforesaid.surfaces.daemon.proxy import Proxy
from aforesaid.surfaces.daemon.server import DaemonServer
from aforesaid.surfaces.lazy_memory import LazyMemory
from support.daemons import PATIENCE_SECONDS, status, until

ROWS = Settings().changed({"embed.provider": "hash"}, "test")
OPTIONS = {"host": "auto", "user": "ana", "project": None}
NOBODY = {"tenant": "default", "purpose": None, "request": None}


class Running:
    """A daemon in a thread of this process."""

    def __init__(self, store: Path, place: DaemonPaths, idle_seconds: float = 60) -> None:
        self.notes: list[str] = []
        self.warm = Daemon(store, place, idle_seconds, self.notes.append)
        self.service = self.warm.server
        self.served: list[bool] = []
        self.thread = threading.Thread(target=lambda: self.served.append(self.service.run()), daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self.service.leave(stop=True)
        self.thread.join(20)
        assert not self.thread.is_alive()
        self.warm.memory.close()


@pytest.fixture
def place(tmp_path: Path) -> DaemonPaths:
    return paths_of(tmp_path / "store.db")


@pytest.fixture
def running(path: Path, place: DaemonPaths) -> Iterator[Running]:
    running = Running(path, place)
    until(lambda: place.socket.exists())
    yield running
    running.stop()


def called(place: DaemonPaths, method: Any, params: Any = None) -> Any:
    line = dial(place)
    assert line is not None
    with line:
        return line.call(method, params)


def hook(event: Any, rows: Settings = ROWS) -> dict[str, Any]:
    return {"event": event, "options": OPTIONS, "identity": asdict(ClientIdentity.of(rows)), **NOBODY}


# The place


def test_a_store_has_one_place_by_whatever_path(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert paths_of(tmp_path / "a.db") == paths_of(tmp_path / "link" / "." / "a.db")
    assert paths_of(tmp_path / "a.db") != paths_of(tmp_path / "b.db")


def test_an_address_is_never_longer_than_a_socket_bears(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120) / "a.db"
    assert len(os.fsencode(paths_of(deep).socket)) <= LONGEST_PATH
    with pytest.raises(DaemonError, match="too long"):
        paths_of(deep, str(deep.parent))
    assert paths_of(deep, "/tmp/mine").socket.parent == Path("/tmp/mine")


def test_a_folder_that_others_can_enter_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    with pytest.raises(DaemonError, match="entered by other users"):
        DaemonPaths(folder, "x").make()
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(DaemonError):
        DaemonPaths(tmp_path / "link", "x").make()
    DaemonPaths(tmp_path / "new", "x").make()
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


# The wire and who may come in


def test_it_says_how_it_is(running: Running, place: DaemonPaths, path: Path) -> None:
    found = called(place, "status")
    assert found["pid"] == os.getpid() and found["store"] == str(path) and found["clients"] == 0
    assert place.socket.stat().st_mode & 0o777 == 0o600
    assert found["peak_bytes"] > 1 << 20


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [("no-such", {}, -32601), (7, {}, -32601), ("status", [1], -32602), ("hook", {}, -32602), ("mcp", {}, -32602),
     ("hook", {"identity": {"code": 1}}, -32602), ("hook", {**hook({}), "options": {"no": 1}}, -32602)],
)  # fmt: skip
def test_what_makes_no_sense_is_told_with_a_code(
    running: Running, place: DaemonPaths, method: Any, params: Any, code: int
) -> None:
    line = dial(place)
    assert line is not None
    with line:
        line.send({"id": 5, "method": method, "params": params})
        answer = line.read()
        assert answer is not None and answer["id"] == 5 and answer["error"]["code"] == code
        assert line.call("status")["pid"], "the line goes on"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300) | st.sampled_from([b"[" * 5000, b"{}", b"null", b'{"method": "status", "params": 3}']))
def test_no_line_ends_it(running: Running, place: DaemonPaths, data: bytes) -> None:
    line = dial(place)
    assert line is not None
    with line:
        line.link.sendall(data.replace(b"stop", b"").replace(b"retire", b"") + b"\n")
        line.link.shutdown(socket.SHUT_WR)
        for answer in line.reader:
            assert "error" in json.loads(answer) or "result" in json.loads(answer)
    assert status(running.warm.store) is not None


def test_the_first_decides_the_settings_and_others_are_sent_away(running: Running, place: DaemonPaths) -> None:
    assert called(place, "hook", hook({})) == {"answer": {}, "about": "claude-code", "outcome": "ignored"}
    assert running.warm.settings.embed.provider == "hash"
    other = hook({}, ROWS.changed({"search.limit": 3}, "test"))
    with pytest.raises(RpcError) as refused:
        called(place, "hook", other)
    assert refused.value.code == INCOMPATIBLE
    newer = hook({})
    newer["identity"]["code"] = "9.9.9"
    with pytest.raises(RpcError, match="other code"):
        called(place, "hook", newer)


def test_other_code_never_decides_the_settings(path: Path) -> None:
    warm, like = Daemon(path, paths_of(path), 60), ClientIdentity.of(ROWS)
    with pytest.raises(RpcError):
        warm.accept(replace(like, code="0.0.1 1 /elsewhere"))
    warm.accept(like)


def test_keys_are_compared_where_they_matter_and_not_told() -> None:
    rows = ROWS.changed({"embed.provider": "openai", "embed.model": "small"}, "test")
    one, two = (ClientIdentity.of(rows, {"OPENAI_API_KEY": f"sk-{name}", "EDITOR": name}) for name in ("one", "two"))
    kept_from = ClientIdentity.of(rows, {})
    assert one.can_serve(one) and not one.can_serve(two) and not two.can_serve(one)
    assert one.can_serve(kept_from), "a host keeps keys from some of our commands"
    assert not kept_from.can_serve(one)
    sent = json.dumps(asdict(one))
    assert "sk-one" not in sent and ClientIdentity(**json.loads(sent)) == one
    local = ClientIdentity.of(Settings(), {"OPENAI_API_KEY": "sk-one"})
    assert local.can_serve(ClientIdentity.of(Settings(), {"OPENAI_API_KEY": "sk-two"})), (
        "the local model has no use for it"
    )


# Coming and going


def test_one_at_a_time_has_the_place(running: Running, path: Path, place: DaemonPaths) -> None:
    second = Running(path, place)
    second.thread.join(20)
    assert second.served == [False]
    assert status(path) is not None


def test_it_ends_when_nobody_came_for_a_while(path: Path, place: DaemonPaths) -> None:
    running = Running(path, place, idle_seconds=0.2)
    until(lambda: status(path) is not None or running.served)
    running.thread.join(20)
    assert running.served == [True] and not place.socket.exists()
    assert running.notes[-1] == "idle"


def test_who_is_connected_is_served_to_the_end_when_it_makes_way(
    running: Running, path: Path, place: DaemonPaths
) -> None:
    line = dial(place)
    assert line is not None
    with line:
        assert line.call("status")["pid"]
        called(place, "retire")
        other = Running(path, place)
        until(lambda: status(path) is not None)
        until(lambda: line.call("status")["clients"] == 0)  # by the one that made way
        assert running.thread.is_alive()
        other.stop()
    running.thread.join(20)
    assert running.served == [True] and running.notes[-1] == "replaced"


def test_a_client_that_dies_harms_nobody(running: Running, place: DaemonPaths) -> None:
    for data in (b"", b'{"method": "sta', b'{"id": 1, "method": "status"}\n' * 50):
        link = socket.socket(socket.AF_UNIX)
        link.connect(str(place.socket))
        link.sendall(data)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        link.close()
    until(lambda: called(place, "status")["clients"] == 0)


def test_a_socket_that_was_left_behind_is_taken_over(path: Path, place: DaemonPaths) -> None:
    place.make()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(place.socket))
    assert dial(place) is None
    running = Running(path, place)
    until(lambda: status(path) is not None)
    running.stop()


def test_whoever_cannot_start_one_is_told(place: DaemonPaths) -> None:
    tried: list[int] = []

    def spawn() -> int:
        tried.append(os.posix_spawn("/bin/false", ["false"], {}))
        return tried[-1]

    with pytest.raises(DaemonError, match="No daemon answered"):
        Client(place, ClientIdentity.of(ROWS), spawn).ask("status", {}, 0.3)
    assert len(tried) > 1, "one that ended is started again"


@pytest.mark.parametrize("sent", [b"", b'{"jsonrpc": "2.0", "id": 1, "method": "sta'])
def test_clients_that_ask_nothing_make_room(running: Running, place: DaemonPaths, sent: bytes) -> None:
    running.service.most_clients = 4
    lines = [dial(place) for _ in range(40)]
    for line in lines:
        assert line is not None
        with suppress(OSError):  # it had to make room already
            line.link.sendall(sent)
    assert called(place, "status")["pid"] == os.getpid()
    for line in lines:
        assert line is not None
        line.close()


def test_half_a_line_is_not_waited_for(running: Running, place: DaemonPaths) -> None:
    running.service.request_seconds = 0.1
    line = dial(place)
    assert line is not None
    with line:
        line.link.sendall(b'{"jsonrpc": "2.0", ')
        line.link.settimeout(PATIENCE_SECONDS)
        assert line.read() is None
    assert called(place, "status")["clients"] == 0


def test_too_many_at_work_are_told(place: DaemonPaths) -> None:
    go = threading.Event()
    service = DaemonServer(place, lambda line: (line.read(), go.wait())[0], 60)
    service.most_clients = 1
    thread = threading.Thread(target=service.run, daemon=True)
    thread.start()
    until(lambda: place.socket.exists())
    first = dial(place)
    assert first is not None
    first.send({"method": "work"})
    until(lambda: [line.waits_since for line in service._clients] == [None])
    second = dial(place)
    assert second is not None
    with first, second:
        second.link.settimeout(PATIENCE_SECONDS)
        refused = second.read()
        assert refused is not None and "1 clients already" in refused["error"]["message"]
        go.set()
    service.leave(stop=True)
    thread.join(PATIENCE_SECONDS)


# The memory behind it


def test_a_memory_that_could_not_be_opened_is_tried_again(path: Path) -> None:
    warm = Daemon(path, paths_of(path), 60)
    warm.accept(ClientIdentity.of(ROWS))
    path.write_bytes(b"this is no database " * 500)
    for _ in range(2):
        with pytest.raises(StoreCorruptError):
            warm.memory()
    path.unlink()
    assert warm.memory().search("x").hits == ()
    warm.memory.close()


def test_another_file_of_the_same_name_is_another_store(path: Path) -> None:
    warm = Daemon(path, paths_of(path), 60)
    warm.accept(ClientIdentity.of(ROWS))
    warm.memory().remember("Ana lives in Horta.", user="ana")
    assert warm.memory() is warm.memory()
    for file in path.parent.glob("store.db*"):
        file.rename(file.with_name("old-" + file.name))
    warm.memory().remember("Ben lives in Faro.", user="ben")
    assert warm.memory().list(user="ana") == [] and len(warm.memory().list(user="ben")) == 1
    warm.memory.close()
    waking = LazyMemory(path, warm._open)
    assert len(waking().list(user="ben")) == 1, "it is in the file"
    waking.close()


# The front end


class Pipe:
    """A host's pipes around a front end, whose daemons are played here line by line."""

    def __init__(self) -> None:
        self.daemons: list[LineConnection] = []
        self.out = io.BytesIO()

    def attach(self) -> LineConnection:
        mine, theirs = socket.socketpair()
        self.daemons.append(LineConnection(mine))
        return LineConnection(theirs)

    def run(self, say: Callable[[Any, Proxy], None], *plays: Callable[[LineConnection], None]) -> list[Any]:
        """What the host hears when it says this, and the daemons do that one after the other."""
        reads, writes = os.pipe()
        line = self.attach()

        def play() -> None:
            for number, each in enumerate(plays):
                until(lambda number=number: len(self.daemons) > number)
                each(self.daemons[number])
                self.daemons[number].close()

        def speak() -> None:
            with os.fdopen(writes, "wb", buffering=0) as host:
                say(host, front)

        with os.fdopen(reads, "rb") as stdin:
            front = Proxy(self.attach, stdin, self.out)
            threads = [threading.Thread(target=each, daemon=True) for each in (play, speak)]
            for thread in threads:
                thread.start()
            front.run(line)
            for thread in threads:
                thread.join(20)
        return [json.loads(each) for each in self.out.getvalue().splitlines()]


def asked(number: int, method: str = "tools/call") -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method}).encode() + b"\n"


def answers(line: LineConnection) -> None:
    while (message := line.read()) is not None:
        if "id" in message:
            line.send({"id": message["id"], "result": message["method"]})


def test_lines_go_both_ways() -> None:
    said = asked(1, "initialize") + b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n' + asked(2)
    heard = Pipe().run(lambda host, front: host.write(said), answers)
    assert [each["result"] for each in heard] == ["initialize", "tools/call"]


def test_a_last_line_without_an_end_is_heard() -> None:
    assert Pipe().run(lambda host, front: host.write(asked(1).rstrip()), answers)[0]["id"] == 1


def test_a_call_under_way_fails_when_the_daemon_dies_and_the_next_finds_another() -> None:
    pipe, seen = Pipe(), []

    def say(host: Any, front: Proxy) -> None:
        host.write(asked(1, "initialize"))
        host.write(asked(2))
        until(lambda: b"stopped during" in pipe.out.getvalue())
        host.write(asked(3))

    def dies(line: LineConnection) -> None:
        hello = line.read()
        assert hello is not None
        line.send({"id": hello["id"], "result": "first"})
        line.read()
        line.link.shutdown(socket.SHUT_RDWR)

    def lives(line: LineConnection) -> None:
        while (message := line.read()) is not None:
            seen.append(message["method"])
            if "id" in message:
                line.send({"id": message["id"], "result": "second"})

    heard = pipe.run(say, dies, lives)
    assert seen == ["initialize", "notifications/initialized", "tools/call"], "it knows the session"
    assert [(each["id"], each.get("result")) for each in heard] == [(1, "first"), (2, None), (3, "second")]
    assert "call again" in heard[1]["error"]["message"]


def test_a_message_too_long_is_refused_and_the_next_one_heard() -> None:
    said = b'"' + b"x" * (MAX_REQUEST_BYTES + 5) + b'"\n' + asked(7)
    heard = Pipe().run(
        lambda host, front: [host.write(said[at : at + 65536]) for at in range(0, len(said), 65536)], answers
    )
    assert sorted(str(each["id"]) for each in heard) == ["7", "None"]
    assert "send less" in json.dumps(heard)


def test_half_a_character_is_refused_and_a_whole_one_heard() -> None:
    def said(number: int, text: str) -> bytes:
        return b'{"jsonrpc":"2.0","id":%d,"method":"x","params":{"q":"%s"}}' % (number, text.encode()) + b"\n"

    heard = Pipe().run(lambda host, front: host.write(said(1, r"\ud83d") + said(2, r"\uD83D\uDE00")), answers)
    assert {each["id"]: each.get("result") for each in heard} == {1: None, 2: "x"}


def test_when_no_daemon_can_be_had_calls_fail_in_a_sentence() -> None:
    def none() -> LineConnection:
        raise DaemonError("No daemon answered.")

    def say(host: Any, front: Proxy) -> None:
        front._attach = none
        until(lambda: front._pump is not None and not front._pump.is_alive())
        host.write(asked(1))

    [heard] = Pipe().run(say, lambda line: line.link.shutdown(socket.SHUT_RDWR))
    assert heard["error"]["message"] == "No daemon answered."


def test_a_daemon_follows_a_change_of_the_model(
    path: Path, place: DaemonPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "aforesaid.toml"
    file.write_text('[embed]\nprovider = "hash"\n')
    monkeypatch.setenv("AFORESAID_CONFIG", str(file))
    warm = Daemon(path, place, 60)
    warm.accept(ClientIdentity.of(ROWS))
    memory = warm.memory()
    memory.remember("Ana lives in Horta.", user="ana")
    with Memory.open(path) as other:
        other.maintenance.reindex(HashEmbedder(32))
    found = memory.search("Horta", user="ana")
    assert len(found) == 1
    assert "restart this program" in found.freshness.vector_off
    file.write_text('[embed]\nprovider = "hash"\ndimensions = 32\n')
    assert memory.search("Horta", user="ana").freshness.vector_off == ""
    with pytest.raises(RpcError):  # a client with the new settings starts a daemon of its own
        warm.accept(ClientIdentity.of(Settings.load()))
    warm.memory.close()
