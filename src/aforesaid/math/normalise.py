"""Keyword and vector scores on one scale, and their sum (spec 5.3, 5.6, P2–P3).

NaN, or None in a list, marks a candidate that one of the two searches did not find. It stays NaN through the
normalisations and counts as 0 in the sum.
"""

from __future__ import annotations

import numpy as np

from aforesaid.errors import InputError
from aforesaid.math.domain import (
    COSINE_SLACK,
    LARGEST_SCORE,
    Floats,
    Numbers,
    positive,
    row,
    same_length,
    share,
)
from aforesaid.settings.rows import PceRows, SearchRows

DEFAULTS = PceRows()
SHARED = SearchRows()


def text_min_max(scores: Numbers, epsilon: float = DEFAULTS.epsilon) -> Floats:
    """Keyword score in [0, 1]: S_text = (bm25 − min) / max(max − min, ε) over the candidates (spec 5.6, P2).

    Exactly as published: the weakest of many is 0, and so is a single candidate or each of several equal ones.
    """
    array = row(scores, -LARGEST_SCORE, LARGEST_SCORE, "A text score", missing=True)
    present = array[~np.isnan(array)]
    if not present.size:
        return array
    low, high = present.min(), present.max()
    spread = max(float(high - low), share(epsilon, "ε"))
    return np.asarray((array - low) / (spread or 1.0), dtype=np.float64)


def text_by_rank(ranks: Numbers) -> Floats:
    """Keyword score without a full-text index: S_text = 1 / (1 + rank), ranks from 1 (spec 5.6, P2)."""
    return np.asarray(1.0 / (1.0 + row(ranks, 1.0, LARGEST_SCORE, "A rank", missing=True)), dtype=np.float64)


def vector_share(cosines: Numbers) -> Floats:
    """Vector score in [0, 1]: S_vec = (cos + 1) / 2 (spec 5.6, P2)."""
    array = row(cosines, -1 - COSINE_SLACK, 1 + COSINE_SLACK, "A cosine", missing=True)
    return np.asarray((np.clip(array, -1.0, 1.0) + 1.0) / 2.0, dtype=np.float64)


def distance_cosine(distances: Numbers) -> Floats:
    """Cosine of a cosine distance: cos = 1 − distance. Only stores use distances (spec P2, P9)."""
    return np.clip(1.0 - row(distances, -COSINE_SLACK, 2 + COSINE_SLACK, "A cosine distance", missing=True), -1.0, 1.0)


def fused(vector: Numbers, text: Numbers, alpha: float = DEFAULTS.alpha) -> Floats:
    """Weighted sum of both scores: S = α·S_vec + (1−α)·S_text; a missing one is 0 (spec 5.6, P3)."""
    vectors = np.nan_to_num(row(vector, 0.0, 1.0, "S_vec", missing=True), nan=0.0)
    texts = np.nan_to_num(row(text, 0.0, 1.0, "S_text", missing=True), nan=0.0)
    same_length(S_vec=vectors, S_text=texts)
    share(alpha, "α")
    return np.asarray(alpha * vectors + (1.0 - alpha) * texts, dtype=np.float64)


def text_candidates(limit: int, rows: SearchRows = SHARED) -> int:
    """How many keyword candidates to ask for: k_txt = 4·k (spec 5.3, P3)."""
    return rows.text_factor * positive(limit, "limit")


def vector_candidates(limit: int, rows: SearchRows = SHARED) -> int:
    """How many vector candidates to ask for: k_vec = 8·k (spec 5.3, P3)."""
    return rows.vector_factor * positive(limit, "limit")


def widened(asked: int, found: int, limit: int, *, once: bool = False, rows: SearchRows = SHARED) -> int:
    """How many candidates to ask for next: 2·asked if found < k/2, else asked; doubled only `once` (spec 5.3)."""
    if not found >= 0:
        raise InputError(f"found is {found}.", "Give 0 or more.")
    few = found < positive(limit, "limit") / 2
    return positive(asked, "asked") * (rows.widen if few and not once else 1)
