"""The tiers of the cascade: short prefixes of a vector, searched before the whole vector (spec 3, L4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aforesaid.errors import InputError
from aforesaid.math.domain import numbers, within
from aforesaid.math.vectors import Vectors
from aforesaid.settings.rows import CascadeRows

DEFAULTS = CascadeRows()
EPSILON = DEFAULTS.epsilon
FLOAT32_MAX = float(np.finfo(np.float32).max)


def tier_vectors(vectors: ArrayLike, dimensions: int, epsilon: float = EPSILON) -> Vectors:
    """Prefixes of a vector or of every row, at unit length: u_k = v[:k] / √(‖v[:k]‖² + ε²) (spec 3, L4)."""
    array = vectors if isinstance(vectors, np.ndarray) else numbers(vectors, "vectors")
    if array.ndim not in (1, 2) or not 1 <= dimensions <= array.shape[-1]:
        raise InputError(f"No {dimensions} dimensions in {array.shape}.", "Give vectors at least that long.")
    # Cut first: converting whole blocks to float64 takes longer than all the rest.
    prefix = within(array[..., :dimensions], -FLOAT32_MAX, FLOAT32_MAX, "vectors")
    least = float(within(epsilon, 1e-150, 1, "epsilon"))  # a smaller square is 0 and gives 0 / 0
    lengths = np.sqrt(np.sum(prefix * prefix, axis=-1, keepdims=True) + least * least)
    return np.asarray(prefix / lengths, dtype=np.float32)


def tiers_for(dimensions: int, matryoshka: bool, rows: CascadeRows = DEFAULTS) -> tuple[int, ...]:
    """Prefix lengths: {64, 256, full} for a Matryoshka model, else {full} (spec 3, L4)."""
    if dimensions < 1:
        raise InputError(f"A vector of {dimensions} dimensions.", "Give at least 1.")
    lower = {rows.tier1_dimensions, rows.tier2_dimensions} if matryoshka else set()
    return (*sorted(width for width in lower if width < dimensions), dimensions)
