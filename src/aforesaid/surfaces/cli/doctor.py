"""`aforesaid doctor`: checks everything that the program depends on. A failed check does not stop the others."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Literal

import click

from aforesaid import __version__
from aforesaid.errors import AforesaidError
from aforesaid.surfaces.cli.app import App
from aforesaid.surfaces.cli.models import checked_weights
from aforesaid.surfaces.cli.options import command
from aforesaid.surfaces.formats.columns import pad, visible
from aforesaid.surfaces.formats.report import counted, size
from aforesaid.surfaces.formats.values import to_json

if TYPE_CHECKING:
    from aforesaid.settings import Settings
    from aforesaid.store.sqlite import SQLiteStore

LOW_DISK_BYTES = 500_000_000  # warn: a reindex or a backup may not fit
NO_DISK_BYTES = 20_000_000  # fail: the next writes may not
INDENT = " " * 16
NOT_MEANING = {"off": "off: search uses keywords only", "hash": "hash: it compares words, not meaning; for tests"}
MARKS = {"ok": "green", "warn": "yellow", "fail": "red"}


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check, and the remedy for a problem."""

    name: str
    state: Literal["ok", "warn", "fail"]
    found: str
    remedy: str = ""


@command("doctor", "aforesaid doctor")
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Check the installation for problems. Python, SQLite, store, model, settings, daemon; exit code 1 if one fails."""
    app = ctx.ensure_object(App)
    checks = list(_checks(app))
    app.say({"checks": to_json(checks)}, "\n".join(_text(check, app.columns) for check in checks))
    if any(check.state == "fail" for check in checks):
        ctx.exit(1)


def _checks(app: App) -> Iterator[Check]:
    """Every check. Settings that cannot be read are reported; the other checks then use the defaults."""
    from aforesaid.settings import Settings

    yield Check(
        "aforesaid", "ok", f"{__version__}, Python {platform.python_version()} on {platform.platform(terse=True)}"
    )
    yield from _guarded("sqlite", _sqlite())
    settings = Settings()
    try:
        settings = app.settings()
        yield from _settings(app, settings)
    except AforesaidError as error:
        yield Check("settings", "fail", error.message, error.remedy)
    yield from _guarded("store", _store(app, settings))
    yield from _guarded("disk", _disk(app.path))
    yield from _guarded("model", _embedder(settings))
    yield from _guarded("daemon", _daemon(app.path, settings.daemon.folder))


def _guarded(name: str, results: Iterator[Check]) -> Iterator[Check]:
    """The results of a check; an error is a result too."""
    try:
        yield from results
    except AforesaidError as error:
        yield Check(name, "fail", error.message, error.remedy)
    except OSError as error:
        yield Check(name, "fail", f"{error}.", "Check the path and its permissions.")


def _sqlite() -> Iterator[Check]:
    from aforesaid.store.sqlite import SQLiteStore

    with tempfile.TemporaryDirectory() as folder:  # creating a store proves that FTS5 is there
        SQLiteStore(Path(folder) / "probe.db").close()
    yield Check("sqlite", "ok", f"{sqlite3.sqlite_version} with FTS5")


def _settings(app: App, settings: Settings) -> Iterator[Check]:
    from platformdirs import user_config_path

    from aforesaid.settings import CONFIG_VARIABLE

    named = app.config or os.environ.get(CONFIG_VARIABLE)
    file = Path(named) if named else user_config_path("aforesaid") / "aforesaid.toml"
    changed = [f"{row.name}={row.value}" for row in settings.rows() if row.value != row.default]
    found = f"{file}{'' if file.exists() else ' (none)'}; {', '.join(changed) or 'all at their defaults'}"
    yield Check("settings", "ok", found)


def _store(app: App, settings: Settings) -> Iterator[Check]:
    from aforesaid.context.rule_room import REMEDY, rule_problems
    from aforesaid.engine.engine import Engine
    from aforesaid.engine.token_counter import token_counter
    from aforesaid.engine.vector_arm import EmbedderInUse
    from aforesaid.maintenance.reindex import reindex_status
    from aforesaid.store.sqlite import SQLiteStore
    from aforesaid.types import system_clock

    if not app.path.exists():
        yield Check("store", "warn", f"{app.path} does not exist yet", "`aforesaid ingest` or `remember` creates it.")
        return
    store = SQLiteStore(app.path, settings.store)
    try:
        stats = store.maintenance.stats(app.tenant)
        spaces = store.spaces()
        counts = f"{counted(stats.records, 'record')}, {size(stats.bytes_on_disk)}, schema {stats.schema}"
        yield Check("store", "ok", f"{app.path}: {counts}")
        if not (os.access(app.path, os.W_OK) and os.access(app.path.parent, os.W_OK)):
            yield Check("writable", "warn", "no: it can be searched, but not changed", "Check the file's permissions.")
        yield _key(store)
        if stats.pending:
            found = f"{counted(stats.pending, 'record')} without a vector"
            yield Check("vectors", "warn", found, "Run `aforesaid reindex`.")
        for space in reindex_status(store).spaces[1:]:
            found = f"{space.percent} % of the records have vectors of {space.model}, which search does not use yet"
            yield Check("reindex", "warn", found, "Run `aforesaid reindex` to go on, or `aforesaid reindex --cancel`.")
        counter = token_counter(None, settings.tokens)
        engine = Engine(store, EmbedderInUse(None), settings, system_clock, app.tenant, counter)
        for owner, problem in rule_problems(engine).items():
            yield Check("rules", "warn", f"{owner}: {problem}", REMEDY)
    finally:
        store.close()
    active = [space.name for space in spaces if space.active]
    yield from _guarded("vectors", _same_embedder(settings, active))


def _key(store: SQLiteStore) -> Check:
    """Where the key is, and whether the store had other keys before."""
    others = len(store.key_fingerprints) - 1
    if others <= 0:
        return Check("key", "ok", f"{store.key_path}")
    found = f"{store.key_path} is a new key, because the earlier key file was missing"
    remedy = (
        "Digests of the same secret differ from earlier ones. `aforesaid verify --audit --seal` seals the log anew."
    )
    return Check("key", "warn", found, remedy)


def _same_embedder(settings: Settings, active: list[str]) -> Iterator[Check]:
    from aforesaid.embed import open_embedder

    embedder = open_embedder(settings)
    if embedder is not None and active and settings.embed.provider in ("local", "hash") and embedder.name != active[0]:
        found = f"the store has vectors of {active[0]}, the settings name {embedder.name}"
        yield Check("vectors", "fail", found, "Run `aforesaid reindex`, or set embed.provider and embed.model back.")


def _disk(path: Path) -> Iterator[Check]:
    folder = next((parent for parent in path.absolute().parents if parent.is_dir()), Path("/"))
    free = shutil.disk_usage(folder).free
    state: Literal["ok", "warn", "fail"] = "fail" if free < NO_DISK_BYTES else "warn" if free < LOW_DISK_BYTES else "ok"
    yield Check("disk", state, f"{size(free)} free at {folder}", "" if state == "ok" else "Free some space.")


def _embedder(settings: Settings) -> Iterator[Check]:
    from aforesaid.embed import weights

    rows = settings.embed
    if rows.provider in NOT_MEANING:
        yield Check("model", "warn", NOT_MEANING[rows.provider], "Set embed.provider to local.")
    elif rows.provider != "local":
        found = f"{rows.provider}, model {rows.model or '(none)'}; not checked: doctor uses no network"
        yield Check("model", "ok" if rows.model else "fail", found, "" if rows.model else "Set embed.model.")
    elif not rows.model and weights.locate() is None:
        yield Check("model", "warn", "no weights here: search uses keywords only", weights.REMEDY)
    else:
        folder, cosine = checked_weights(settings)
        numbers = "your own weights" if cosine is None else f"sha256 and numbers right (cosine {cosine:.3f})"
        yield Check("model", "ok", f"{folder}: {numbers}")


def _daemon(store: Path, folder: str) -> Iterator[Check]:
    from aforesaid.surfaces.cli.daemon import possible

    if not possible():
        yield Check("daemon", "ok", "not supported on this system: hosts open the memory themselves")
        return
    from aforesaid.surfaces.daemon.connection import dial, paths_of

    place = paths_of(store, folder)
    if place.folder.exists():
        place.make()  # checks the permissions of the folder
    line = dial(place)
    if line is None:
        yield Check("daemon", "ok", "not running; `aforesaid mcp` and `hook` start it")
        return
    with line:
        found = line.call("status")
    old = found["version"] != __version__
    text = f"{found['version']}, process {found['pid']}, {counted(found['clients'], 'client')}"
    yield Check("daemon", "warn" if old else "ok", text, "The next host replaces it." if old else "")


def _text(check: Check, columns: int) -> str:
    mark = click.style(pad(check.state, 4), fg=MARKS[check.state])
    fill = TextWrapper(
        columns, INDENT, INDENT, break_long_words=False, break_on_hyphens=False
    ).fill  # keeps paths whole
    lines = "\n".join(fill(text) for text in (check.found, check.remedy) if text)
    return f"{mark}  {pad(check.name, 9)} {visible(lines.lstrip())}"
