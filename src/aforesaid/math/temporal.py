"""Queries about time (spec 5.7): choose records that together cover all events that the query asks about.

Arrays have one row per record: `final` is its S_final, `anchors` its A(d), `matches` the events (slots) it covers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aforesaid.errors import InputError
from aforesaid.math.domain import COSINE_SLACK, SLACK, Flags, Floats, row, same_length, share, within
from aforesaid.settings.rows import TimeRows

DEFAULTS = TimeRows()
# Each pattern has the name of its setting, so that a weight cannot miss its pattern.
PATTERNS = ("how_many_days", "how_long", "before_after", "first", "since_between", "when_did")


@dataclass(frozen=True, slots=True)
class CoverageStep:
    """One chosen record: its index, and its S_proj and ΔΦ when it was chosen."""

    index: int
    score: float
    gain: float


def query_indicator(present: Collection[str], rows: TimeRows = DEFAULTS) -> float:
    """How much a query asks about time: ξ(q) = min(Σ sᵢ·[tpatᵢ(q)] / 1.5, 1); `present` are pattern names."""
    return min(math.fsum(float(getattr(rows, name)) for name in PATTERNS if name in present) / rows.norm, 1.0)


def active(xi: float, rows: TimeRows = DEFAULTS) -> bool:
    """Whether the temporal path runs: ξ ≥ 0.3."""
    return share(xi, "ξ") + SLACK >= rows.threshold


def anchor_density(count: int, rows: TimeRows = DEFAULTS) -> float:
    """How many dates a record names: A(d) = min(distinct date/time expressions / 3, 1)."""
    if not count >= 0:  # NaN compares false
        raise InputError(f"A record cannot have {count!r} time expressions.", "Give a count, 0 or more.")
    return min(count / rows.anchor_norm, 1.0)


def density_levels(rows: TimeRows = DEFAULTS) -> Iterator[tuple[int, int | None]]:
    """The least and the most time expressions of records with the same A(d), from the largest A(d) to 0."""
    yield rows.anchor_norm, None
    for count in range(rows.anchor_norm - 1, -1, -1):
        yield count, count


def slot_matches(cosines: ArrayLike, rows: TimeRows = DEFAULTS) -> Flags:
    """Which events a record covers: φⱼ(d) = [cos(eⱼ, d) ≥ 0.50], for a matrix of records × events."""
    matrix = within(cosines, -1 - COSINE_SLACK, 1 + COSINE_SLACK, "cosine")
    if matrix.ndim != 2:
        raise InputError(f"Slot cosines have the shape {matrix.shape}.", "Give a matrix: records × slots.")
    return matrix >= rows.slot_cosine


def covered_slots(matches: Flags, chosen: Sequence[int]) -> Flags:
    """Which events the chosen records cover: [∃ d ∈ 𝒮 : φⱼ(d) = 1] for every event j."""
    return np.asarray(_flags(matches)[list(chosen)].any(axis=0))


def marginal_coverage(matches: Flags, covered: Flags) -> Floats:
    """Share of new events in each record: ΔΦ(d, 𝒮) = Σⱼ φⱼ(d)·[event j not covered by 𝒮] / max(|E|, 1)."""
    flags = _flags(matches)
    if covered.shape != flags.shape[1:]:
        raise InputError(f"{covered.shape} covered slots for matches of {flags.shape}.", "Give one flag per slot.")
    gains: Floats = (flags & ~covered).sum(axis=1) / max(flags.shape[1], 1)
    return gains


def coverage_score(final: ArrayLike, anchors: ArrayLike, gains: ArrayLike, rows: TimeRows = DEFAULTS) -> Floats:
    """Coverage score: S_cov = μ·S_final + ν·A + ρ·ΔΦ, weights scaled to sum 1; with all weights 0 it is S_final."""
    weights = np.array([rows.weight_final, rows.weight_anchor, rows.weight_coverage])
    if not weights.sum() > 0:
        weights = np.array([1.0, 0.0, 0.0])
    mu, nu, rho = weights / weights.sum()
    score: Floats = (
        mu * within(final, 0, 1, "S_final") + nu * within(anchors, 0, 1, "A") + rho * within(gains, 0, 1, "ΔΦ")
    )
    return np.asarray(np.minimum(score, 1.0))  # rounding can make the weights sum to slightly more than 1


def projected_score(final: ArrayLike, coverage: ArrayLike, xi: float) -> Floats:
    """A score between the two: S_proj = (1−ξ)·S_final + ξ·S_cov."""
    ordinary, covering = within(final, 0, 1, "S_final"), within(coverage, 0, 1, "S_cov")
    mixed = (1.0 - share(xi, "ξ")) * ordinary + xi * covering
    return np.clip(mixed, np.minimum(ordinary, covering), np.maximum(ordinary, covering))


def select(
    final: ArrayLike, anchors: ArrayLike, matches: Flags, xi: float, rows: TimeRows = DEFAULTS
) -> tuple[CoverageStep, ...]:
    """𝒮*: up to k_cov = 3 times the record with the largest S_proj(d, 𝒮), ties by index; stops under 0.10."""
    ordinary, density, flags = _pool(final, anchors, matches)
    covered: Flags = np.zeros(flags.shape[1], dtype=np.bool_)
    free: Flags = np.ones(len(ordinary), dtype=np.bool_)
    chosen: list[CoverageStep] = []
    while len(chosen) < min(rows.k_coverage, len(ordinary)):
        gains = marginal_coverage(flags, covered)
        scores = projected_score(ordinary, coverage_score(ordinary, density, gains, rows), xi)
        best = int(np.argmax(np.where(free, scores, -1.0)))
        if scores[best] + SLACK < rows.stop:
            break
        chosen.append(CoverageStep(best, float(scores[best]), float(gains[best])))
        free[best] = False
        covered = covered | flags[best]
    return tuple(chosen)


def injection_scores(
    final: ArrayLike, anchors: ArrayLike, matches: Flags, chosen: Sequence[int], xi: float, rows: TimeRows = DEFAULTS
) -> Floats:
    """Final scores of the chosen: σ(d) = S_proj(d, 𝒮* ∖ {d}); an event that two of them cover counts for neither."""
    ordinary, density, flags = _pool(final, anchors, matches)
    taken = list(chosen)
    own = flags[taken]
    alone = own & (own.sum(axis=0) == 1)
    gains = alone.sum(axis=1) / max(flags.shape[1], 1)
    return projected_score(ordinary[taken], coverage_score(ordinary[taken], density[taken], gains, rows), xi)


def _pool(final: ArrayLike, anchors: ArrayLike, matches: Flags) -> tuple[Floats, Floats, Flags]:
    ordinary, density, flags = row(final, 0, 1, "S_final"), row(anchors, 0, 1, "A"), _flags(matches)
    same_length(final=ordinary, anchors=density, matches=flags)
    return ordinary, density, flags


def _flags(matches: Flags) -> Flags:
    flags = np.asarray(matches)
    if flags.ndim != 2 or flags.dtype != np.bool_:
        raise InputError(f"Slot matches are {flags.dtype} of shape {flags.shape}.", "Give the result of slot_matches.")
    return flags
