"""The `libra` profile: one pass by cosine, age and scope, or two passes by authority and keywords, then links.

Spec 5.4, 5.5.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aforesaid.errors import InputError
from aforesaid.math.domain import COSINE_SLACK, LARGEST, Floats, numbers, positive, together, within
from aforesaid.math.vectors import top_indices
from aforesaid.settings.rows import LibraRows, SearchRows
from aforesaid.types import SCOPES, Scope, check_choice

DEFAULTS = LibraRows()
SCOPE_DEFAULTS = SearchRows()
Id = TypeVar("Id", int, str)


def recency(age_seconds: ArrayLike, decay: ArrayLike) -> Floats:
    """Recency in (0, 1]: R = e^(−λ·Δt), Δt ≥ 0 in seconds and `decay` λ ∈ [0, 1] per second (spec 5.4, L2).

    A very large age gives 0.
    """
    ages, constants = together(within(age_seconds, 0, LARGEST, "age_seconds"), within(decay, 0, 1, "decay"))
    return np.asarray(np.exp(-constants * ages), dtype=np.float64)


def decay_constants(scopes: Sequence[Scope], rows: LibraRows = DEFAULTS) -> Floats:
    """λ of each scope per second: session 1e-4, user and project 1e-5, global 2e-6 (spec 5.4, L2)."""
    return by_scope(scopes, (rows.decay_session, rows.decay_user, rows.decay_user, rows.decay_global))


def by_scope(scopes: Sequence[Scope], values: Sequence[float]) -> Floats:
    """For each of the scopes its value; `values` are in the order of SCOPES."""
    table = dict(zip(SCOPES, values, strict=True))
    for unknown in set(scopes) - table.keys():
        check_choice(unknown, SCOPES, "scope")
    return np.array([table[scope] for scope in scopes], dtype=np.float64)


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


def authority_weights(rows: LibraRows = DEFAULTS) -> Weights:
    """Weights of authority: (α_r, α_f, α_a) with sum 1, by default (0.5, 0.2, 0.3) (spec 5.5, L7.3)."""
    defaults = (DEFAULTS.authority_recency, DEFAULTS.authority_frequency, DEFAULTS.authority_authored)
    return normalised((rows.authority_recency, rows.authority_frequency, rows.authority_authored), defaults)


def access_frequency(accesses: ArrayLike, most_accesses: float) -> Floats:
    """How often a record was used: f = log(1 + acc) / log(1 + max acc + 1) ∈ [0, 1) (spec 5.5, L7.3).

    `most_accesses` is the maximum over everything that can be found, not only over the candidates. The extra 1 in the
    denominator keeps the cold start defined: max acc = 0 gives log 1 / log 2 = 0.
    """
    most = float(within(most_accesses, 0, LARGEST, "most_accesses"))
    return np.asarray(np.log1p(within(accesses, 0, most, "accesses")) / np.log1p(most + 1.0), dtype=np.float64)


def authority(recent: ArrayLike, frequency: ArrayLike, authored: ArrayLike, weights: Weights | None = None) -> Floats:
    """Authority, a weighted mean: ω = α_r·r + α_f·f + α_a·a ∈ [0, 1] (spec 5.5, L7.3)."""
    named = (("recency", recent), ("frequency", frequency), ("authored", authored))
    terms = together(*(within(values, 0, 1, name) for name, values in named))
    return convex_sum(terms, weights or authority_weights())


def coverage(matched: ArrayLike, keywords: int) -> Floats:
    """Share of the query's keywords in a record: M = matched / max(|K|, 1) ∈ [0, 1] (spec 5.5, L7.5)."""
    count = float(within(keywords, 0, LARGEST, "keywords"))
    return np.asarray(within(matched, 0, count, "matched") / max(count, 1.0))


def keyword_coverage(keywords: set[str] | frozenset[str], terms: Sequence[Collection[str]]) -> Floats:
    """The same from the terms of each record: M = |K ∩ terms(d)| / max(|K|, 1) (spec 5.5, L7.5)."""
    return coverage([len(keywords.intersection(found)) for found in terms], len(keywords))


