"""Types and searches that all ranking profiles share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aforesaid.engine.request import Request
from aforesaid.errors import StoreCorruptError
from aforesaid.math.pce import text_by_rank
from aforesaid.math.vectors import Vectors
from aforesaid.settings import Settings
from aforesaid.store.protocols import Reader, TermMatches
from aforesaid.text.analyze import query_terms
from aforesaid.types import Filter, Hit, Record, Scope

SECONDS_A_DAY = 86_400
LINKED = ("node", "chunk")  # kinds of records from files; they have links, and a file in place of a session
TIER = "tier"  # the part of a hit that says with how many dimensions it was found


@dataclass(frozen=True, slots=True)
class Question:
    """A query and everything a profile needs to answer it.

    Attributes:
        text: The query, redacted as stored texts are.
        vector: Its embedding; None when embeddings are unavailable.
        where: Which records may be found.
        limit: How many hits are wanted.
        now: The time that ages are counted from.
        request: The call that asks.
        active_session: The session that the caller is in; None: unknown.
        details: What the profile did, for the result: mode and variants of the query, or α and numbers of candidates.
        off: The searches that were not possible, by name, and why.
    """

    text: str
    vector: Vectors | None
    where: Filter
    limit: int
    now: datetime
    request: Request
    active_session: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    off: dict[str, str] = field(default_factory=dict)

    @property
    def store(self) -> Reader:
        """The store as the caller may read it."""
        return self.request.view

    @property
    def settings(self) -> Settings:
        """The settings of the call."""
        return self.request.settings

    def embed(self, texts: Sequence[str]) -> Vectors | None:
        """Embed further texts of a question, such as its slots; None when embeddings are unavailable."""
        return self.request.arm.embed(texts)

    def age_seconds(self, record: Record) -> float:
        """How old a record is at the question's now; never negative."""
        return max((self.now - record.time).total_seconds(), 0.0)

    def age_days(self, record: Record) -> float:
        """The same in days."""
        return self.age_seconds(record) / SECONDS_A_DAY

    def scope_of(self, record: Record) -> Scope:
        """The scope that a record counts as: `session` in the active session, elsewhere at least `user` (spec 5.11).

        Without an active session, the sessions that are searched are active.
        """
        active = (self.where.sessions or ()) if self.active_session is None else (self.active_session,)
        if record.session in active and record.kind not in LINKED:
            return "session"
        return "user" if record.scope == "session" else record.scope


class Candidate(NamedTuple):
    """A record that a search found. `bm25`, its rank, or `cosine` is None when that search did not find it."""

    record: Record
    bm25: float | None
    text_rank: int | None
    cosine: float | None


def text_scores(question: Question, limit: int) -> dict[str, float]:
    """BM25 by key, best first; NaN from a store that orders texts without scores.

    Nothing when the text index is damaged, if there are vectors to search instead.
    """
    try:
        found = question.store.text_search(query_terms(question.text), question.where, limit)
    except StoreCorruptError as error:
        if question.vector is None:
            raise
        question.off["text"] = f"{error.message} {error.remedy}"
        return {}
    return {item.key: item.score for item in found}


def word_matches(question: Question, keys: Sequence[str]) -> TermMatches:
    """Which words of the query records have, and how common the words are; nothing when the text index is damaged."""
    try:
        return question.store.term_matches(query_terms(question.text), keys, question.where)
    except StoreCorruptError as error:
        question.off["text"] = f"{error.message} {error.remedy}"
        return TermMatches(0, {}, {})


def text_candidates(question: Question, limit: int) -> dict[str, float]:
    """BM25 by key, best first; 1/(1 + rank) from a store that orders texts without scores."""
    found = text_scores(question, limit)
    if any(map(math.isnan, found.values())):
        return dict(zip(found, text_by_rank(range(1, len(found) + 1)).tolist(), strict=True))
    return found


def vector_candidates(question: Question, limit: int) -> dict[str, float]:
    """Cosine by key, best first; nothing when embeddings are unavailable."""
    if question.vector is None:
        return {}
    found = question.store.vector_search(question.vector, question.where, limit)
    return {item.key: item.score for item in found}


def both_arms(question: Question, bm25: Mapping[str, float], cosines: Mapping[str, float]) -> list[Candidate]:
    """The records of both searches, text hits first, without those that another process deleted meanwhile."""
    records = question.store.get(list(dict.fromkeys([*bm25, *cosines])))
    ranks = {record.key: rank for rank, record in enumerate(records, start=1) if record.key in bm25}
    return [Candidate(r, bm25.get(r.key), ranks.get(r.key), cosines.get(r.key)) for r in records]


def exact_cosines(question: Question, keys: Sequence[str]) -> dict[str, float]:
    """The cosines of records that the vector search did not return."""
    if question.vector is None:
        return {}
    return {key: float(row @ question.vector) for key, row in question.store.vectors(keys).items()}


def nearest_passages(question: Question, keys: Sequence[str]) -> dict[str, float]:
    """For records of several sentences, the cosine of the nearest one."""
    if question.vector is None:
        return {}
    found = question.store.passages(keys).items()
    return {key: float((matrix @ question.vector).max()) for key, matrix in found}


def reason(parts: Mapping[str, str]) -> str:
    """Format an explanation as `key=value; key=value`."""
    return "; ".join(f"{name}={value}" for name, value in parts.items())


def evidence(question: Question, record: Record, rank: int | None, cosine: float | None) -> dict[str, str]:
    """The start of every reason: text rank, cosine and age."""
    found: dict[str, str] = {}
    if rank is not None:
        found["fts"] = f"rank:{rank}"
    if cosine is not None:
        found["cos"] = f"{cosine:.2f}"
    found["age"] = f"{question.age_days(record):.0f}d"
    return found


def scored_hits(
    question: Question,
    found: Sequence[Candidate],
    scores: ArrayLike,
    shared: Mapping[str, float],
    columns: Mapping[str, ArrayLike],
    explain: str,
) -> list[Hit]:
    """A hit per candidate. Its parts are the `shared` numbers and its value of each column.

    `explain` is the end of the reason, as a format string over the parts.
    """
    rows = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns.values()]).tolist()
    hits = []
    for each, score, row in zip(found, np.asarray(scores).tolist(), rows, strict=True):
        parts = {**shared, **dict(zip(columns, row, strict=True))}
        why = reason(evidence(question, each.record, each.text_rank, each.cosine))
        hits.append(Hit(each.record, score, parts, f"{why}; {explain.format_map(parts)}"))
    return hits


def best_first(hits: Iterable[Hit], limit: int | None = None) -> list[Hit]:
    """The best hits, by score and then by key."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.record.key))[:limit]
