"""The single pass of the `libra` profile: likeness, age and scope mixed, worn down by a summary's decay (SPEC 5.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aforesaid.errors import InputError
from aforesaid.math.decay import by_scope, decay_constants, numbers, recency, together, within
from aforesaid.math.fusion import Floats
from aforesaid.settings.rows import LibraRows, SearchRows
from aforesaid.types import SCOPES, Scope

DEFAULTS = LibraRows()
SCOPE_DEFAULTS = SearchRows()
COSINE_SLACK = 1e-3  # float32 unit vectors overshoot 1 by their rounding


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights that sum to 1, and whether they are the defaults because all that were given came to 0."""

    values: tuple[float, ...]
    defaulted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SinglePass:
    """The score of every candidate and the parts it was made of."""

    cosine: Floats
    recency: Floats
    scope: Floats
    base: Floats
    quality: Floats
    score: Floats


def normalised(weights: Sequence[float], defaults: Sequence[float]) -> Weights:
    """wᵢ = clamp(wᵢ, 0, 1) / Σ clamp(wⱼ, 0, 1) (seed 000 §1, SPEC 5.4); all zero gives the defaults and says so."""
    if len(weights) != len(defaults):
        raise InputError(f"{len(weights)} weights.", f"Give {len(defaults)}.")
    clamped = [min(max(weight, 0.0), 1.0) for weight in within(weights, -math.inf, math.inf, "weights").tolist()]
    total = math.fsum(clamped)
    if total > 0:
        return Weights(tuple(weight / total for weight in clamped))
    if not any(weight > 0 for weight in defaults):
        raise InputError(f"The defaults {list(defaults)} are all zero.", "Give one weight over zero.")
    return Weights(normalised(defaults, defaults).values, defaulted=True)


def hybrid_weights(rows: LibraRows = DEFAULTS) -> Weights:
    """(α, β, γ) ∈ [0, 1]³ with α + β + γ = 1; by default (0.7, 0.2, 0.1) (seed 000 §1.1, SPEC 5.4)."""
    return normalised((rows.alpha, rows.beta, rows.gamma), (DEFAULTS.alpha, DEFAULTS.beta, DEFAULTS.gamma))


def positive_cosine(cosine: ArrayLike) -> Floats:
    """max(cos, 0), brought to at most 1 (seed 000 §1, note on retrieval similarity; §7.6)."""
    return np.clip(within(cosine, -1 - COSINE_SLACK, 1 + COSINE_SLACK, "cosine"), 0.0, 1.0)


def scope_weights(scopes: Sequence[Scope], rows: SearchRows = SCOPE_DEFAULTS) -> Floats:
    """S(d): session 1.0, user and project 0.6, global 0.3 (seed 000 §1, SPEC 1)."""
    return by_scope(scopes, [getattr(rows, f"weight_{scope}") for scope in SCOPES])


def base(cosine: ArrayLike, recent: ArrayLike, scope: ArrayLike, weights: Weights | None = None) -> Floats:
    """base = α·max(cos, 0) + β·R + γ·S, between the least and the largest of the three (seed 000 §1, SPEC 5.4)."""
    terms = together(positive_cosine(cosine), within(recent, 0, 1, "recency"), within(scope, 0, 1, "scope"))
    return convex_sum(terms, weights or hybrid_weights())


def convex_sum(terms: Sequence[Floats], weights: Weights) -> Floats:
    """Σ wᵢ·xᵢ with Σ wᵢ = 1: never outside the terms, so that rounding cannot leave [0, 1] (seed 000 §1.1, §7.3)."""
    mixed = sum((weight * term for weight, term in zip(weights.values, terms, strict=True)), start=np.float64(0))
    return np.clip(mixed, np.minimum.reduce(list(terms)), np.maximum.reduce(list(terms)))


def quality(decay_rate: ArrayLike, is_summary: ArrayLike = True, delta: float = DEFAULTS.delta) -> Floats:
    """Q = 1 − δ·decay_rate for a summary, else 1; in [1−δ, 1] (seed 000 §1, §5.5, SPEC 5.4).

    The decay rate of what is no summary is not looked at.
    """
    share = float(within(delta, 0, 1, "delta"))
    rates, summaries = together(numbers(decay_rate, "decay_rate"), numbers(is_summary, "is_summary"))
    return np.asarray(1.0 - share * within(np.where(summaries != 0, rates, 0.0), 0, 1, "decay_rate"))


def score(base_score: ArrayLike, quality_factor: ArrayLike) -> Floats:
    """score = base·Q ∈ [0, 1] (seed 000 §1, SPEC 5.4)."""
    bases, factors = together(within(base_score, 0, 1, "base"), within(quality_factor, 0, 1, "quality"))
    return np.asarray(bases * factors)


def single_pass(
    cosines: ArrayLike,
    ages_seconds: ArrayLike,
    scopes: Sequence[Scope],
    decay_rates: ArrayLike = 0.0,
    are_summaries: ArrayLike = False,
    rows: LibraRows = DEFAULTS,
    scope_rows: SearchRows = SCOPE_DEFAULTS,
) -> SinglePass:
    """score = (α·max(cos, 0) + β·R + γ·S)·Q of every candidate, with its parts (seed 000 §1–2, SPEC 5.4)."""
    likeness = positive_cosine(cosines)
    recent = recency(ages_seconds, decay_constants(scopes, rows))
    scoped = scope_weights(scopes, scope_rows)
    mixed = base(likeness, recent, scoped, hybrid_weights(rows))
    factor = quality(decay_rates, are_summaries, rows.delta)
    return SinglePass(*together(likeness, recent, scoped, mixed, factor, score(mixed, factor)))
