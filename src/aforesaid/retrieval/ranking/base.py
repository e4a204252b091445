"""Types and searches that all ranking profiles share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from aforesaid.engine.request import Request
from aforesaid.math.vectors import Vectors
from aforesaid.settings import Settings
from aforesaid.store.protocols import Reader
from aforesaid.text.analyze import query_terms
from aforesaid.types import Filter, Record

SECONDS_A_DAY = 86_400
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
    """

    text: str
    vector: Vectors | None
    where: Filter
    limit: int
    now: datetime
    request: Request

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


@dataclass(frozen=True, slots=True)
class Candidates:
    """Hits of both searches, text hits first; None where a search did not find the record."""

    keys: list[str]
    bm25: list[float | None]
    cosines: list[float | None]

    def text_rank(self, i: int) -> int | None:
        """The place of a record among the text hits, from 1."""
        return i + 1 if self.bm25[i] is not None else None


def text_candidates(question: Question, limit: int) -> dict[str, float]:
    """BM25 by key, best first."""
    found = question.store.text_search(query_terms(question.text), question.where, limit)
    return {item.key: item.score for item in found}


def vector_candidates(question: Question, limit: int) -> dict[str, float]:
    """Cosine by key, best first; nothing when the vector arm is off."""
    if question.vector is None:
        return {}
    found = question.store.vector_search(question.vector, question.where, limit)
    return {item.key: item.score for item in found}


def both_arms(bm25: Mapping[str, float], cosines: Mapping[str, float]) -> Candidates:
    """The union of the two arms."""
    keys = list(dict.fromkeys([*bm25, *cosines]))
    return Candidates(keys, [bm25.get(key) for key in keys], [cosines.get(key) for key in keys])


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
    """The one form of every explanation: `key=value; key=value`."""
    return "; ".join(f"{name}={value}" for name, value in parts.items())


def evidence(question: Question, record: Record, rank: int | None, cosine: float | None) -> dict[str, str]:
    """The start of every reason: text rank, cosine and age."""
    found: dict[str, str] = {}
    if rank is not None:
        found["fts"] = f"rank:{rank}"
    if cosine is not None:
        found["cos"] = f"{cosine:.2f}"
    found["age"] = f"{question.age_seconds(record) / SECONDS_A_DAY:.0f}d"
    return found
