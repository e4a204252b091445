"""The cascade: search short prefixes of the vectors (tiers) before the whole vectors (spec 3, L4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aforesaid.errors import InputError
from aforesaid.math.domain import within
from aforesaid.math.vectors import Vectors, top_indices
from aforesaid.settings.rows import CascadeRows

DEFAULTS = CascadeRows()
EPSILON = DEFAULTS.epsilon
FLOAT32_MAX = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True, eq=False)
class CascadeAnswer:
    """The tier that answered (0 is the shortest), the best score of each searched tier, positions and their scores."""

    tier: int
    best: tuple[float, ...]
    positions: NDArray[np.intp]
    scores: Vectors


def tier_vectors(vectors: ArrayLike, dimensions: int, epsilon: float = EPSILON) -> Vectors:
    """Prefixes of a vector or of every row, at unit length: u_k = v[:k] / √(‖v[:k]‖² + ε²) (spec 3, L4)."""
    array = within(vectors, -FLOAT32_MAX, FLOAT32_MAX, "vectors")
    if array.ndim not in (1, 2) or not 1 <= dimensions <= array.shape[-1]:
        raise InputError(f"No {dimensions} dimensions in {array.shape}.", "Give vectors at least that long.")
    least = float(within(epsilon, 1e-150, 1, "epsilon"))  # a smaller square is 0 and gives 0 / 0
    prefix = array[..., :dimensions]
    lengths = np.sqrt(np.sum(prefix * prefix, axis=-1, keepdims=True) + least * least)
    return np.asarray(prefix / lengths, dtype=np.float32)


def tiers_for(dimensions: int, matryoshka: bool, rows: CascadeRows = DEFAULTS) -> tuple[int, ...]:
    """Prefix lengths: {64, 256, full} for a Matryoshka model, else {full} (spec 3, L4)."""
    if dimensions < 1:
        raise InputError(f"A vector of {dimensions} dimensions.", "Give at least 1.")
    lower = {rows.tier1_dimensions, rows.tier2_dimensions} if matryoshka else set()
    return (*sorted(width for width in lower if width < dimensions), dimensions)


def cascade_search(
    tiers: Sequence[ArrayLike | None],
    query: ArrayLike,
    thresholds: Sequence[float] = (DEFAULTS.exit1, DEFAULTS.exit2),
    limit: int = 10,
    epsilon: float = EPSILON,
) -> CascadeAnswer:
    """The `limit` best rows of the first tier whose best score ≥ θ, else of the last tier (spec 3, L4).

    `tiers` are u_k of the same records from short to full, `query` is the full vector. max(∅) = 0: a tier that is
    missing or dirty (a different number of rows, or a score that is not a number) scores 0 and never answers early.
    """
    full = _matrix(tiers[-1]) if tiers else None
    if not tiers or len(thresholds) < len(tiers) - 1:
        raise InputError(
            f"{len(tiers)} tiers and {len(thresholds)} thresholds.", "Give one for each tier but the last."
        )
    within(list(thresholds), -1, 1, "thresholds")
    wanted = within(query, -FLOAT32_MAX, FLOAT32_MAX, "query")
    if wanted.ndim != 1 or (full is not None and full.shape[1] != wanted.size):
        raise InputError(f"The query has shape {wanted.shape}.", "Give one vector as long as the last tier's.")
    best: list[float] = []
    for tier, threshold in enumerate(thresholds[: len(tiers) - 1]):
        scores = _tier_scores(_matrix(tiers[tier]), wanted, full, epsilon)
        best.append(float(scores.max(initial=-1.0)) if scores.size else 0.0)
        if scores.size and best[-1] >= threshold:
            return _answer(tier, best, scores, limit)
    scores = _tier_scores(full, wanted, None, epsilon)
    if full is not None and scores.size < len(full):
        raise InputError("The full tier has vectors that are not numbers.", "Embed their texts again.")
    return _answer(len(tiers) - 1, [*best, float(scores.max()) if scores.size else 0.0], scores, limit)


def dirty_tiers(tiers: Sequence[ArrayLike | None], widths: Sequence[int]) -> tuple[int, ...]:
    """The lower tiers that are missing, have the wrong shape or are not finite (spec 3)."""
    full = _matrix(tiers[-1]) if len(tiers) == len(widths) and tiers else None
    if full is None or full.shape[1] != widths[-1] or not np.isfinite(full).all():
        raise InputError(
            f"{len(tiers)} tiers for lengths {list(widths)}, the last one missing or not as long.",
            "The full vectors are the source of all tiers: embed the texts again.",
        )
    lower = [_matrix(tier) for tier in tiers[:-1]]
    return tuple(
        i
        for i, (tier, width) in enumerate(zip(lower, widths[:-1], strict=True))
        if tier is None or tier.shape != (len(full), width) or not np.isfinite(tier).all()
    )


def backfill(tiers: Sequence[ArrayLike | None], widths: Sequence[int], epsilon: float = EPSILON) -> tuple[Vectors, ...]:
    """All tiers, the dirty ones computed again from the full vectors (spec 3, L4)."""
    dirty, full = dirty_tiers(tiers, widths), np.asarray(tiers[-1])
    return tuple(
        tier_vectors(full, width, epsilon) if i in dirty else np.asarray(tier, dtype=np.float32)
        for i, (tier, width) in enumerate(zip(tiers, widths, strict=True))
    )


def _matrix(tier: ArrayLike | None) -> Vectors | None:
    """The tier as a matrix; None if it is missing or is not a matrix."""
    array = None if tier is None else np.asarray(tier, dtype=np.float32)
    return array if array is not None and array.ndim == 2 else None


def _tier_scores(tier: Vectors | None, query: ArrayLike, full: Vectors | None, epsilon: float) -> Vectors:
    """uᵢ·q_k of every row; empty if the tier is missing or dirty."""
    nothing = np.empty(0, dtype=np.float32)
    if tier is None or not 1 <= tier.shape[1] <= np.size(query) or (full is not None and len(tier) != len(full)):
        return nothing
    with np.errstate(invalid="ignore", over="ignore"):  # NaN makes the tier dirty; no warning is needed
        scores = tier @ tier_vectors(query, tier.shape[1], epsilon)
    return scores if np.isfinite(scores).all() else nothing


def _answer(tier: int, best: Sequence[float], scores: Vectors, limit: int) -> CascadeAnswer:
    positions = top_indices(scores, limit)
    return CascadeAnswer(tier, tuple(best), positions, scores[positions])
