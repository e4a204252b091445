"""The two passes of the `libra` profile: first by cosine, then by authority, cosine and keywords (spec 5.5)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aforesaid.math.decay import recency
from aforesaid.math.domain import COSINE_SLACK, LARGEST, Floats, positive, together, within
from aforesaid.math.hybrid import Weights, convex_sum, normalised, positive_cosine
from aforesaid.math.vectors import top_indices
from aforesaid.settings.rows import LibraRows

DEFAULTS = LibraRows()


def authority_weights(rows: LibraRows = DEFAULTS) -> Weights:
    """Weights of authority: (α_r, α_f, α_a) with sum 1, by default (0.5, 0.2, 0.3) (spec 5.5, L7.3)."""
    defaults = (DEFAULTS.authority_recency, DEFAULTS.authority_frequency, DEFAULTS.authority_authored)
    return normalised((rows.authority_recency, rows.authority_frequency, rows.authority_authored), defaults)


def authority_recency(age_seconds: ArrayLike, decay: float = DEFAULTS.authority_decay) -> Floats:
    """Recency for authority: r = e^(−λ_r·Δt), λ_r = 1e-5 per second for every scope (spec 5.5, L7.3)."""
    return recency(age_seconds, decay)


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
