"""Run every reader of text over the messages and questions of question sets: finds, crashes and time per message.

python -m aforesaid.bench.readers FILE...

Exits with 1 when a reader raised. A crash is shown by the type of the exception and the id of the message, not by its
text.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from aforesaid.bench.quality.formats import load
from aforesaid.bench.quality.types import Dataset
from aforesaid.text.extract.dates import read_dates
from aforesaid.text.extract.pii import redact_pii
from aforesaid.text.extract.query import analyse
from aforesaid.text.extract.question import read_aim
from aforesaid.text.extract.reader import STRICT
from aforesaid.text.extract.secrets import redact_secrets
from aforesaid.text.extract.signals import read_signals
from aforesaid.text.extract.statements import statements
from aforesaid.text.extract.temporal import event_slots

Read = Callable[[str, datetime], int]  # how many things the reader found

OF_MESSAGES: dict[str, Read] = {
    "secrets": lambda text, _: len(redact_secrets(text).kinds),
    "pii": lambda text, _: len(redact_pii(text).kinds),
    "dates": lambda text, said_at: len(read_dates(text, said_at).expressions),
    "statements": lambda text, _: len(statements(text)),
    "signals": lambda text, _: len(read_signals(text).present),
}
OF_QUESTIONS: dict[str, Read] = {
    "query": lambda text, _: len(analyse(text).keywords),
    "question": lambda text, now: len(read_aim(text, now, timedelta()).periods),
    "temporal": lambda text, _: len(event_slots(text)),
}


@dataclass(slots=True)
class ReaderRun:
    """What one reader did with the texts of a file."""

    texts: int = 0
    holding: int = 0  # texts in which it found something
    finds: int = 0
    seconds: float = 0.0
    crashes: list[str] = field(default_factory=list)


def run(dataset: Dataset) -> dict[str, ReaderRun]:
    """Every reader over every distinct text of a question set."""
    runs = {name: ReaderRun() for name in (*OF_MESSAGES, *OF_QUESTIONS)}
    for readers, texts in ((OF_MESSAGES, _messages(dataset)), (OF_QUESTIONS, _questions(dataset))):
        for place, text, moment in texts:
            for name, read in readers.items():
                _timed(runs[name], read, place, text, moment)
    return runs


def _timed(run: ReaderRun, read: Read, place: str, text: str, moment: datetime) -> None:
    began = time.perf_counter()
    try:
        found = read(text, moment)
    except Exception as error:  # noqa: BLE001 - whatever a reader raises is what we look for
        run.crashes.append(f"{type(error).__name__} at {place}")
        return
    run.seconds += time.perf_counter() - began
    run.texts, run.holding, run.finds = run.texts + 1, run.holding + (found > 0), run.finds + found


def _messages(dataset: Dataset) -> Iterator[tuple[str, str, datetime]]:
    seen: set[str] = set()
    for corpus in dataset.corpora.values():
        for turn in corpus.turns:
            if turn.text not in seen and turn.time is not None:
                seen.add(turn.text)
                yield f"{corpus.name} {turn.id}", turn.text, turn.time


def _questions(dataset: Dataset) -> Iterator[tuple[str, str, datetime]]:
    return ((question.id, question.text, question.now) for question in dataset.questions)


def main(paths: Sequence[str]) -> int:
    """Print a table for each file; 1 if a reader raised anywhere, else 0."""
    os.environ[STRICT] = "1"
    crashes = 0
    for path in paths:
        runs = run(load(Path(path)))
        sys.stdout.write(f"{path}\n{'reader':<12}{'texts':>8}{'holding':>9}{'finds':>8}{'µs/text':>9}{'crashes':>9}\n")
        for name, each in runs.items():
            micros = 1e6 * each.seconds / max(each.texts, 1)
            sys.stdout.write(
                f"{name:<12}{each.texts:>8}{each.holding:>9}{each.finds:>8}{micros:>9.0f}{len(each.crashes):>9}\n"
            )
            for crash in each.crashes:
                sys.stdout.write(f"  {crash}\n")
            crashes += len(each.crashes)
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