def keyword_factor(covered: ArrayLike, kappa: float = DEFAULTS.kappa) -> Floats:
    """Factor for keyword coverage M: (1 + κM) / (1 + κ) ∈ [1/(1+κ), 1], κ ≥ 0 (spec L7.6)."""
    weight = float(within(kappa, 0, LARGEST, "kappa"))
    return np.asarray((1.0 + weight * within(covered, 0, 1, "coverage")) / (1.0 + weight))


def second_pass(
    omega: ArrayLike,
    cosine: ArrayLike,
    covered: ArrayLike,
    kappa: float = DEFAULTS.kappa,
    quality_factor: ArrayLike = 1.0,
) -> Floats:
    """Final score: S_final = ω·max(cos, 0)·(1 + κM) / (1 + κ) [· Q of a summary] (spec 5.5, L7.5).

    0 ≤ S_final ≤ ω ≤ 1.
    """
    factors = together(
        within(omega, 0, 1, "authority"),
        positive_cosine(cosine),
        keyword_factor(covered, kappa),
        within(quality_factor, 0, 1, "quality"),
    )
    return np.asarray(factors[0] * factors[1] * factors[2] * factors[3])


def first_pass(cosines: ArrayLike, k1: int = DEFAULTS.k1, theta1: float = DEFAULTS.theta1) -> NDArray[np.intp]:
    """Candidates C1: positions of the k1 largest cosines that are at least θ1 (spec 5.5, L7.4)."""
    found = np.atleast_1d(within(cosines, -1 - COSINE_SLACK, 1 + COSINE_SLACK, "cosine"))
    best = top_indices(found, positive(k1, "k1"))
    return best[found[best] >= float(within(theta1, -1, 1, "theta1"))]


def survivors(scores: ArrayLike, k2: int = DEFAULTS.k2) -> NDArray[np.intp]:
    """Survivors C2: positions of the k2 largest S_final, ties by position (spec 5.5, L7.5)."""
    return top_indices(np.atleast_1d(within(scores, 0, 1, "score")), positive(k2, "k2"))


@dataclass(frozen=True, slots=True)
class Hop(Generic[Id]):
    """A linked record, its score, and the record that links to it."""

    id: Id
    score: float
    parent: Id


def hop_score(parent_score: float, decay: float = DEFAULTS.hop_decay) -> float:
    """Score of a linked record: S_hop = η·S_final of its best parent, η ∈ [0, 1] (spec 5.5, L7.7)."""
    return float(within(decay, 0, 1, "hop_decay")) * float(within(parent_score, 0, 1, "parent score"))


def best_parents(scores: Mapping[Id, float], neighbours: Mapping[Id, Iterable[Id]]) -> dict[Id, Id]:
    """Linked records C_hop = ∪ H(d) ∖ C2 over d ∈ C2, each with its best parent (spec 5.5, L7.7).

    Only links that leave C2 are followed, so the depth is one and cycles end. The smaller id wins a tie.
    """
    found: dict[Id, Id] = {}
    for parent in sorted(scores, key=lambda parent: (-scores[parent], parent)):
        for neighbour in neighbours.get(parent, ()):
            if neighbour not in scores:
                found.setdefault(neighbour, parent)
    return found


def hops(
    scores: Mapping[Id, float],
    neighbours: Mapping[Id, Iterable[Id]],
    decay: float = DEFAULTS.hop_decay,
    threshold: float = DEFAULTS.hop_threshold,
) -> tuple[Hop[Id], ...]:
    """Good linked records C*_hop = {d′ ∈ C_hop | S_hop(d′) ≥ θ_hop}, by score, then id (spec 5.5, L7.7).

    `scores` has the S_final of every record in C2, `neighbours` the links of each record.
    """
    least = float(within(threshold, 0, 1, "hop_threshold"))
    within(list(scores.values()), 0, 1, "parent score")
    parents = best_parents(scores, neighbours)
    reached = (Hop(found, hop_score(scores[parent], decay), parent) for found, parent in parents.items())
    return tuple(sorted((hop for hop in reached if hop.score >= least), key=lambda hop: (-hop.score, hop.id)))
