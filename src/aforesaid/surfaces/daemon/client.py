"""The client of a daemon: it starts one where none runs, and replaces an incompatible one.

Compatible means: the same code, the same settings, the same external services.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

import aforesaid
from aforesaid.errors import DaemonError
from aforesaid.settings import Settings
from aforesaid.surfaces.daemon.connection import (
    INCOMPATIBLE,
    ClosedError,
    DaemonPaths,
    LineConnection,
    RpcError,
    dial,
    paths_of,
)

STEP_SECONDS = 0.01  # between two attempts to connect
# Environment variables that the engine reads beside its settings, by the provider that reads them.
VARIABLES = {
    "local": ("AFORESAID_CACHE", "AFORESAID_MODEL_PATH", "AFORESAID_OFFLINE"),
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "ollama": ("OLLAMA_HOST",),
}


@dataclass(frozen=True, slots=True)
class ClientIdentity:
    """The code, the settings that differ from their defaults, and a digest of each relevant variable."""

    code: str
    settings: Mapping[str, Any]
    environment: Mapping[str, str]

    @classmethod
    def of(cls, settings: Settings, environment: Mapping[str, str] = os.environ) -> ClientIdentity:
        """The identity of a process with these settings."""
        changed = {row.name: row.value for row in settings.rows() if row.value != row.default}
        names = {name for used in (settings.embed, settings.compact) for name in VARIABLES.get(used.provider, ())}
        seen = {name: environment[name] for name in names & environment.keys()}
        if settings.embed.provider == "local":
            seen["cache"] = str(user_cache_path("aforesaid"))  # the folder, whichever variables decide on it
        return cls(code_stamp(), changed, {name: _digest(value) for name, value in seen.items()})

    def can_serve(self, other: ClientIdentity) -> bool:
        """Whether a daemon with this identity can serve the other.

        The other may lack variables: hosts keep keys from some of our commands, and those must not replace the
        daemon that has them.
        """
        same = (self.code, self.settings) == (other.code, other.settings)
        return same and all(self.environment.get(name) == digest for name, digest in other.environment.items())


def _digest(value: str) -> str:
    return blake2b(value.encode(errors="surrogateescape"), digest_size=16).hexdigest()


def code_stamp() -> str:
    """The version of the code, and when and where it was installed."""
    file = Path(aforesaid.__file__)
    return f"{aforesaid.__version__} {file.stat().st_mtime_ns} {file.parent}"


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


def start(command: list[str]) -> int:
    """Start a process that outlives this one and shares none of its files; returns its number."""
    quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    return os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
