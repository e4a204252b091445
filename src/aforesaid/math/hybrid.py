"""The single pass of the `libra` profile: cosine, age and scope, lowered by a summary's decay rate (spec 5.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aforesaid.errors import InputError
from aforesaid.math.decay import by_scope, decay_constants, recency
from aforesaid.math.domain import COSINE_SLACK, Floats, numbers, together, within
from aforesaid.settings.rows import LibraRows, SearchRows
from aforesaid.types import SCOPES, Scope

DEFAULTS = LibraRows()
SCOPE_DEFAULTS = SearchRows()


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights with sum 1. `defaulted` means that all given weights were 0, so the defaults are used."""

    values: tuple[float, ...]
    defaulted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SinglePass:
    """The score of every candidate and its parts."""

    cosine: Floats
    recency: Floats
    scope: Floats
    base: Floats
    quality: Floats
    score: Floats


def normalised(weights: Sequence[float], defaults: Sequence[float]) -> Weights:
    """Weights clamped to [0, 1] and scaled to sum 1: wᵢ = clamp(wᵢ) / Σ clamp(wⱼ) (spec 5.4, L1)."""
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
    """Weights of the base score: (α, β, γ) with sum 1, by default (0.7, 0.2, 0.1) (spec 5.4, L1.1)."""
    return normalised((rows.alpha, rows.beta, rows.gamma), (DEFAULTS.alpha, DEFAULTS.beta, DEFAULTS.gamma))


def positive_cosine(cosine: ArrayLike) -> Floats:
    """The cosine without its negative part: max(cos, 0), at most 1 (spec L1, L7.6)."""
    return np.clip(within(cosine, -1 - COSINE_SLACK, 1 + COSINE_SLACK, "cosine"), 0.0, 1.0)


def scope_weights(scopes: Sequence[Scope], rows: SearchRows = SCOPE_DEFAULTS) -> Floats:
    """The weight of each scope: S(d) is session 1.0, user and project 0.6, global 0.3 (spec 1, L1)."""
    return by_scope(scopes, [getattr(rows, f"weight_{scope}") for scope in SCOPES])


def base(cosine: ArrayLike, recent: ArrayLike, scope: ArrayLike, weights: Weights | None = None) -> Floats:
    """The weighted mean of cosine, recency and scope: base = α·max(cos, 0) + β·R + γ·S (spec 5.4, L1)."""
    terms = together(positive_cosine(cosine), within(recent, 0, 1, "recency"), within(scope, 0, 1, "scope"))
    return convex_sum(terms, weights or hybrid_weights())


def convex_sum(terms: Sequence[Floats], weights: Weights) -> Floats:
    """The weighted mean Σ wᵢ·xᵢ with Σ wᵢ = 1, clipped to the range of the terms (spec L1.1, L7.3)."""
    mixed = sum((weight * term for weight, term in zip(weights.values, terms, strict=True)), start=np.float64(0))
    return np.clip(mixed, np.minimum.reduce(list(terms)), np.maximum.reduce(list(terms)))


def quality(decay_rate: ArrayLike, is_summary: ArrayLike = True, delta: float = DEFAULTS.delta) -> Floats:
    """Quality factor: Q = 1 − δ·decay_rate for a summary, else 1; in [1−δ, 1] (spec 5.4, L1, L5.5)."""
    weight = float(within(delta, 0, 1, "delta"))
    rates, summaries = together(numbers(decay_rate, "decay_rate"), numbers(is_summary, "is_summary"))
    return np.asarray(1.0 - weight * within(np.where(summaries != 0, rates, 0.0), 0, 1, "decay_rate"))


def score(base_score: ArrayLike, quality_factor: ArrayLike) -> Floats:
    """Score: base·Q ∈ [0, 1] (spec 5.4, L1)."""
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
    """Score and parts of every candidate: (α·max(cos, 0) + β·R + γ·S)·Q (spec 5.4, L1–L2)."""
    similar = positive_cosine(cosines)
    recent = recency(ages_seconds, decay_constants(scopes, rows))
    scoped = scope_weights(scopes, scope_rows)
    mixed = base(similar, recent, scoped, hybrid_weights(rows))
    factor = quality(decay_rates, are_summaries, rows.delta)
    return SinglePass(*together(similar, recent, scoped, mixed, factor, score(mixed, factor)))
