"""`aforesaid daemon`: a background process for one store. `aforesaid mcp` and `aforesaid hook` start it."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aforesaid.errors import DaemonError, InputError
from aforesaid.surfaces.cli.app import App, interactive
from aforesaid.surfaces.cli.options import command

if TYPE_CHECKING:
    from aforesaid.settings import Settings
    from aforesaid.settings.rows import DaemonRows
    from aforesaid.surfaces.daemon.client import Client

ACTIONS = ("run", "start", "status", "stop")
NOT_RUNNING = 1


@command("daemon", "aforesaid daemon status\n  aforesaid daemon stop")
@click.argument("action", type=click.Choice(ACTIONS), default="run")
@click.option(
    "--idle", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
    help="Stop after this time without clients.  [default: the setting daemon.idle_seconds]",
)  # fmt: skip
@click.option("--background", is_flag=True, hidden=True)
@click.pass_context
def daemon(ctx: click.Context, action: str, idle: float | None, background: bool) -> None:
    """Keep a store open in a background process. `mcp` and `hook` start it when needed; it stops when unused.

    ACTION is `run` (in the foreground; the default), `start` (in the background), `status` or `stop`.
    """
    app = ctx.ensure_object(App)
    if not possible():
        raise InputError("This system has no unix sockets.", "`aforesaid mcp` and `hook` work without a daemon.")
    settings = app.settings()
    if background:
        os.setsid()  # the process that started it may end
        os.chdir("/")
    if action == "run":
        if interactive():
            app.note(f"serving {app.path}; Ctrl-C stops it")
        _run(app.path, settings.daemon, idle)
    elif action == "start":
        with client(app, settings, idle).ask("status", {}, settings.daemon.start_ms / 1000)[0]:
            app.say({"running": True}, "running")
    elif not _asked(app, settings.daemon.folder, action):
        ctx.exit(NOT_RUNNING if action == "status" else 0)


def possible() -> bool:
    """Whether this system supports a daemon."""
    import socket
    from importlib.util import find_spec

    return hasattr(socket, "AF_UNIX") and find_spec("fcntl") is not None


def client(app: App, settings: Settings, idle: float | None = None) -> Client:
    """A client of the store's daemon, which starts one if needed."""
    from aforesaid.surfaces.daemon.client import client_for

    return client_for(app.path, settings, settings.daemon.idle_seconds if idle is None else idle)


def _run(store: Path, rows: DaemonRows, idle: float | None) -> None:
    from platformdirs import user_log_path

    from aforesaid.hosts.log import write_log
    from aforesaid.surfaces.daemon.connection import paths_of
    from aforesaid.surfaces.daemon.daemon import Daemon

    def log(line: str) -> None:
        write_log(f"daemon {os.getpid()} {line}", user_log_path("aforesaid") / "daemon.log")

    daemon = Daemon(store, paths_of(store, rows.folder), rows.idle_seconds if idle is None else idle, log)
    server = daemon.server

    def stop(*_: object) -> None:
        threading.Thread(target=server.leave, kwargs={"stop": True}, daemon=True).start()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    if not server.run():
        raise DaemonError(f"Another daemon serves {store}.", "`aforesaid daemon status` shows it.")
    if server.clients:
        os._exit(0)  # a call is still running; every acknowledged write is on disk
    daemon.memory.close()


def _asked(app: App, folder: str, action: str) -> bool:
    """Send a request to a running daemon; returns whether there is one."""
    from aforesaid.surfaces.daemon.connection import dial, paths_of

    line = dial(paths_of(app.path, folder))
    if line is None:
        app.say({"running": False}, f"no daemon for {app.path}")
        return False
    with line:
        found: dict[str, Any] = line.call(action)
    app.say({"running": action == "status", **found}, f"stopped {found['pid']}" if action == "stop" else None)
    return True


def stop_daemon(app: App, folder: str) -> bool:
    """Tell the daemon of the store to stop, if one runs; returns whether one did. Hosts start it again."""
    if not possible():
        return False
    from aforesaid.surfaces.daemon.connection import ClosedError, dial, paths_of

    line = dial(paths_of(app.path, folder))
    if line is None:
        return False
    with line, suppress(ClosedError):
        line.call("stop")
    app.note("stopped the daemon of this store; the next request starts it again")
    return True
