"""Bit rot test: one bit of a copy of a store is flipped, and every changed answer must be named or found by `verify`.

`python -m aforesaid.testing.bitrot STORE --flips 300 --seed 1` copies the store, flips one random bit of the copy, asks
a fixed set of questions (search, list, export, assemble), and compares the answers with those of the sound copy. It
does that 300 times, each time with a new copy, and counts what happened. The store itself is only read.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import AforesaidError, StoreError
from aforesaid.memory import Memory
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import Filter

UNCHANGED = "unchanged"
NAMED = "refused, or left out and named"
FOUND = "different, found by verify"
SILENT = "different, and nobody says so"
CRASHED = "crashed"
OUTCOMES = (UNCHANGED, NAMED, FOUND, SILENT, CRASHED)
QUERIES = 6
QUERY_WORDS = 5
NOW = datetime(2030, 1, 1, tzinfo=UTC)
FAILURES = (SILENT, CRASHED)


@dataclass(frozen=True, slots=True)
class BitrotReport:
    """What happened after each flip: how often, and the places of failures as (offset in bits, what happened)."""

    outcomes: Counter[str]
    failures: tuple[tuple[int, str], ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every changed answer was named or found."""
        return not self.failures


@dataclass(frozen=True, slots=True)
class Answers:
    """What a store answers, and whether it says that something is missing."""

    texts: tuple[str, ...]
    named: bool


def bitrot(store: Path, flips: int, seed: int = 0, embedder: Any = None) -> BitrotReport:
    """Flip one random bit of a copy, `flips` times, and compare the answers. `embedder` is the one of the store."""
    chance = random.Random(seed)
    outcomes: Counter[str] = Counter()
    failures: list[tuple[int, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        sound, rotten = Path(folder) / "sound.db", Path(folder) / "rotten.db"
        for end in ("", "-wal"):
            file = store.with_name(store.name + end)
            if file.exists():
                _write(sound.with_name(sound.name + end), file.read_bytes())
        SQLiteStore(sound).close()  # the write-ahead log becomes part of the file
        original = sound.read_bytes()
        questions = _questions(sound, embedder)
        _write(rotten, original)
        expected = _asked(rotten, questions, embedder)
        for _ in range(flips):
            place = chance.randrange(len(original) * 8)
            outcome = _flipped(rotten, original, place, questions, expected, embedder)
            outcomes[outcome.partition(":")[0]] += 1
            if outcome.startswith(FAILURES):
                failures.append((place, outcome))
    return BitrotReport(outcomes, tuple(failures))


def _write(path: Path, data: bytes | bytearray) -> None:
    path.touch(0o600)
    path.write_bytes(data)


def _flipped(path: Path, original: bytes, place: int, questions: Any, expected: Answers, embedder: Any) -> str:
    """Flip a bit, and return what happened."""
    for beside in path.parent.glob(f"{path.name}*"):
        beside.unlink()
    data = bytearray(original)
    data[place // 8] ^= 1 << place % 8
    _write(path, data)
    try:
        found = _asked(path, questions, embedder)
        if found.texts == expected.texts:
            return UNCHANGED
        if found.named:
            return NAMED
        with _opened(path, embedder) as memory:
            return FOUND if memory.maintenance.verify() else SILENT
    except AforesaidError:
        return NAMED
    except Exception as error:  # noqa: BLE001 - any other error is a defect, and counted as one
        return f"{CRASHED}: {type(error).__name__}: {error}"


Question = tuple[str, str | None]  # words, user


def _questions(path: Path, embedder: Any) -> list[Question]:
    """Return questions made of words of the store's records."""
    with _opened(path, embedder) as memory:
        records = memory.store.find(Filter(memory.tenant))
    step = max(len(records) // QUERIES, 1)
    return [(" ".join(record.text.split()[:QUERY_WORDS]) or "hello", record.user) for record in records[::step]][
        :QUERIES
    ]


def _asked(path: Path, questions: list[Question], embedder: Any) -> Answers:
    """Ask everything. Warnings in the log count as naming."""
    texts: list[str] = []
    with _warnings() as warned, _opened(path, embedder) as memory:
        damage = [*memory.export()]
        texts += damage
        named = any(line.startswith('{"damaged"') for line in damage)
        for words, user in questions:
            result = memory.search(words, user=user, limit=5, now=NOW)
            texts += [f"{hit.record.key} {hit.score:.9f} {hit.record.text}" for hit in result]
            named = named or bool(result.freshness.damage or result.freshness.text_off or result.freshness.pending)
        for user in sorted({user for _, user in questions}, key=str):
            texts += [repr(record) for record in memory.list(user=user, limit=1000)]
        words, user = questions[0]
        context = memory.assemble(words, user=user, session="bitrot", budget_tokens=1000, now=NOW)
        texts.append(context.text)
        named = named or bool(context.degraded)
    return Answers(tuple(texts), named or bool(warned))


class _Collector(logging.Handler):
    """Collects warnings."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(record)


@contextmanager
def _warnings() -> Iterator[list[logging.LogRecord]]:
    """Collect the warnings of the store."""
    logger, collector = logging.getLogger("aforesaid.store"), _Collector()
    logger.addHandler(collector)
    try:
        yield collector.found
    finally:
        logger.removeHandler(collector)


def _opened(path: Path, embedder: Any) -> Memory:
    return Memory(store=SQLiteStore(path), embedder=embedder, clock=lambda: NOW)


def embedder_of(store: Path) -> HashEmbedder | None:
    """Return the hash embedder of a store's vectors; None for another model, so that only words are searched."""
    with closing(SQLiteStore(store)) as opened:
        active = next((space for space in opened.spaces() if space.active), None)
    made = HashEmbedder(active.dimensions) if active else None
    return made if made and active and made.name == active.name else None


def main() -> int:
    """Command line: run it and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--flips", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    logging.getLogger("aforesaid").propagate = False
    try:
        report = bitrot(options.store, options.flips, options.seed, embedder_of(options.store))
    except StoreError as error:
        sys.stderr.write(f"{error.message} {error.remedy}\n")
        return 2
    for outcome in OUTCOMES:
        sys.stdout.write(f"{report.outcomes[outcome]:6}  {outcome}\n")
    for place, what in report.failures:
        sys.stdout.write(f"bit {place % 8} of byte {place // 8}: {what}\n")
    return 0 if report.passed else 1


if __name__ == "__main__":
    sys.exit(main())
