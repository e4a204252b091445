"""What every command shares: the global options, printing of results, and progress bars."""

from __future__ import annotations

import json
import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aforesaid._util.private_files import private_folder
from aforesaid.errors import InputError
from aforesaid.types import Progress

if TYPE_CHECKING:
    from aforesaid.embed.base import Embedder
    from aforesaid.memory import Memory
    from aforesaid.settings import Settings
    from aforesaid.surfaces.verbs.declare import Verb

PIPED_COLUMNS = 100  # width of text when there is no terminal


@dataclass
class App:
    """The global options of one call."""

    store: str | None = None
    config: str | None = None
    arguments: dict[str, str] = field(default_factory=dict)
    tenant: str = "default"  # aforesaid.types.DEFAULT_TENANT, without its import
    purpose: str | None = None
    request: str | None = None
    json: bool = False
    _warned: list[str] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """The file of the store."""
        if self.store:
            return Path(self.store).expanduser()
        from platformdirs import user_data_path

        return user_data_path("aforesaid") / "memory.db"

    @property
    def columns(self) -> int:
        """How wide a line may be. With a pager, stderr still is the terminal."""
        try:
            fallback = os.get_terminal_size(sys.__stderr__.fileno()).columns if sys.__stderr__ else 0
        except (OSError, ValueError):
            fallback = 0
        return shutil.get_terminal_size((fallback or PIPED_COLUMNS, 24)).columns

    def settings(self) -> Settings:
        """Settings from the file, the environment and --set."""
        from aforesaid.settings import Settings

        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always", UserWarning)
            settings = Settings.load(self.config, arguments=self.arguments)
        for warning in {str(each.message): None for each in found}:
            if warning not in self._warned:
                self._warned.append(warning)
                self.note(f"warning: {warning}")
        return settings

    def open_for(self, verb: Verb, values: Mapping[str, Any]) -> AbstractContextManager[Memory]:
        """The memory as a verb needs it."""
        if verb.opens == "nothing":
            from aforesaid.memory import Memory
            from aforesaid.store.memory import DictStore

            return Memory(DictStore(), settings=self.settings())
        embeds = bool(values.get(verb.embeds)) if isinstance(verb.embeds, str) else verb.embeds
        reads = verb.opens == "existing" or (isinstance(verb.embeds, str) and not embeds)  # `index` without a folder
        return self.open(existing=reads, any_embedder=not embeds)

    def open(self, *, existing: bool = False, any_embedder: bool = False) -> Memory:
        """Open the memory. `existing`: the store must exist. `any_embedder`: do not check the embedder."""
        path, settings = self.path, self.settings()
        if existing and not path.exists():
            raise InputError(
                f"There is no store at {path}.",
                "Check --store; `aforesaid remember` creates one.",
            )
        if not self.store:
            private_folder(path.parent)
        from aforesaid.memory import Memory

        memory = Memory.open(
            path,
            embedder=self.embedder(settings),
            settings=settings,
            tenant=self.tenant,
            change_embedder=any_embedder,
            reload=self.settings,
        )
        return memory.acting(self.purpose, request=self.request)

    def embedder(self, settings: Settings) -> Embedder | None:
        """The embedder of the settings. A bar shows the download of its weights, if there is one."""
        from aforesaid.embed import open_embedder

        return open_embedder(settings, FetchBar())

    def say(self, data: Any, text: str | None = None) -> None:
        """Print the result: data with --json, else the text. Without a text it is made from the data."""
        if self.json:
            text = json.dumps(data, ensure_ascii=False, indent=2)
        elif text is None:
            from aforesaid.surfaces.formats.report import report_text

            text = report_text(data, self.columns)
        if text:
            click.echo(text)

    def note(self, text: str) -> None:
        """Print a remark on stderr, unless --json was given."""
        if not self.json:
            click.echo(text, err=True)


@contextmanager
def progress(label: str, *, hidden: bool = False) -> Iterator[Progress]:
    """A progress bar on stderr; call the result with (done, total). Does nothing when stderr is not a terminal."""
    if hidden or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

        def move(done: int, total: int | None) -> None:
            bar.length = max(total or 0, done, 1)
            bar.update(done - bar.pos)

        yield move
        bar.update((bar.length or 0) - bar.pos)  # full at the end, whatever was reported last


class FetchBar:
    """A progress bar for a download that may not happen: it appears with the first report."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._over = False

    def __call__(self, done: int, total: int | None) -> None:
        if self._over or not sys.stderr.isatty():
            return
        if self._bar is None:
            self._bar = click.progressbar(length=max(total or 0, 1), label="Downloading the model", file=sys.stderr)
        self._bar.update(done - self._bar.pos)
        if total and done >= total:
            self._over = True
            self._bar.render_finish()


def interactive() -> bool:
    """Whether a person can answer a question."""
    return sys.stdin is not None and sys.stdin.isatty()
