"""`aforesaid load`, `lint` and `watch`: documents that people wrote for their agents, and folders that are followed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aforesaid.errors import AforesaidError
from aforesaid.surfaces.cli.app import App
from aforesaid.surfaces.cli.notes import say_indexed
from aforesaid.surfaces.cli.options import caller, verb
from aforesaid.surfaces.formats import common as shown
from aforesaid.surfaces.formats.sessions import lint_dict, lint_text, loaded_text
from aforesaid.types import Scope

if TYPE_CHECKING:
    from aforesaid.memory import Memory

SCOPE = click.option(
    "--scope", type=click.Choice(("user", "project", "global")), help="Whose rules.  [default: the project's, if named]"
)


@verb("load", "aforesaid load AGENTS.md docs/style.md --project shop")
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@caller("user", "project")
@SCOPE
@click.option("--remove", is_flag=True, help="Take the documents out instead.")
@click.pass_obj
def load(
    app: App, paths: Sequence[str], user: str | None, project: str | None, scope: Scope | None, remove: bool
) -> None:
    """Load documents with rules for the agent. Lists are hard rules, imperatives soft ones, the rest can be searched.

    Loading again replaces what changed and nothing else. Hard rules that outgrow their share of a prompt are refused.
    """
    with app.open() as memory:
        verb_of = memory.documents.unload if remove else memory.documents.load
        found = [verb_of(document_name(path), user=user, project=project, scope=scope) for path in paths]
    app.say([shown.plain(each) for each in found], "\n".join(map(loaded_text, found)))


@verb("lint", "aforesaid lint AGENTS.md")
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@click.pass_context
def lint(ctx: click.Context, paths: Sequence[str]) -> None:
    """Show what a document's lines are to the agent. Tiers, tokens, and rules that disagree; nothing is stored.

    Ends with 1 when rules disagree, or when the hard ones need more than their share of a prompt.
    """
    from aforesaid.memory import Memory
    from aforesaid.store.memory import DictStore

    app = ctx.ensure_object(App)
    memory = Memory(DictStore(), settings=app.settings())
    found = [memory.documents.lint(document_name(path)) for path in paths]
    app.say([lint_dict(each) for each in found], "\n\n".join(lint_text(each, app.columns) for each in found))
    if any(each.problems for each in found):
        ctx.exit(1)


@verb("watch", "aforesaid watch AGENTS.md ~/notes --project shop")
@click.argument("paths", nargs=-1, required=True, metavar="FILE|FOLDER...")
@caller("user", "project")
@SCOPE
@click.pass_obj
def watch(app: App, paths: Sequence[str], user: str | None, project: str | None, scope: Scope | None) -> None:
    """Load documents and index folders, and again whenever they change. Until interrupted; needs aforesaid[watch]."""
    from threading import Event

    from aforesaid.notes.files.watch import changes

    files = {Path(path).resolve(): document_name(path) for path in paths if not Path(path).is_dir()}
    folders = [Path(path).expanduser().resolve() for path in paths if Path(path).is_dir()]
    with app.open() as memory:
        told = changes(folders, list(files), memory.settings.files.debounce_ms, Event())
        keepers = {folder: memory.notes.indexer(folder, user=user, project=project, scope=scope) for folder in folders}
        for name in files.values():
            _say_loaded(app, memory, name, user, project, scope)
        for folder in keepers:
            say_indexed(app, keepers[folder], always=True)
        named = [shown.counted(len(each), noun) for each, noun in ((files, "file"), (folders, "folder")) if each]
        app.note(f"watching {' and '.join(named)}; stop with ctrl-c")
        for batch in told:
            for path in sorted(batch):
                if path in keepers:
                    say_indexed(app, keepers[path])
                else:
                    _say_loaded(app, memory, files[path], user, project, scope, quiet=True)


def _say_loaded(
    app: App,
    memory: Memory,
    name: str,
    user: str | None,
    project: str | None,
    scope: Scope | None,
    *,
    quiet: bool = False,
) -> None:
    """Load once; what is wrong with a file is said, and the watch goes on with the rules it had."""
    try:
        found = memory.documents.load(name, user=user, project=project, scope=scope)
    except AforesaidError as error:
        app.note(f"{name}: {error.message} {error.remedy}".strip())
        return
    if found.added or found.removed or not quiet:
        app.say(shown.plain(found), loaded_text(found))


def document_name(path: str) -> str:
    """How a document is called: its path from here, or the whole path when it lies elsewhere."""
    file = Path(path).resolve()
    here = Path.cwd().resolve()
    return file.relative_to(here).as_posix() if file.is_relative_to(here) else file.as_posix()
