"""What every command shares: the global options as one object, the way out for answers, and progress bars."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aforesaid.errors import InputError
from aforesaid.types import Progress

if TYPE_CHECKING:
    from aforesaid.embed import Embedder
    from aforesaid.memory import Memory
    from aforesaid.settings import Settings

PIPED_COLUMNS = 100  # of text that nobody's terminal limits


@dataclass
class App:
    """The global options of one call, filled in as they are read."""

    store: str | None = None
    config: str | None = None
    arguments: dict[str, str] = field(default_factory=dict)
    tenant: str = "default"  # aforesaid.types.DEFAULT_TENANT, which would cost every call its import
    purpose: str | None = None
    request: str | None = None
    json: bool = False

    @property
    def path(self) -> Path:
        """The store's file."""
        if self.store:
            return Path(self.store).expanduser()
        from platformdirs import user_data_path

        return user_data_path("aforesaid") / "memory.db"

    @property
    def columns(self) -> int:
        """How wide a line may be; behind a pipe to a pager, stderr still is the terminal."""
        try:
            fallback = os.get_terminal_size(sys.__stderr__.fileno()).columns if sys.__stderr__ else 0
        except (OSError, ValueError):
            fallback = 0
        return shutil.get_terminal_size((fallback or PIPED_COLUMNS, 24)).columns

    def settings(self) -> Settings:
        """Settings from the file, the environment and --set."""
        from aforesaid.settings import Settings

        return Settings.load(self.config, arguments=self.arguments)

    def open(self, *, existing: bool = False, any_embedder: bool = False) -> Memory:
        """The memory; `existing`: it must be there already; `any_embedder`: for verbs that compare no vectors."""
        path, settings = self.path, self.settings()
        if existing and not path.exists():
            raise InputError(f"There is no store at {path}.", "Check --store; `aforesaid ingest` makes one.")
        if not self.store:
            path.parent.mkdir(parents=True, exist_ok=True)
        from aforesaid.memory import Memory

        memory = Memory.open(
            path,
            embedder=self.embedder(settings),
            settings=settings,
            tenant=self.tenant,
            change_embedder=any_embedder,
        )
        return memory.acting(self.purpose, request=self.request)

    def embedder(self, settings: Settings) -> Embedder | None:
        """The embedder of the settings; should it have to fetch its weights, a bar shows how far it is."""
        from aforesaid.embed import open_embedder

        return open_embedder(settings, FetchBar())

    def say(self, data: Any, text: str) -> None:
        """The command's answer: data if --json was given, else text."""
        if self.json:
            click.echo(json.dumps(data, ensure_ascii=False, indent=2))
        elif text:
            click.echo(text)

    def note(self, text: str) -> None:
        """A word beside the answer, for people only."""
        if not self.json:
            click.echo(text, err=True)


@contextmanager
def progress(label: str, total: int = 0, *, hidden: bool = False) -> Iterator[Progress]:
    """A bar on stderr, moved by calling it with (done, total); nothing when stderr is not a terminal."""
    if hidden or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with click.progressbar(length=max(total, 1), label=label, file=sys.stderr) as bar:

        def move(done: int, total: int | None) -> None:
            bar.length = max(total or 0, done, 1)
            bar.update(done - bar.pos)

        yield move
        bar.update((bar.length or 0) - bar.pos)  # done, whatever was reported last


class FetchBar:
    """Progress of a download that may never start: a bar from the first report to the last."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._over = False

    def __call__(self, phase: str, done: int, total: int) -> None:
        if self._over or not sys.stderr.isatty():
            return
        if self._bar is None:
            self._bar = click.progressbar(length=max(total, 1), label="Fetching the model", file=sys.stderr)
        self._bar.update(done - self._bar.pos)
        if total and done >= total:
            self._over = True
            self._bar.render_finish()


def interactive() -> bool:
    """Whether somebody can answer a question."""
    return sys.stdin is not None and sys.stdin.isatty()
