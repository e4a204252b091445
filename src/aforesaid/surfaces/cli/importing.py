"""`aforesaid import`: what other programs kept, or an export of our own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aforesaid.errors import FormatError, InputError
from aforesaid.surfaces.cli.app import App, progress
from aforesaid.surfaces.cli.options import caller, span, verb
from aforesaid.surfaces.formats import common as shown
from aforesaid.surfaces.formats.importing import intake_dict, intake_text
from aforesaid.surfaces.turn_files import opened, read_lines

if TYPE_CHECKING:
    from aforesaid.memory.importers import ImportFormat

STDIO = "-"
FORMATS = ("auto", "claude-code", "codex", "openclaw", "chatgpt", "mem0", "jsonl")
INCLUDED = ("thinking", "sidechains", "branches")


def _included(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in value.split(",") if name.strip())
    for name in names:
        if name not in INCLUDED:
            raise click.BadParameter(f"{name!r} is none of {', '.join(INCLUDED)}.", ctx, param)
    return names


@verb(
    "import",
    "aforesaid import --from claude-code --user ana\n  aforesaid import chatgpt-export.zip --user ana --dry-run\n"
    "  aforesaid import backup.jsonl",
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--format", "--from", "form", type=click.Choice(FORMATS), default="auto",
    help="What it is; without a PATH, where that program keeps it.  [default: auto]",
)  # fmt: skip
@caller("user", "project")
@span
@click.option("--session", metavar="GLOB", help="Only sessions whose id matches.")
@click.option("--include", metavar="NAMES", default="", callback=_included,
              help="Take these too, with commas: thinking, sidechains, branches.")  # fmt: skip
@click.option("--no-tools", is_flag=True, help="Leave out what tools were asked and what they returned.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Stop after so many new turns and claims.")
@click.option("--strict", is_flag=True, help="Stop at the first thing that cannot be read.")
@click.option("--dry-run", is_flag=True, help="Say what would be taken and left; store nothing.")
@click.pass_obj
def import_(
    app: App,
    paths: tuple[str, ...],
    form: ImportFormat,
    user: str | None,
    project: str | None,
    since: datetime | None,
    until: datetime | None,
    session: str | None,
    include: tuple[str, ...],
    no_tools: bool,
    limit: int | None,
    strict: bool,
    dry_run: bool,
) -> None:
    """Take in what is there already: transcripts, exports, other memories.

    Transcripts of Claude Code, Codex and OpenClaw, exports of ChatGPT (also as .zip) and mem0, and JSON lines with role
    and content are recognised by what they hold; a folder is searched for them. Run it again: only what is new is
    taken. An export of aforesaid itself is taken as a whole or, when a line is bad, not at all.
    """
    if form == "auto" and _is_own(paths):
        # Who calls may stand in the environment; an export says itself whose its records are.
        if any((dry_run, limit, session, since, until, include, no_tools, strict)):
            raise click.UsageError("An export of aforesaid is taken as it is: leave the options out.")
        _own(app, paths[0])
        return
    if STDIO in paths:
        raise InputError("Only an export of aforesaid can be read from a pipe.", "Name a file or a folder.")
    from aforesaid.memory.importers import import_paths

    places = import_paths(list(paths) or None, form)
    if not paths:
        app.note(f"reading {' and '.join(map(str, places))}")
    with app.open() as memory, progress("Importing") as report:
        try:
            taken = memory.importers.run(
                places, form, user=user, project=project, since=since, until=until, session=session,
                include=include, tools=not no_tools, limit=limit, strict=strict, dry_run=dry_run, progress=report,
            )  # fmt: skip
        except KeyboardInterrupt:
            click.echo("\nInterrupted. What was stored stays; run it again to go on.", err=True)
            raise
    app.say(intake_dict(taken), intake_text(taken, app.columns))


def _is_own(paths: Sequence[str]) -> bool:
    """Whether it is an export of our own; from a pipe nothing else can come."""
    from aforesaid.importers.formats.detect import is_own

    return len(paths) == 1 and (paths[0] == STDIO or is_own(Path(paths[0]).expanduser()))


def _own(app: App, file: str) -> None:
    with opened(file) as (name, stream), app.open() as memory, progress("Importing", hidden=file == STDIO) as report:
        try:
            taken = memory.import_(read_lines(stream, name), progress=report)
        except FormatError as error:
            known = error.message if error.message.startswith(name) else f"{name}: {error.message}"
            raise FormatError(known, error.remedy or "Nothing was imported.") from error
    app.say(shown.plain(taken), shown.import_text(taken))
