"""JSON-RPC 2.0, one message a line, for both ends of the socket."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from typing import Any

from aforesaid.errors import DaemonError

MAX_LINE_BYTES = 80 << 20  # an event may contain the whole output of a tool
UNREADABLE, NO_REQUEST, NO_METHOD, BAD_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
INCOMPATIBLE = -32001  # the daemon runs other code, or has other settings, than the client
FAILED = -32000  # one of our own errors; its data says which


class RpcError(DaemonError):
    """An error of JSON-RPC: its code and its message."""

    def __init__(self, code: int, message: str, remedy: str = "") -> None:
        super().__init__(message, remedy)
        self.code = code


class ClosedError(ConnectionError):
    """The other end closed the connection before it answered."""


class LineConnection:
    """A connection that sends and receives lines."""

    def __init__(self, link: socket.socket) -> None:
        self.link = link
        self.reader = link.makefile("rb")

    def send(self, message: Mapping[str, Any]) -> None:
        """Write one message."""
        self.link.sendall(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def read(self) -> dict[str, Any] | None:
        """The next message; None at the end."""
        data = self.reader.readline(MAX_LINE_BYTES)
        if not data.endswith(b"\n"):
            if len(data) >= MAX_LINE_BYTES:
                raise RpcError(NO_REQUEST, f"A line is longer than {MAX_LINE_BYTES:,} bytes.")
            return None
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            raise RpcError(UNREADABLE, "A line is not JSON.") from None
        if not isinstance(found, dict):
            raise RpcError(NO_REQUEST, "A line is not a JSON object.")
        return found

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Send a request and wait for the answer."""
        try:
            self.send({"id": 1, "method": method, "params": dict(params or {})})
            answer = self.read()
        except (BrokenPipeError, ConnectionResetError):
            answer = None
        if answer is None:
            raise ClosedError(f"The daemon closed the connection before it answered {method}.")
        if "error" in answer:
            error = answer["error"]
            raise RpcError(error["code"], error["message"], error.get("data", {}).get("remedy", ""))
        return answer["result"]

    def close(self) -> None:
        """Close the connection."""
        self.reader.close()
        self.link.close()

    def __enter__(self) -> LineConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
