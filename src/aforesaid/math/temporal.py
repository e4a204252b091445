"""Temporal-compositional retrieval (SPEC 5.7): a set of records that together cover a question about time.

Records are rows of arrays of one length: `final` their S_final, `anchors` their A(d), `matches` which slots they cover.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aforesaid.errors import InputError
from aforesaid.settings.rows import TimeRows

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]

DEFAULTS = TimeRows()
SLACK = 1e-9  # sums of tenths are not exact in binary: a score made of parts must still reach a threshold it equals
COSINE_SLACK = 1e-3  # float32 unit vectors overshoot 1 by their rounding

# The names of patterns are the names of their settings, so that a weight cannot miss its pattern.
PATTERNS = ("how_many_days", "how_long", "before_after", "first", "since_between", "when_did")


@dataclass(frozen=True, slots=True)
class CoverageStep:
    """One record the selector took: its index, and its S_proj and ΔΦ at the step that took it."""

    index: int
    score: float
    gain: float


def query_indicator(present: Collection[str], rows: TimeRows = DEFAULTS) -> float:
    """ξ(q) = min(Σ sᵢ·[tpatᵢ(q)] / 1.5, 1)."""
    return min(math.fsum(float(getattr(rows, name)) for name in PATTERNS if name in present) / rows.norm, 1.0)


def active(xi: float, rows: TimeRows = DEFAULTS) -> bool:
    """Whether the temporal path runs: ξ ≥ 0.3."""
    return _share(xi) + SLACK >= rows.threshold


def anchor_density(count: int, rows: TimeRows = DEFAULTS) -> float:
    """A(d) = min(distinct date/time expressions / 3, 1)."""
    if not count >= 0:  # NaN compares false: refused
        raise InputError(f"A record cannot hold {count!r} time expressions.", "Give a count, 0 or more.")
    return min(count / rows.anchor_norm, 1.0)


def slot_matches(cosines: ArrayLike, rows: TimeRows = DEFAULTS) -> Flags:
    """φⱼ(d) = [cos(eⱼ, d) ≥ 0.50] for a matrix of cosines, one row a record and one column a slot."""
    matrix = _cosines(cosines)
    if matrix.ndim != 2:
        raise InputError(f"Slot cosines have the shape {matrix.shape}.", "Give a matrix: records × slots.")
    return matrix >= rows.slot_cosine


def covered_slots(matches: Flags, chosen: Sequence[int]) -> Flags:
    """[∃ d ∈ 𝒮 : φⱼ(d) = 1] for every slot j."""
    return np.asarray(_flags(matches)[list(chosen)].any(axis=0))


def marginal_coverage(matches: Flags, covered: Flags) -> Floats:
    """ΔΦ(d, 𝒮) = Σⱼ φⱼ(d)·[slot j not covered by 𝒮] / max(|E|, 1), for every record."""
    flags = _flags(matches)
    if covered.shape != flags.shape[1:]:
        raise InputError(f"{covered.shape} covered slots for matches of {flags.shape}.", "Give one flag a slot.")
    gains: Floats = (flags & ~covered).sum(axis=1) / max(flags.shape[1], 1)
    return gains


def coverage_score(final: ArrayLike, anchors: ArrayLike, gains: ArrayLike, rows: TimeRows = DEFAULTS) -> Floats:
    """S_cov = μ·S_final + ν·A + ρ·ΔΦ, weights re-normalised to sum 1; with all weights 0 it is S_final."""
    weights = np.array([rows.weight_final, rows.weight_anchor, rows.weight_coverage])
    if not weights.sum() > 0:
        weights = np.array([1.0, 0.0, 0.0])
    mu, nu, rho = weights / weights.sum()
    score: Floats = mu * _shares(final) + nu * _shares(anchors) + rho * _shares(gains)
    return np.asarray(np.minimum(score, 1.0))  # the weights may sum to 1 + one rounding


def projected_score(final: ArrayLike, coverage: ArrayLike, xi: float) -> Floats:
    """S_proj = (1−ξ)·S_final + ξ·S_cov, which lies between the two."""
    ordinary, covering = _shares(final), _shares(coverage)
    mixed = (1.0 - _share(xi)) * ordinary + xi * covering
    return np.clip(mixed, np.minimum(ordinary, covering), np.maximum(ordinary, covering))


def recover(
    cosines: ArrayLike,
    anchors: ArrayLike,
    scores: ArrayLike,
    excluded: Collection[int] = (),
    rows: TimeRows = DEFAULTS,
) -> tuple[int, ...]:
    """C_rec: at most 10 records with cos ≥ 0.15 outside C2 (`excluded`), by A, then score, then index."""
    near, density, second = _cosines(cosines), _shares(anchors), np.asarray(scores, dtype=np.float64)
    if not (near.ndim == 1 and near.shape == density.shape == second.shape):
        raise InputError(f"Shapes {near.shape}, {density.shape} and {second.shape} differ.", "Give one value a record.")
    if not np.isfinite(second).all():
        raise InputError("A score is NaN or infinite.", "Scores order the records: give finite numbers.")
    allowed = near >= rows.recovery_cosine
    allowed[list(excluded)] = False
    open_rows = np.flatnonzero(allowed)
    order = np.lexsort((open_rows, -second[open_rows], -density[open_rows]))
    return tuple(int(index) for index in open_rows[order[: rows.recovery_limit]])


def select(
    final: ArrayLike, anchors: ArrayLike, matches: Flags, xi: float, rows: TimeRows = DEFAULTS
) -> tuple[CoverageStep, ...]:
    """𝒮*: up to k_cov = 3 times the record of the largest S_proj(d, 𝒮), the first of equals; stops under 0.10."""
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
    """σ(d) = S_proj(d, 𝒮* ∖ {d}) for every chosen record: a slot that two of them cover counts for neither."""
    ordinary, density, flags = _pool(final, anchors, matches)
    taken = list(chosen)
    own = flags[taken]
    alone = own & (own.sum(axis=0) == 1)
    gains = alone.sum(axis=1) / max(flags.shape[1], 1)
    return projected_score(ordinary[taken], coverage_score(ordinary[taken], density[taken], gains, rows), xi)


def _pool(final: ArrayLike, anchors: ArrayLike, matches: Flags) -> tuple[Floats, Floats, Flags]:
    ordinary, density, flags = _shares(final), _shares(anchors), _flags(matches)
    if not (ordinary.ndim == 1 and ordinary.shape == density.shape == flags.shape[:1]):
        raise InputError(
            f"Shapes {ordinary.shape}, {density.shape} and {flags.shape} differ.", "Give one row a record."
        )
    return ordinary, density, flags


def _flags(matches: Flags) -> Flags:
    flags = np.asarray(matches)
    if flags.ndim != 2 or flags.dtype != np.bool_:
        raise InputError(
            f"Slot matches are {flags.dtype} of shape {flags.shape}.", "Give the booleans of slot_matches."
        )
    return flags


def _cosines(values: ArrayLike) -> Floats:
    array = np.array(values, dtype=np.float64)
    if not (np.abs(array) <= 1.0 + COSINE_SLACK).all():  # NaN compares false, so it is refused here too
        raise InputError("A cosine is not in [-1, 1].", "Give similarities of unit vectors.")
    return array


def _shares(values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if not ((array >= 0.0) & (array <= 1.0)).all():  # NaN compares false, so it is refused here too
        raise InputError("A score is not in [0, 1].", "S_final, A and ΔΦ are shares.")
    return array


def _share(value: float) -> float:
    if not 0.0 <= value <= 1.0:  # NaN compares false, so it is refused here too
        raise InputError(f"{value!r} is not in [0, 1].", "ξ is a share.")
    return value
