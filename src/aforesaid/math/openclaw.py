"""The `openclaw` profile: the better of two scores, boosts by file, and when to ask more (SPEC 5.8; seed 004).

Scores come in normalised to [0, 1]; NaN or None marks a side that did not find the chunk, and counts 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aforesaid.math.diversity import by_score
from aforesaid.math.normalise import COSINE_SLACK, LARGEST, Floats, Numbers, checked, same_length
from aforesaid.settings.rows import OpenclawRows

Flags: TypeAlias = Sequence[bool] | NDArray[np.bool_]

DEFAULTS = OpenclawRows()
SLACK = 1e-9  # 0.6 + 0.1 must still pass a threshold of 0.7
STRONG = 0.5  # half of the best possible: the seed names no number for a strong hit
FLAT = 0.05  # the curated file's boost, the least difference the seed calls worth making, decides here too


def merged(vector: Numbers, text: Numbers) -> Floats:
    """max(norm_vec, norm_fts), a missing side 0 (SPEC 5.8; seed 004 mode A)."""
    meaning = np.nan_to_num(checked(vector, 0.0, 1.0, "norm_vec"), nan=0.0)
    words = np.nan_to_num(checked(text, 0.0, 1.0, "norm_fts"), nan=0.0)
    same_length(norm_vec=meaning, norm_fts=words)
    return np.maximum(meaning, words)


def boosted(
    scores: Numbers,
    topic: Flags,
    curated: Flags,
    ages_days: Numbers,
    *,
    historical: bool = False,
    rows: OpenclawRows = DEFAULTS,
) -> Floats:
    """score + .10·[topic] + .05·[curated] − .10·[age > 365 days, query not historical] (SPEC 5.8; seed 004 mode A).

    Not clamped: the seed does not, and a ceiling at 1 would make equals of all strong topic files. The range is
    [−0.10, 1.15]. An age that is not known (NaN or None) is not old.
    """
    base = checked(scores, 0.0, 1.0, "A merged score", missing=False)
    ages = checked(ages_days, -LARGEST, LARGEST, "An age in days")
    in_topic, in_curated = np.asarray(topic, dtype=np.bool_), np.asarray(curated, dtype=np.bool_)
    same_length(scores=base, topic=in_topic, curated=in_curated, ages=ages)
    old = (ages > rows.old_days) & (not historical)  # NaN compares false
    gain = rows.boost_topic * in_topic + rows.boost_curated * in_curated - rows.penalty_old * old
    return np.asarray(base + gain, dtype=np.float64)


def early_stop(scores: Numbers, files: Sequence[str], threshold: float, rows: OpenclawRows = DEFAULTS) -> bool:
    """The top 3 come from ≤ 2 files and each score ≥ threshold; fewer than 3 hits never stop (SPEC 5.8; seed 004)."""
    array = checked(scores, -LARGEST, LARGEST, "A score", missing=False)
    same_length(scores=array, files=files)
    top = by_score(array)[: rows.stop_top]
    if top.size < rows.stop_top or len({files[position] for position in top.tolist()}) > rows.stop_files:
        return False
    return bool((array[top] + SLACK >= threshold).all())


def strong_hits(text_scores: Numbers, strong: float = STRONG) -> int:
    """#{norm_fts ≥ strong} (seed 004 mode B)."""
    array = checked(text_scores, 0.0, 1.0, "norm_fts")
    return int(np.count_nonzero(array + SLACK >= strong))


def asks_vectors(text_scores: Numbers, strong: float = STRONG, rows: OpenclawRows = DEFAULTS) -> bool:
    """Mode B asks for vectors only from 3 strong text hits on (SPEC 5.8; seed 004 mode B)."""
    return strong_hits(text_scores, strong) >= rows.strong_exact


def flat(vector_scores: Numbers, least: float = FLAT) -> bool:
    """best − median < 0.05: no hit stands out, so meaning is not to be trusted alone (SPEC 5.8; seed 004 mode C).

    The median of all hits, best included, so that one or no hit is flat: there is nothing that it stands out from.
    """
    array = checked(vector_scores, 0.0, 1.0 + COSINE_SLACK, "norm_vec", missing=False)
    return bool(array.size < 2 or float(array.max() - np.median(array)) + SLACK < least)


def asks_text(vector_scores: Numbers, *, rare: bool, least: float = FLAT) -> bool:
    """Mode C asks for text hits if the vector scores are flat or the query has a rare token (SPEC 5.8; seed 004)."""
    return rare or flat(vector_scores, least)
