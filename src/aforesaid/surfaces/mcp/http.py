"""Checks before the HTTP server: host → origin → method → token → rate. A request that passes has its caller set.

The SDK checks the size of a request, `connections.py` its time.
"""

from __future__ import annotations

import ipaddress
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from aforesaid.errors import AforesaidError, DeniedError, InputError
from aforesaid.surfaces.formats.values import error_json
from aforesaid.surfaces.mcp.caller import CURRENT, Caller
from aforesaid.surfaces.mcp.tokens import Tokens

MAX_BODY_BYTES = 2 << 20  # enough for 200 long turns
BURST_SECONDS = 2  # requests of this many seconds may come at once
MOST_BUCKETS = 10_000  # callers with a remembered rate
WILDCARDS = ("0.0.0.0", "::", "")


def http_app(server: Any) -> ASGIApp:
    """The server as an ASGI application at /mcp, without sessions. `RequestChecks` checks the names."""
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app: ASGIApp = server.streamable_http_app(
        stateless_http=True, transport_security=unchecked, max_request_body_size=MAX_BODY_BYTES
    )
    return app


def refusal(status: int, error: AforesaidError, **headers: str) -> HTTPException:
    """A refused request: the HTTP status, and the reason as JSON."""
    return HTTPException(status, json.dumps(error_json(error)), headers)


class Rate:
    """A token bucket for each caller: so many requests per second."""

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = per_second, clock
        self._room = max(per_second * BURST_SECONDS, 1.0)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, who: str) -> float:
        """Count a request; returns 0, or the seconds to wait when there were too many."""
        now = self._clock()
        level, then = self._buckets.pop(who, (self._room, now))
        level = min(self._room, level + (now - then) * self._rate)
        short = level < 1.0
        self._buckets[who] = (level if short else level - 1.0, now)
        while len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        return (1.0 - level) / self._rate if short else 0.0


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach this address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_binding(host: str, tokens: Tokens | None, hosts: Iterable[str]) -> frozenset[str]:
    """The host names of the server. An address that others can reach needs tokens and names."""
    if is_loopback(host):
        return frozenset({"127.0.0.1", "localhost", "::1", host, *hosts})
    if tokens is None:
        raise InputError(
            f"{host} can be reached from other machines, and there are no tokens.",
            "Give --tokens FILE, or bind to 127.0.0.1.",
        )
    if host in WILDCARDS and not list(hosts):
        raise InputError(
            f"{host or 'Every address'} is not a name, so requests cannot be checked.",
            "Name the server with --allow-host.",
        )
    return frozenset({*hosts, *(() if host in WILDCARDS else (host,))})


class RequestChecks:
    """An ASGI application around the server. Refusals are JSON with a reason and a remedy."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: Iterable[str],
        origins: Iterable[str] = (),
        tokens: Tokens | None = None,
        rate: Rate | None = None,
    ) -> None:
        self._app, self._tokens, self._rate = app, tokens, rate
        self._hosts = frozenset(host.strip("[]").lower() for host in hosts)
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._check_names(headers)
            _check_method(scope["method"])
            caller = self._check_caller(scope, headers)
        except HTTPException as refused:
            answer = Response(refused.detail, refused.status_code, refused.headers, "application/json")
            await answer(scope, receive, send)
            return
        mark = CURRENT.set(caller)
        try:
            await self._app(scope, receive, send)
        finally:
            CURRENT.reset(mark)

    def _check_names(self, headers: Headers) -> None:
        """Refuse web pages that use a DNS name of their own for this server, or another origin."""
        host = headers.get("host", "").lower()
        if _hostname(f"//{host}") not in self._hosts:
            what = DeniedError(f"The host {host!r} is not served here.", "Start the server with --allow-host.")
            raise refusal(421, what)
        origin = headers.get("origin", "").rstrip("/").lower()
        if origin and origin not in self._origins and origin.partition("//")[2] != host:
            raise refusal(403, DeniedError(f"The origin {origin!r} is not allowed.", "Start it with --allow-origin."))

    def _check_caller(self, scope: Scope, headers: Headers) -> Caller | None:
        client = scope.get("client")
        address = str(client[0]) if client else "somewhere"
        if self._tokens is None:
            self._check_rate(address)
            return None
        kind, _, token = headers.get("authorization", "").partition(" ")
        caller = self._tokens.caller(token.strip()) if kind.lower() == "bearer" and token.strip() else None
        self._check_rate(address if caller is None else f"{caller.tenant}\x1f{caller.user}")
        if caller is None:
            what = "This token is unknown." if token else "No token was sent."
            raise refusal(
                401,
                DeniedError(what, "Send `Authorization: Bearer …`."),
                **{"www-authenticate": 'Bearer realm="aforesaid"'},
            )
        return caller

    def _check_rate(self, who: str) -> None:
        wait = self._rate.wait(who) if self._rate is not None else 0.0
        if wait:
            seconds = str(max(round(wait), 1))
            what = DeniedError("Too many requests.", f"Wait {seconds} s; --rate raises the limit.")
            raise refusal(429, what, **{"retry-after": seconds})


def _check_method(method: str) -> None:
    """Refuse GET: it would hold a connection for messages of the server, and a stateless server has none."""
    if method == "GET":
        raise refusal(405, InputError("There is no stream of messages here.", "Send POST."), allow="POST")


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
