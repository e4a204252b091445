"""Means with confidence intervals: a seeded percentile bootstrap, over whole groups if there are enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

MIN_GROUPS = 8  # with fewer groups, single questions are resampled instead
RESAMPLES = 1000
COVERAGE = 0.95
SEED = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `count` questions with its 95 % confidence interval."""

    mean: float
    low: float
    high: float
    count: int


def estimate(values: Sequence[float], groups: Sequence[str]) -> Estimate | None:
    """The mean of values and its interval; None without values."""
    if not values:
        return None
    names = sorted(set(groups))
    numbers = {name: i for i, name in enumerate(names)}
    units = [numbers[name] for name in groups] if len(names) >= MIN_GROUPS else range(len(values))
    sums, counts = np.bincount(units, values), np.bincount(units)
    times = _resamples(len(sums))
    means = (times @ sums) / (times @ counts)
    low, high = np.quantile(means, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return Estimate(float(np.mean(values)), float(low), float(high), len(values))


@lru_cache(maxsize=2)  # the same for every metric of the same questions
def _resamples(units: int) -> NDArray[np.float64]:
    """How often each unit is drawn in each resample."""
    drawn = np.random.default_rng(SEED).multinomial(units, np.full(units, 1 / units), size=RESAMPLES)
    return drawn.astype(np.float64)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the values do not exceed; 0 without values."""
    return float(np.quantile(values, share)) if len(values) else 0.0
