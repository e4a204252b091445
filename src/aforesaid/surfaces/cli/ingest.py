"""`aforesaid ingest`: reads turns from files or a pipe and stores them in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aforesaid.errors import AforesaidError, InputError
from aforesaid.surfaces.cli.app import App, interactive, progress
from aforesaid.surfaces.formats import records as shown
from aforesaid.surfaces.formats.report import counted, report_text
from aforesaid.surfaces.formats.values import to_json
from aforesaid.surfaces.turn_files import STDIN, TurnAtLine, opened, read_turns
from aforesaid.surfaces.verbs.declare import Verb
from aforesaid.types import Freshness, IngestReport, Outcome, Progress

if TYPE_CHECKING:
    from aforesaid.memory import Memory

Values = Mapping[str, Any]


def ingest(app: App, verb: Verb, values: Values) -> int:
    """Read turns from files or standard input and store them in batches."""
    names, user = values["files"] or (STDIN,), values["user"]
    for name in names:
        if name != STDIN and not Path(name).exists():
            raise InputError(f"There is no file {name}.", "Check the path; nothing was stored.")
    if names == (STDIN,) and interactive():
        app.note("Reading turns from the terminal; end with Ctrl-D.")
    skips = values["continue_on_error"]
    with app.open_for(verb, values) as memory, progress("Storing turns", hidden=STDIN in names) as report:
        stored = _Ingest(memory, {name: values[name] for name in ("user", "project", "agent")}, skips)
        items = _turns(names, values, stored.skip if skips else None, report)
        stored.store_all(items, memory.settings.ingest.batch)
        compacted = memory.sessions.compact_grown(sorted(stored.sessions), user=user) if values["compact"] else ()
    result = IngestReport(tuple(stored.outcomes), stored.freshness)
    data = shown.ingest_json(result, stored.errors) | ({"compacted": to_json(compacted)} if values["compact"] else {})
    listed = shown.outcomes_text(result, app.columns) if values["show_gate"] else []
    outcomes = {"outcomes": to_json(result.outcomes)} if values["show_gate"] else {}
    app.say(data | outcomes, "\n".join([*listed, report_text(data, app.columns)]))
    return 0


@dataclass
class _Ingest:
    """Stores turns batch by batch, and keeps what was stored and what failed."""

    memory: Memory
    owner: Mapping[str, Any]
    skips_errors: bool
    outcomes: list[Outcome] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)
    freshness: Freshness | None = None

    def store_all(self, items: Iterator[TurnAtLine], size: int) -> None:
        """Store batch by batch. An error or an interruption says how much was stored before it."""
        try:
            first = True
            while (batch := list(islice(items, size))) or first:
                self._store_batch(batch)
                first = False
        except AforesaidError as error:
            raise type(error)(error.message, f"{error.remedy} {self._so_far()}".strip()) from error
        except KeyboardInterrupt:
            click.echo(f"\n{self._so_far()}", err=True)
            raise

    def skip(self, where: str, error: InputError) -> None:
        """Note a line that could not be stored."""
        self.errors.append((where, error.message))

    def _store_batch(self, batch: list[TurnAtLine]) -> None:
        try:
            self._store(batch)
        except InputError:
            if not self.skips_errors:
                raise
            for item in batch:  # store one by one, to find the bad one
                try:
                    self._store([item])
                except InputError as error:
                    self.skip(item.where, error)

    def _store(self, batch: Iterable[TurnAtLine]) -> None:
        turns = [item.turn for item in batch]
        report = self.memory.ingest(turns, **self.owner)
        self.outcomes += report.outcomes
        self.sessions |= {turn.session for turn in turns}
        self.freshness = report.freshness

    def _so_far(self) -> str:
        stored = sum(outcome.status in ("stored", "echo") for outcome in self.outcomes)
        return f"{counted(stored, 'turn')} had been stored before." if stored else "Nothing was stored."


def _turns(
    names: Iterable[str], values: Values, skip: Callable[[str, InputError], None] | None, report: Progress
) -> Iterator[TurnAtLine]:
    """The turns of all files. Progress counts bytes, because the number of turns is known only at the end."""
    sizes = {name: Path(name).stat().st_size for name in names if name != STDIN}
    done = 0
    for file in names:
        with opened(file) as (name, stream):
            session = values["session"] or Path(name).stem.strip("<>")
            for item in read_turns(stream, name, session, values["format"], skip):
                yield item
                if stream.seekable():  # a pipe has no position
                    report(done + stream.tell(), sum(sizes.values()))
        done += sizes.get(file, 0)
