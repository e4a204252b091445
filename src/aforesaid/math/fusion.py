"""The `default` profile: joins keyword and vector scores, adds what surrounds a record, notices a failed search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from aforesaid.math.domain import Floats, within
from aforesaid.settings.rows import RecoveryRows

RECOVERY_DEFAULTS = RecoveryRows()


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


def session_best(scores: Mapping[str, float], sessions: Mapping[str, str | None]) -> dict[str, float]:
    """The best score in each record's session; its own score for a record without a session."""
    best: dict[str, float] = {}
    for key, score in scores.items():
        session = sessions[key]
        if session is not None:
            best[session] = max(best.get(session, score), score)
    return {key: score if (session := sessions[key]) is None else best[session] for key, score in scores.items()}


def nearness(
    anchors: Mapping[str, float], sides: Mapping[str, Iterable[Sequence[str]]], fade: float
) -> dict[str, float]:
    """For each neighbour of an anchor: max over anchors of score · fade^distance.

    `sides` lists the neighbours of an anchor on each side, nearest first. They need no score of their own.
    """
    near: dict[str, float] = {}
    for anchor, score in anchors.items():
        for side in sides.get(anchor, ()):
            for distance, key in enumerate(side, start=1):
                near[key] = max(near.get(key, 0.0), score * fade**distance)
    return near


def nothing_strong(fell_to_full: bool, top_score: float, rows: RecoveryRows = RECOVERY_DEFAULTS) -> bool:
    """S1 ∧ S2: the cascade reached its last tier (L3), and the best score is still under 0.15 (spec 5.10)."""
    return fell_to_full and float(within(top_score, -1e9, 1e9, "top_score")) < rows.top_score


def weak_summaries(confidences: Sequence[float | None], rows: RecoveryRows = RECOVERY_DEFAULTS) -> bool:
    """S3: the top 4 hits are all summaries, and their mean confidence is under 0.5 (spec 5.10).

    `confidences` has one value per hit, best first; None for a hit that is not a summary.
    """
    known = [confidence for confidence in confidences[: rows.summaries] if confidence is not None]
    if len(known) < rows.summaries:
        return False
    return float(within(known, 0, 1, "confidences").mean()) < rows.confidence
