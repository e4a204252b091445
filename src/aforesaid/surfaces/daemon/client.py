"""The client of a daemon: it starts one where none runs, and replaces an incompatible one."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from aforesaid.errors import DaemonError
from aforesaid.settings import Settings
from aforesaid.surfaces.daemon.identity import ClientIdentity
from aforesaid.surfaces.daemon.json_rpc import INCOMPATIBLE, ClosedError, LineConnection, RpcError
from aforesaid.surfaces.daemon.paths import DaemonPaths, paths_of

STEP_SECONDS = 0.01  # between two attempts to connect


@dataclass(frozen=True, slots=True)
class Client:
    """Sends requests to the daemon of one store; `spawn` starts it."""

    paths: DaemonPaths
    identity: ClientIdentity
    spawn: Callable[[], int]

    def ask(
        self, method: str, params: Mapping[str, Any], connect_seconds: float, answer_seconds: float | None = None
    ) -> tuple[LineConnection, Any]:
        """Send a request to a compatible daemon, starting one if needed; returns the connection and the answer.

        `connect_seconds` limits how long to wait for a daemon that listens; `answer_seconds` limits its answer.
        """
        ends = time.monotonic() + connect_seconds
        child = 0
        self.paths.make()
        while time.monotonic() < ends:
            line = dial(self.paths)
            if line is None:
                if not child or os.waitpid(child, os.WNOHANG) != (0, 0):  # none yet, or it has ended
                    child = self.spawn()
                time.sleep(STEP_SECONDS)
                continue
            try:
                line.link.settimeout(answer_seconds)
                answer = line.call(method, {**params, "identity": asdict(self.identity)})
                line.link.settimeout(None)
                return line, answer
            except ClosedError:
                line.close()  # it was stopping when we connected
            except BaseException as error:
                with line:
                    if not isinstance(error, RpcError) or error.code != INCOMPATIBLE:
                        raise
                    with suppress(ClosedError):
                        line.call("retire")
        raise DaemonError(
            f"No daemon answered at {self.paths.socket} within {connect_seconds:g} s.",
            "See daemon.log in the user's log folder; `--set daemon.on=off` works without a daemon.",
        )


def client_for(store: Path, settings: Settings, idle_seconds: float) -> Client:
    """The client for a store. A daemon that it starts stops after `idle_seconds` without clients."""
    folder = settings.daemon.folder
    command = [sys.executable, "-P", "-m", "aforesaid", "--store", str(store.expanduser().resolve())]
    options = ["--background", "--idle", f"{idle_seconds:g}", *(("--set", f"daemon.folder={folder}") if folder else ())]
    return Client(
        paths_of(store, folder), ClientIdentity.of(settings), lambda: start([*command, "daemon", "run", *options])
    )


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


def start(command: list[str]) -> int:
    """Start a process that outlives this one and shares none of its files; returns its number."""
    quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    return os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
