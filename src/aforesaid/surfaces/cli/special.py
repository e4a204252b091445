"""Commands whose form on the command line is special: streams, files, questions to the user.

Each function gets the verb that was chosen and its values, and returns the exit code.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aforesaid._util.atomic_write import replacing
from aforesaid._util.ordinary_files import check_ordinary
from aforesaid.errors import AforesaidError, FormatError, InputError, StoreBusyError
from aforesaid.surfaces.cli.app import App, interactive, progress
from aforesaid.surfaces.cli.build import check_known, run_verb, show
from aforesaid.surfaces.formats.notes import index_report_json
from aforesaid.surfaces.formats.report import LISTED_ROWS, counted, report_line, report_text
from aforesaid.surfaces.formats.values import to_json
from aforesaid.surfaces.turn_files import STDIN, opened, read_lines
from aforesaid.surfaces.verbs.declare import Verb
from aforesaid.surfaces.verbs.sessions import document_name

if TYPE_CHECKING:
    from aforesaid.deletion.forget import ForgetReceipt
    from aforesaid.memory import Memory

STOP_SECONDS = 15  # that a daemon may take to finish its calls
INCLUDED = ("thinking", "sidechains", "branches")

Values = Mapping[str, Any]


# forget


def forget(app: App, verb: Verb, values: Values) -> int:
    """Ask before deleting, unless --yes or --dry-run was given."""
    if values["everything"] and values["ids"]:
        raise InputError("Both ids and --everything were given.", "Give the ids alone, or --everything alone.")
    given = verb.own_values(values)
    with app.open_for(verb, values) as memory:
        if not (values["yes"] or values["dry_run"]):
            preview = verb.run(memory, given | {"dry_run": True})
            if not _confirmed(_preview_text(memory, preview, values, app.columns)):
                app.note("Nothing was forgotten.")
                return 1
        receipt = verb.run(memory, given)
        return show(app, verb, receipt, values) or check_known(app, memory, verb, receipt, values)


def _preview_text(memory: Memory, preview: ForgetReceipt, values: Values, columns: int) -> str:
    """What would be deleted, for the person who has to agree."""
    where = {name: values[name] for name in ("user", "project", "session")}
    rows = [to_json(each) | {"text": _text(memory, each.id, where)} for each in preview.would[:LISTED_ROWS]]
    found = {"records": preview.records, "kinds": preview.kinds, "deleted": rows}
    return report_text(found, columns)


def _text(memory: Memory, name: str, where: Values) -> str:
    """The text of a record, if the caller may see it."""
    try:
        return memory.get(name, **where).text
    except AforesaidError:
        return ""


def _confirmed(what: str) -> bool:
    if not interactive():
        raise InputError("Nobody is here to confirm this.", "Add --yes to forget without being asked.")
    click.echo(f"This would be deleted permanently:\n{what}", err=True)
    return click.confirm("Forget it?", err=True)


# export and audit --export


def export(app: App, verb: Verb, values: Values) -> int:
    """Write the memory to a file or to standard output."""
    file = values["file"]
    with app.open_for(verb, values) as memory, progress(verb.progress, hidden=file == STDIN) as report:
        return _write_lines(app, file, memory.export(vectors=not values["no_vectors"], progress=report))


def export_audit(app: App, verb: Verb, values: Values) -> int:
    """Write the audit log to a file or to standard output."""
    with app.open_for(verb, values) as memory:
        return _write_lines(app, values["file"], memory.audit.export())


def _write_lines(app: App, file: str, lines: Iterable[str]) -> int:
    """Write a file in one step, so that an old one stays until the new one is complete."""
    encoded = (f"{line}\n".encode() for line in lines)
    if file == STDIN:
        for line in encoded:
            sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        return 0
    target = Path(file).resolve()
    if target == app.path.resolve():
        raise InputError(f"{file} is the store itself.", "Write the export to a different file.")
    check_ordinary(target, "Name a file, or - for standard output.")
    with replacing(target) as stream:
        count = sum(1 for line in encoded if stream.write(line))
    app.say({"file": str(target), "lines": count}, f"exported {counted(count, 'line')} to {file}")
    return 0


# backup and restore


def backup(app: App, verb: Verb, values: Values) -> int:
    """Copy the store once, or into a folder with older copies, once or again and again."""
    from aforesaid.surfaces.cli.copies import repeated, rotated

    if values["every"] is None and values["keep"] is None:
        return run_verb(app, verb, values)
    if values["overwrite"]:
        raise InputError("--force goes with a single copy.", "Leave it out: copies in a folder have their own names.")
    return (rotated if values["every"] is None else repeated)(app, verb, values)


def restore(app: App, verb: Verb, values: Values) -> int:
    """Ask, stop the daemon of the store, and replace the store."""
    from aforesaid.memory import Memory
    from aforesaid.surfaces.cli.daemon import stop_daemon

    copy, dry_run = Path(values["backup"]).expanduser(), values["dry_run"]
    if not (values["yes"] or dry_run):
        if not interactive():
            raise InputError("Nobody is here to confirm this.", "Add --yes to restore without being asked.")
        click.echo(f"This replaces {app.path} by {copy}. The old store is kept beside it.", err=True)
        if not click.confirm("Restore it?", err=True):
            app.note("Nothing was restored.")
            return 1
    settings = app.settings()
    stopped = not dry_run and stop_daemon(app, settings.daemon.folder)
    ends = time.monotonic() + (STOP_SECONDS if stopped else 0)
    while True:
        try:
            found = Memory.restore(app.path, copy, settings=settings, dry_run=dry_run)
            return show(app, verb, found, values)
        except StoreBusyError:  # the daemon may still be ending
            if time.monotonic() > ends:
                raise
            time.sleep(0.05)


# import


def import_(app: App, verb: Verb, values: Values) -> int:
    """Import files of other programs, or an export of aforesaid."""
    from aforesaid.importers.formats.detect import is_own
    from aforesaid.memory.importers import import_paths

    paths, included = values["path"], tuple(name.strip() for name in values["include"].split(",") if name.strip())
    if unknown := [name for name in included if name not in INCLUDED]:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(INCLUDED)}.", param_hint="'--include'")
    own = len(paths) == 1 and (paths[0] == STDIN or is_own(Path(paths[0]).expanduser()))
    if values["format"] == "auto" and own:
        # --user may come from the environment; an export names the owners of its records itself.
        options = ("dry_run", "limit", "session", "since", "until", "include", "no_tools", "strict")
        if any(values[name] for name in options):
            raise click.UsageError("An export of aforesaid is imported as it is: leave the options out.")
        return _import_own(app, verb, paths[0])
    if STDIN in paths:
        raise InputError("Only an export of aforesaid can be read from a pipe.", "Name a file or a folder.")
    places = import_paths(list(paths) or None, values["format"])
    if not paths:
        app.note(f"reading {' and '.join(map(str, places))}")
    given = {name: value for name, value in values.items() if name != "no_tools"}
    with app.open_for(verb, values) as memory, progress(verb.progress) as report:
        try:
            imported = memory.importers.run(
                **given | {"path": places, "include": included, "tools": not values["no_tools"], "progress": report}
            )
        except KeyboardInterrupt:
            click.echo("\nInterrupted. What was stored stays; run it again to go on.", err=True)
            raise
    return show(app, verb, imported, values)


def _import_own(app: App, verb: Verb, file: str) -> int:
    with (
        opened(file) as (name, stream),
        app.open_for(verb, {}) as memory,
        progress(verb.progress, hidden=file == STDIN) as report,
    ):
        try:
            imported = memory.import_(read_lines(stream, name), progress=report)
        except FormatError as error:
            known = error.message if error.message.startswith(name) else f"{name}: {error.message}"
            raise FormatError(known, error.remedy or "Correct the line; nothing was imported.") from error
    app.say(to_json(imported))
    return 0


# watch


def watch(app: App, verb: Verb, values: Values) -> int:
    """Load documents and index folders, and again on every change, until interrupted."""
    from threading import Event

    from aforesaid.notes.files.watch import changes

    files = {Path(path).resolve(): document_name(path) for path in values["paths"] if not Path(path).is_dir()}
    folders = [Path(path).expanduser().resolve() for path in values["paths"] if Path(path).is_dir()]
    owner = {name: values[name] for name in ("user", "project", "scope")}
    with app.open_for(verb, values) as memory:
        batches = changes(folders, list(files), memory.settings.files.debounce_ms, Event())
        indexers = {folder: memory.notes.indexer(folder, **owner) for folder in folders}

        def load(name: str, always: bool) -> None:
            found = memory.documents.load(name, **owner)
            if found.added or found.removed or always:
                app.say(to_json(found), report_line(to_json(found)))

        def index(folder: Path, always: bool) -> None:
            report = indexers[folder].run()
            if always or report.touched:
                app.say(index_report_json(report), report_line(to_json(report)))

        def update(path: Path, always: bool = False) -> None:
            """Update one path. After an error the watch goes on with what it had."""
            try:
                index(path, always) if path in indexers else load(files[path], always)
            except AforesaidError as error:
                app.note(f"{files.get(path, path.name)}: {error.message} {error.remedy}".strip())

        for path in (*files, *folders):
            update(path, always=True)
        named = [counted(len(each), noun) for each, noun in ((files, "file"), (folders, "folder")) if each]
        app.note(f"watching {' and '.join(named)}; stop with ctrl-c")
        for batch in batches:
            for path in sorted(batch):
                update(path)
    return 0
