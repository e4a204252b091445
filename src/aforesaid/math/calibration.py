"""From raw scores to probabilities: isotonic regression and Platt scaling (spec 4, 5.6, P2).

Fitted offline from scores and labels and stored with the policy as JSON. An unreadable one is ignored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from aforesaid.errors import InputError
from aforesaid.math.domain import LARGEST_SCORE, Flags, Floats, Numbers, row, same_length

Method: TypeAlias = Literal["isotonic", "platt"]

FORMAT = 1  # version of the JSON; other versions are ignored
ROUNDS = 100  # Newton needs about ten; Lin, Lin and Weng (2007) allow this many
RIDGE = 1e-12  # keeps the Hessian invertible when all scores are equal
STILL = 1e-10  # stop at a gradient this small, per sample
NO_SPREAD = 1e-12  # a smaller relative spread is only rounding
SHORTEST = 1e-10  # stop when a halved step is shorter than this


@dataclass(frozen=True, slots=True)
class Calibration:
    """A fitted map from raw scores to [0, 1]: the knots (isotonic), or slope and intercept (Platt)."""

    method: Method
    policy_version: str
    xs: tuple[float, ...] = ()
    ys: tuple[float, ...] = ()
    slope: float = 0.0
    intercept: float = 0.0

    def __post_init__(self) -> None:
        if self.method == "isotonic":
            xs, values = row(self.xs, -LARGEST_SCORE, LARGEST_SCORE, "A knot"), row(self.ys, 0.0, 1.0, "A knot's value")
            if same_length(xs=xs, ys=values) == 0 or (np.diff(xs) < 0).any() or (np.diff(values) < 0).any():
                raise InputError("The knots of a calibration decrease, or there are none.", "Fit it again.")
        elif self.method == "platt":
            row((self.slope, self.intercept), -LARGEST_SCORE, LARGEST_SCORE, "Platt's slope or intercept")
        else:
            raise InputError(f"{self.method!r} is not a calibration.", "Use 'isotonic' or 'platt'.")

    @classmethod
    def fit(cls, method: Method, raw: Numbers, right: Sequence[bool] | Flags, policy_version: str) -> Calibration:
        """Fit a calibration to scores and whether each was right."""
        if method == "platt":
            slope, intercept = platt_fit(raw, right)
            return cls("platt", policy_version, slope=slope, intercept=intercept)
        xs, ys = isotonic_fit(raw, np.asarray(right, dtype=np.float64))
        return cls("isotonic", policy_version, xs=tuple(xs.tolist()), ys=tuple(ys.tolist()))

    def apply(self, raw: Numbers) -> Floats:
        """The calibrated scores; missing ones stay missing."""
        if self.method == "isotonic":
            return isotonic_apply(raw, self.xs, self.ys)
        return platt_apply(raw, self.slope, self.intercept)

    def to_json(self) -> dict[str, Any]:
        """JSON that `from_json` reads back to an equal value."""
        head = {"format": FORMAT, "method": self.method, "policy_version": self.policy_version}
        if self.method == "isotonic":
            return head | {"xs": list(self.xs), "ys": list(self.ys)}
        return head | {"slope": self.slope, "intercept": self.intercept}

    @classmethod
    def from_json(cls, value: object, policy_version: str | None = None) -> Calibration | None:
        """The reverse of `to_json`; None if it is missing, unreadable or for another policy version."""
        if not isinstance(value, Mapping) or value.get("format") != FORMAT:
            return None
        version = value.get("policy_version")
        if not isinstance(version, str) or policy_version not in (None, version):
            return None
        try:
            if value.get("method") == "isotonic":
                return cls("isotonic", version, xs=_floats(value["xs"]), ys=_floats(value["ys"]))
            return cls(value["method"], version, slope=float(value["slope"]), intercept=float(value["intercept"]))
        except (KeyError, TypeError, ValueError, OverflowError):  # InputError is a ValueError
            return None


def calibrated(raw: Numbers, calibration: Calibration | None, fallback: Callable[[Numbers], Floats]) -> Floats:
    """Calibrated scores, or without a calibration those of `fallback`: min–max or (cos+1)/2 (spec P2)."""
    return fallback(raw) if calibration is None else calibration.apply(raw)


def isotonic_fit(raw: Numbers, labels: Numbers) -> tuple[Floats, Floats]:
    """Isotonic regression: argmin Σ (ŷᵢ − yᵢ)² with ŷ rising in x (spec 5.6, P2).

    Equal scores count as one point with their mean label. Returns the knots: both ends of every pool, and its value.
    """
    x, y = row(raw, -LARGEST_SCORE, LARGEST_SCORE, "A raw score"), row(labels, 0.0, 1.0, "A label")
    if same_length(raw=x, labels=y) == 0:
        raise InputError("There is nothing to fit a calibration to.", "Give labelled scores.")
    points, place = np.unique(x, return_inverse=True)
    weights = np.bincount(place).astype(np.float64)
    means = np.bincount(place, weights=y) / weights
    pools: list[tuple[float, float, int, int]] = []  # sum of labels, weight, first and last point
    for index, (mean, weight) in enumerate(zip(means.tolist(), weights.tolist(), strict=True)):
        total, first = mean * weight, index
        while pools and pools[-1][0] * weight >= total * pools[-1][1]:  # the previous pool is not lower: join it
            before, before_weight, first, _ = pools.pop()
            total, weight = total + before, weight + before_weight
        pools.append((total, weight, first, index))
    knots = [(edge, total / weight) for total, weight, *ends in pools for edge in dict.fromkeys(ends)]
    values = np.maximum.accumulate(np.clip([value for _, value in knots], 0.0, 1.0))  # despite rounding
    return points[[edge for edge, _ in knots]], values


def isotonic_apply(raw: Numbers, xs: Sequence[float] | Floats, ys: Sequence[float] | Floats) -> Floats:
    """Interpolate linearly between the knots; constant beyond the ends."""
    array = row(raw, -LARGEST_SCORE, LARGEST_SCORE, "A raw score", missing=True)
    return np.where(np.isnan(array), np.nan, np.interp(np.nan_to_num(array), xs, ys))


def platt_fit(raw: Numbers, labels: Sequence[bool] | Flags) -> tuple[float, float]:
    """Platt scaling: argmin −Σ t·log p + (1−t)·log(1−p), p = σ(a·x + b), by Newton's method (spec P2).

    Returns (a, b). Platt's targets t keep the fit finite when the classes can be separated. Platt writes
    p = 1/(1+exp(A·x+B)); here a = −A and b = −B.
    """
    x = row(raw, -LARGEST_SCORE, LARGEST_SCORE, "A raw score")
    right = np.asarray(labels, dtype=np.bool_)
    if same_length(raw=x, labels=right) == 0:
        raise InputError("There is nothing to fit a calibration to.", "Give labelled scores.")
    middle, width = float(x.mean()), float(x.std())
    if width <= NO_SPREAD * max(abs(middle), NO_SPREAD):
        width = 1.0
    z = (x - middle) / width  # scaled, because that reduces rounding errors
    targets = platt_targets(right)
    yes = int(right.sum())
    a, b = 0.0, math.log((yes + 1.0) / (right.size - yes + 1.0))
    loss = platt_loss(z, targets, a, b)
    for _ in range(ROUNDS):
        p = platt_apply(z, a, b)
        slope, level = float(z @ (p - targets)), float((p - targets).sum())
        if max(abs(slope), abs(level)) < STILL * x.size:
            break
        curve = p * (1.0 - p)
        aa, ab, bb = float(z @ (curve * z)) + RIDGE, float(z @ curve), float(curve.sum()) + RIDGE
        determinant = aa * bb - ab * ab
        step_a, step_b = (ab * level - bb * slope) / determinant, (ab * slope - aa * level) / determinant
        size = 1.0
        while size >= SHORTEST and platt_loss(z, targets, a + size * step_a, b + size * step_b) > loss:
            size /= 2.0
        if size < SHORTEST:
            break
        a, b = a + size * step_a, b + size * step_b
        loss = platt_loss(z, targets, a, b)
    return a / width, b - a * middle / width


def platt_targets(labels: Sequence[bool] | Flags) -> Floats:
    """Platt's targets: t = (N₊+1)/(N₊+2) where the label is true, else 1/(N₋+2)."""
    right = np.asarray(labels, dtype=np.bool_)
    yes = int(right.sum())
    return np.where(right, (yes + 1.0) / (yes + 2.0), 1.0 / (right.size - yes + 2.0))


def platt_loss(raw: Floats, targets: Floats, slope: float, intercept: float) -> float:
    """Platt's loss: −Σ t·log p + (1−t)·log(1−p) = Σ log(1+exp(f)) − t·f with f = a·x + b, without overflow."""
    f = slope * raw + intercept
    return float((np.logaddexp(0.0, f) - targets * f).sum())


def platt_apply(raw: Numbers, slope: float, intercept: float) -> Floats:
    """Calibrated probability: p = σ(a·x + b)."""
    array = row(raw, -LARGEST_SCORE, LARGEST_SCORE, "A raw score", missing=True)
    with np.errstate(invalid="ignore"):  # a missing score stays NaN
        return np.asarray(np.exp(-np.logaddexp(0.0, -(slope * array + intercept))), dtype=np.float64)


def _floats(values: Sequence[Any]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
