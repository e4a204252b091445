"""Summaries of many numbers, as events and reports hold them (spec 9, P6)."""

from __future__ import annotations

import numpy as np

from aforesaid.math.domain import LARGEST_SCORE, Numbers, row

DIGITS = 6  # of the numbers in an event


def spread(values: Numbers) -> dict[str, float]:
    """Mean, median and 90th percentile: avg, p50, p90; empty without values."""
    array = row(values, -LARGEST_SCORE, LARGEST_SCORE, "A value")
    if not array.size:
        return {}
    middle, high = np.quantile(array, [0.5, 0.9])
    found = {"avg": float(array.mean()), "p50": float(middle), "p90": float(high)}
    return {name: round(value, DIGITS) for name, value in found.items()}
