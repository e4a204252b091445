"""`aforesaid search`, `show`, `list` and `assemble`: what is in there."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Any

import click

from aforesaid.errors import NotFoundError
from aforesaid.surfaces.cli.app import App
from aforesaid.surfaces.cli.notes import names_a_file, search_files, show_lines
from aforesaid.surfaces.cli.options import caller, page, span, time_option, verb
from aforesaid.surfaces.formats import common as shown
from aforesaid.surfaces.formats.columns import visible
from aforesaid.types import KINDS, SCOPES, Kind, Scope

NOW = time_option("--now", "Count ages from this time.  [default: the clock]")
KIND = click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only this kind; repeatable.")
SCOPE = click.option("--scope", "scopes", type=click.Choice(SCOPES), multiple=True, help="Only this scope; repeatable.")


@verb("search", 'aforesaid search "where does she live?" --user ana --limit 5')
@click.argument("query", nargs=-1, required=True)
@caller("user", "project", "session")
@page(None)
@SCOPE
@KIND
@span
@time_option("--as-of", "As it was known then; a date alone is its end.", end=True)
@NOW
@click.option(
    "--profile",
    default="default",
    show_default=True,
    help="How hits are ranked: default, libra, libra-two-pass, libra-single, pce or openclaw.",
)
@click.option("--explain", is_flag=True, help="Show every part of each score.")
@click.option("--files", "files", is_flag=True, help="Only notes, as snippets with path and lines that fit a prompt.")
@click.pass_obj
def search(
    app: App,
    query: tuple[str, ...],
    user: str | None,
    project: str | None,
    session: str | None,
    limit: int | None,
    offset: int,
    scopes: tuple[Scope, ...],
    kinds: tuple[Kind, ...],
    since: datetime | None,
    until: datetime | None,
    as_of: datetime | None,
    now: datetime | None,
    profile: str,
    explain: bool,
    files: bool,
) -> None:
    """Find records, best first. By meaning and by word, each hit with its reason."""
    with app.open() as memory:
        if files:
            if kinds or scopes or session or since or until or as_of or offset or profile != "default":
                raise click.UsageError("--files goes with --user, --project, --limit and --now only.")
            search_files(app, memory, " ".join(query), user, project, limit, now)
            return
        result = memory.search(
            " ".join(query),
            user=user,
            project=project,
            session=session,
            scope=scopes or None,
            kinds=kinds or None,
            since=since,
            until=until,
            as_of=as_of,
            now=now,
            profile=profile,
            limit=limit,
            offset=offset,
        )
    text = shown.search_text(result, app.columns, first_rank=offset + 1, explain=explain)
    if not result:
        text = f"{_nothing(app, user, result.freshness.records)}\n{text}"
    app.say(shown.search_dict(result, user=user, project=project, session=session, offset=offset), text)


def _nothing(app: App, user: str | None, records: int) -> str:
    """Why nothing was found, as far as that can be seen from here."""
    if not records:
        return f"Nothing found: {app.path} holds no records {_whose(user)}."
    return f"Nothing found among {shown.counted(records, 'record')} {_whose(user)}. Try other words or fewer filters."


def _whose(user: str | None) -> str:
    return f"of user {user!r}" if user else "that belong to no user (those of a user need --user NAME)"


@verb("show", "aforesaid show s1-t07 --user ana\n  aforesaid show notes/a.md:10-20 --user ana")
@click.argument("id_", metavar="ID|PATH[:LINES]")
@caller("user", "project", "session")
@click.pass_obj
def show(app: App, id_: str, user: str | None, project: str | None, session: str | None) -> None:
    """Show one record whole, or lines of a note. Its words, where it comes from, what the gate said.

    Lines come from the file as it is now; a word says when it changed since it was indexed.
    """
    with app.open(existing=True, any_embedder=True) as memory:
        try:
            record = memory.get(id_, user=user, project=project, session=session)
        except NotFoundError:
            if not names_a_file(id_):
                raise
            show_lines(app, memory, id_, user, project)
            return
    app.say(shown.plain(record), shown.record_text(record, app.columns))


@verb("list", "aforesaid list --user ana --kind claim --since 2026-05-01")
@caller("user", "project", "session")
@page(50)
@SCOPE
@KIND
@span
@click.option("--durable/--not-durable", default=None, help="Only what the gate admitted, or only the rest.")
@click.option("--superseded", is_flag=True, help="Also what something newer has replaced.")
@click.pass_obj
def list_(
    app: App,
    user: str | None,
    project: str | None,
    session: str | None,
    limit: int,
    offset: int,
    scopes: tuple[Scope, ...],
    kinds: tuple[Kind, ...],
    since: datetime | None,
    until: datetime | None,
    durable: bool | None,
    superseded: bool,
) -> None:
    """List records, newest first. ● marks what is durable, × what was replaced."""
    with app.open(any_embedder=True) as memory:
        records = memory.list(
            user=user,
            project=project,
            session=session,
            scope=scopes or None,
            kinds=kinds or None,
            since=since,
            until=until,
            durable=durable,
            superseded=superseded,
            limit=limit,
            offset=offset,
        )
    more = f"\n{limit} shown; go on with --offset {offset + limit}" if len(records) == limit else ""
    text = shown.list_text(records, app.columns) + more if records else f"No such records {_whose(user)}."
    data: dict[str, Any] = {"user": user, "limit": limit, "offset": offset, "records": shown.plain(records)}
    app.say(data, text)


@verb("assemble", 'aforesaid assemble "plan the flight" --user ana --session today --budget 800')
@click.argument("query", nargs=-1, required=True)
@caller("user", "project")
@click.option("--session", metavar="NAME", help="The session in progress: its last turns go in.")
@click.option("--budget", type=click.IntRange(1), metavar="TOKENS", help="Never more than this.  [default: a setting]")
@NOW
@click.option("--trace", is_flag=True, help="Show what was taken and what was left out, and why.")
@click.pass_obj
def assemble(
    app: App,
    query: tuple[str, ...],
    user: str | None,
    project: str | None,
    session: str | None,
    budget: int | None,
    now: datetime | None,
    trace: bool,
) -> None:
    """Print the context for a prompt. Recent turns and the best of the past, inside a token budget."""
    with app.open() as memory:
        context = memory.assemble(
            " ".join(query), user=user, project=project, session=session, budget_tokens=budget, now=now
        )
    # A program gets the very text; a terminal gets no orders from it.
    text = visible(context.text) if sys.stdout.isatty() else context.text
    app.say(shown.plain(context), f"{text}\n\n{shown.trace_text(context, app.columns)}" if trace else text)
    if not trace:
        app.note(shown.context_line(context))
