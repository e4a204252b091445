"""The client side of `aforesaid mcp`: passes lines between a host and the daemon, and restarts a daemon that died.

The host only sees that the running call failed. The proxy repeats the host's handshake, so that the new daemon knows
the session.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

from aforesaid.errors import AforesaidError
from aforesaid.surfaces.daemon.connection import (
    INTERNAL,
    MAX_LINE_BYTES,
    MAX_REQUEST_BYTES,
    NO_REQUEST,
    LineConnection,
    bounded_lines,
)

READY = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
AGAIN = "The memory's daemon stopped during this call; call again."


class Proxy:
    """Connects the pipes of a host with a daemon; `attach` makes a connection that speaks MCP."""

    def __init__(self, attach: Callable[[], LineConnection], stdin: BinaryIO, stdout: BinaryIO) -> None:
        self._attach, self._stdin, self._stdout = attach, stdin, stdout
        self._guard = threading.Lock()  # of the output to the host, and of the calls that wait
        self._waiting: dict[Any, LineConnection] = {}  # call id → connection that will answer it
        self._handshake = b""
        self._line: LineConnection | None = None
        self._pump: threading.Thread | None = None

    def run(self, line: LineConnection) -> None:
        """Pass lines until the host closes its input and has every answer."""
        self._use(line)
        for data in bounded_lines(self._stdin, MAX_REQUEST_BYTES):
            if len(data) > MAX_REQUEST_BYTES:
                self._fail(None, NO_REQUEST, f"A message has over {MAX_REQUEST_BYTES:,} bytes; send less at once.")
            else:
                self._forward(data if data.endswith(b"\n") else data + b"\n")
        self._close(socket.SHUT_WR)

    def _forward(self, data: bytes) -> None:
        message = parsed(data)
        number = message.get("id") if "method" in message else None
        if has_lone_surrogate(data, message):
            self._fail(number, NO_REQUEST, "A message contains half a character (a lone surrogate); send it whole.")
            return
        if message.get("method") == "initialize":
            self._handshake = data
        try:
            if not self._sent(data, number):  # the line did not arrive, so it is safe to send it again
                self._sent(data, number)
        except (OSError, AforesaidError) as error:
            if number is not None:
                self._fail(number, INTERNAL, error.message if isinstance(error, AforesaidError) else AGAIN)

    def _sent(self, data: bytes, number: Any) -> bool:
        """Send a line; False when the daemon is gone."""
        line = self._connected()
        with self._guard:
            if number is not None:
                self._waiting[number] = line
        try:
            line.link.sendall(data)
        except OSError:
            with self._guard:
                self._waiting.pop(number, None)
            self._close(socket.SHUT_RDWR)
            return False
        return True

    def _connected(self) -> LineConnection:
        """The connection, or a new one after the handshake."""
        if self._line is not None and self._pump is not None and self._pump.is_alive():
            return self._line
        self._close(socket.SHUT_RDWR)
        line = self._attach()
        if self._handshake:
            line.link.sendall(self._handshake)
            number = parsed(self._handshake).get("id")
            while parsed(line.reader.readline(MAX_LINE_BYTES) or b"{}").get("id", number) != number:
                pass  # skip other messages of the server
            line.link.sendall(READY)
        self._use(line)
        return line

    def _use(self, line: LineConnection) -> None:
        self._line = line
        self._pump = threading.Thread(target=self._carry_back, args=(line,), daemon=True, name="aforesaid-proxy")
        self._pump.start()

    def _close(self, how: int) -> None:
        """Shut the connection down (SHUT_WR: only our side), wait for the last answers, and close it."""
        if self._line is not None and self._pump is not None:
            with suppress(OSError):
                self._line.link.shutdown(how)
            self._pump.join()
            self._line.close()
            self._line = None

    def _carry_back(self, line: LineConnection) -> None:
        """Pass answers to the host. When the daemon stops, fail the calls that wait for it."""
        with suppress(OSError, ValueError):
            while data := line.reader.readline(MAX_LINE_BYTES):
                message = parsed(data)
                with self._guard:
                    if "method" not in message:
                        self._waiting.pop(message.get("id"), None)
                    self._tell(data)
        with self._guard:
            lost = [number for number, waits in self._waiting.items() if waits is line]
            for number in lost:
                del self._waiting[number]
        for number in lost:
            self._fail(number, INTERNAL, AGAIN)

    def _fail(self, number: Any, code: int, text: str) -> None:
        answer = {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}
        with self._guard:
            self._tell(json.dumps(answer).encode() + b"\n")

    def _tell(self, data: bytes) -> None:
        with suppress(BrokenPipeError):  # the host is gone; its input ends too
            self._stdout.write(data)
            self._stdout.flush()


def has_lone_surrogate(data: bytes, message: dict[str, Any]) -> bool:
    r"""Whether a text cannot be encoded: `\ud83d` alone is valid JSON, but the SDK drops such a message."""
    if b"\\ud" not in data and b"\\uD" not in data:
        return False
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def parsed(data: bytes) -> dict[str, Any]:
    """A message; empty for invalid JSON, which the daemon answers."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
