"""Ranking metrics. Relevance is binary.

`ranking` is a list of distinct ids, best first. `evidence` are the ids to find; it is not empty.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence, Set

from aforesaid.bench.quality.types import session_of
from aforesaid.text.normalize import fold

MAIN = "turn.fraction@10"  # the metric that tables by type and by fold show


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
