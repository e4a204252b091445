"""`aforesaid ingest`: turns from files or a pipe, in batches that are stored whole."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aforesaid.errors import AforesaidError, InputError
from aforesaid.surfaces.cli.app import App, interactive, progress
from aforesaid.surfaces.cli.options import caller, verb
from aforesaid.surfaces.formats import common as shown
from aforesaid.surfaces.formats.sessions import compact_text
from aforesaid.surfaces.turn_files import FORMATS, STDIN, Format, TurnAtLine, opened, read_turns
from aforesaid.types import Freshness, IngestReport, Outcome, Progress

if TYPE_CHECKING:
    from aforesaid.memory import Memory

LISTED_ERRORS = 20  # bad lines that are shown one by one


@verb(
    "ingest", "aforesaid ingest chat.jsonl --user ana\n  my-agent --log | aforesaid ingest --user ana --session today"
)
@click.argument("files", nargs=-1, metavar="[FILES]...")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="auto", help="What the files are.  [default: auto]"
)
@caller("user", "project")
@click.option("--session", metavar="NAME", help="The session of turns that name none.  [default: the file's name]")
@click.option("--agent", metavar="NAME", help="Which agent took part.")
@click.option("--continue-on-error", "go_on", is_flag=True, help="Skip bad lines and list them at the end.")
@click.option("--compact", "summarise", is_flag=True, help="Then compact the sessions that have grown enough.")
@click.option("--show-gate", is_flag=True, help="List what became of each turn, and why.")
@click.pass_obj
def ingest(
    app: App,
    files: tuple[str, ...],
    form: Format,
    user: str | None,
    project: str | None,
    session: str | None,
    agent: str | None,
    go_on: bool,
    summarise: bool,
    show_gate: bool,
) -> None:
    """Take the turns of a conversation.

    FILES hold one JSON object a line ({"id", "session", "role", "time", "text"}, or {"role", "content"}), or a plain
    transcript of `Speaker: text` lines. Without a file, or with -, turns are read from standard input as they come.
    """
    names = files or (STDIN,)
    for name in names:
        if name != STDIN and not Path(name).exists():
            raise InputError(f"There is no file {name}.", "Check the path; nothing was stored.")
    if names == (STDIN,) and interactive():
        app.note("Reading turns from the terminal; end with Ctrl-D.")
    with app.open() as memory, progress("Taking turns", hidden=STDIN in names) as report:
        taken = _IngestProgress(memory, user, project, agent, go_on)
        items = _items(names, session, form, taken.skip if go_on else None, _bytes_read(names, report))
        taken.take(items, memory.settings.ingest.batch)
        compacted = memory.sessions.compact_grown(sorted(taken.sessions), user=user) if summarise else ()
    result = IngestReport(tuple(taken.outcomes), taken.freshness)
    listed = shown.outcomes_text(result, app.columns) if show_gate else []
    app.say(
        shown.ingest_dict(result, taken.errors, outcomes=show_gate)
        | ({"compacted": shown.plain(compacted)} if summarise else {}),
        "\n".join([*listed, *_errors_text(taken.errors), shown.ingest_text(result), *map(compact_text, compacted)]),
    )


@dataclass
class _IngestProgress:
    """What was stored so far, and what could not be."""

    memory: Memory
    user: str | None
    project: str | None
    agent: str | None
    go_on: bool
    outcomes: list[Outcome] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)
    freshness: Freshness | None = None

    def take(self, items: Iterator[TurnAtLine], size: int) -> None:
        """Store batch by batch; an error or an interruption says how much was stored before it."""
        try:
            first = True
            while (batch := list(islice(items, size))) or first:
                self._batch(batch)
                first = False
        except AforesaidError as error:
            raise type(error)(error.message, f"{error.remedy} {self._so_far()}".strip()) from error
        except KeyboardInterrupt:
            click.echo(f"\n{self._so_far()}", err=True)
            raise

    def skip(self, where: str, error: InputError) -> None:
        """Note a line that could not be taken."""
        self.errors.append((where, error.message))

    def _batch(self, batch: list[TurnAtLine]) -> None:
        try:
            self._store(batch)
        except InputError:
            if not self.go_on:
                raise
            for item in batch:  # one of them is to blame
                try:
                    self._store([item])
                except InputError as error:
                    self.skip(item.where, error)

    def _store(self, batch: Iterable[TurnAtLine]) -> None:
        turns = [item.turn for item in batch]
        report = self.memory.ingest(turns, user=self.user, project=self.project, agent=self.agent)
        self.outcomes += report.outcomes
        self.sessions |= {turn.session for turn in turns}
        self.freshness = report.freshness

    def _so_far(self) -> str:
        stored = sum(outcome.status in ("stored", "echo") for outcome in self.outcomes)
        return (
            f"{shown.counted(stored, 'turn')} had been stored before." if stored else "Nothing had been stored before."
        )


def _items(
    names: Iterable[str],
    session: str | None,
    form: Format,
    skip: Callable[[str, InputError], None] | None,
    advance: Callable[[int], None],
) -> Iterator[TurnAtLine]:
    """The turns of all files, one after the other."""
    for file in names:
        with opened(file) as (name, stream):
            yield from read_turns(stream, name, session or Path(name).stem.strip("<>"), form, skip, advance)


def _bytes_read(names: Iterable[str], report: Progress) -> Callable[[int], None]:
    """Progress as a share of the files' bytes: how many turns they hold is not known before the end."""
    found = [Path(name).stat() for name in names if name != STDIN]
    total = sum(file.st_size for file in found if stat.S_ISREG(file.st_mode))
    done = 0

    def advance(number: int) -> None:
        nonlocal done
        done += number
        report(done, total)

    return advance


def _errors_text(errors: list[tuple[str, str]]) -> list[str]:
    if not errors:
        return []
    lines = [f"  {where}: {message}" for where, message in errors[:LISTED_ERRORS]]
    more = [f"  … and {len(errors) - LISTED_ERRORS} more"] if len(errors) > LISTED_ERRORS else []
    return [f"{shown.counted(len(errors), 'line')} skipped:", *lines, *more]
