"""`aforesaid bootstrap`, `compact`, `expand` and `end`: what happens around the turns of a session."""

from __future__ import annotations

from collections.abc import Sequence

import click

from aforesaid.surfaces.cli.app import App, progress
from aforesaid.surfaces.cli.documents import document_name
from aforesaid.surfaces.cli.options import caller, verb
from aforesaid.surfaces.formats import common as shown
from aforesaid.surfaces.formats.sessions import begun_dict, begun_text, compact_text, ended_text, turns_text
from aforesaid.surfaces.turn_files import turns_of


@verb("bootstrap", "aforesaid bootstrap today --user ana --project shop --document AGENTS.md --from earlier.jsonl")
@click.argument("session")
@caller("user", "project")
@click.option("--agent", metavar="NAME", help="Which agent takes part.")
@click.option("--document", "documents", multiple=True, metavar="FILE", help="A document with rules; may be repeated.")
@click.option("--from", "files", multiple=True, metavar="FILE", help="What was said in it before; may be repeated.")
@click.pass_obj
def bootstrap(
    app: App,
    session: str,
    user: str | None,
    project: str | None,
    agent: str | None,
    documents: Sequence[str],
    files: Sequence[str],
) -> None:
    """Get ready for a session. Loads its documents, takes what was said before, wakes the model; safe to repeat.

    A document that cannot be loaded is named, and the rules it had before stay. Ends with 1 then.
    """
    with app.open() as memory:
        begun = memory.sessions.bootstrap(
            session,
            turns=(item.turn for file in files for item in turns_of(file, session)),
            documents=[document_name(path) for path in documents],
            user=user,
            project=project,
            agent=agent,
        )
    app.say(begun_dict(begun), begun_text(begun))
    if begun.failed:
        raise SystemExit(1)


@verb("end", "aforesaid end today --user ana")
@click.argument("session")
@caller("user")
@click.pass_obj
def end(app: App, session: str, user: str | None) -> None:
    """Leave a session in order. What lacks a vector gets one, older turns get summaries; it can go on later."""
    with app.open(existing=True) as memory, progress(f"Summarising {session}", hidden=app.json) as report:
        ended = memory.sessions.end(session, user=user, progress=report)
    app.say(shown.plain(ended), ended_text(ended))


@verb("compact", "aforesaid compact monday tuesday --user ana")
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
                reports.append(memory.sessions.compact(session, user=user, progress=report))
    app.say([shown.plain(report) for report in reports], "\n".join(map(compact_text, reports)))


@verb("expand", "aforesaid expand summary-1f0c9a52d3b7e684 --user ana")
@click.argument("id")
@caller("user", "project", "session")
@click.pass_obj
def expand(app: App, id: str, user: str | None, project: str | None, session: str | None) -> None:  # noqa: A002
    """Show the raw turns under a summary. Exactly as they were stored, oldest first."""
    with app.open(existing=True, any_embedder=True) as memory:
        turns = memory.sessions.expand(id, user=user, project=project, session=session)
    app.say([shown.plain(turn) for turn in turns], turns_text(turns))
