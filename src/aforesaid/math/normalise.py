"""Scores of words and of meaning on one scale, and their sum (SPEC 5.3 and 5.6; seed 003 §2–3).

Here and in the profiles NaN, or None in a list, marks a side that did not find the candidate. It stays NaN through
the normalisations and counts 0 when the sides are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aforesaid.errors import InputError
from aforesaid.settings.rows import PceRows, SearchRows

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = Sequence[float] | Sequence[float | None] | Floats

DEFAULTS = PceRows()
SHARED = SearchRows()
COSINE_SLACK = 1e-3  # float32 unit vectors overshoot 1 by their rounding
LARGEST = 1e150  # sums and squares of larger numbers are not finite


def text_min_max(scores: Numbers, epsilon: float = DEFAULTS.epsilon) -> Floats:
    """S_text = (bm25 − min) / max(max − min, ε) over the candidates (SPEC 5.6; seed 003 §2); larger is better.

    To the letter: the weakest of many is 0, and so is the only one, or each of several that are equal.
    """
    array = checked(scores, -LARGEST, LARGEST, "A text score")
    present = array[~np.isnan(array)]
    if not present.size:
        return array
    low, high = present.min(), present.max()
    spread = max(float(high - low), share(epsilon, "ε"))
    return np.asarray((array - low) / (spread or 1.0), dtype=np.float64)


def text_by_rank(ranks: Numbers) -> Floats:
    """S_text = 1 / (1 + rank), ranks from 1, where there is no full-text index (SPEC 5.6; seed 003 §2)."""
    return np.asarray(1.0 / (1.0 + checked(ranks, 1.0, LARGEST, "A rank")), dtype=np.float64)


def vector_share(cosines: Numbers) -> Floats:
    """S_vec = (cos + 1) / 2 (SPEC 5.6; seed 003 §2)."""
    array = checked(cosines, -1.0 - COSINE_SLACK, 1.0 + COSINE_SLACK, "A cosine")
    return np.asarray((np.clip(array, -1.0, 1.0) + 1.0) / 2.0, dtype=np.float64)


def distance_cosine(distances: Numbers) -> Floats:
    """cos = 1 − distance, so that nothing past the store is a distance (seed 003 §2, §9)."""
    array = checked(distances, -COSINE_SLACK, 2.0 + COSINE_SLACK, "A cosine distance")
    return np.clip(1.0 - array, -1.0, 1.0)


def fused(vector: Numbers, text: Numbers, alpha: float = DEFAULTS.alpha) -> Floats:
    """S = α·S_vec + (1−α)·S_text; a missing side, NaN or None, is 0 (SPEC 5.6; seed 003 §3)."""
    meaning = np.nan_to_num(checked(vector, 0.0, 1.0, "S_vec"), nan=0.0)
    words = np.nan_to_num(checked(text, 0.0, 1.0, "S_text"), nan=0.0)
    same_length(S_vec=meaning, S_text=words)
    share(alpha, "α")
    return np.asarray(alpha * meaning + (1.0 - alpha) * words, dtype=np.float64)


def text_candidates(limit: int, rows: SearchRows = SHARED) -> int:
    """k_txt = 4·k (SPEC 5.3; seed 003 §3)."""
    return rows.text_factor * _count(limit)


def vector_candidates(limit: int, rows: SearchRows = SHARED) -> int:
    """k_vec = 8·k (SPEC 5.3; seed 003 §3)."""
    return rows.vector_factor * _count(limit)


def widened(asked: int, found: int, limit: int, *, once: bool = False, rows: SearchRows = SHARED) -> int:
    """2·asked if found < k/2, else asked: a poor side is asked for more; `once` says that it already was (SPEC 5.3)."""
    if not found >= 0:
        raise InputError(f"A side cannot have found {found} candidates.", "Give 0 or more.")
    return _count(asked) * rows.widen if not once and found < _count(limit) / 2 else _count(asked)


def checked(values: Numbers, low: float, high: float, name: str, *, missing: bool = True) -> Floats:
    """The values as one row of float64, each in [low, high] or, where that is allowed, missing; else InputError."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} is not a number: {error}.", "Give numbers.") from error
    if array.ndim != 1:
        raise InputError(f"{name} came in an array of shape {array.shape}.", "Give one row of numbers.")
    wrong = ~((array >= low) & (array <= high))  # NaN compares false
    if missing:
        wrong &= ~np.isnan(array)
    if wrong.any():
        raise InputError(f"{name} is {array[wrong][0]:g}.", f"It must lie in [{low:g}, {high:g}].")
    return array


def share(value: float, name: str) -> float:
    """The value, if it lies in [0, 1]; else InputError."""
    if not 0.0 <= value <= 1.0:  # NaN compares false, so it is refused here too
        raise InputError(f"{name} is {value!r}.", "It must lie in [0, 1].")
    return value


def same_length(**columns: Sequence[object] | NDArray[np.generic]) -> int:
    """How many candidates the columns hold; InputError if they disagree."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"The columns differ in length: {lengths}.", "Give one value a candidate.")
    return next(iter(lengths.values()), 0)


def _count(value: int) -> int:
    if not value >= 1:
        raise InputError(f"{value!r} is not a number of candidates.", "Give 1 or more.")
    return value
