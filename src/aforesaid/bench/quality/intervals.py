"""Means with their uncertainty: the percentile bootstrap, seeded, over whole groups where there are enough of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

MIN_GROUPS = 8  # with fewer conversations, resampling them says little; questions are resampled instead
RESAMPLES = 1000
COVERAGE = 0.95
SEED = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `count` questions and the interval that holds it with 95 % confidence."""

    mean: float
    low: float
    high: float
    count: int


def estimate(values: Sequence[float], groups: Sequence[str]) -> Estimate | None:
    """The mean of values and its interval; None of no values. Resampled by group from eight groups on."""
    if not values:
        return None
    names = sorted(set(groups))
    place = {name: i for i, name in enumerate(names)}
    units = [place[name] for name in groups] if len(names) >= MIN_GROUPS else range(len(values))
    sums, counts = np.bincount(units, values), np.bincount(units)
    times = _resamples(len(sums))
    means = (times @ sums) / (times @ counts)
    low, high = np.quantile(means, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return Estimate(float(np.mean(values)), float(low), float(high), len(values))


@lru_cache(maxsize=2)  # the same for every metric of the same questions
def _resamples(units: int) -> NDArray[np.float64]:
    """How often each unit is drawn, resample by resample."""
    drawn = np.random.default_rng(SEED).multinomial(units, np.full(units, 1 / units), size=RESAMPLES)
    return drawn.astype(np.float64)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the values do not exceed; 0 of nothing."""
    return float(np.quantile(values, share)) if len(values) else 0.0
