"""Run every reader of text over the messages and questions of a question set: finds, crashes and time per text.

Readers raise here instead of skipping a text. A crash is shown by the type of the exception and the id of the message,
not by its text.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from aforesaid.bench.measuring import Figures
from aforesaid.bench.quality.types import Dataset
from aforesaid.text.extract.dates import read_dates
from aforesaid.text.extract.pii import redact_pii
from aforesaid.text.extract.query import analyse
from aforesaid.text.extract.question import read_aim
from aforesaid.text.extract.reader import STRICT
from aforesaid.text.extract.secrets import redact_secrets
from aforesaid.text.extract.signals import read_signals
from aforesaid.text.extract.standing_rules import is_standing_rule
from aforesaid.text.extract.statements import statements
from aforesaid.text.extract.temporal import event_slots

Read = Callable[[str, datetime], int]  # how many things the reader found

OF_MESSAGES: dict[str, Read] = {
    "secrets": lambda text, _: len(redact_secrets(text).kinds),
    "pii": lambda text, _: len(redact_pii(text).kinds),
    "dates": lambda text, said_at: len(read_dates(text, said_at).expressions),
    "statements": lambda text, _: len(statements(text)),
    "signals": lambda text, _: len(read_signals(text).present),
    "rules": lambda text, _: int(is_standing_rule(text)),
}
OF_QUESTIONS: dict[str, Read] = {
    "query": lambda text, _: len(analyse(text).keywords),
    "question": lambda text, now: len(read_aim(text, now, timedelta()).periods),
    "temporal": lambda text, _: len(event_slots(text)),
}


def measure(dataset: Dataset) -> list[Figures]:
    """A row for every reader. `holding` counts the texts in which it found something."""
    os.environ[STRICT] = "1"
    messages = {
        turn.text: (f"{corpus.name} {turn.id}", turn.text, turn.time)
        for corpus in dataset.corpora.values()
        for turn in corpus.turns
        if turn.time is not None
    }
    questions = [(question.id, question.text, question.now) for question in dataset.questions]
    rows = [(name, read, list(messages.values())) for name, read in OF_MESSAGES.items()]
    rows += [(name, read, questions) for name, read in OF_QUESTIONS.items()]
    return [_row(dataset.name, name, read, texts) for name, read, texts in rows]


def _row(dataset: str, name: str, read: Read, texts: list[tuple[str, str, datetime]]) -> Figures:
    finds, crashes = [], []
    began = time.perf_counter()
    for place, text, moment in texts:
        try:
            finds.append(read(text, moment))
        except Exception as error:  # noqa: BLE001 - whatever a reader raises is what we look for
            crashes.append(f"{type(error).__name__} at {place}")
    microseconds = 1e6 * (time.perf_counter() - began) / max(len(texts), 1)
    return {
        "dataset": dataset,
        "reader": name,
        "texts": len(texts),
        "holding": sum(found > 0 for found in finds),
        "finds": sum(finds),
        "microseconds": microseconds,
        "crashes": crashes,
    }
