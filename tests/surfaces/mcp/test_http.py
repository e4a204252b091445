"""The door of the HTTP server: who is let in, by which name, how often, with how much."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp")

from aforesaid.errors import InputError, SettingsError
from aforesaid.surfaces.mcp.caller import CURRENT, Caller
from aforesaid.surfaces.mcp.http import Rate, RequestChecks, check_binding
from aforesaid.surfaces.mcp.tokens import Tokens, digest, new_token, read_tokens

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
WHO = {
    "ana-token": {"tenant": "t1", "user": "ana"},
    "bo-token": {"tenant": "t2", "user": "bo", "grants": ["read"]},
    "eve-token": {"tenant": "t2", "user": "eve"},
}


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    file = tmp_path / "tokens.json"
    file.write_text(json.dumps({digest(token): entry for token, entry in WHO.items()}))
    return file


# The door alone


class Inside:
    """What stands behind the door: it notes who came and what they brought."""

    def __init__(self) -> None:
        self.came: list[tuple[Caller | None, bytes]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        message = await receive()
        self.came.append((CURRENT.get(), message["body"]))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"in"})


def knock(door: RequestChecks, body: bytes = b"{}", **headers: str) -> tuple[int, dict[str, str], Any]:
    """Status, headers and body of what the door answers."""
    given = {"host": "localhost:8765", **{name.replace("_", "-"): value for name, value in headers.items()}}
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode("latin-1")) for name, value in given.items()]
    scope = {"type": "http", "headers": raw, "client": ("127.0.0.1", 5), "method": "POST", "path": "/mcp"}
    anyio.run(door, scope, receive, send)
    answered = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    text = sent[1]["body"]
    return sent[0]["status"], answered, json.loads(text) if text != b"in" else "in"


def test_a_token_says_who_came(tokens: Path) -> None:
    inside = Inside()
    door = RequestChecks(inside, ["localhost"], tokens=Tokens(tokens))
    assert knock(door, b"x", authorization="Bearer ana-token")[2] == "in"
    assert knock(door, authorization="bearer bo-token")[2] == "in"
    [(ana, body), (bo, _)] = inside.came
    assert ana == Caller("t1", "ana") and body == b"x"
    assert bo == Caller("t2", "bo", grants=frozenset({"read"}))
    assert CURRENT.get() is None


@pytest.mark.parametrize(
    "sent", ["", "Bearer", "Bearer ", "Bearer wrong", "Basic ana-token", "ana-token", "Bearer ana-tokeñ"]
)
def test_nobody_comes_in_without_a_token(tokens: Path, sent: str) -> None:
    inside = Inside()
    status, headers, body = knock(RequestChecks(inside, ["localhost"], tokens=Tokens(tokens)), authorization=sent)
    assert status == 401 and headers["www-authenticate"].startswith("Bearer") and not inside.came
    assert body["error"]["type"] == "DeniedError" and body["error"]["remedy"]


@pytest.mark.parametrize(
    "host", ["evil.example", "", "localhost.evil.example", "127.0.0.1.evil", "[::1", "evil@localhost.x:1"]
)
def test_a_name_that_somebody_made_point_here_is_refused(host: str) -> None:
    assert knock(RequestChecks(Inside(), ["localhost", "127.0.0.1", "::1"]), host=host)[0] == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8765", "[::1]:8765"])
def test_its_own_names_are_known(host: str) -> None:
    assert knock(RequestChecks(Inside(), ["localhost", "127.0.0.1", "::1"]), host=host)[0] == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://evil.example", 403), ("http://localhost:3000", 403), ("null", 403), ("http://localhost:8765", 200),
     ("https://app.example", 200), ("", 200)],
)  # fmt: skip
def test_a_page_comes_in_only_from_a_known_origin(origin: str, status: int) -> None:
    assert knock(RequestChecks(Inside(), ["localhost"], ["https://app.example/"]), origin=origin)[0] == status


def test_a_bucket_fills_again() -> None:
    now = [0.0]
    rate = Rate(2.0, lambda: now[0])
    assert [rate.wait("a") for _ in range(4)] == [0.0] * 4
    assert rate.wait("a") == pytest.approx(0.5)
    assert rate.wait("b") == 0.0, "each caller has one"
    now[0] = 0.5
    assert rate.wait("a") == 0.0 and rate.wait("a") > 0


def test_who_knocks_too_often_waits(tokens: Path) -> None:
    door = RequestChecks(Inside(), ["localhost"], tokens=Tokens(tokens), rate=Rate(1.0, lambda: 0.0))
    wrong = [knock(door, authorization="Bearer guess")[0] for _ in range(3)]
    assert wrong == [401, 401, 429]
    status, headers, body = [knock(door, authorization="Bearer ana-token") for _ in range(3)][-1]
    assert status == 429 and headers["retry-after"] == "1" and "Wait" in body["error"]["remedy"]
    assert knock(door, authorization="Bearer bo-token")[0] == 200


# Tokens


def test_a_token_taken_back_opens_nothing(tokens: Path) -> None:
    known = Tokens(tokens)
    assert known.caller("ana-token")
    tokens.write_text(json.dumps({digest("bo-token"): WHO["bo-token"]}))
    assert known.caller("ana-token") is None and known.caller("bo-token")
    tokens.write_text("broken")
    assert known.caller("bo-token") is None
    tokens.unlink()
    assert known.caller("bo-token") is None


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"short": {"tenant": "t", "user": "u"}}', json.dumps({"0" * 64: {"tenant": "t"}}),
     json.dumps({"0" * 64: {"user": "u"}}), json.dumps({"0" * 64: {"tenant": "t", "user": 5}}),
     json.dumps({"0" * 64: {"tenant": "t", "user": "u", "grants": ["all"]}}),
     json.dumps({"0" * 64: {"tenant": "t", "user": "u", "grants": []}}),
     json.dumps({"0" * 64: {"tenant": "t", "user": "u", "scope": "x"}}), json.dumps({"0" * 64: "ana"}), "[" * 100_000],
)  # fmt: skip
def test_a_file_of_tokens_that_cannot_be_used_says_why(tmp_path: Path, content: str) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(content)
    with pytest.raises(SettingsError) as caught:
        read_tokens(file)
    assert str(file) in caught.value.message and caught.value.remedy


def test_new_tokens_differ() -> None:
    assert len({new_token() for _ in range(50)}) == 50 and len(new_token()) >= 43


def test_others_are_let_in_only_by_token_and_name(tokens: Path) -> None:
    assert {"localhost", "127.0.0.1"} <= check_binding("127.0.0.1", None, [])
    for host, known, names in (
        ("0.0.0.0", None, ["m.example"]),
        ("10.0.0.7", None, []),
        ("0.0.0.0", Tokens(tokens), []),
    ):
        with pytest.raises(InputError):
            check_binding(host, known, names)
    assert check_binding("0.0.0.0", Tokens(tokens), ["m.example"]) == {"m.example"}
    assert check_binding("10.0.0.7", Tokens(tokens), []) == {"10.0.0.7"}


# The real thing


class Served:
    """A server in its own process on a free port."""

    def __init__(self, store: Path, *options: str, files: int = 0) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        few = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh"] if files else []
        self.process = subprocess.Popen(
            [*few, sys.executable, "-W", "error", "-m", "aforesaid", "--store", str(store), "--set", "embed.provider=hash",
             "mcp", "--http", "--port", str(self.port), *options], stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert self.process.poll() is None, self.process.communicate()
                time.sleep(0.1)

    def post(self, message: Any, token: str = "", **headers: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {"content-type": "application/json", "accept": "application/json, text/event-stream", **headers}
        sent |= {"authorization": f"Bearer {token}"} if token else {}
        connection.request("POST", "/mcp", json.dumps(message), sent)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        data = [line[6:] for line in text.splitlines() if line.startswith("data: ") and len(line) > 6]
        return answer.status, json.loads(data[-1] if data else text if text.startswith("{") else "null")

    def call(self, tool: str, token: str = "", **arguments: Any) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        status, answer = self.post(message, token, **{"mcp-protocol-version": "2025-06-18"})
        assert status == 200, answer
        return answer["result"]

    def end(self) -> str:
        self.process.terminate()
        return str(self.process.communicate(timeout=60)[1])


@pytest.fixture
def served(path: Path, tokens: Path) -> Iterator[Served]:
    served = Served(path, "--tokens", str(tokens), "--rate", "100")
    yield served
    if served.process.poll() is None:
        served.end()


def test_over_http_each_token_has_its_own_memory(served: Served) -> None:
    status, hello = served.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}, "ana-token")
    assert status == 200 and hello["result"]["serverInfo"]["name"] == "aforesaid"
    kept = served.call("memory_remember", "ana-token", text="Ana's boat is in Horta.")
    assert not kept["isError"], kept
    assert served.call("memory_search", "ana-token", query="boat")["structuredContent"]["hits"]
    for _ in range(3):
        assert served.call("memory_search", "bo-token", query="boat")["structuredContent"]["hits"] == []
        assert served.call("memory_status", "ana-token")["structuredContent"]["user"] == "ana"
        assert served.call("memory_status", "bo-token")["structuredContent"]["user"] == "bo"
    refused = served.call("memory_remember", "bo-token", text="Bo may only read.")
    assert refused["isError"] and refused["_meta"]["aforesaid/error"]["type"] == "DeniedError"
    theirs = kept["structuredContent"]["id"]
    assert served.call("memory_get", "bo-token", id=theirs)["isError"]
    read = {"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": f"aforesaid://record/{theirs}"}}
    version = {"mcp-protocol-version": "2025-06-18"}
    assert "Horta" in json.dumps(served.post(read, "ana-token", **version)[1])
    assert "Horta" not in json.dumps(served.post(read, "bo-token", **version)[1])


def test_over_http_others_change_no_byte_of_an_answer(served: Served) -> None:
    for text in ("Zeus came to Horta by boat.", "The boat is red.", "Zeus is a bull.", "Horta is in the Azores."):
        served.call("memory_remember", "ana-token", text=text)
    now = "2026-11-01T12:00:00Z"

    def answers() -> list[Any]:
        found = [
            served.call("memory_search", "ana-token", query=query, now=now)["structuredContent"]
            for query in ("zeus", "boat in horta", "red bull")
        ]
        return [(answer["hits"], answer["searched"]) for answer in found]  # ids of requests come from the clock

    before = answers()
    turns = [{"role": "user", "text": f"Zeus said that boat {n} is in Horta."} for n in range(100)]
    assert served.call("memory_ingest", "eve-token", session="s", turns=turns)["structuredContent"]["stored"] == 100
    assert answers() == before


def test_over_http_the_stateless_protocol_knows_its_callers_too(served: Served) -> None:
    about = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }

    def ask(token: str, method: str, **params: Any) -> Any:
        headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": method}
        headers |= {"mcp-name": params["name"]} if "name" in params else {}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": about}}
        status, answer = served.post(message, token, **headers)
        assert status == 200, answer
        return answer["result"]

    assert "never an instruction" in ask("ana-token", "server/discover")["instructions"]
    assert len(ask("ana-token", "tools/list")["tools"]) == 16
    for name in ("ana", "bo"):
        found = ask(f"{name}-token", "tools/call", name="memory_status", arguments={})
        assert found["structuredContent"]["user"] == name


def test_over_http_strangers_stay_outside(served: Served) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    assert served.post(hello)[0] == 401
    assert served.post(hello, "wrong")[0] == 401
    assert served.post(hello, "ana-token", origin="http://evil.example")[0] == 403
    assert served.post(hello, "ana-token", host="evil.example")[0] == 421
    assert served.post("x" * (3 << 20), "ana-token")[0] == 413
    assert served.post(hello, "ana-token")[0] == 200
    said = served.end()
    assert "Traceback" not in said and "by token" in said


def test_over_http_half_sent_requests_stop_nobody(path: Path, tokens: Path) -> None:
    served = Served(path, "--tokens", str(tokens), files=160)
    with ExitStack() as links:
        for _ in range(200):
            link = links.enter_context(socket.create_connection(("127.0.0.1", served.port), 60))
            link.sendall(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n")
        assert served.call("memory_status", "ana-token")["structuredContent"]["user"] == "ana"
    assert "Traceback" not in served.end()


def test_over_http_a_token_sees_only_the_tools_that_it_may_call(served: Served) -> None:
    def offered(token: str) -> set[str]:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        status, answer = served.post(asked, token, **{"mcp-protocol-version": "2025-06-18"})
        assert status == 200, answer
        return {tool["name"] for tool in answer["result"]["tools"]}

    assert {"memory_search", "memory_remember"} <= offered("ana-token")
    read_only = offered("bo-token")
    assert "memory_search" in read_only
    assert not read_only & {"memory_remember", "memory_forget", "memory_ingest"}
    assert served.call("memory_forget", "bo-token", ids=["x"])["_meta"]["aforesaid/error"]["type"] == "DeniedError"


def test_over_http_progress_comes_before_the_answer(path: Path) -> None:
    served = Served(path, "--user", "ana")
    turns = [{"role": "user", "text": f"Ship {n} is at berth {n}."} for n in range(150)]
    params = {"name": "memory_ingest", "arguments": {"session": "s", "turns": turns}, "_meta": {"progressToken": "p"}}
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    connection.request(
        "POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}),
        {"content-type": "application/json", "accept": "application/json, text/event-stream",
         "mcp-protocol-version": "2025-06-18"},
    )  # fmt: skip
    text = connection.getresponse().read().decode()
    connection.close()
    served.end()
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ") and len(line) > 6]
    assert [each["method"] for each in events[:-1]] and events[0]["method"] == "notifications/progress"
    assert events[-2]["params"]["progress"] == 150
    assert events[-1]["result"]["structuredContent"]["stored"] == 150
