"""The daemon: claim the place → a thread for each who comes → leave when told to, or when nobody came for a while.

Whoever is connected when it leaves is served to the end, so that another can take the place at once.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from aforesaid.hosts.log import told
from aforesaid.surfaces.daemon.json_rpc import LineConnection
from aforesaid.surfaces.daemon.paths import DaemonPaths

try:
    import fcntl
except ImportError:  # no daemon on such a system: hosts open the memory themselves
    fcntl = None  # type: ignore[assignment]

TICK_SECONDS = 0.5
CLAIM_SECONDS = 2.0  # for another to make way that was asked to
LEAVE_SECONDS = 10.0  # for calls that are under way when it is told to stop
BACKLOG = 64

Handler = Callable[[LineConnection], None]


class Service:
    """Listens at a place; `handle` talks with one client and returns when that is over."""

    def __init__(
        self, place: DaemonPaths, handle: Handler, idle_seconds: float, note: Callable[[str], None] = lambda line: None
    ) -> None:
        self._place, self._handle, self._idle, self._note = place, handle, idle_seconds, note
        self._guard = threading.Lock()
        self._clients: dict[LineConnection, threading.Thread] = {}
        self._last = time.monotonic()
        self._leaving = threading.Event()
        self._left = threading.Event()
        self._stopping = False

    @property
    def clients(self) -> int:
        """How many are connected."""
        with self._guard:
            return len(self._clients)

    def run(self) -> bool:
        """Serve until it is over; False when another has the place.

        Afterwards `clients` says how many calls would not end; what they hold must not be closed.
        """
        with _claimed(self._place) as listener:
            if listener is None:
                return False
            self._note("listening")
            listener.settimeout(TICK_SECONDS)
            while not self._leaving.is_set() and not self._forgotten():
                with suppress(TimeoutError):
                    self._welcome(listener.accept()[0])
        self._left.set()
        self._note("stopping" if self._stopping else "makes way" if self._leaving.is_set() else "nobody came")
        self._see_out()
        return True

    def leave(self, *, stop: bool = False) -> None:
        """Listen no longer; returns when another may take the place. `stop`: hang up on who is here, too."""
        self._stopping |= stop
        self._leaving.set()
        with suppress(OSError), socket.socket(socket.AF_UNIX) as knock:
            knock.connect(str(self._place.socket))  # wakes the one who waits at the door
        self._left.wait(CLAIM_SECONDS)

    def _forgotten(self) -> bool:
        with self._guard:
            return not self._clients and time.monotonic() - self._last > self._idle

    def _welcome(self, link: socket.socket) -> None:
        line = LineConnection(link)
        thread = threading.Thread(target=self._serve, args=(line,), daemon=True, name="aforesaid-client")
        with self._guard:
            self._clients[line] = thread
        thread.start()

    def _serve(self, line: LineConnection) -> None:
        try:
            self._handle(line)
        except OSError:
            pass  # a client that went away without a word
        except BaseException as error:  # noqa: BLE001 - one client's trouble is not another's
            self._note(f"a client was dropped: {told(error)}")
        finally:
            with suppress(OSError):
                line.close()
            with self._guard:
                del self._clients[line]
                self._last = time.monotonic()

    def _see_out(self) -> None:
        """Wait for those who are connected; when stopping, tell them that nothing more is read, and not for ever."""
        ends = time.monotonic() + LEAVE_SECONDS
        while True:
            with self._guard:
                here = dict(self._clients)
            if not here or (self._stopping and time.monotonic() > ends):
                return
            for line, thread in here.items():
                if self._stopping:
                    with suppress(OSError):
                        line.link.shutdown(socket.SHUT_RD)
                thread.join(TICK_SECONDS / len(here))


@contextmanager
def _claimed(place: DaemonPaths) -> Iterator[socket.socket | None]:
    """A listening socket that is this process's alone; None when another has it."""
    place.make()
    handle = os.open(place.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _locked(handle):
            yield None
            return
        place.socket.unlink(missing_ok=True)  # of one that was killed
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(place.socket))
            place.socket.chmod(0o600)
            listener.listen(BACKLOG)
            yield listener
            place.socket.unlink(missing_ok=True)
    finally:
        os.close(handle)  # which lets go of the lock


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
