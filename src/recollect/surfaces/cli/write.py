"""`recollect remember` and `recollect forget`: what is put in, and taken out, on purpose."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from recollect.errors import InputError
from recollect.surfaces import format as shown
from recollect.surfaces.cli.app import App, interactive
from recollect.surfaces.cli.options import caller, time_option, verb
from recollect.surfaces.columns import snippet
from recollect.types import BOUNDARIES, CLAIM_TYPES, SCOPES, Boundary, ClaimType, Scope

if TYPE_CHECKING:
    from recollect.memory import Memory


@verb("remember", 'recollect remember "The staging database is db-7." --user ana --type fact')
@click.argument("text", nargs=-1, required=True)
@caller("user", "project")
@click.option("--scope", type=click.Choice(SCOPES), default="user", show_default=True, help="Who shares it.")
@click.option("--type", "claim", type=click.Choice(CLAIM_TYPES), default="fact", show_default=True, help="What it is.")
@click.option("--boundary", type=click.Choice(BOUNDARIES), default="internal", show_default=True, help="How private.")
@click.option("--supersedes", metavar="ID", help="The record that this one replaces.")
@time_option("--time", "Since when it holds.  [default: now]")
@click.pass_obj
def remember(
    app: App,
    text: tuple[str, ...],
    user: str | None,
    project: str | None,
    scope: Scope,
    claim: ClaimType,
    boundary: Boundary,
    supersedes: str | None,
    time: datetime | None,
) -> None:
    """Store a claim on purpose. The same words twice are one claim."""
    with app.open() as memory:
        record = memory.remember(
            " ".join(text),
            user=user,
            project=project,
            scope=scope,
            type=claim,
            boundary=boundary,
            time=time,
            supersedes=supersedes,
        )
    replaced = f", in place of {supersedes}" if supersedes else ""
    redacted = f"; redacted: {', '.join(record.redactions)}" if record.redactions else ""
    app.say(shown.plain(record), f"remembered {record.id}{replaced}{redacted}")


@verb("forget", "recollect forget s4-t09 --user ana\n  recollect forget --session 2026-05-06-nightly --user ana --yes")
@click.argument("ids", nargs=-1, metavar="[IDS]...")
@caller("user", "project")
@click.option("--session", metavar="NAME", help="Everything of a session (or, with IDS, where to look for them).")
@time_option("--before", "Everything up to a time.")
@click.option("--everything", is_flag=True, help="Everything of this user (or of this project, without --user).")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def forget(
    ctx: click.Context,
    ids: tuple[str, ...],
    user: str | None,
    project: str | None,
    session: str | None,
    before: datetime | None,
    everything: bool,
    yes: bool,
) -> None:
    """Delete records for good. Their text leaves every file; a receipt without it stays."""
    app = ctx.ensure_object(App)
    if everything and ids:
        raise InputError("Both ids and --everything were given.", "Name the records, or ask for everything.")
    with app.open(existing=True, any_embedder=True) as memory:
        if not yes and (ids or session is not None or before is not None or everything):
            what = _described(memory, ids, user, project, session, before, app.columns)
            if not _confirmed(what):
                app.note("Nothing was forgotten.")
                ctx.exit(1)
        receipt = memory.forget(ids, user=user, project=project, session=session, before=before, everything=everything)
    app.say(shown.plain(receipt), shown.receipt_text(receipt))


def _described(
    memory: Memory,
    ids: tuple[str, ...],
    user: str | None,
    project: str | None,
    session: str | None,
    before: datetime | None,
    columns: int,
) -> str:
    """What would be deleted, in the words of the person who has to agree."""
    if ids:
        found = [memory.get(name, user=user, project=project, session=session) for name in ids]
        return "\n".join(f"  {record.id}  {snippet(record.text, columns - len(record.id) - 4)}" for record in found)
    whose = f"of user {user!r}" if user else f"of project {project!r}" if project else "that belongs to no user"
    parts = [f"in session {session!r}" if session else "", f"up to {shown.stamp(before)} UTC" if before else ""]
    return "  " + " ".join(filter(None, ("everything", whose, *parts)))


def _confirmed(what: str) -> bool:
    if not interactive():
        raise InputError("Nobody is here to confirm this.", "Add --yes to forget without being asked.")
    click.echo(f"This would be deleted for good:\n{what}", err=True)
    return click.confirm("Forget it?", err=True)
