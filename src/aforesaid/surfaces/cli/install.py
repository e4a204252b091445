"""`aforesaid install`: adds hooks and the MCP server to the configuration of a host, or removes them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aforesaid.errors import FormatError, InputError
from aforesaid.surfaces.cli.app import App, interactive
from aforesaid.surfaces.cli.options import command

if TYPE_CHECKING:
    from aforesaid.hosts.install import InstallStep
    from aforesaid.hosts.plans import FilePlan, LaunchCommand, Name, Scope

HOSTS = ("claude-code", "codex", "cursor", "openclaw")


@command("install", "aforesaid install claude-code --user ana --dry-run\n  aforesaid install codex --undo")
@click.argument("host", type=click.Choice(HOSTS), metavar="HOST")
@click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    help="For all your projects, or for this folder.  [default: user]",
)
@click.option("--user", metavar="NAME", help="The user whose memory to use; written into the configuration.")
@click.option(
    "--mcp/--no-mcp", "server", default=None, help="Install the MCP server too.  [default: if it can run here]"
)
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--undo", is_flag=True, help="Remove what was installed.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.pass_obj
def install(
    app: App,
    host: Name,
    scope: Scope,
    user: str | None,
    server: bool | None,
    dry_run: bool,
    undo: bool,
    yes: bool,
) -> None:
    """Set up a coding agent to use this memory.

    HOST is claude-code, codex, cursor or openclaw. Shows the change, makes a backup of the files, and adds hooks and
    the MCP server; everything else in the files stays. --store, --config and --set become part of the commands.
    """
    from aforesaid.hosts.install import apply_steps, backup_of, install_steps

    plans, notes = _plans(app, host, scope, user, True if undo else server)
    try:
        steps = install_steps(plans, undo=undo)
    except FormatError as error:
        raise FormatError(error.message, _remedy(host, app, scope, user, error.remedy)) from None
    asks = any(step.changes for step in steps) and not (yes or dry_run)
    if asks and (app.json or not interactive()):
        raise InputError("Nobody is here to confirm this.", "Add --yes to write, or --dry-run to see the change.")
    if asks and not _agreed(steps):
        app.note("Nothing was written.")
        raise SystemExit(1)
    made = [] if dry_run else apply_steps(steps, undo=undo)
    notes = [] if undo else notes
    files = [
        {"path": str(step.path), "what": step.what, "changed": step.changes, "diff": step.diff,
         "backup": str(backup_of(step.path)) if backup_of(step.path) in made else None}
        for step in steps
    ]  # fmt: skip
    app.say(
        {"host": host, "scope": scope, "undo": undo, "dry_run": dry_run, "notes": notes, "files": files},
        _text(files, dry_run=dry_run, undo=undo, diff=not asks),
    )
    for note in notes:
        app.note(note)


def _plans(
    app: App, host: Name, scope: Scope, user: str | None, server: bool | None
) -> tuple[list[FilePlan], list[str]]:
    """The planned changes, and remarks about them."""
    from aforesaid.hosts.plans import Places, plans

    notes = [_about(host)] if _about(host) else []
    can = find_spec("mcp") is not None
    if server is None and not can:
        if host in ("cursor", "openclaw"):
            raise InputError(f"{host} is served by MCP, which is not installed here.", "pip install 'aforesaid[mcp]'")
        notes.append("Without the MCP server, which is not installed here: pip install 'aforesaid[mcp]' adds it.")
    places = Places(Path.home(), Path.cwd(), os.environ)
    if not _model_is_here(app):
        notes.append("The local model is not on this machine yet: `aforesaid models pull` fetches it; hooks never do.")
    return plans(host, scope, places, _call(app, scope, user), True, can if server is None else server), notes


def _call(app: App, scope: Scope, user: str | None) -> LaunchCommand:
    """The command that the host runs: with its full path, or only the name in files that are shared."""
    from aforesaid.hosts.plans import LaunchCommand

    beside = Path(sys.executable).with_name("aforesaid")
    own = [str(beside)] if beside.exists() else [sys.executable, "-m", "aforesaid"]
    options = ["--store", str(Path(app.store).expanduser().absolute())] if app.store else []
    options += ["--config", str(Path(app.config).expanduser().absolute())] if app.config else []
    options += ["--tenant", app.tenant] if app.tenant != App.tenant else []
    for name, value in app.arguments.items():
        options += ["--set", f"{name}={value}"]
    return LaunchCommand(own if scope == "user" else ["aforesaid"], options, user)


def _agreed(steps: list[InstallStep]) -> bool:
    click.echo("".join(step.diff for step in steps))
    return click.confirm("Write this?", default=True)


def _model_is_here(app: App) -> bool:
    from aforesaid.embed.weights import locate

    rows = app.settings().embed
    return rows.provider != "local" or bool(rows.model) or locate() is not None


def _about(host: str) -> str:
    if host == "codex":
        return "Codex runs a new hook only after you have trusted it: start it, and look at /hooks."
    return "It takes effect in the next session." if host == "claude-code" else ""


def _remedy(host: str, app: App, scope: Any, user: str | None, remedy: str) -> str:
    """OpenClaw reads JSON with comments. We would lose them, but its own command keeps them."""
    if host != "openclaw":
        return remedy
    import json
    import shlex

    entry = json.dumps(_call(app, scope, user).server())
    return f"{remedy} A file with comments is better changed by `openclaw mcp set aforesaid {shlex.quote(entry)}`."


def _text(files: Sequence[Mapping[str, Any]], *, dry_run: bool, undo: bool, diff: bool) -> str:
    """The diffs unless they were shown already, then a line for each file."""
    changes = [file["diff"].rstrip("\n") for file in files if file["changed"]] if diff else []
    done = ("would be " if dry_run else "") + ("removed" if undo else "written")
    same = "nothing to remove" if undo else "up to date"
    lines = [
        f"{file['path']}: {file['what']} {done if file['changed'] else f'({same})'}"
        + (f"; backup: {file['backup']}" if file["backup"] else "")
        for file in files
    ]
    return "\n".join([*changes, *lines])
