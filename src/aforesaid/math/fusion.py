"""Joining what words say and what meaning says into one order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def relative(scores: Sequence[float]) -> Floats:
    """s / max(s): a text score against the best of its query, in [0, 1]; all zero when nothing scored."""
    array = np.asarray(scores, dtype=np.float64)
    best = array.max(initial=0.0)
    return array / best if best > 0 else np.zeros_like(array)


def stretched(cosines: Sequence[float]) -> Floats:
    """(cos − min) / (max − min) over the candidates, in [0, 1]; all one when they are equal."""
    array = np.asarray(cosines, dtype=np.float64)
    if array.size == 0:
        return array
    low, high = array.min(), array.max()
    return (array - low) / (high - low) if high > low else np.ones_like(array)


def convex(meaning: Floats, words: Floats, alpha: float) -> Floats:
    """α·meaning + (1 − α)·words, which lies between the two."""
    return np.asarray(alpha * meaning + (1 - alpha) * words, dtype=np.float64)


def reciprocal(meaning: Floats, words: Floats, k: int = 60) -> Floats:
    """Reciprocal rank fusion, Σ 1/(k + rank) over the two sides that know a record, scaled to [0, 1]."""
    return np.asarray((_reciprocal_ranks(meaning, k) + _reciprocal_ranks(words, k)) * (k + 1) / 2, dtype=np.float64)


def _reciprocal_ranks(scores: Floats, k: int) -> Floats:
    ranks = np.empty(scores.size)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, scores.size + 1)
    return np.where(scores > 0, 1 / (k + ranks), 0.0)
