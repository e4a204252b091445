"""How age wears a record down (seed 000 §2, SPEC 5.4), and the checks of domain that the other formulas share."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from aforesaid.errors import InputError
from aforesaid.math.fusion import Floats
from aforesaid.settings.rows import LibraRows
from aforesaid.types import SCOPES, Scope, check_choice

DEFAULTS = LibraRows()
LARGEST = 1e300  # ages and counts past this are mistakes, and under it no product of ours overflows


def recency(age_seconds: ArrayLike, decay: ArrayLike) -> Floats:
    """R = e^(−λ·Δt), Δt ≥ 0 in seconds and λ ∈ [0, 1] per second (seed 000 §2, SPEC 5.4).

    R is in (0, 1]; an age so large that the power is under the smallest float gives 0.
    """
    ages, constants = together(within(age_seconds, 0, LARGEST, "age_seconds"), within(decay, 0, 1, "decay"))
    return np.asarray(np.exp(-constants * ages), dtype=np.float64)


def half_life(decay: float) -> float:
    """t½ = ln 2 / λ in seconds; infinite when nothing decays, λ = 0 (seed 000 §2)."""
    constant = float(within(decay, 0, 1, "decay"))
    return math.log(2) / constant if constant > 0 else math.inf


def decay_constant(scope: Scope, rows: LibraRows = DEFAULTS) -> float:
    """λ of a scope: session 1e-4, user and project 1e-5, global 2e-6 per second (seed 000 §2, SPEC 5.4)."""
    return _constants(rows)[SCOPES.index(check_choice(scope, SCOPES, "scope"))]


def decay_constants(scopes: Sequence[Scope], rows: LibraRows = DEFAULTS) -> Floats:
    """λ of every scope in turn."""
    return by_scope(scopes, _constants(rows))


def _constants(rows: LibraRows) -> tuple[float, ...]:
    named = {"session": rows.decay_session, "user": rows.decay_user, "project": rows.decay_user}
    return tuple(named.get(scope, rows.decay_global) for scope in SCOPES)


def by_scope(scopes: Sequence[Scope], values: Sequence[float]) -> Floats:
    """The value of every scope in turn, `values` in the order of SCOPES."""
    table = dict(zip(SCOPES, values, strict=True))
    for unknown in set(scopes) - table.keys():
        check_choice(unknown, SCOPES, "scope")
    return np.array([table[scope] for scope in scopes], dtype=np.float64)


def numbers(values: ArrayLike, name: str) -> Floats:
    """The values as floats, or InputError when they are something else; None is read as NaN."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} is not made of numbers: {values!r}.", "Give a number or an array.") from error


def within(values: ArrayLike, low: float, high: float, name: str) -> Floats:
    """The values as floats if all are in [low, high], else InputError that names the first that is not."""
    array = numbers(values, name)
    inside = (array >= low) & (array <= high)  # NaN compares false, so it is refused here too
    if not inside.all():
        wrong = float(array[~inside].flat[0])
        raise InputError(f"{name} holds {wrong!r}.", f"Give values in [{low:g}, {high:g}].")
    return array


def together(*arrays: Floats) -> tuple[Floats, ...]:
    """The arrays as one shape, or InputError when they cannot be."""
    try:
        return np.broadcast_arrays(*arrays)
    except ValueError as error:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise InputError(f"Arrays of shapes {shapes} do not go together.", "Give one value a candidate.") from error
