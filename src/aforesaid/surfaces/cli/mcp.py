"""`aforesaid mcp`: the memory as an MCP server."""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aforesaid.errors import DaemonError, InputError
from aforesaid.surfaces.cli.app import App, interactive
from aforesaid.surfaces.cli.options import PROJECT_HELP, command, user_option
from aforesaid.surfaces.lazy_memory import LazyMemory

if TYPE_CHECKING:
    from aforesaid.settings import Settings
    from aforesaid.surfaces.daemon.connection import LineConnection
    from aforesaid.surfaces.mcp.server import MemoryAccess
    from aforesaid.surfaces.mcp.tokens import Tokens
    from aforesaid.surfaces.mcp.tools import Profile
    from aforesaid.surfaces.verbs.declare import Grant

INTERRUPTED = 130


@command("mcp", "aforesaid mcp --user ana --project shop\n  aforesaid mcp --http --port 8765 --tokens tokens.json")
@user_option
@click.option("--project", metavar="NAME", help=PROJECT_HELP)
@click.option(
    "--profile", type=click.Choice(("minimal", "full")), default="full", show_default=True,
    help="The tools to offer: the six most useful ones, or all.",
)  # fmt: skip
@click.option(
    "--grant", "grants", type=click.Choice(("read", "write", "admin")), multiple=True,
    help="What the client may do; may be repeated.  [default: read and write]",
)  # fmt: skip
@click.option("--trust-client-user", "trusted", is_flag=True, help="Let the client choose the user and the project.")
@click.option("--http", is_flag=True, help="Serve streamable HTTP at /mcp instead of stdio.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="NAME", help="The address to listen on, for HTTP."
)
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8765, show_default=True, metavar="N", help="The port, for HTTP."
)
@click.option("--tokens", metavar="FILE", help="A file with the tokens for HTTP: sha256 of each, with tenant and user.")
@click.option(
    "--allow-host", "hosts", multiple=True, metavar="NAME", help="Another host name of this server; may be repeated."
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="The origin of a web page that may call; may be repeated.",
)
@click.option(
    "--rate", type=click.FloatRange(0.1), default=20.0, show_default=True, metavar="N",
    help="Requests per second for each caller over HTTP.",
)  # fmt: skip
@click.option("--new-token", is_flag=True, help="Print a new token and its entry for the file.")
@click.pass_obj
def mcp(
    app: App, user: str | None, project: str | None, profile: Profile, grants: tuple[Grant, ...], trusted: bool,
    http: bool, host: str, port: int, tokens: str | None, hosts: tuple[str, ...], origins: tuple[str, ...],
    rate: float, new_token: bool,
) -> None:  # fmt: skip
    """Serve the memory to agents that speak MCP.

    Over stdio by default. The user comes from these options or from a token, never from the model.
    """
    if new_token:
        _new_token(app, user, project)
        return
    if not http and tokens:
        raise click.UsageError("--tokens is for --http; over stdio the client is the process that started it.")
    if tokens and trusted:
        raise click.UsageError("--tokens names the callers; leave out --trust-client-user.")
    if find_spec("mcp") is None:
        raise InputError("The MCP server needs the package mcp.", "pip install 'aforesaid[mcp]'")
    from aforesaid.surfaces.mcp.caller import READ_WRITE, Caller

    known = _read_tokens(tokens) if tokens else None
    granted = frozenset(grants) if grants else known.everything() if known else READ_WRITE
    who = Caller(app.tenant, user, project, app.purpose, granted)
    settings = app.settings()  # fails here if they are wrong
    if not http and interactive():
        app.note("waiting for MCP messages on stdin (Ctrl-D ends it); `aforesaid install` sets one up")
    if not http and _serve_by_daemon(app, settings, {**asdict(who), "trusted": trusted, "profile": profile}):
        return
    memory = LazyMemory(app.path, app.open)
    memory.begin()  # opens the store while the SDK loads
    try:
        from aforesaid.surfaces.mcp.server import MemoryAccess

        access = MemoryAccess(memory, who, trusted, guarded=known is not None)
        if http:
            _serve_http(access, profile, known, host, port, hosts, origins, rate)
        else:
            _serve_stdio(access, profile)
    finally:
        memory.close()


def _read_tokens(file: str) -> Tokens:
    from aforesaid.surfaces.mcp.tokens import Tokens

    return Tokens(Path(file).expanduser())


def _serve_by_daemon(app: App, settings: Settings, params: dict[str, Any]) -> bool:
    """Serve stdio through the daemon, which has the model and the SDK loaded; False without a daemon."""
    from aforesaid.surfaces.cli.daemon import client, possible
    from aforesaid.surfaces.daemon.proxy import Proxy

    if not (settings.daemon.on and possible()):
        return False
    params["grants"] = sorted(params["grants"])
    daemon = client(app, settings)

    def attached() -> LineConnection:
        seconds = settings.daemon.start_ms / 1000
        return daemon.ask("mcp", params, seconds, seconds)[0]

    try:
        line = attached()
    except (DaemonError, OSError) as error:
        click.echo(f"no daemon, so the memory is opened here: {error}", err=True)
        return False
    signal.signal(signal.SIGINT, _leave)
    Proxy(attached, sys.stdin.buffer, sys.stdout.buffer).run(line)
    return True


def _serve_stdio(access: MemoryAccess, profile: Profile) -> None:
    import anyio

    from aforesaid.surfaces.mcp.server import build

    server = build(access, profile)
    signal.signal(signal.SIGINT, _leave)  # the SDK would wait for the next line of stdin
    anyio.run(server.run_stdio_async)


def _serve_http(
    access: MemoryAccess, profile: Profile, tokens: Tokens | None, host: str, port: int, hosts: tuple[str, ...],
    origins: tuple[str, ...], rate: float,
) -> None:  # fmt: skip
    from aforesaid.surfaces.mcp.http import Rate, RequestChecks, check_binding, http_app

    names = check_binding(host, tokens, hosts)
    from aforesaid.surfaces.mcp.connections import ConnectionLimits, server
    from aforesaid.surfaces.mcp.server import build

    checked = RequestChecks(http_app(build(access, profile)), names, origins, tokens, Rate(rate))
    click.echo(f"serving http://{host}:{port}/mcp {'by token' if tokens else 'to this machine'}", err=True)
    server(checked, host, port, ConnectionLimits()).run()


def _leave(*_: object) -> None:
    sys.stderr.write("interrupted\n")
    os._exit(INTERRUPTED)  # every acknowledged write is on disk


def _new_token(app: App, user: str | None, project: str | None) -> None:
    from aforesaid.surfaces.mcp.tokens import digest, new_token

    if user is None:
        raise click.UsageError("--new-token needs --user: a token belongs to a user.")
    token = new_token()
    entry = {"tenant": app.tenant, "user": user, "project": project, "purpose": app.purpose}
    line = {digest(token): {name: value for name, value in entry.items() if value} | {"grants": ["read", "write"]}}
    app.say({"token": token, "entry": line}, f"{token}\n{json.dumps(line, ensure_ascii=False)}")
