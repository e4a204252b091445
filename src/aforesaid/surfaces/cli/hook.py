"""`aforesaid hook`: called by coding agents at each event. It never fails, and prints nothing but its answer."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from aforesaid.surfaces.cli.app import App
from aforesaid.surfaces.cli.options import Command, user_option

if TYPE_CHECKING:
    from aforesaid.hosts.events import Response
    from aforesaid.hosts.hook import HookOptions
    from aforesaid.memory import Memory
    from aforesaid.settings import Settings

START_SHARE = 2  # at most 1/2 of the time for a prompt is spent on starting a daemon
SWALLOWED = 0  # the exit code in every case: with a 2 Claude Code would drop the prompt


class Unfailing(Command):
    """A command that does not fail on wrong options, for example after an update."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> click.Context:
        """As usual; wrong options are logged, and the answer is empty."""
        try:
            return super().make_context(info_name, args, *rest, **extra)
        except click.UsageError as error:
            from aforesaid.hosts.log import write_log

            write_log(f"hook: options cannot be read: {type(error).__name__}")
            click.echo("{}")
            raise click.exceptions.Exit(SWALLOWED) from None


@click.command(
    "hook",
    cls=Unfailing,
    epilog="\b\nExample:\n  aforesaid hook --host claude-code --user ana < event.json\n"
    "  aforesaid install claude-code --user ana",
)
@click.option(
    "--host",
    type=click.Choice(["auto", "claude-code", "codex"]),
    default="auto",
    help="The calling agent.  [default: auto, from the event]",
)
@user_option
@click.option(
    "--project",
    metavar="NAME",
    envvar="AFORESAID_PROJECT",
    help="The project.  [env: AFORESAID_PROJECT; default: the git repository of the event's folder]",
)
@click.option(
    "--timeout-ms", type=click.IntRange(1), metavar="MS", help="The time limit.  [default: a setting for each event]"
)
@click.pass_obj
def hook(app: App, host: str, user: str | None, project: str | None, timeout_ms: int | None) -> None:
    """Answer an event of a coding agent. Reads the event as JSON from standard input and prints the answer as JSON.

    A prompt gets related memories; turns are read from the transcript; the end of a session closes it in the memory.
    The exit code is always 0, within the time limit; errors are in hook.log in the user's log folder.
    """
    from aforesaid.hosts.hook import MAX_STDIN_BYTES, HookOptions, run_hook

    stdin = sys.stdin.buffer if sys.stdin is not None else None

    def read() -> bytes:
        return stdin.read(MAX_STDIN_BYTES) if stdin is not None and not stdin.isatty() else b""

    def respond(event: Mapping[str, Any], rows: Settings, options: HookOptions) -> Response:
        return _response(app, event, rows, options)

    limit = timeout_ms / 1000 if timeout_ms is not None else None
    with contextlib.redirect_stdout(sys.stderr):  # output of libraries must not mix with the answer
        answer, over = run_hook(read, app.settings, respond, HookOptions(host, user, project), limit)
    with contextlib.suppress(OSError, ValueError):
        click.echo(json.dumps(answer))
        sys.stdout.flush()
    if not over:
        os._exit(SWALLOWED)  # the thread still runs; the store survives that


def _response(app: App, event: Mapping[str, Any], settings: Settings, options: HookOptions) -> Response:
    """The answer of the daemon; without one, our own."""
    from aforesaid.errors import DaemonError, StoreError
    from aforesaid.hosts.log import describe_error, write_log
    from aforesaid.surfaces.cli.daemon import client, possible
    from aforesaid.surfaces.daemon.connection import RpcError

    if app.store and not app.path.parent.is_dir():  # a daemon could not open it either
        raise StoreError(f"The folder {app.path.parent} does not exist.", "Create it first, or check --store.")
    if settings.daemon.on and possible():
        who = {"tenant": app.tenant, "purpose": app.purpose, "request": app.request}
        seconds = min(settings.daemon.start_ms, settings.hooks.prompt_ms // START_SHARE) / 1000
        try:
            line, found = client(app, settings).ask(
                "hook", {"event": event, "options": asdict(options), **who}, seconds
            )
        except RpcError:
            raise  # the daemon failed, so we would fail too
        except (DaemonError, OSError) as error:
            write_log(f"no daemon: {describe_error(error)}")
        else:
            line.close()
            return found["answer"], found["about"], found["outcome"]
    from aforesaid.hosts.events import open_for_hook, respond

    def opener(rows: Settings, create: bool) -> AbstractContextManager[Memory | None]:
        return open_for_hook(app.path, rows, create, app.tenant, app.purpose, app.request)

    return respond(event, settings, opener, options)
