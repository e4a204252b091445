"""The `default` profile: joins keyword and vector scores into one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aforesaid.math.domain import Floats


def relative(scores: Sequence[float]) -> Floats:
    """Keyword scores relative to the best of the query: s / max(s) in [0, 1]; all 0 if nothing scored."""
    array = np.asarray(scores, dtype=np.float64)
    best = array.max(initial=0.0)
    return array / best if best > 0 else np.zeros_like(array)


def stretched(cosines: Sequence[float]) -> Floats:
    """Cosines stretched over the candidates: (cos − min) / (max − min) in [0, 1]; all 1 if they are equal."""
    array = np.asarray(cosines, dtype=np.float64)
    if array.size == 0:
        return array
    low, high = array.min(), array.max()
    return (array - low) / (high - low) if high > low else np.ones_like(array)


def convex(vector: Floats, keyword: Floats, alpha: float) -> Floats:
    """Weighted mean of both scores: α·vector + (1 − α)·keyword."""
    return np.asarray(alpha * vector + (1 - alpha) * keyword, dtype=np.float64)


def reciprocal(vector: Floats, keyword: Floats, k: int = 60) -> Floats:
    """Reciprocal rank fusion: Σ 1/(k + rank) over the searches that found a record, scaled to [0, 1]."""
    return np.asarray((_reciprocal_ranks(vector, k) + _reciprocal_ranks(keyword, k)) * (k + 1) / 2, dtype=np.float64)


def _reciprocal_ranks(scores: Floats, k: int) -> Floats:
    ranks = np.empty(scores.size)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, scores.size + 1)
    return np.where(scores > 0, 1 / (k + ranks), 0.0)
