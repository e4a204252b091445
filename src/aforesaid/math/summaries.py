"""Compaction: cuts a session into clusters, and measures how well a summary represents its sources (spec 8, L5)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from aforesaid.errors import InputError
from aforesaid.math.domain import LARGEST, Floats, within
from aforesaid.math.libra import normalised
from aforesaid.settings.rows import CompactRows

DEFAULTS = CompactRows()
TRIVIAL = "trivial"  # the method for a cluster of one message


def cluster_size(turns: int = DEFAULTS.cluster_turns) -> int:
    """Messages per cluster: k, or 20 if k is not positive (spec 8, L5)."""
    return turns if turns >= 1 else DEFAULTS.cluster_turns


def cluster_count(n: int, turns: int = DEFAULTS.cluster_turns) -> int:
    """Number of clusters: c = ⌈max(n, 1) / k⌉, at least 1 (spec 8, L5)."""
    return -(-max(_count(n), 1) // cluster_size(turns))


def cluster_index(i: int, n: int, turns: int = DEFAULTS.cluster_turns) -> int:
    """Cluster of message i of n, from 0: clusterIndex(i) = ⌊i·c / max(n, 1)⌋ (spec 8, L5)."""
    if not 0 <= i < max(_count(n), 1):
        raise InputError(f"Message {i} of {n}.", "Messages are counted from 0.")
    return i * cluster_count(n, turns) // max(n, 1)


def cluster_method(size: int, method: str) -> str:
    """`trivial` for a cluster of one message, else the given method (spec 8, L5)."""
    return TRIVIAL if _count(size) == 1 else method


def _count(n: int) -> int:
    if n < 0:
        raise InputError(f"{n} messages.", "The number cannot be negative.")
    return n


def centroid(sources: ArrayLike) -> Floats:
    """Mean of the source vectors, not scaled to unit length: μ_C = (1/n)·Σ vᵢ (spec 8, L5.2)."""
    rows = _rows(sources)
    return np.asarray(rows.mean(axis=0) if len(rows) else np.zeros(rows.shape[1]), dtype=np.float64)


def cosines(vector: ArrayLike, others: ArrayLike) -> Floats:
    """Cosine of one vector with each row: cos(v, vᵢ) = v·vᵢ / (‖v‖·‖vᵢ‖); 0 for a zero vector (spec L5.2)."""
    one, rows = np.atleast_2d(within(vector, -LARGEST, LARGEST, "vector")), _rows(others)
    if rows.size == 0:
        return np.zeros(len(rows))
    if one.shape != (1, rows.shape[1]):
        raise InputError(f"Vectors of shapes {one.shape} and {rows.shape}.", "Use one embedder for both.")
    return np.asarray(np.clip(_unit(rows) @ _unit(one)[0], -1.0, 1.0))


def alignment(summary: ArrayLike, sources: ArrayLike) -> float:
    """Similarity of a summary to the centroid: Q_align = cos(E(s), μ_C) ∈ [−1, 1] (spec 8, L5.2)."""
    return float(cosines(summary, [centroid(sources)])[0])


def source_coverage(summary: ArrayLike, sources: ArrayLike) -> float:
    """Mean similarity to the sources: Q_cover = (1/n)·Σ max(0, cos(E(s), E(tᵢ))) ∈ [0, 1] (spec 8, L5.2)."""
    found = np.maximum(cosines(summary, sources), 0.0)
    return min(math.fsum(found) / max(found.size, 1), 1.0)


def support(sentences: ArrayLike, sources: ArrayLike, centre: ArrayLike) -> float:
    """How well the weaker half of a summary's sentences is backed by its sources: mean of the lower half of maxᵢ cos.

    The mean vector of all texts, `centre`, is removed first: what all texts have in common says nothing. A summary that
    is half about something else keeps a high Q_align, but the sentences of that half have no source near them.
    """
    middle = within(centre, -LARGEST, LARGEST, "centre")
    said, sourced = _unit(_rows(sentences) - middle), _unit(_rows(sources) - middle)
    if not said.size or not sourced.size:
        return 0.0
    nearest = np.sort((said @ sourced.T).max(axis=1))
    return float(nearest[: (len(nearest) + 1) // 2].mean())


def embedding_confidence(align: float, cover: float) -> float:
    """Confidence from embeddings: conf_e = max(0, min(1, (Q_align + Q_cover) / 2)) (spec 8, L5.2)."""
    mean = (float(within(align, -1, 1, "align")) + float(within(cover, 0, 1, "cover"))) / 2
    return max(0.0, min(1.0, mean))


def decoder_confidence(log_probabilities: Sequence[float]) -> float:
    """The LLM's own confidence: conf_decoder = exp((1/m)·Σ log p(xᵢ)) ∈ [0, 1]; 0 without tokens (spec L5.1)."""
    logs = within(log_probabilities, -LARGEST, 0, "log_probabilities")
    return math.exp(math.fsum(value / logs.size for value in logs.flat)) if logs.size else 0.0


def accept_abstractive(align: float, threshold: float = DEFAULTS.align) -> bool:
    """Whether to accept an LLM summary: Q_align ≥ 0.65, else extract one (spec 8, L5.3)."""
    return bool(within(align, -1, 1, "align") >= within(threshold, -1, 1, "threshold"))


def preserves(
    align: float, extract_align: float, supported: float, draft_gap: float, rows: CompactRows = DEFAULTS
) -> bool:
    """Whether an LLM summary preserves enough: Q_align ≥ θ, Q_align ≥ that of an extract − gap, support ≥ σ (spec 8).

    `rows` holds cosines, not places. An extract repeats its sources, so good summaries stay a little behind it: by at
    most `draft_gap`, measured for the model.
    """
    near = accept_abstractive(align, rows.align) and align >= extract_align - draft_gap
    return near and supported >= rows.support


def confidence(embedding: float, decoder: float | None = None, rows: CompactRows = DEFAULTS) -> float:
    """Confidence: conf_e, or for an LLM summary 0.8·conf_e + 0.2·conf_decoder, weights scaled to sum 1.

    The result is between the two (spec 8, L5.4).
    """
    embedded = float(within(embedding, 0, 1, "embedding confidence"))
    if decoder is None:
        return embedded
    decoded = float(within(decoder, 0, 1, "decoder confidence"))
    defaults = (DEFAULTS.weight_embedding, DEFAULTS.weight_decoder)
    first, second = normalised((rows.weight_embedding, rows.weight_decoder), defaults).values
    return min(max(first * embedded + second * decoded, min(embedded, decoded)), max(embedded, decoded))


def decay_rate(confident: ArrayLike) -> Floats:
    """How fast a summary loses score: decay_rate = 1 − confidence ∈ [0, 1] (spec 8, L5.5)."""
    return np.asarray(1.0 - within(confident, 0, 1, "confidence"))


def _rows(vectors: ArrayLike) -> Floats:
    array = within(vectors, -LARGEST, LARGEST, "vectors")
    if array.size == 0 and array.ndim < 2:
        return array.reshape(0, 0)
    if array.ndim != 2:
        raise InputError(f"Vectors of shape {array.shape}.", "Give one row per text.")
    return array


def _unit(rows: Floats) -> Floats:
    """Rows scaled to length 1, zero rows unchanged; divided by the largest value first, so that squares stay finite."""
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    scaled = rows / np.where(largest == 0, 1.0, largest)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.asarray(scaled / np.where(lengths == 0, 1.0, lengths))
