"""Clients that send half a request, or very much, or nothing, over real sockets: the others are still served."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

pytest.importorskip("mcp")

from aforesaid.surfaces.mcp.connections import MAX_HEADER_BYTES, ConnectionLimits, file_limit, server
from aforesaid.surfaces.mcp.http import RequestChecks
from support.processes import PATIENCE_SECONDS, wait_for

LONG = 600.0  # for limits that must not matter in a test
PATIENT = ConnectionLimits(4, LONG, LONG, LONG, 600)
WHOLE = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}"
HALF = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n"
NO_BODY = HALF + b"content-length: 1000\r\n\r\n"


class Application:
    """Reads the body and answers with its length, when it is allowed to."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.go = threading.Event()
        self.go.set()
        self.answer = b""
        self.ended = threading.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        import anyio.to_thread

        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return
            size += len(message["body"])
            if not message.get("more_body"):
                break
        self.begun.release()
        await anyio.to_thread.run_sync(self.go.wait)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x-size", str(size).encode())]})
        await send({"type": "http.response.body", "body": self.answer, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        self.ended.set()


@contextmanager
def served(limits: ConnectionLimits, app: Any) -> Iterator[int]:
    """The port of a server in a thread."""
    running = server(RequestChecks(app, ["localhost"]), "127.0.0.1", 0, limits)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    try:
        wait_for(lambda: running.started)
        yield running.servers[0].sockets[0].getsockname()[1]
    finally:
        running.should_exit = True
        thread.join(PATIENCE_SECONDS)


@contextmanager
def dialled(port: int, sent: bytes = b"") -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as link:
        link.sendall(sent)
        yield link


def heard(link: socket.socket) -> tuple[int, bytes]:
    """The status of an answer, and everything until the server closes; 0 when it closes without one."""
    data = b""
    try:
        while more := link.recv(65536):
            data += more
    except ConnectionResetError:
        pass
    return int(data.split()[1]) if data else 0, data


def answered(port: int, sent: bytes = WHOLE) -> int:
    """The status of one request."""
    with dialled(port, sent) as link:
        return int(link.recv(65536).split()[1])


@pytest.mark.parametrize(
    ("limits", "sent", "part"),
    [
        (ConnectionLimits(9, 0.1, LONG, LONG, 600), b"", "headers"),
        (ConnectionLimits(9, 0.1, LONG, LONG, 600), HALF, "headers"),
        (ConnectionLimits(9, LONG, 0.1, LONG, 600), NO_BODY, "body"),
        (ConnectionLimits(9, LONG, 0.1, LONG, 600), HALF + b"transfer-encoding: chunked\r\n\r\n5\r\nab", "body"),
    ],
)
def test_a_request_that_never_ends_is_refused(limits: ConnectionLimits, sent: bytes, part: str) -> None:
    with served(limits, Application()) as port, dialled(port, sent) as link:
        status, said = heard(link)
        assert status == 408
        error = json.loads(said.partition(b"\r\n\r\n")[2])["error"]
        assert part in error["message"] and error["remedy"]


def test_bytes_that_drip_win_no_time() -> None:
    with served(ConnectionLimits(9, 0.3, LONG, LONG, 600), Application()) as port, dialled(port, HALF) as link:
        link.settimeout(0.02)
        data = b""
        for _ in range(3000):
            try:
                link.sendall(b"x: y\r\n")
                data = link.recv(65536)
                break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        assert data.startswith((b"HTTP/1.1 408", b""))
        assert answered(port) == 200


def test_an_idle_connection_is_closed() -> None:
    with served(ConnectionLimits(9, LONG, LONG, LONG, 1), Application()) as port, dialled(port, WHOLE) as link:
        status, said = heard(link)
        assert status == 200 and said.count(b"HTTP/1.1") == 1


def test_a_second_request_has_a_time_limit_too() -> None:
    limits = ConnectionLimits(9, 0.1, LONG, LONG, 600)
    with served(limits, Application()) as port, dialled(port, WHOLE + HALF) as link:
        status, said = heard(link)
        assert status == 200 and b"HTTP/1.1 408" in said


@pytest.mark.parametrize("sent", [b"", HALF, NO_BODY, WHOLE])
def test_a_full_server_makes_room(sent: bytes) -> None:
    """Forty connections that wait, before a server with four places: it serves the next client."""
    with served(PATIENT, Application()) as port, ExitStack() as open_links:
        for _ in range(40):
            open_links.enter_context(dialled(port, sent))
            assert answered(port) == 200


def test_a_request_under_way_keeps_its_place() -> None:
    app = Application()
    app.go.clear()
    with served(PATIENT, app) as port, ExitStack() as links:
        working = [links.enter_context(dialled(port, WHOLE)) for _ in range(PATIENT.connections)]
        for _ in working:
            assert app.begun.acquire(timeout=PATIENCE_SECONDS)
        with dialled(port) as link:
            status, said = heard(link)
            assert status == 503 and b"too many connections" in said
        app.go.set()
        assert all(link.recv(65536).startswith(b"HTTP/1.1 200") for link in working)


def test_a_client_that_never_reads_is_dropped() -> None:
    app = Application()
    app.answer = b"x" * (64 << 20)
    with served(ConnectionLimits(9, LONG, LONG, 0.1, 600), app) as port, dialled(port, WHOLE) as link:
        assert app.ended.wait(PATIENCE_SECONDS)
        assert len(heard(link)[1]) < len(app.answer)


def test_long_headers_are_refused_and_a_stream_that_nobody_writes_to_is_not_opened() -> None:
    with served(PATIENT, Application()) as port:
        assert answered(port, HALF + b"x: " + b"y" * MAX_HEADER_BYTES * 2) == 400
        assert answered(port, b"GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n") == 405
        assert answered(port) == 200


def test_there_are_fewer_connections_than_files() -> None:
    assert ConnectionLimits(10**9).most() <= file_limit() // 4
    assert ConnectionLimits(3).most() == 3
