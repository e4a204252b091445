"""A model that says what it is told to, behind a real address: every request is written down for the test to read."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Say:
    """An answer in words."""

    text: str


@dataclass(frozen=True, slots=True)
class Use:
    """A call of one of aforesaid's tools."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


Step = Say | Use
IDLE = Say("Understood.")  # when nothing was planned, and for whatever a host asks beside the conversation


@dataclass(frozen=True, slots=True)
class Request:
    """What a host asked the model, and when."""

    path: str
    body: Mapping[str, Any]
    time: float


class Dialect(Protocol):
    """How a provider's address is spoken with."""

    def is_turn(self, path: str, body: Mapping[str, Any]) -> bool:
        """Whether it belongs to the conversation; hosts also ask for titles and the like."""

    def events(self, step: Step, number: int) -> Iterator[Mapping[str, Any]]:
        """An answer as the events of a stream."""

    def plain(self, path: str, step: Step, number: int) -> Mapping[str, Any]:
        """An answer in one piece."""


class FakeModel(ThreadingHTTPServer):
    """Answers each turn with the next step that was planned."""

    daemon_threads = True

    def __init__(self, dialect: Dialect) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.dialect = dialect
        self.steps: list[Step] = []
        self.turns: list[Request] = []
        self.others: list[Request] = []
        self.guard = threading.Lock()

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"

    def plan(self, *steps: Step) -> None:
        """What to answer from now on; what was asked before is forgotten."""
        self.steps, self.turns, self.others = list(steps), [], []

    def next(self, path: str, body: Mapping[str, Any]) -> tuple[Step, int]:
        """The step for a request, which is written down."""
        with self.guard:
            mine = self.dialect.is_turn(path, body)
            seen = self.turns if mine else self.others
            seen.append(Request(path, body, time.time()))
            return (self.steps.pop(0) if mine and self.steps else IDLE), len(self.turns) + len(self.others)


class Handler(BaseHTTPRequestHandler):
    """One connection of a host."""

    protocol_version = "HTTP/1.1"
    server: FakeModel

    def do_POST(self) -> None:
        """Answer in a stream if that is asked for."""
        path = self.path.partition("?")[0]
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", "0"))) or b"{}")
        step, number = self.server.next(path, body)
        if not body.get("stream"):
            self.answer(json.dumps(self.server.dialect.plain(path, step, number)), "application/json")
            return
        events = self.server.dialect.events(step, number)
        told = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        self.answer(told, "text/event-stream")

    def do_GET(self) -> None:
        """Lists of models and the like: there are none."""
        self.answer('{"data": [], "models": []}', "application/json")

    def do_HEAD(self) -> None:
        """Whether somebody is there."""
        self.answer("", "application/json")

    def answer(self, text: str, kind: str) -> None:
        """Send it whole."""
        data = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def listening(dialect: Dialect) -> Iterator[FakeModel]:
    """A model that listens until the test is over."""
    model = FakeModel(dialect)
    thread = threading.Thread(target=model.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield model
    finally:
        model.shutdown()
        model.server_close()
        thread.join()
