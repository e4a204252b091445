"""How age lowers the score of a record in the `libra` profile (spec 5.4, L2)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from aforesaid.math.domain import LARGEST, Floats, together, within
from aforesaid.settings.rows import LibraRows
from aforesaid.types import SCOPES, Scope, check_choice

DEFAULTS = LibraRows()


def recency(age_seconds: ArrayLike, decay: ArrayLike) -> Floats:
    """Recency in (0, 1]: R = e^(−λ·Δt), Δt ≥ 0 in seconds and `decay` λ ∈ [0, 1] per second (spec 5.4, L2).

    A very large age gives 0.
    """
    ages, constants = together(within(age_seconds, 0, LARGEST, "age_seconds"), within(decay, 0, 1, "decay"))
    return np.asarray(np.exp(-constants * ages), dtype=np.float64)


def half_life(decay: float) -> float:
    """Seconds until recency halves: t½ = ln 2 / λ; infinite for λ = 0 (spec L2)."""
    constant = float(within(decay, 0, 1, "decay"))
    return math.log(2) / constant if constant > 0 else math.inf


def decay_constant(scope: Scope, rows: LibraRows = DEFAULTS) -> float:
    """λ of a scope per second: session 1e-4, user and project 1e-5, global 2e-6 (spec 5.4, L2)."""
    return float(decay_constants([scope], rows)[0])


def decay_constants(scopes: Sequence[Scope], rows: LibraRows = DEFAULTS) -> Floats:
    """λ for each of the scopes."""
    return by_scope(scopes, (rows.decay_session, rows.decay_user, rows.decay_user, rows.decay_global))


def by_scope(scopes: Sequence[Scope], values: Sequence[float]) -> Floats:
    """For each of the scopes its value; `values` are in the order of SCOPES."""
    table = dict(zip(SCOPES, values, strict=True))
    for unknown in set(scopes) - table.keys():
        check_choice(unknown, SCOPES, "scope")
    return np.array([table[scope] for scope in scopes], dtype=np.float64)
