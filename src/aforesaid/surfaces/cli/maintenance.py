"""`aforesaid export`, `stats`, `verify` and `reindex`: care of a store."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from aforesaid._util.atomic_write import replacing
from aforesaid.errors import InputError
from aforesaid.surfaces.cli.app import App, progress
from aforesaid.surfaces.cli.options import verb
from aforesaid.surfaces.formats import common as shown
from aforesaid.surfaces.formats.audit import report_dict, report_text

STDIO = "-"


@verb("export", "aforesaid export backup.jsonl\n  aforesaid export --no-vectors | gzip > backup.jsonl.gz")
@click.argument("file", default=STDIO)
@click.option("--no-vectors", is_flag=True, help="Leave vectors out; `reindex` makes them again.")
@click.pass_obj
def export(app: App, file: str, no_vectors: bool) -> None:
    """Write the whole memory as JSON lines. To standard output, or to FILE.

    FILE appears when all of it is written, not before.
    """
    with app.open(existing=True, any_embedder=True) as memory, progress("Exporting", hidden=file == STDIO) as report:
        lines = memory.export(vectors=not no_vectors, progress=report)
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


def write_whole(target: Path, lines: Iterable[str]) -> int:
    """Write a file in one step: what was there stays until the new one is complete. How many lines it has."""
    if target.exists() and not target.is_file():  # a pipe or a device cannot be replaced
        with target.open("wb") as stream:
            return sum(1 for line in lines if stream.write(f"{line}\n".encode()))
    with replacing(target) as stream:
        return sum(1 for line in lines if stream.write(f"{line}\n".encode()))


@verb("stats", "aforesaid stats")
@click.pass_obj
def stats(app: App) -> None:
    """Say what the store holds. Records, vectors, bytes."""
    with app.open(any_embedder=True) as memory:
        found, spaces = memory.stats(), memory.store.spaces()
    about = {"store": str(app.path), "tenant": app.tenant}
    app.say(shown.stats_dict(found, spaces, **about), shown.stats_text(found, spaces, **about))


@verb("verify", "aforesaid verify --repair\n  aforesaid verify --audit")
@click.option("--repair", is_flag=True, help="Rebuild what is derived from records.")
@click.option("--audit", is_flag=True, help="Check the audit log instead: whether anybody changed or cut it.")
@click.option("--known", metavar="DIGEST", default="", help="With --audit: a digest noted earlier, still to be there.")
@click.pass_context
def verify(ctx: click.Context, repair: bool, audit: bool, known: str) -> None:
    """Look for damage. Exit code 1 if some is left."""
    if (repair and audit) or (known and not audit):
        raise click.UsageError("A log cannot be repaired." if repair else "--known goes with --audit.")
    app = ctx.ensure_object(App)
    with app.open(existing=True, any_embedder=True) as memory:
        if audit:
            log = memory.audit.verify(known)
            app.say(report_dict(log), report_text(log))
            ctx.exit(0 if log.intact else 1)
        problems = memory.maintenance.verify(repair=repair)
        records = memory.stats().records
    app.say({"problems": shown.plain(problems), "records": records}, shown.problems_text(problems, records))
    if any(not problem.mended for problem in problems):
        app.note("Restore a backup." if repair else "`aforesaid verify --repair` rebuilds what is derived.")
        ctx.exit(1)


@verb("reindex", "aforesaid reindex --set embed.provider=ollama --set embed.model=bge-m3")
@click.pass_obj
def reindex(app: App) -> None:
    """Make the vectors that are missing. All of them after a change of model; may be stopped and resumed."""
    with app.open(existing=True, any_embedder=True) as memory, progress("Embedding") as report:
        done = memory.maintenance.reindex(progress=report)
        spaces = memory.store.spaces()
    name = spaces[0].name if spaces else "nothing"
    app.say({"embedded": done, "spaces": shown.plain(spaces)}, f"embedded {shown.counted(done, 'record')} with {name}")
