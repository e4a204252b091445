"""Types that the formulas share, and checks that their arguments are in range. Each check raises InputError."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aforesaid.errors import InputError

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = Sequence[float] | Sequence[float | None] | Floats  # one value per candidate; None or NaN: missing

SLACK = 1e-9  # sums of tenths are not exact in binary: a score of 0.35 made of parts must still reach 0.35
COSINE_SLACK = 1e-3  # rounding makes the cosine of float32 unit vectors slightly larger than 1
LARGEST = 1e300  # no age, count or vector is larger
LARGEST_SCORE = 1e150  # squares and sums of larger scores overflow


def numbers(values: ArrayLike | Numbers, name: str) -> Floats:
    """The values as an array of floats; None becomes NaN."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} is not made of numbers: {values!r}.", "Give a number or an array.") from error


def within(values: ArrayLike | Numbers, low: float, high: float, name: str, *, missing: bool = False) -> Floats:
    """The values as floats if all are in [low, high]; NaN is allowed only with `missing`."""
    array = numbers(values, name)
    wrong = ~((array >= low) & (array <= high))  # NaN compares false
    if missing:
        wrong &= ~np.isnan(array)
    if wrong.any():
        raise InputError(f"{name} is {float(array[wrong].flat[0])!r}.", f"It must be in [{low:g}, {high:g}].")
    return array


def row(values: ArrayLike | Numbers, low: float, high: float, name: str, *, missing: bool = False) -> Floats:
    """Like `within`, for exactly one row of numbers."""
    array = within(values, low, high, name, missing=missing)
    if array.ndim != 1:
        raise InputError(f"{name} has the shape {array.shape}.", "Give one row of numbers.")
    return array


def share(value: float, name: str) -> float:
    """The value if it is in [0, 1]."""
    if not 0.0 <= value <= 1.0:  # NaN compares false
        raise InputError(f"{name} is {value!r}.", "It must be in [0, 1].")
    return value


def positive(count: int, name: str) -> int:
    """The count if it is at least 1."""
    if not count >= 1:
        raise InputError(f"{name} is {count!r}.", "Give 1 or more.")
    return count


def together(*arrays: Floats) -> tuple[Floats, ...]:
    """The arrays broadcast to one shape."""
    try:
        return np.broadcast_arrays(*arrays)
    except ValueError as error:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise InputError(f"Arrays of shapes {shapes} do not go together.", "Give one value per candidate.") from error


def same_length(**columns: Sequence[object] | NDArray[np.generic]) -> int:
    """The length that all columns have."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"The columns differ in length: {lengths}.", "Give one value per candidate.")
    return next(iter(lengths.values()), 0)
