"""Asking the daemon of a store: whoever finds none starts one, and one of another kind is asked to make way."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aforesaid.errors import DaemonError
from aforesaid.settings import Settings
from aforesaid.surfaces.daemon.identity import Likeness
from aforesaid.surfaces.daemon.json_rpc import UNLIKE, ClosedError, LineConnection, RpcError
from aforesaid.surfaces.daemon.paths import DaemonPaths, place_of

STEP_SECONDS = 0.01  # between two looks whether it listens


@dataclass(frozen=True, slots=True)
class Client:
    """Asks one store's daemon; `spawn` starts it."""

    place: DaemonPaths
    likeness: Likeness
    spawn: Callable[[], int]

    def ask(
        self, method: str, params: Mapping[str, Any], patience_seconds: float, answer_seconds: float | None = None
    ) -> tuple[LineConnection, Any]:
        """The connection and the answer, from a daemon that is like us and may have to be started first.

        The patience is for finding one that listens; how long it then takes to answer is its own matter, unless said.
        """
        ends = time.monotonic() + patience_seconds
        child = 0
        self.place.make()
        while time.monotonic() < ends:
            line = dial(self.place)
            if line is None:
                if not child or ended(child):
                    child = self.spawn()
                time.sleep(STEP_SECONDS)
                continue
            try:
                line.link.settimeout(answer_seconds)
                answer = line.call(method, {**params, "likeness": self.likeness.dump()})
                line.link.settimeout(None)
                return line, answer
            except ClosedError:
                line.close()  # it was leaving when we came
            except RpcError as error:
                if error.code != UNLIKE:
                    line.close()
                    raise
                with line, suppress(ClosedError):
                    line.call("retire")
            except BaseException:
                line.close()
                raise
        raise DaemonError(
            f"No daemon answered at {self.place.socket} within {patience_seconds:g} s.",
            "See daemon.log in the user's log folder; `--set daemon.on=off` does without.",
        )


def client_for(store: Path, settings: Settings, idle_seconds: float) -> Client:
    """The client for a store; a daemon that it starts ends by itself when nobody came for so long."""
    folder = settings.daemon.folder
    command = [sys.executable, "-P", "-m", "aforesaid", "--store", str(store.expanduser().resolve())]
    options = ["--background", "--idle", f"{idle_seconds:g}", *(("--set", f"daemon.folder={folder}") if folder else ())]
    return Client(place_of(store, folder), Likeness.of(settings), lambda: start([*command, "daemon", "run", *options]))


def dial(place: DaemonPaths) -> LineConnection | None:
    """A connection to whoever listens there; None when nobody does."""
    link = socket.socket(socket.AF_UNIX)
    try:
        link.connect(str(place.socket))
    except (FileNotFoundError, ConnectionRefusedError, BlockingIOError):
        link.close()
        return None
    except BaseException:
        link.close()
        raise
    return LineConnection(link)


def start(command: list[str]) -> int:
    """Start a process that outlives this one and uses none of its files; its number."""
    quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    return os.posix_spawn(command[0], command, os.environ, file_actions=quiet)


def ended(child: int) -> bool:
    """Whether a process that was started here is over."""
    return os.waitpid(child, os.WNOHANG) != (0, 0)
