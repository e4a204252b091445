"""Ranking metrics, and their means with confidence intervals. Relevance is binary.

`ranking` is a list of distinct ids, best first. `evidence` are the ids to find; it is not empty.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from aforesaid.bench.quality.types import session_of
from aforesaid.text.normalize import fold

MIN_GROUPS = 8  # with fewer groups, single questions are resampled instead
RESAMPLES = 1000
COVERAGE = 0.95
SEED = 0


def any_at(ranking: Sequence[str], evidence: Set[str], k: int) -> float:
    """1 when any evidence is among the first k."""
    return float(not evidence.isdisjoint(ranking[:k]))


def all_at(ranking: Sequence[str], evidence: Set[str], k: int) -> float:
    """1 when all evidence is among the first k."""
    return float(evidence <= set(ranking[:k]))


def fraction_at(ranking: Sequence[str], evidence: Set[str], k: int) -> float:
    """The share of the evidence that is among the first k: |E ∩ top k| / |E|."""
    return len(evidence & set(ranking[:k])) / len(evidence)


def ndcg_at(ranking: Sequence[str], evidence: Set[str], k: int) -> float:
    """Σ 1/log₂(rank + 1) over the evidence in the first k, divided by the largest sum there could be."""
    gained = sum(1 / math.log2(rank + 1) for rank, id_ in enumerate(ranking[:k], 1) if id_ in evidence)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(evidence), k) + 1))
    return gained / best


def reciprocal_rank(ranking: Sequence[str], evidence: Set[str]) -> float:
    """1/rank of the first piece of evidence; 0 when there is none."""
    return next((1 / rank for rank, id_ in enumerate(ranking, 1) if id_ in evidence), 0.0)


def sessions_ranked(ranking: Iterable[str]) -> list[str]:
    """The sessions of turns, each at the rank of its best turn."""
    return list(dict.fromkeys(map(session_of, ranking)))


def duplicate_share(texts: Sequence[str]) -> float:
    """The share of texts that repeat an earlier one, ignoring spacing and case; 0 without texts."""
    distinct = {fold(text).casefold() for text in texts}
    return 1 - len(distinct) / len(texts) if texts else 0.0


def ranking_metrics(ranking: Sequence[str], evidence: Set[str], ks: Sequence[int]) -> dict[str, float]:
    """All metrics of a ranking by name; empty when there is no evidence to find."""
    if not evidence:
        return {}
    found = {f"{name}@{k}": metric(ranking, evidence, k) for name, metric in AT_K.items() for k in ks}
    return {**found, "mrr": reciprocal_rank(ranking, evidence)}


AT_K = {"any": any_at, "all": all_at, "fraction": fraction_at, "ndcg": ndcg_at}


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `count` questions with its 95 % confidence interval."""

    mean: float
    low: float
    high: float
    count: int


def estimate(values: Sequence[float], groups: Sequence[str]) -> Estimate | None:
    """The mean of values and its interval by a seeded percentile bootstrap, over whole groups if there are enough.

    None without values.
    """
    if not values:
        return None
    names = sorted(set(groups))
    numbers = {name: i for i, name in enumerate(names)}
    units = [numbers[name] for name in groups] if len(names) >= MIN_GROUPS else range(len(values))
    sums, counts = np.bincount(units, values), np.bincount(units)
    times = _resamples(len(sums))
    means = (times @ sums) / (times @ counts)
    low, high = np.quantile(means, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return Estimate(float(np.mean(values)), float(low), float(high), len(values))


@lru_cache(maxsize=2)  # the same for every metric of the same questions
def _resamples(units: int) -> NDArray[np.float64]:
    """How often each unit is drawn in each resample."""
    drawn = np.random.default_rng(SEED).multinomial(units, np.full(units, 1 / units), size=RESAMPLES)
    return drawn.astype(np.float64)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the values do not exceed; 0 without values."""
    return float(np.quantile(values, share)) if len(values) else 0.0
