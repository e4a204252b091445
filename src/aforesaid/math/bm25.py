"""BM25: how well a text matches the words of a query.

score(q, d) = Σ over the words of q: idf · f·(k1 + 1) / (f + k1·(1 − b + b·|d|/mean))

f is how often the word occurs in d, |d| the number of words in d. Statistics are those of the owners in view, so that
nobody else's records change a score (spec 11.13). Stores share these functions: equal inputs give equal scores, bit by
bit.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

K1, B = 1.2, 0.75
MOST_COUNTED = 63  # occurrences of a word in one text; a score hardly grows beyond, and six bits hold the number

Floats = NDArray[np.float64]


def inverse_frequency(records: int, holders: int) -> float:
    """idf = ln(1 + (N − n + ½) / (n + ½)) for a word in n of N records. Positive even if every record has the word."""
    return math.log(1 + (records - holders + 0.5) / (holders + 0.5))


def length_norms(lengths: NDArray[np.integer], records: int) -> Floats:
    """k1·(1 − b + b·|d|/mean) for every text; mean = Σ|d| / N."""
    total = int(lengths.sum())
    if total == 0:
        return np.full(lengths.shape, K1 * (1 - B))
    return np.asarray(K1 * (1 - B + B * (lengths.astype(np.float64) * (records / total))), dtype=np.float64)


def term_scores(idf: float, counts: NDArray[np.integer], norms: Floats) -> Floats:
    """idf · f·(k1 + 1) / (f + norm) for every text; f at most MOST_COUNTED."""
    f = counts.astype(np.float64)
    return np.asarray(idf * (f * (K1 + 1)) / (f + norms), dtype=np.float64)
