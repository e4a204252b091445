"""`aforesaid index`, and what `watch`, `search --files` and `show` do with notes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aforesaid.errors import AforesaidError, InputError
from aforesaid.surfaces.cli.app import App, progress
from aforesaid.surfaces.cli.options import caller, verb
from aforesaid.surfaces.formats import notes as shown
from aforesaid.types import Scope

if TYPE_CHECKING:
    from datetime import datetime

    from aforesaid.memory import Memory
    from aforesaid.notes.indexer import Indexer


@verb("index", "aforesaid index ~/notes --user ana")
@click.argument("paths", nargs=-1, metavar="[FOLDER]...")
@caller("user", "project")
@click.option(
    "--scope", type=click.Choice(("user", "project", "global")), help="Whose.  [default: the project's, if named]"
)
@click.option("--name", metavar="NAME", help="What the root is called.  [default: its folder's name]")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--remove", is_flag=True, help="Take the folders out instead; no file is touched.")
@click.pass_obj
def index(
    app: App,
    paths: Sequence[str],
    user: str | None,
    project: str | None,
    scope: Scope | None,
    name: str | None,
    dry_run: bool,
    remove: bool,
) -> None:
    """Bring the index of folders of notes up to date. Without a folder, list those that are indexed.

    Only what changed is read, and only new text is embedded; moved files keep their vectors. Left out are hidden
    folders, node_modules, logs, and what .gitignore and .aforesaidignore name.
    """
    if name is not None and len(paths) != 1:
        raise InputError("--name is for one folder.", "Give each folder its own call.")
    with app.open(any_embedder=remove or not paths) as memory:
        if not paths:
            roots = memory.notes.roots(user=user, project=project)
            app.say([{"name": root.name, "folder": root.folder} for root in roots], shown.roots_text(roots))
            return
        reports = []
        for path in paths:
            if remove:
                reports.append(memory.notes.unindex(path, user=user, project=project, scope=scope))
                continue
            with progress(f"Indexing {Path(path).name}") as move:
                reports.append(
                    memory.notes.index(
                        path, user=user, project=project, scope=scope, name=name, progress=move, dry_run=dry_run
                    )
                )
    app.say([shown.index_dict(each) for each in reports], "\n".join(map(shown.index_text, reports)))


def say_indexed(app: App, keeper: Indexer, *, always: bool = False) -> None:
    """Index once; what is wrong is said, and the watch goes on with the index it had."""
    try:
        report = keeper.run()
    except AforesaidError as error:
        app.note(f"{keeper.root.name}: {error.message} {error.remedy}".strip())
        return
    if always or report.touched:
        app.say(shown.index_dict(report), shown.index_text(report))


def search_files(
    app: App, memory: Memory, query: str, user: str | None, project: str | None, limit: int | None, now: datetime | None
) -> None:
    """`search --files`: snippets with path and lines."""
    result = memory.notes.search(query, user=user, project=project, limit=limit, now=now)
    text = shown.files_text(result, app.columns)
    if not result:
        indexed = memory.notes.roots(user=user, project=project)
        why = "Try other words." if indexed else "No folder is indexed here; `aforesaid index PATH` takes one in."
        text = f"Nothing found in notes. {why}\n{text}"
    app.say(shown.files_dict(result), text)


def show_lines(app: App, memory: Memory, place: str, user: str | None, project: str | None) -> None:
    """`show path:lines`: the lines as they are now."""
    found = memory.notes.lines(place, user=user, project=project)
    app.say(shown.lines_dict(found), shown.lines_text(found))
    if found.changed:
        app.note(f"{found.path} changed since it was indexed; `aforesaid index` follows it")


def names_a_file(name: str) -> bool:
    """Whether an argument of `show` is a path with or without lines, and no record's id."""
    from aforesaid.notes.search import asked_lines

    path, first, _ = asked_lines(name)
    return "#" not in name and (first is not None or "/" in path or path.endswith((".md", ".markdown", ".txt")))
