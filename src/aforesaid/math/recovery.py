"""When retrieval has failed (SPEC 5.10)."""

from __future__ import annotations

from collections.abc import Sequence

from aforesaid.math.decay import within
from aforesaid.settings.rows import RecoveryRows

DEFAULTS = RecoveryRows()


def nothing_strong(fell_to_full: bool, top_score: float, rows: RecoveryRows = DEFAULTS) -> bool:
    """S1 ∧ S2: the cascade fell to L3, and even there the best score is under 0.15 (SPEC 5.10)."""
    return fell_to_full and float(within(top_score, -1e9, 1e9, "top_score")) < rows.top_score


def weak_summaries(confidences: Sequence[float | None], rows: RecoveryRows = DEFAULTS) -> bool:
    """S3: the top 4 are all summaries, with a mean confidence under 0.5 (SPEC 5.10).

    `confidences` are those of the hits in their order, None where a hit is no summary.
    """
    leading = confidences[: rows.summaries]
    known = [confidence for confidence in leading if confidence is not None]
    if len(known) < rows.summaries:
        return False
    return float(within(known, 0, 1, "confidences").mean()) < rows.confidence
