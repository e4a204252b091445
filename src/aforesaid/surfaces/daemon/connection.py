"""Connections to a daemon: where its socket is, and JSON-RPC 2.0 with one message a line, for both ends."""

from __future__ import annotations

import json
import os
import socket
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

from aforesaid.errors import DaemonError

MAX_LINE_BYTES = 80 << 20  # an event may contain the whole output of a tool
MAX_REQUEST_BYTES = 2 << 20  # of an MCP message, as over HTTP
UNREADABLE, NO_REQUEST, NO_METHOD, BAD_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
INCOMPATIBLE = -32001  # the daemon runs other code, or has other settings, than the client
FAILED = -32000  # one of our own errors; its data says which
LONGEST_PATH = 100  # bytes of a socket's address; some systems allow 104
PRIVATE = 0o700


@dataclass(frozen=True, slots=True)
class DaemonPaths:
    """The files of one store's daemon."""

    folder: Path
    name: str

    @property
    def socket(self) -> Path:
        """The socket it listens on."""
        return self.folder / f"{self.name}.sock"

    @property
    def lock(self) -> Path:
        """The lock of the process that listens."""
        return self.folder / f"{self.name}.lock"

    def make(self) -> None:
        """Create the folder. One that other users can enter is refused, because they could listen in our place."""
        self.folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        found = self.folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
            raise DaemonError(
                f"{self.folder} can be entered by other users; no daemon listens there.",
                f"Remove it, or: chmod 700 {self.folder}",
            )


def paths_of(store: Path, folder: str = "") -> DaemonPaths:
    """The files for a store, the same for every path that leads to it.

    The environment does not matter: hosts pass different parts of it to our commands.
    """
    name = blake2b(os.fsencode(store.expanduser().resolve()), digest_size=8).hexdigest()
    runtime = Path(f"/run/user/{os.getuid()}")
    usual = runtime / "aforesaid" if os.access(runtime, os.W_OK) else Path(f"/tmp/aforesaid-{os.getuid()}")
    paths = DaemonPaths(Path(folder).expanduser() if folder else usual, name)
    if len(os.fsencode(paths.socket)) > LONGEST_PATH:
        raise DaemonError(f"{paths.folder} is too long a path for a socket.", "Shorten daemon.folder.")
    return paths


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
        self.waits_since: float | None = time.monotonic()  # for the next whole line; None while nobody waits for it

    def send(self, message: Mapping[str, Any]) -> None:
        """Write one message."""
        self.link.sendall(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def read(self) -> dict[str, Any] | None:
        """The next message; None at the end."""
        self.waits_since = time.monotonic()
        data = self.reader.readline(MAX_LINE_BYTES)
        self.waits_since = None
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


def bounded_lines(reader: BinaryIO, most_bytes: int) -> Iterator[bytes]:
    """The lines of a stream. Of a line that is too long come `most_bytes + 1` bytes; its rest is skipped."""
    while data := reader.readline(most_bytes + 1):
        rest = data
        while len(rest) > most_bytes and not rest.endswith(b"\n"):
            rest = reader.readline(most_bytes + 1)
        yield data


def dial(paths: DaemonPaths) -> LineConnection | None:
    """Connect to a daemon; None when none listens."""
    link = socket.socket(socket.AF_UNIX)
    try:
        link.connect(str(paths.socket))
    except BaseException as error:
        link.close()
        if isinstance(error, (FileNotFoundError, ConnectionRefusedError, BlockingIOError)):
            return None
        raise
    return LineConnection(link)
