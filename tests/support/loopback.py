"""Servers on loopback for tests: any handler, and a service that answers by a script."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Quiet(BaseHTTPRequestHandler):
    """A handler that keeps its mouth shut."""

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that hung up or was killed is part of the tests."""


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a server that runs meanwhile."""
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@dataclass(frozen=True)
class Reply:
    """What a service says to one request; `drip_seconds` is the pause before each byte."""

    status: int = 200
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)
    delay_seconds: float = 0.0
    drip_seconds: float = 0.0

    @property
    def raw(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass
class Service:
    """Scripted replies first, then right answers; it keeps what it was asked."""

    usual: Callable[[str, Any], Reply]
    url: str = ""
    script: list[Reply] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@contextmanager
def service(usual: Callable[[str, Any], Reply]) -> Iterator[Service]:
    """A service that takes JSON by POST, and answers in the usual way when the script is over."""
    state = Service(usual)

    class Handler(Quiet):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.paths.append(self.path)
            state.bodies.append(body)
            state.keys.append(self.headers["Authorization"])
            reply = state.script.pop(0) if state.script else state.usual(self.path, body)
            time.sleep(reply.delay_seconds)
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.raw)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            step = 1 if reply.drip_seconds else max(len(reply.raw), 1)
            for start in range(0, len(reply.raw), step):
                time.sleep(reply.drip_seconds)
                self.wfile.write(reply.raw[start : start + step])

    with serving(Handler) as state.url:
        yield state
