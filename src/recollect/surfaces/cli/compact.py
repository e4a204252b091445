"""`recollect compact` and `expand`: summaries of older turns, and the turns under them."""

from __future__ import annotations

from collections.abc import Sequence

import click

from recollect.surfaces import format as shown
from recollect.surfaces.cli.app import App, progress
from recollect.surfaces.cli.options import caller, verb


@verb("compact", "recollect compact monday tuesday --user ana")
@click.argument("sessions", nargs=-1, required=True, metavar="SESSION...")
@caller("user")
@click.pass_obj
def compact(app: App, sessions: Sequence[str], user: str | None) -> None:
    """Summarise the older turns of a session. The turns stay, and `expand` shows them.

    The recent tail is left as it is. Rules that a person laid down ("from now on, always …") are kept word for word.
    """
    reports = []
    with app.open(existing=True) as memory:
        for session in sessions:
            with progress(f"Summarising {session}", hidden=app.json) as report:
                reports.append(memory.compact(session, user=user, progress=report))
    app.say([shown.plain(report) for report in reports], "\n".join(map(shown.compact_text, reports)))


@verb("expand", "recollect expand summary-1f0c9a52d3b7e684 --user ana")
@click.argument("id")
@caller("user", "project", "session")
@click.pass_obj
def expand(app: App, id: str, user: str | None, project: str | None, session: str | None) -> None:  # noqa: A002
    """Show the raw turns under a summary. Exactly as they were stored, oldest first."""
    with app.open(existing=True, any_embedder=True) as memory:
        turns = memory.expand(id, user=user, project=project, session=session)
    app.say([shown.plain(turn) for turn in turns], shown.turns_text(turns))
