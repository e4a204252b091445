"""Retrieval on the user's own records, against the pass lines of PCE (spec 11.10).

The records are split 8:1:1 by a seeded hash. Pieces of the held-out records (n-grams) are the queries. A query should
find every record that contains it, and what is linked to the record it was taken from. It runs on a copy, so that the
store itself is only read.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from aforesaid.bench.measuring import mean, seconds, temporary_memory
from aforesaid.bench.quality.metrics import fraction_at, ndcg_at, percentile
from aforesaid.embed.base import Embedder
from aforesaid.errors import InputError
from aforesaid.memory import Memory
from aforesaid.retrieval.search_log import fallback_reasons
from aforesaid.text.analyze import STOP_WORDS, is_unspaced, terms
from aforesaid.text.normalize import fold
from aforesaid.types import Kind, Progress, Record

Split: TypeAlias = Literal["valid", "test"]

K = 12
PARTS = 10  # of ten records, eight are for training, one for validation, one for the test
PLACES: Mapping[Split, int] = {"valid": 8, "test": 9}
WORDS, CHARACTERS = 4, 8  # length of a query; characters in scripts without spaces
LEAST_TERMS = 2  # a query has this many words that are no stop words, if its record has such a piece
MOST_RECORDS = 1_000_000


@dataclass(frozen=True, slots=True)
class PassLine:
    """One figure and the line that it must reach."""

    name: str
    value: float
    line: float
    at_most: bool = False

    @property
    def passed(self) -> bool:
        """Whether the figure is on the right side of its line."""
        return self.value <= self.line if self.at_most else self.value >= self.line


@dataclass(frozen=True, slots=True)
class OwnReport:
    """The figures of a user's own records."""

    records: int
    train: int
    valid: int
    test: int
    split: Split
    queries: int
    profile: str
    seed: int
    activate_ms_p50: float
    figures: tuple[PassLine, ...]

    @property
    def passed(self) -> bool:
        """Whether every figure passed."""
        return all(figure.passed for figure in self.figures)


@dataclass(frozen=True, slots=True)
class PseudoQuery:
    """A piece of a held-out record, and the keys of the records to find."""

    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class OwnPlan:
    """What to measure."""

    user: str | None = None
    kinds: Sequence[Kind] = ("claim",)
    profile: str = "pce"
    split: Split = "test"
    seed: int = 0
    most: int = 200  # queries
    now: datetime | None = None


def measure(memory: Memory, embedder: Embedder | None, plan: OwnPlan, progress: Progress | None = None) -> OwnReport:
    """Ask pieces of the held-out records of a user, and compare the figures with the pass lines."""
    records = memory.list(user=plan.user, kinds=plan.kinds, limit=MOST_RECORDS)
    if len(records) < PARTS:
        found = f"{len(records)} {' and '.join(plan.kinds)} records"
        raise InputError(f"The user has {found}; a split needs {PARTS}.", "Use --kind turn to measure messages too.")
    parts = split(records, plan.seed)
    queries = pseudo_queries(memory, records, parts[PLACES[plan.split]], plan.seed)[: plan.most]
    ranked, fallbacks, times = [], 0, []
    with temporary_memory(embedder, memory.settings) as temporary:
        copy = temporary.for_tenant(memory.tenant)
        copy.import_(memory.export())
        adopted = memory.policy.current()
        if adopted is not None:
            copy.policy.apply(adopted.policy)
        copy.activate(queries[0].text, user=plan.user, now=plan.now)  # the first one loads the model
        for done, query in enumerate(queries, 1):
            result = copy.search(query.text, user=plan.user, limit=K, profile=plan.profile, now=plan.now)
            ranked.append([hit.record.key for hit in result])
            fallbacks += bool(fallback_reasons(result))
            times.append(seconds(lambda text=query.text: copy.activate(text, user=plan.user, now=plan.now)) * 1000)  # type: ignore[misc]
            if progress is not None:
                progress(done, len(queries))
    pairs = list(zip(ranked, queries, strict=True))
    figures = (
        PassLine(f"recall@{K}", mean([fraction_at(keys, query.gold, K) for keys, query in pairs]), 0.70),
        PassLine(f"ndcg@{K}", mean([ndcg_at(keys, query.gold, K) for keys, query in pairs]), 0.45),
        PassLine("activate_ms_p90", percentile(times, 0.9), 1500, at_most=True),
        PassLine("fallback_ratio", fallbacks / len(queries), 0.01, at_most=True),
    )
    train = sum(map(len, parts[:8]))
    return OwnReport(
        len(records), train, len(parts[8]), len(parts[9]), plan.split, len(queries), plan.profile, plan.seed,
        percentile(times, 0.5), figures,
    )  # fmt: skip


def split(records: Iterable[Record], seed: int) -> list[list[Record]]:
    """The records in ten parts of equal size, in an order that depends on their keys and the seed only."""
    order = sorted(records, key=lambda record: hashlib.blake2b(f"{seed}/{record.key}".encode()).digest())
    return [order[part::PARTS] for part in range(PARTS)]


def pseudo_queries(
    memory: Memory, records: Sequence[Record], held_out: Sequence[Record], seed: int
) -> list[PseudoQuery]:
    """One query for each held-out record. Its gold: records with the same piece, and those linked to the record."""
    texts = {record.key: fold(record.text).casefold() for record in records}
    found = []
    for record in held_out:
        piece = ngram(record.text, random.Random(f"{seed}/{record.key}"))
        same = {key for key, text in texts.items() if piece.casefold() in text}
        linked = {edge.target for edge in memory.store.edges([record.key])}
        linked |= {edge.source for edge in memory.store.edges([record.key], incoming=True)}
        found.append(PseudoQuery(piece, frozenset({record.key} | same | (linked & texts.keys()))))
    return found


def ngram(text: str, chance: random.Random) -> str:
    """A piece of a text: four words in a row, or eight characters of a script without spaces; a short text is whole."""
    folded = fold(text)
    units, length, glue = (list(folded), CHARACTERS, "") if is_unspaced(folded) else (folded.split(), WORDS, " ")
    pieces = [glue.join(units[i : i + length]) for i in range(max(len(units) - length, 0) + 1)]
    good = [piece for piece in pieces if sum(term not in STOP_WORDS for term in terms(piece)) >= LEAST_TERMS]
    return chance.choice(good or pieces)
