"""The `openclaw` profile: the better of two scores, boosts by file, and when to search more (spec 5.8, O1–O4).

Scores are in [0, 1]; NaN or None marks a chunk that one of the searches did not find, and counts as 0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aforesaid.math.domain import COSINE_SLACK, LARGEST_SCORE, SLACK, Floats, Numbers, row, same_length
from aforesaid.math.pce import by_score
from aforesaid.math.vectors import spread_cosines
from aforesaid.settings.rows import OpenclawRows

Flags: TypeAlias = Sequence[bool] | NDArray[np.bool_]

DEFAULTS = OpenclawRows()
STRONG = 0.5  # half of the best possible score: the seed gives no number for a strong hit
SAME = 0.75  # restatements have .75 to .9 with the default model, different facts about one thing .4 to .7
NUMBER = re.compile(r"\w*\d\w*")
FLAT = 0.05  # as large as the curated file's boost, the smallest difference that the seed makes


def norm_vec(place: float) -> float:
    """The vector score: 1 − 2^−p of the place p between unrelated (0) and related texts (1) (spec 5.8, O1).

    Unrelated texts have 0, related ones ½, and the score never reaches 1, so that the best ones do not tie.
    """
    return float(1.0 - 2.0 ** -max(place, 0.0))


def merged(vector: Numbers, text: Numbers) -> Floats:
    """The better of both scores: max(norm_vec, norm_fts), a missing one is 0 (spec 5.8, O1)."""
    vectors = np.nan_to_num(row(vector, 0.0, 1.0, "norm_vec", missing=True), nan=0.0)
    texts = np.nan_to_num(row(text, 0.0, 1.0, "norm_fts", missing=True), nan=0.0)
    same_length(norm_vec=vectors, norm_fts=texts)
    return np.maximum(vectors, texts)


def boosted(
    scores: Numbers,
    topic: Flags,
    curated: Flags,
    ages_days: Numbers,
    *,
    historical: bool = False,
    rows: OpenclawRows = DEFAULTS,
) -> Floats:
    """score + .10·[topic] + .05·[curated] − .10·[age > 365 days, query not historical] (spec 5.8, O1).

    The result is in [−0.10, 1.15]: the seed does not clamp it, and a maximum of 1 would make all strong topic files
    equal. An unknown age (NaN or None) is not old.
    """
    base = row(scores, 0.0, 1.0, "A merged score")
    ages = row(ages_days, -LARGEST_SCORE, LARGEST_SCORE, "An age in days", missing=True)
    in_topic, in_curated = np.asarray(topic, dtype=np.bool_), np.asarray(curated, dtype=np.bool_)
    same_length(scores=base, topic=in_topic, curated=in_curated, ages=ages)
    old = (ages > rows.old_days) & (not historical)  # NaN compares false
    gain = rows.boost_topic * in_topic + rows.boost_curated * in_curated - rows.penalty_old * old
    return np.asarray(base + gain, dtype=np.float64)


def early_stop(scores: Numbers, files: Sequence[str], threshold: float, rows: OpenclawRows = DEFAULTS) -> bool:
    """Whether to stop: the top 3 come from ≤ 2 files and each score ≥ threshold (spec 5.8, O1)."""
    array = row(scores, -LARGEST_SCORE, LARGEST_SCORE, "A score")
    same_length(scores=array, files=files)
    top = by_score(array)[: rows.stop_top]
    if top.size < rows.stop_top or len({files[position] for position in top.tolist()}) > rows.stop_files:
        return False
    return bool((array[top] + SLACK >= threshold).all())


def same_meaning(cosine: float, unrelated: float) -> bool:
    """Whether two texts say the same: (cos − u) / (1 − u) ≥ 0.75, with u the cosine of unrelated texts (spec O7)."""
    return float(spread_cosines(cosine, unrelated)) + SLACK >= SAME


def numbers_agree(one: str, other: str) -> bool:
    """Whether one text has all numbers and codes of the other: "port 80" and "port 81" are nearly equal as vectors."""
    first, second = (set(NUMBER.findall(text.casefold())) for text in (one, other))
    return first <= second or second <= first


def strong_hits(text_scores: Numbers, strong: float = STRONG) -> int:
    """The number of strong keyword hits: #{norm_fts ≥ strong} (spec O2)."""
    return int(np.count_nonzero(row(text_scores, 0.0, 1.0, "norm_fts", missing=True) + SLACK >= strong))


def asks_vectors(text_scores: Numbers, strong: float = STRONG, rows: OpenclawRows = DEFAULTS) -> bool:
    """Whether mode B also searches vectors: at least 3 strong keyword hits (spec 5.8, O2)."""
    return strong_hits(text_scores, strong) >= rows.strong_exact


def flat(vector_scores: Numbers, least: float = FLAT) -> bool:
    """Whether no vector hit stands out: best − median < 0.05 (spec 5.8, O3).

    The median includes the best hit, so one hit or none is flat.
    """
    array = row(vector_scores, 0.0, 1.0 + COSINE_SLACK, "norm_vec")
    return bool(array.size < 2 or float(array.max() - np.median(array)) + SLACK < least)


def asks_text(vector_scores: Numbers, *, rare: bool, least: float = FLAT) -> bool:
    """Whether mode C also searches keywords: vector scores are flat, or a query token is rare (spec 5.8, O3)."""
    return rare or flat(vector_scores, least)
