"""When a search has failed (spec 5.10)."""

from __future__ import annotations

from collections.abc import Sequence

from aforesaid.math.domain import within
from aforesaid.settings.rows import RecoveryRows

DEFAULTS = RecoveryRows()


def nothing_strong(fell_to_full: bool, top_score: float, rows: RecoveryRows = DEFAULTS) -> bool:
    """S1 ∧ S2: the cascade reached its last tier (L3), and the best score is still under 0.15 (spec 5.10)."""
    return fell_to_full and float(within(top_score, -1e9, 1e9, "top_score")) < rows.top_score


def weak_summaries(confidences: Sequence[float | None], rows: RecoveryRows = DEFAULTS) -> bool:
    """S3: the top 4 hits are all summaries, and their mean confidence is under 0.5 (spec 5.10).

    `confidences` has one value per hit, best first; None for a hit that is not a summary.
    """
    known = [confidence for confidence in confidences[: rows.summaries] if confidence is not None]
    if len(known) < rows.summaries:
        return False
    return float(within(known, 0, 1, "confidences").mean()) < rows.confidence
