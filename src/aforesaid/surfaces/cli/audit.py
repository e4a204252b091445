"""`aforesaid audit`: what happened, and when."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aforesaid.errors import InputError
from aforesaid.surfaces.cli.app import App
from aforesaid.surfaces.cli.maintenance import STDIO, write_whole
from aforesaid.surfaces.cli.options import page, span, verb
from aforesaid.surfaces.formats import common as shown
from aforesaid.surfaces.formats.audit import events_text

if TYPE_CHECKING:
    from aforesaid.memory import Memory


@verb("audit", "aforesaid audit --topic forget --since 2026-05-01\n  aforesaid audit --export audit.jsonl")
@click.option("--topic", metavar="NAME", help="Only this: ingest, recall, forget …")
@click.option("--subject", metavar="NAME", help="Only about this.")
@click.option("--request", metavar="ID", help="Only what belongs to this request.")
@span
@page(50)
@click.option("--export", "file", metavar="FILE", help="Write the whole log as JSON lines; - is standard output.")
@click.option("--prune", is_flag=True, help="Let go of events older than the policy keeps them.")
@click.pass_obj
def audit(
    app: App,
    topic: str | None,
    subject: str | None,
    request: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    offset: int,
    file: str | None,
    prune: bool,
) -> None:
    """Show what happened, newest first. `aforesaid verify --audit` checks that nobody touched it.

    An export is the whole log, oldest first, with the digests that chain its events: it can be checked elsewhere.
    """
    narrowed = any(value is not None for value in (topic, subject, request, since, until))
    if narrowed + prune + (file is not None) > 1:
        raise click.UsageError("--export and --prune are about the whole log, each for itself.")
    with app.open(existing=True, any_embedder=True) as memory:
        if file is not None:
            _export(app, memory, file)
        elif prune:
            gone = memory.audit.prune()
            app.say({"pruned": gone}, f"let go of {shown.counted(gone, 'event')}")
        else:
            found = memory.audit.events(topic, subject, request, since=since, until=until, limit=limit, offset=offset)
            more = f"\n{limit} shown; go on with --offset {offset + limit}" if len(found) == limit else ""
            about = {"tenant": app.tenant, "limit": limit, "offset": offset}
            app.say({**about, "events": shown.plain(found)}, events_text(found, app.columns) + more)


def _export(app: App, memory: Memory, file: str) -> None:
    lines = memory.audit.export()
    if file == STDIO:
        for line in lines:
            sys.stdout.buffer.write(f"{line}\n".encode())
        sys.stdout.buffer.flush()
        return
    target = Path(file).resolve()
    if target == app.path.resolve():
        raise InputError(f"{file} is the store itself.", "Name another file.")
    count = write_whole(target, lines)
    app.say({"file": str(target), "lines": count}, f"exported {shown.counted(count, 'line')} to {file}")
