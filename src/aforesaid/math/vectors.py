"""Vectors: checks, scaling to unit length, and sketches of sign bits for a fast first scan."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aforesaid.errors import DimensionError

Vectors: TypeAlias = NDArray[np.float32]
Halves: TypeAlias = NDArray[np.float16]
Bits: TypeAlias = NDArray[np.uint64]

UNIT_SLACK = 1e-6  # rows this close to unit length are not changed, so that stored vectors read back exactly
HALF_BYTES = 2
HALF_SLACK = 2e-3  # the same after rounding to half precision
SKETCH_SEED = 20_260_101  # any number; fixed, because sketches of one store are compared with each other


def unit_rows(matrix: object, rows: int, dimensions: int, name: str, slack: float = UNIT_SLACK) -> Vectors:
    """The matrix as float32 with unit rows (zero rows stay zero). DimensionError if it is not rows × dimensions."""
    array = np.asarray(matrix, dtype=np.float64)  # in float32, lengths of large or tiny vectors overflow
    if array.shape != (rows, dimensions):
        raise DimensionError(
            f"{name} gave vectors of shape {array.shape}, expected {(rows, dimensions)}.",
            "Check the model's name and embed.dimensions.",
        )
    if not np.isfinite(array).all():
        raise DimensionError(f"{name} gave a vector with NaN or infinity.", "Check the model.")
    largest = np.abs(array).max(axis=1, keepdims=True, initial=0)
    scaled = array / np.where(largest == 0, 1, largest)
    norms = np.linalg.norm(scaled, axis=1, keepdims=True)
    kept = np.abs(norms * largest - 1) < slack
    return np.where(kept, array, scaled / np.where(norms == 0, 1, norms)).astype(np.float32)


def known_passages(
    passages: Mapping[str, Vectors] | None, keys: Collection[str], dimensions: int, name: str
) -> dict[str, Halves]:
    """The sentence vectors of these keys in half precision, which changes a cosine by less than 0.001."""
    return {
        key: unit_rows(matrix, len(matrix), dimensions, name, HALF_SLACK).astype("<f2")
        for key, matrix in (passages or {}).items()
        if key in keys and len(matrix)
    }


def from_halves(data: bytes, dimensions: int) -> Vectors:
    """Read a matrix that was stored in half precision."""
    return np.frombuffer(data, dtype="<f2").reshape(-1, dimensions).astype(np.float32)


def spread_cosines(cosines: object, background: float) -> NDArray[np.float64]:
    """(cos − b) / (1 − b): rescaled cosines, where unrelated texts are near 0 instead of near b = `background`."""
    return np.maximum((np.asarray(cosines, dtype=np.float64) - background) / (1 - background), -1.0)


@lru_cache(maxsize=4)
def _signs(width: int) -> Vectors:
    return np.random.default_rng(SKETCH_SEED).choice(np.array([-1, 1], dtype=np.float32), width)


def _width(dimensions: int) -> int:
    return max(64, 1 << (dimensions - 1).bit_length())


def rotate(matrix: Vectors) -> Vectors:
    """A random rotation (up to scale): random signs, then a Walsh–Hadamard transform."""
    rows, dimensions = matrix.shape
    width = _width(dimensions)
    spread = np.zeros((rows, width), dtype=np.float32)
    spread[:, :dimensions] = matrix
    spread *= _signs(width)
    step = 1
    while step < width:
        pairs = spread.reshape(rows, width // (2 * step), 2, step)
        spread = np.stack((pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]), axis=2)
        spread = spread.reshape(rows, width)
        step *= 2
    return spread


def sign_bits(matrix: Vectors) -> Bits:
    """The sign bits of the rotated rows in words of 64 bits: shape (words, rows)."""
    bits = np.packbits(rotate(matrix) > 0, axis=1)
    return np.ascontiguousarray(bits.view(np.uint64).T)


@dataclass(frozen=True, slots=True)
class Sketch:
    """A block of vectors in about 72 bytes each: their mean μ, and the length and sign bits of every v − μ.

    v·q = (v − μ)·(q − μ) + v·μ + q·μ − μ·μ, and the signs give the angle between v − μ and q − μ. The mean is taken out
    because text vectors all point in a similar direction, so that their own signs hardly differ.
    """

    mean: Vectors
    lengths: Vectors
    offsets: Vectors
    bits: Bits

    @classmethod
    def of(cls, matrix: Vectors) -> Sketch:
        """The sketch of a block."""
        mean = matrix.mean(axis=0, dtype=np.float64).astype(np.float32)
        centred = matrix - mean
        lengths = np.linalg.norm(centred, axis=1).astype(np.float32)
        return cls(mean, lengths, (matrix @ mean - mean @ mean).astype(np.float32), sign_bits(centred))

    def to_bytes(self) -> bytes:
        """The bytes that a file stores."""
        return b"".join(part.tobytes() for part in (self.mean, self.lengths, self.offsets, self.bits))

    @classmethod
    def from_bytes(cls, data: bytes, rows: int, dimensions: int) -> Sketch | None:
        """The reverse of `to_bytes`; None if the size is wrong."""
        words = _width(dimensions) // 64
        ends = np.cumsum([dimensions * 4, rows * 4, rows * 4, words * rows * 8])
        if len(data) != ends[-1]:
            return None
        mean, lengths, offsets = (
            np.frombuffer(data[start:end], dtype=np.float32) for start, end in pairwise([0, *ends[:3]])
        )
        return cls(mean, lengths, offsets, np.frombuffer(data[ends[2] :], dtype=np.uint64).reshape(words, rows))


def estimated_cosines(sketches: Sequence[Sketch], query: Vectors) -> Vectors:
    """Estimated v·q for every vector: |v−μ|·|q−μ|·cos(π·share of different signs) + v·μ + q·μ − μ·μ."""
    if not sketches:
        return np.empty(0, dtype=np.float32)
    means = np.stack([sketch.mean for sketch in sketches])
    centred = query - means
    lengths, offsets = np.linalg.norm(centred, axis=1), means @ query
    bits = sign_bits(centred)
    found = []
    for i, sketch in enumerate(sketches):
        apart = np.bitwise_count(sketch.bits ^ bits[:, i : i + 1]).sum(axis=0, dtype=np.int32)
        cosines = _cosines_by_distance(bits.shape[0] * 64)[apart]
        found.append(sketch.lengths * (lengths[i] * cosines) + (sketch.offsets + offsets[i]))
    return np.concatenate(found).astype(np.float32)


@lru_cache(maxsize=4)
def _cosines_by_distance(bits: int) -> Vectors:
    """cos(π·d/bits) for every possible number d of different signs."""
    return np.cos(np.pi * np.arange(bits + 1) / bits).astype(np.float32)


def top_indices(scores: NDArray[np.floating | np.integer], limit: int) -> NDArray[np.intp]:
    """Positions of the largest scores, largest first, ties by position."""
    if limit <= 0 or scores.size == 0:
        return np.empty(0, dtype=np.intp)
    if limit >= scores.size:
        return np.argsort(-scores, kind="stable")
    least = np.partition(scores, scores.size - limit)[scores.size - limit]
    inside = np.flatnonzero(scores > least)
    edge = np.flatnonzero(scores == least)[: limit - inside.size]
    chosen = np.concatenate((inside, edge))
    return chosen[np.lexsort((chosen, -scores[chosen]))]
