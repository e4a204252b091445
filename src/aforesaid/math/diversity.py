"""Diverse hits: one per content, few per entity, then maximal marginal relevance (spec 5.6, P5.3).

Every function takes one score per candidate and returns positions, best first. Equal scores keep their order.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aforesaid.errors import InputError
from aforesaid.math.domain import COSINE_SLACK, LARGEST_SCORE, Floats, Numbers, positive, row, same_length, share
from aforesaid.math.vectors import Vectors
from aforesaid.settings.rows import PceRows

Positions: TypeAlias = NDArray[np.intp]

DEFAULTS = PceRows()
COSINE_DECIMALS = 6  # the same vector in another row of a matrix may differ in its last bits


def by_score(scores: Numbers) -> Positions:
    """Positions from the best score to the worst, ties by position."""
    return np.argsort(-_scores(scores), kind="stable")


def one_per_hash(scores: Numbers, hashes: Sequence[str | None]) -> Positions:
    """The best candidate of every content hash; None is always unique (spec 5.6, P5.3)."""
    return at_most(scores, hashes, 1)


def at_most(scores: Numbers, clusters: Sequence[Hashable | None], limit: int = DEFAULTS.per_entity) -> Positions:
    """The best `limit` = 2 candidates of every entity cluster; None is in no cluster (spec 5.6, P5.3)."""
    order, most = by_score(scores), positive(limit, "limit")
    same_length(scores=order, clusters=clusters)
    taken: dict[Hashable, int] = {}
    chosen = []
    for position in order.tolist():
        cluster = clusters[position]
        before = taken.get(cluster, 0)
        if cluster is None or before < most:
            taken[cluster] = before + 1
            chosen.append(position)
    return np.asarray(chosen, dtype=np.intp)


def mmr(scores: Numbers, vectors: Vectors, limit: int, balance: float = DEFAULTS.mmr_lambda) -> Positions:
    """Maximal marginal relevance: repeatedly argmax of λ·score − (1−λ)·max cos to the chosen (spec 5.6, P5.3).

    `vectors` has one unit row per candidate; a zero row (no vector) has cosine 0 with all. Ties go to the better
    score, then to the earlier position.
    """
    order = by_score(scores)
    matrix = np.asarray(vectors)
    if matrix.ndim != 2 or not np.issubdtype(matrix.dtype, np.floating):
        raise InputError(f"Vectors are {matrix.dtype} of shape {matrix.shape}.", "Give a matrix of floats.")
    same_length(scores=order, vectors=matrix)
    lengths = np.einsum("ij,ij->i", matrix, matrix)
    if not ((np.abs(lengths - 1.0) <= COSINE_SLACK) | (lengths == 0)).all():  # NaN compares false
        raise InputError("A vector is not of unit length.", "Give unit vectors, or zeros where there is none.")
    relevance = share(balance, "λ") * _scores(scores)[order]
    chosen: list[int] = []
    nearest: Floats = np.zeros(order.size)
    free = np.ones(order.size, dtype=np.bool_)
    for number in range(min(positive(limit, "limit"), order.size)):
        gains = np.where(free, relevance - (1.0 - balance) * nearest, -np.inf)
        best = int(np.argmax(gains))
        free[best] = False
        chosen.append(int(order[best]))
        cosines = np.round((matrix @ matrix[order[best]])[order].astype(np.float64), COSINE_DECIMALS)
        nearest = np.maximum(nearest, cosines) if number else cosines
    return np.asarray(chosen, dtype=np.intp)


def diverse(
    scores: Numbers,
    hashes: Sequence[str | None],
    clusters: Sequence[Hashable | None],
    vectors: Vectors,
    limit: int,
    rows: PceRows = DEFAULTS,
) -> Positions:
    """One per content hash, then at most 2 per cluster, then MMR, in the order of spec 5.6, P5.3."""
    array = _scores(scores)
    first = one_per_hash(array, hashes)
    same_length(scores=array, clusters=clusters)
    second = first[at_most(array[first], [clusters[position] for position in first.tolist()], rows.per_entity)]
    return second[mmr(array[second], np.asarray(vectors)[second], limit, rows.mmr_lambda)]


def _scores(scores: Numbers) -> Floats:
    return row(scores, -LARGEST_SCORE, LARGEST_SCORE, "A score")
