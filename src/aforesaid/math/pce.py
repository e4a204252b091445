"""The `pce` profile: scores on one scale, usefulness g, and diverse hits (spec 5.3, 5.6, 9, P2–P5).

NaN, or None in a list, marks a candidate that one of the two searches did not find. It stays NaN through the
normalisations and counts as 0 in the sum. Utility is in [−1, 1] and starts at 0; confidence and quality are in [0, 1].
Functions of diversity take one score per candidate and return positions, best first. Equal scores keep their order.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from aforesaid.errors import InputError
from aforesaid.math.domain import (
    COSINE_SLACK,
    LARGEST_SCORE,
    SLACK,
    Flags,
    Floats,
    Numbers,
    positive,
    row,
    same_length,
    share,
)
from aforesaid.math.vectors import Vectors
from aforesaid.settings.rows import GovernRows, PceRows, SearchRows
from aforesaid.types import ClaimType

Signal: TypeAlias = Literal["helpful", "harmful", "outdated", "duplicate"]
SIGNALS: tuple[Signal, ...] = get_args(Signal)
Positions: TypeAlias = NDArray[np.intp]

DEFAULTS = PceRows()
SHARED = SearchRows()
FEEDBACK_DEFAULTS = GovernRows()
SECONDS_A_DAY = 86_400
WHOLE_TOKENS = 8  # a text of fewer tokens rarely says anything by itself
COSINE_DECIMALS = 6  # the same vector in another row of a matrix may differ in its last bits


def text_min_max(scores: Numbers, epsilon: float = DEFAULTS.epsilon) -> Floats:
    """Keyword score in [0, 1]: S_text = (bm25 − min) / max(max − min, ε) over the candidates (spec 5.6, P2).

    Exactly as published: the weakest of many is 0, and so is a single candidate or each of several equal ones.
    """
    array = row(scores, -LARGEST_SCORE, LARGEST_SCORE, "A text score", missing=True)
    present = array[~np.isnan(array)]
    if not present.size:
        return array
    low, high = present.min(), present.max()
    spread = max(float(high - low), share(epsilon, "ε"))
    return np.asarray((array - low) / (spread or 1.0), dtype=np.float64)


def text_by_rank(ranks: Numbers) -> Floats:
    """Keyword score without a full-text index: S_text = 1 / (1 + rank), ranks from 1 (spec 5.6, P2)."""
    return np.asarray(1.0 / (1.0 + row(ranks, 1.0, LARGEST_SCORE, "A rank", missing=True)), dtype=np.float64)


def vector_share(cosines: Numbers) -> Floats:
    """Vector score in [0, 1]: S_vec = (cos + 1) / 2 (spec 5.6, P2)."""
    array = row(cosines, -1 - COSINE_SLACK, 1 + COSINE_SLACK, "A cosine", missing=True)
    return np.asarray((np.clip(array, -1.0, 1.0) + 1.0) / 2.0, dtype=np.float64)


def fused(vector: Numbers, text: Numbers, alpha: float = DEFAULTS.alpha) -> Floats:
    """Weighted sum of both scores: S = α·S_vec + (1−α)·S_text; a missing one is 0 (spec 5.6, P3)."""
    vectors = np.nan_to_num(row(vector, 0.0, 1.0, "S_vec", missing=True), nan=0.0)
    texts = np.nan_to_num(row(text, 0.0, 1.0, "S_text", missing=True), nan=0.0)
    same_length(S_vec=vectors, S_text=texts)
    share(alpha, "α")
    return np.asarray(alpha * vectors + (1.0 - alpha) * texts, dtype=np.float64)


def text_candidates(limit: int, rows: SearchRows = SHARED, given: int = 0) -> int:
    """How many keyword candidates to ask for: k_txt as given, else 4·k (spec 5.3, P3)."""
    return given or rows.text_factor * positive(limit, "limit")


def vector_candidates(limit: int, rows: SearchRows = SHARED, given: int = 0) -> int:
    """How many vector candidates to ask for: k_vec as given, else 8·k (spec 5.3, P3)."""
    return given or rows.vector_factor * positive(limit, "limit")


def widened(asked: int, found: int, limit: int, *, once: bool = False, rows: SearchRows = SHARED) -> int:
    """How many candidates to ask for next: 2·asked if found < k/2, else asked; doubled only `once` (spec 5.3)."""
    if not found >= 0:
        raise InputError(f"found is {found}.", "Give 0 or more.")
    few = found < positive(limit, "limit") / 2
    return positive(asked, "asked") * (rows.widen if few and not once else 1)


def sigmoid(values: Numbers) -> Floats:
    """Logistic function: σ(x) = 1 / (1 + exp(−x)), without overflow (spec P4)."""
    return np.asarray(
        np.exp(-np.logaddexp(0.0, -row(values, -LARGEST_SCORE, LARGEST_SCORE, "x of σ"))), dtype=np.float64
    )


def utility_z(utilities: Numbers, epsilon: float = DEFAULTS.epsilon) -> Floats | None:
    """Standard score of utility over the candidates: z = (u − mean) / standard deviation (÷ n) (spec P4).

    None for a single candidate or a deviation of at most ε.
    """
    array = row(utilities, -LARGEST_SCORE, LARGEST_SCORE, "Utility")
    deviation = float(array.std()) if array.size > 1 else 0.0
    if deviation <= epsilon:
        return None
    return np.asarray((array - array.mean()) / deviation, dtype=np.float64)


def utility_share(utilities: Numbers, epsilon: float = DEFAULTS.epsilon) -> Floats:
    """Utility as a share: σ(utility_z), or without a z score (u + 1) / 2 in [0, 1] (spec 5.6, P4).

    The second replaces σ(z), not z: u = 0 gives 0.5, as z = 0 does.
    """
    z = utility_z(utilities, epsilon)
    if z is not None:
        return sigmoid(z)
    return np.clip((np.asarray(utilities, dtype=np.float64) + 1.0) / 2.0, 0.0, 1.0)


def half_lives(claim_types: Sequence[ClaimType | None], rows: PceRows = DEFAULTS) -> Floats:
    """Half-life HL in days: fact 120, task 14, preference 90, policy_hint 365, else 30 (spec 5.6, P4)."""
    days: dict[str | None, float] = {
        "fact": rows.half_life_fact,
        "task": rows.half_life_task,
        "preference": rows.half_life_preference,
        "policy_hint": rows.half_life_policy_hint,
    }
    return np.fromiter((days.get(name, rows.half_life_other) for name in claim_types), np.float64, len(claim_types))


def age_days(now_seconds: float, times_seconds: Numbers) -> Floats:
    """Age in days: (now − ts) / 86400, ts = updated_at or created_at; at least 0 (spec 5.6, P4)."""
    times = row(times_seconds, -LARGEST_SCORE, LARGEST_SCORE, "A time")
    if not abs(now_seconds) <= LARGEST_SCORE:
        raise InputError(f"Now is {now_seconds!r}.", "Give Unix seconds.")
    return np.maximum((now_seconds - times) / SECONDS_A_DAY, 0.0)


def recency(ages_days: Numbers, half_lives_days: Numbers) -> Floats:
    """Recency: exp(−ln 2 · age_days / HL) (spec 5.6, P4)."""
    ages = row(ages_days, 0.0, LARGEST_SCORE, "An age in days")
    lives = row(half_lives_days, 1e-6, LARGEST_SCORE, "A half-life in days")
    same_length(ages=ages, half_lives=lives)
    return np.asarray(np.exp2(-ages / lives), dtype=np.float64)


def clipped(values: Numbers, name: str, epsilon: float = DEFAULTS.epsilon) -> Floats:
    """A term of g: min(max(x, ε), 1), never exactly 0 (spec P4)."""
    return np.clip(row(values, -LARGEST_SCORE, LARGEST_SCORE, name), share(epsilon, "ε"), 1.0)


def factor(values: Numbers, base: float, name: str, epsilon: float = DEFAULTS.epsilon) -> Floats:
    """One factor of g, at least `base`: base + (1 − base)·x (spec 5.6, P4)."""
    least = share(base, f"The base of {name}")
    return np.asarray(least + (1.0 - least) * clipped(values, name, epsilon), dtype=np.float64)


def usefulness(
    utility_shares: Numbers,
    confidences: Numbers,
    recencies: Numbers,
    qualities: Numbers | None = None,
    rows: PceRows = DEFAULTS,
) -> Floats:
    """g = (.6+.4·σ(utility_z)) · (.5+.5·confidence) · (.3+.7·recency) [· (.5+.5·quality)] (spec 5.6, P4).

    `utility_shares` come from `utility_share`. Quality counts only if given and `rows.use_quality` is on.
    """
    columns = [
        factor(utility_shares, rows.utility_base, "utility", rows.epsilon),
        factor(confidences, rows.confidence_base, "confidence", rows.epsilon),
        factor(recencies, rows.recency_base, "recency", rows.epsilon),
    ]
    if rows.use_quality and qualities is not None:
        columns.append(factor(qualities, rows.quality_base, "quality", rows.epsilon))
    same_length(**{str(number): column for number, column in enumerate(columns)})
    return np.asarray(np.prod(columns, axis=0), dtype=np.float64)


def score(fused_scores: Numbers, useful: Numbers) -> Floats:
    """Final score: score_final = S·g (spec 5.6, P1)."""
    left, right = row(fused_scores, 0.0, 1.0, "S"), row(useful, 0.0, 1.0, "g")
    same_length(S=left, g=right)
    return left * right


def kept(scores: Numbers, threshold: float = DEFAULTS.threshold) -> Flags:
    """Which scores are high enough: score ≥ 0.15, else `below_threshold` (spec 5.6, P1)."""
    return row(scores, -LARGEST_SCORE, LARGEST_SCORE, "A score") + SLACK >= share(threshold, "The threshold")


def feedback(
    utility: float, confidence: float, signal: Signal, rows: GovernRows = FEEDBACK_DEFAULTS
) -> tuple[float, float]:
    """Utility in [−1, 1] and confidence in [0, 1] after one feedback signal (spec 9, P4).

    helpful +.10, +.05; harmful −.20, −.10; outdated confidence −.20; duplicate halves the utility of the record that
    was merged away (the seed's "decay" read as one half-life) and does not change the record that stays.
    """
    if signal not in SIGNALS:
        raise InputError(f"{signal!r} is not a feedback signal.", f"Use one of {', '.join(SIGNALS)}.")
    if not -1.0 <= utility <= 1.0:
        raise InputError(f"Utility is {utility!r}.", "It must be in [-1, 1].")
    share(confidence, "Confidence")
    if signal == "duplicate":
        return utility / 2.0, confidence
    more_utility, more_confidence = {
        "helpful": (rows.helpful_utility, rows.helpful_confidence),
        "harmful": (rows.harmful_utility, rows.harmful_confidence),
        "outdated": (0.0, rows.outdated_confidence),
    }[signal]
    return min(max(utility + more_utility, -1.0), 1.0), min(max(confidence + more_confidence, 0.0), 1.0)


def decayed_utility(utilities: Numbers, elapsed_days: float, rows: GovernRows = FEEDBACK_DEFAULTS) -> Floats:
    """Utility after some days: u·2^(−days/30), towards 0 from both sides (spec 9, P4)."""
    return row(utilities, -1.0, 1.0, "Utility") * recency([elapsed_days], [rows.utility_half_life_days])


def decayed_quality(qualities: Numbers, elapsed_days: float, rows: GovernRows = FEEDBACK_DEFAULTS) -> Floats:
    """Quality after some days: quality·2^(−days/120) (spec 9, P4)."""
    return row(qualities, 0.0, 1.0, "Quality") * recency([elapsed_days], [rows.quality_half_life_days])


def written_quality(value: float, tokens: int, tainted: bool = False) -> float:
    """Quality of a new record: value · min(tokens / 8, 1), half of it for untrusted text (spec 5.6).

    Worth is 1 for a claim, 0.5 + 0.5·G for a message with gate score G, and 0.5 for a message without one.
    """
    trust = 0.5 if tainted else 1.0
    return round(share(value, "value") * min(max(tokens, 0) / WHOLE_TOKENS, 1.0) * trust, 3)


def by_score(scores: Numbers) -> Positions:
    """Positions from the best score to the worst, ties by position."""
    return np.argsort(-_scores(scores), kind="stable")


def at_most(scores: Numbers, clusters: Sequence[Hashable | None], limit: int = DEFAULTS.per_entity) -> Positions:
    """The best `limit` candidates of every cluster, 2 of an entity or 1 of a content hash (spec 5.6, P5.3).

    None is in no cluster.
    """
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
    first = at_most(array, hashes, 1)
    same_length(scores=array, clusters=clusters)
    second = first[at_most(array[first], [clusters[position] for position in first.tolist()], rows.per_entity)]
    return second[mmr(array[second], np.asarray(vectors)[second], limit, rows.mmr_lambda)]


def _scores(scores: Numbers) -> Floats:
    return row(scores, -LARGEST_SCORE, LARGEST_SCORE, "A score")
