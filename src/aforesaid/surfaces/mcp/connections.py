"""Limits for the connections of the HTTP server: how many, and how long each may take.

uvicorn waits for ever for the rest of a request. Here a request must be complete in time, and a full server makes room:
it closes the connection that has waited longest without a complete request. Requests that are being answered stay.
"""

from __future__ import annotations

import asyncio
import json
import logging
import resource
from dataclasses import dataclass
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from aforesaid.errors import AforesaidError, DeniedError
from aforesaid.surfaces.formats.values import error_json

MAX_HEADER_BYTES = 16 << 10  # the request line and all headers together
BACKLOG = 128  # connections that are accepted at once, before we can close one of them
CONNECTION_SHARE = 1 / 4  # of the files of this process; the rest is for the store, its threads and the backlog
BACKLOG_SHARE = 1 / 8  # closing a connection takes the loop up to three rounds, and each accepts a backlog
REASONS = {408: "Request Timeout", 503: "Service Unavailable"}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many connections there may be, and how many seconds each part of a request may take."""

    connections: int = 512
    header_seconds: float = 10.0  # from the connection, or from the last answer, to the last header
    body_seconds: float = 30.0  # from the last header to the last byte
    answer_seconds: float = 30.0  # for a client that does not read its answer
    idle_seconds: int = 5  # between two requests

    def most(self) -> int:
        """How many connections fit under the limit of open files of this process."""
        return max(min(self.connections, int(file_limit() * CONNECTION_SHARE)), 1)


def file_limit() -> int:
    """How many files this process may have open."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return limit if limit != resource.RLIM_INFINITY else 1 << 20


def server(app: ASGIApp, host: str, port: int, limits: ConnectionLimits) -> uvicorn.Server:
    """A server for an application, with these limits."""

    class Limited(LimitedProtocol):
        pass

    Limited.limits, Limited.most = limits, limits.most()
    return LimitedServer(
        uvicorn.Config(
            app, host=host, port=port, http=Limited, ws="none", log_level="error", server_header=False,
            timeout_keep_alive=limits.idle_seconds, h11_max_incomplete_event_size=MAX_HEADER_BYTES,
            backlog=max(min(BACKLOG, int(file_limit() * BACKLOG_SHARE)), 1),
        )
    )  # fmt: skip


class LimitedServer(uvicorn.Server):  # type: ignore[misc]
    """A server whose loop survives its own error messages: printing a traceback opens files, and there may be none."""

    async def startup(self, *args: Any, **more: Any) -> None:
        """Report problems of the loop in one line, then listen."""
        asyncio.get_running_loop().set_exception_handler(
            lambda loop, context: log.error("%s: %r", context["message"], context.get("exception"))
        )
        await super().startup(*args, **more)


class LimitedProtocol(H11Protocol):  # type: ignore[misc]
    """One connection. A timer runs while a request is not complete, whatever the client sends meanwhile."""

    limits = ConnectionLimits()
    most = limits.connections

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._part: tuple[Any, Any] | None = None  # the state of the request, and the request before or under way
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._answer_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Start the timer, and make room when there are too many connections."""
        super().connection_made(transport)
        self._follow()
        if len(self.connections) > self.most:
            others = [each for each in self.connections if each is not self and not each.is_complete]
            oldest = min(others, key=lambda each: each._since, default=self)
            oldest.refuse(503, DeniedError("The server has too many connections.", "Try again in a moment."))

    def data_received(self, data: bytes) -> None:
        """Read, then see which part of the request is next."""
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        """The next request may be there already."""
        super().on_response_complete()
        self._follow()

    def connection_lost(self, exc: Exception | None) -> None:
        """No timer outlives the connection."""
        super().connection_lost(exc)
        self._stop(self._timer, self._answer_timer)

    def pause_writing(self) -> None:
        """The client does not read: it gets some time."""
        super().pause_writing()
        self._stop(self._answer_timer)
        self._answer_timer = self.loop.call_later(self.limits.answer_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        self._stop(self._answer_timer)

    @property
    def is_complete(self) -> bool:
        """Whether the whole request is here."""
        return self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)

    def refuse(self, status: int, error: AforesaidError) -> None:
        """Say why, unless an answer has begun, and close the connection."""
        if self.transport.is_closing():
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = json.dumps(error_json(error)).encode()
            head = f"HTTP/1.1 {status} {REASONS[status]}\r\ncontent-type: application/json\r\nconnection: close\r\n"
            self.transport.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        self.connections.discard(self)  # room at once, not when the loop tells us
        self.transport.close()

    def _follow(self) -> None:
        """Start the timer of the part that the request is in now, unless it runs."""
        state = self.conn.their_state
        if self.transport.is_closing() or self._part == (state, self.cycle):
            return
        self._part, self._since = (state, self.cycle), self.loop.time()
        self._stop(self._timer)
        if not self.is_complete:
            body = state is h11.SEND_BODY
            seconds = self.limits.body_seconds if body else self.limits.header_seconds
            self._timer = self.loop.call_later(seconds, self._late, "body" if body else "headers", seconds)

    def _late(self, part: str, seconds: float) -> None:
        what = f"The {part} of the request did not arrive within {seconds:g} s."
        self.refuse(408, DeniedError(what, "Send a request at once."))

    @staticmethod
    def _stop(*timers: asyncio.TimerHandle | None) -> None:
        for timer in timers:
            if timer is not None:
                timer.cancel()
