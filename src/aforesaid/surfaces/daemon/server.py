"""The server of a daemon: take the lock → one thread for each client → stop when asked, or after some idle time.

Clients that are connected when it stops listening are served to the end, so that another daemon can start at once.
A client that does not finish a line in time is dropped. A full server drops the one that has waited longest.
"""

from __future__ import annotations

import fcntl
import os
import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from aforesaid.hosts.log import describe_error
from aforesaid.surfaces.daemon.connection import FAILED, DaemonPaths, LineConnection

TICK_SECONDS = 0.5
CLAIM_SECONDS = 2.0  # to wait for the lock of a daemon that stops
LEAVE_SECONDS = 10.0  # to wait for running calls when it stops
BACKLOG = 64
MOST_CLIENTS = 256
REQUEST_SECONDS = 30.0  # for a whole line; a client that speaks MCP may be silent for ever
FILES_PER_CLIENT = 4  # of this process's limit: the rest is for the store and its threads

Handler = Callable[[LineConnection], None]


class DaemonServer:
    """Listens on the socket; `handle` serves one client and returns when the client is gone."""

    def __init__(
        self, paths: DaemonPaths, handle: Handler, idle_seconds: float, log: Callable[[str], None] = lambda line: None
    ) -> None:
        self._paths, self._handle, self._idle, self._log = paths, handle, idle_seconds, log
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self.most_clients = MOST_CLIENTS if files < 0 else max(min(MOST_CLIENTS, files // FILES_PER_CLIENT), 1)
        self.request_seconds = REQUEST_SECONDS
        self._guard = threading.Lock()
        self._clients: dict[LineConnection, threading.Thread] = {}
        self._last = time.monotonic()
        self._leaving = threading.Event()
        self._left = threading.Event()
        self._stopping = False

    @property
    def clients(self) -> int:
        """How many clients are connected."""
        with self._guard:
            return len(self._clients)

    def run(self) -> bool:
        """Serve until it stops; False when another daemon has the lock.

        Afterwards `clients` counts calls that did not end; what they use must not be closed.
        """
        with _claimed(self._paths) as listener:
            if listener is None:
                return False
            self._log("listening")
            listener.settimeout(TICK_SECONDS)
            while not self._leaving.is_set() and not self._is_idle():
                self._drop_late_clients()
                try:
                    self._accept(listener.accept()[0])
                except TimeoutError:
                    pass  # nobody came
                except OSError as error:  # no files are left; clients that end give some back
                    self._log(f"a client was not accepted: {describe_error(error)}")
                    time.sleep(TICK_SECONDS)
        self._left.set()
        self._log("stopping" if self._stopping else "replaced" if self._leaving.is_set() else "idle")
        self._wait_for_clients()
        return True

    def leave(self, *, stop: bool = False) -> None:
        """Stop listening; returns when another daemon may start. `stop`: also disconnect the clients."""
        self._stopping |= stop
        self._leaving.set()
        with suppress(OSError), socket.socket(socket.AF_UNIX) as wake:
            wake.connect(str(self._paths.socket))  # ends the wait for the next client
        self._left.wait(CLAIM_SECONDS)

    def _is_idle(self) -> bool:
        with self._guard:
            return not self._clients and time.monotonic() - self._last > self._idle

    def _accept(self, link: socket.socket) -> None:
        line = LineConnection(link)
        if self.clients >= self.most_clients and not self._drop_oldest_client():
            with line, suppress(OSError):
                error = {
                    "code": FAILED,
                    "message": f"The daemon has {self.most_clients} clients already; try again later.",
                }
                line.send({"id": None, "error": error})
            return
        thread = threading.Thread(target=self._serve, args=(line,), daemon=True, name="aforesaid-client")
        with self._guard:
            self._clients[line] = thread
        thread.start()

    def _drop_late_clients(self) -> None:
        for line, since in self._waiting():
            if time.monotonic() - since > self.request_seconds:
                _drop(line)

    def _drop_oldest_client(self) -> bool:
        """Drop the client that has waited longest without a request; False when all are being served."""
        line = min(self._waiting(), key=lambda each: each[1], default=(None, 0.0))[0]
        if line is not None:
            _drop(line)
            line.waits_since = None  # dropped once
        return line is not None

    def _waiting(self) -> list[tuple[LineConnection, float]]:
        with self._guard:
            here = list(self._clients)
        return [(line, since) for line in here if (since := line.waits_since) is not None]

    def _serve(self, line: LineConnection) -> None:
        try:
            self._handle(line)
        except OSError:
            pass  # the client disconnected
        except BaseException as error:  # noqa: BLE001 - one client must not harm the others
            self._log(f"a client was dropped: {describe_error(error)}")
        finally:
            with suppress(OSError):
                line.close()
            with self._guard:
                del self._clients[line]
                self._last = time.monotonic()

    def _wait_for_clients(self) -> None:
        """Wait for connected clients. When stopping, close their input and wait only for some seconds."""
        ends = time.monotonic() + LEAVE_SECONDS
        while True:
            self._drop_late_clients()
            with self._guard:
                here = dict(self._clients)
            if not here or (self._stopping and time.monotonic() > ends):
                return
            for line, thread in here.items():
                if self._stopping:
                    with suppress(OSError):
                        line.link.shutdown(socket.SHUT_RD)
                thread.join(TICK_SECONDS / len(here))


def _drop(line: LineConnection) -> None:
    with suppress(OSError):
        line.link.shutdown(socket.SHUT_RDWR)  # its thread closes it


@contextmanager
def _claimed(paths: DaemonPaths) -> Iterator[socket.socket | None]:
    """A listening socket under the lock; None when another daemon has the lock."""
    paths.make()
    handle = os.open(paths.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _locked(handle):
            yield None
            return
        paths.socket.unlink(missing_ok=True)  # left by a daemon that was killed
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(paths.socket))
            paths.socket.chmod(0o600)
            listener.listen(BACKLOG)
            yield listener
            paths.socket.unlink(missing_ok=True)
    finally:
        os.close(handle)  # releases the lock


def _locked(handle: int) -> bool:
    ends = time.monotonic() + CLAIM_SECONDS
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > ends:
                return False
            time.sleep(0.02)
