"""`aforesaid remember` and `aforesaid forget`: what is put in, and taken out, on purpose."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from aforesaid.errors import AforesaidError, InputError
from aforesaid.surfaces.cli.app import App, interactive
from aforesaid.surfaces.cli.options import caller, span, time_option, verb
from aforesaid.surfaces.formats import common as shown
from aforesaid.surfaces.formats.columns import snippet
from aforesaid.surfaces.formats.forget import receipt_dict, receipt_text
from aforesaid.types import BOUNDARIES, CLAIM_TYPES, SCOPES, Boundary, ClaimType, Scope

if TYPE_CHECKING:
    from aforesaid.deletion.forget import Receipt
    from aforesaid.memory import Memory


@verb("remember", 'aforesaid remember "The staging database is db-7." --user ana --type fact')
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


@verb("forget", "aforesaid forget s4-t09 --user ana\n  aforesaid forget --session 2026-05-06-nightly --user ana --yes")
@click.argument("ids", nargs=-1, metavar="[IDS]...")
@caller("user", "project")
@click.option("--session", metavar="NAME", help="Everything of a session (or, with IDS, where to look for them).")
@time_option("--before", "Everything up to a time.")
@span
@click.option("--query", metavar="WORDS", help="Records that hold all of these words, in any form.")
@click.option("--everything", is_flag=True, help="Everything of this user (or of this project, without --user).")
@click.option("--whole-tenant", is_flag=True, help="Everything of everybody in this tenant.")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--reason", metavar="TEXT", default="", help="Why; it stays in the log.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def forget(ctx: click.Context, /, yes: bool, dry_run: bool, whole_tenant: bool, **asked: Any) -> None:
    """Delete records for good. Their text leaves every file; a receipt without it stays.

    Whatever was made of them goes too: summaries, guidance, claims without another source. Several options narrow each
    other. Afterwards the raw bytes of every file of the store are looked through, backups made by `aforesaid backup`
    included; ends with 1 if something is left.
    """
    app = ctx.ensure_object(App)
    if asked["everything"] and asked["ids"]:
        raise InputError("Both ids and --everything were given.", "Name the records, or ask for everything.")
    asked["tenant"] = whole_tenant
    with app.open(existing=True, any_embedder=True) as memory:
        if not (yes or dry_run):
            would = memory.forget(**asked, dry_run=True)
            if not _confirmed(_described(memory, would, asked, app.columns)):
                app.note("Nothing was forgotten.")
                ctx.exit(1)
        receipt = memory.forget(**asked, dry_run=dry_run)
    app.say(receipt_dict(receipt), receipt_text(receipt))
    if not (receipt.proven or dry_run):
        ctx.exit(1)


def _described(memory: Memory, would: Receipt, asked: Mapping[str, Any], columns: int) -> str:
    """What would be deleted, in the words of the person who has to agree."""
    count = f"{would.records} {'record' if would.records == 1 else 'records'}"
    if asked["ids"]:
        names = [listed.id for listed in would.would if not listed.derived]
        lines = [f"  {name}  {_snippet(memory, name, asked, columns - len(name) - 4)}".rstrip() for name in names]
        return "\n".join([*lines, f"  and what was made of it: {count} in all"] if would.derived else lines)
    user, project = asked["user"], asked["project"]
    whose = f"of user {user!r}" if user else f"of project {project!r}" if project else "that belongs to no user"
    parts = [
        "of everybody in this tenant" if asked["tenant"] else whose,
        f"in session {asked['session']!r}" if asked["session"] else "",
        f"from {shown.stamp(asked['since'])} UTC on" if asked["since"] else "",
        *(f"up to {shown.stamp(asked[end])} UTC" for end in ("before", "until") if asked[end]),
        f"that holds {asked['query']!r}" if asked["query"] else "",
    ]
    return "  " + " ".join(filter(None, ("everything", *parts))) + f": {count}"


def _snippet(memory: Memory, name: str, asked: Mapping[str, Any], columns: int) -> str:
    """How a record begins, if it may be seen."""
    try:
        record = memory.get(name, user=asked["user"], project=asked["project"], session=asked["session"])
    except AforesaidError:
        return ""
    return snippet(record.text, columns)


def _confirmed(what: str) -> bool:
    if not interactive():
        raise InputError("Nobody is here to confirm this.", "Add --yes to forget without being asked.")
    click.echo(f"This would be deleted for good:\n{what}", err=True)
    return click.confirm("Forget it?", err=True)
