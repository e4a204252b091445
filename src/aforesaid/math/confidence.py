"""How likely a memory holds the answer to a question, and how likely each hit is part of it (spec 5.9).

Two logistic models, fitted on questions with known evidence, on the same questions with their evidence hidden, and on
questions about other conversations (`aforesaid bench trust` measures them):

    result = σ(b + Σ wᵢ·signalᵢ)          hit = result · σ(a + w_gap·gap + w_rank·ln(1 + rank) + w_words·words)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_STEPS = 50  # Newton's method needs about ten
CONVERGED = 1e-8  # change of a weight that ends the search
TINY = 1e-9  # keeps the curvature invertible
LONGEST = 700.0  # of an exponent: e⁷⁰⁰ is near the largest float


def rarity(records: int, holders: int) -> float:
    """The weight of a word: ln(1 + (N − n + ½) / (n + ½)), with n of N records holding it. Never negative."""
    return math.log(1 + (records - holders + 0.5) / (holders + 0.5))


def coverage(found: Set[str], rarities: Mapping[str, float]) -> float:
    """The share of a question's words, by rarity, that are in `found`; 0 for a question without words."""
    total = sum(rarities.values())
    return sum(weight for word, weight in rarities.items() if word in found) / total if total else 0.0


def logistic(value: float) -> float:
    """σ(x) = 1 / (1 + e⁻ˣ)."""
    return 1 / (1 + math.exp(min(max(-value, -LONGEST), LONGEST)))


@dataclass(frozen=True, slots=True)
class Logistic:
    """A fitted model: an intercept and a weight for each signal."""

    intercept: float
    weights: Mapping[str, float]

    def probability(self, signals: Mapping[str, float]) -> float:
        """σ(intercept + Σ weight·signal)."""
        return logistic(self.intercept + sum(weight * signals[name] for name, weight in self.weights.items()))


def fit_logistic(signals: Floats, labels: Floats, weights: Floats, ridge: float = 1.0) -> tuple[float, list[float]]:
    """The intercept and weights with the least weighted log loss + ridge/2·Σ weight², by Newton's method."""
    rows = np.column_stack([np.ones(len(signals)), signals])
    penalty = np.diag([0.0, *[ridge] * signals.shape[1]])
    found = np.zeros(rows.shape[1])
    for _ in range(MOST_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ found, -LONGEST, LONGEST)))
        gradient = rows.T @ (weights * (chance - labels)) + penalty @ found
        curvature = (rows * (weights * chance * (1 - chance))[:, np.newaxis]).T @ rows + penalty
        step = np.linalg.solve(curvature + TINY * np.eye(len(found)), gradient)
        found -= step
        if np.abs(step).max() < CONVERGED:
            break
    return float(found[0]), [float(value) for value in found[1:]]
