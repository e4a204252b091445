"""`pce`: text and vector scores fused by a query-dependent α, times usefulness, then diversified (spec P1–P5).

S = α·S_vec + (1 − α)·S_text        score = S·g        kept if ≥ 0.15, in the order of MMR
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import ArrayLike

from aforesaid.engine.kept_values import TEXT, VECTOR, calibration
from aforesaid.math import pce
from aforesaid.math.calibration import Calibration, calibrated
from aforesaid.math.domain import Floats
from aforesaid.math.pce import diverse
from aforesaid.math.vectors import Vectors
from aforesaid.retrieval.ranking.base import (
    SECONDS_A_DAY,
    Candidate,
    Question,
    best_first,
    both_arms,
    scored_hits,
    text_scores,
    vector_candidates,
)
from aforesaid.text.extract.query import analyse
from aforesaid.text.normalize import content_hash
from aforesaid.types import Hit, Record

BELOW = "reason=below_threshold"  # begins the reason of a candidate that is no hit


def rank(question: Question) -> list[Hit]:
    """Fuse both searches, weigh by usefulness, drop scores under the threshold, and diversify."""
    return rank_all(question)[0]


def rank_all(question: Question, prefer: Callable[[Record], float] | None = None) -> tuple[list[Hit], list[Hit]]:
    """Like `rank`, and the candidates under the threshold, best first.

    `prefer` gives a factor for each record. MMR then orders all candidates by score · factor; the scores stay.
    """
    rows = question.settings
    alpha = analyse(question.text, rows.pce, rows.openclaw).alpha
    k_txt = pce.text_candidates(question.limit, rows.search, rows.pce.k_txt)
    k_vec = pce.vector_candidates(question.limit, rows.search, rows.pce.k_vec)
    found = both_arms(question, _arm(question, text_scores, k_txt), _arm(question, vector_candidates, k_vec))
    question.details.update(alpha=alpha, k_txt=k_txt, k_vec=k_vec, k_final=question.limit)
    return _select(question, found, alpha, prefer) if found else ([], [])


def _arm(question: Question, arm: Callable[[Question, int], dict[str, float]], asked: int) -> dict[str, float]:
    """Run one search; ask once more, for twice as many, when it found fewer than k/2 (spec 5.3).

    Our stores are exact and find no more then. An approximate one may.
    """
    found = arm(question, asked)
    wider = pce.widened(asked, len(found), question.limit, rows=question.settings.search)
    return arm(question, wider) if wider > asked else found


def _select(
    question: Question, found: Sequence[Candidate], alpha: float, prefer: Callable[[Record], float] | None
) -> tuple[list[Hit], list[Hit]]:
    rows = question.settings.pce
    records = [each.record for each in found]
    s_text = _text_shares(found, _calibration(question, TEXT), rows.epsilon)
    s_vec = calibrated([each.cosine for each in found], _calibration(question, VECTOR), pce.vector_share)
    fused = pce.fused(s_vec, s_text, alpha)
    utilities = pce.utility_share([_decayed_utility(question, record) for record in records], rows.epsilon)
    confidences = [record.confidence for record in records]
    ages = pce.age_days(question.now.timestamp(), [_effective(record).timestamp() for record in records])
    recencies = pce.recency(ages, pce.half_lives([record.claim_type for record in records], rows))
    qualities = [_decayed_quality(question, record) for record in records]
    g = pce.usefulness(utilities, confidences, recencies, qualities, rows)
    scores = pce.score(fused, g)
    factors = np.asarray([prefer(record) if prefer else 1.0 for record in records])
    columns: dict[str, ArrayLike] = {
        "s_vec": np.nan_to_num(s_vec),
        "s_text": np.nan_to_num(s_text),
        "S": fused,
        "utility": utilities,
        "confidence": confidences,
        "recency": recencies,
        **({"quality": qualities} if rows.use_quality else {}),
        "g": g,
        "age_days": ages,
        **({"preference": factors} if prefer else {}),
    }
    explain = "utility={utility:.2f}; confidence={confidence:.2f}; g={g:.2f}"
    hits = scored_hits(question, found, scores, {"alpha": alpha}, columns, explain)
    enough = pce.kept(scores, rows.threshold)
    below = best_first(replace(hits[i], reason=f"{BELOW}; {hits[i].reason}") for i in np.flatnonzero(~enough).tolist())
    kept = np.flatnonzero(enough)
    if not kept.size:
        return [], below
    chosen = diverse(
        (scores * factors)[kept],
        [content_hash(records[i].text) for i in kept],
        [records[i].entity for i in kept],
        _vectors(question, [records[i].key for i in kept]),
        int(kept.size) if prefer else question.limit,
        rows,
    )
    return [hits[i] for i in kept[chosen].tolist()], below


def _text_shares(found: Sequence[Candidate], fitted: Calibration | None, epsilon: float) -> Floats:
    """S_text: BM25 by min–max, or 1/(1 + rank) when the store gives no scores (spec P2)."""
    bm25 = [each.bm25 for each in found]
    if any(score is not None and math.isnan(score) for score in bm25):
        return calibrated(pce.text_by_rank([each.text_rank for each in found]).tolist(), fitted, np.array)
    return calibrated(bm25, fitted, lambda raw: pce.text_min_max(raw, epsilon))


def _calibration(question: Question, name: str) -> Calibration | None:
    """The fitted calibration of a side (text or vector) under the current policy; None without a readable one."""
    kept = calibration(question.request, name)
    if not kept:
        return None
    try:
        return Calibration.from_json(json.loads(kept), question.request.policy_version)
    except json.JSONDecodeError:
        return None


def _decayed_utility(question: Question, record: Record) -> float:
    """u·2^(−days/30), days since the last feedback."""
    if not record.utility:
        return 0.0
    return float(pce.decayed_utility([record.utility], _unjudged_days(question, record), question.settings.govern)[0])


def _decayed_quality(question: Question, record: Record) -> float:
    """quality·2^(−days/120), days since the last feedback; 1 where nobody noted a quality."""
    if record.quality is None:
        return 1.0
    return float(pce.decayed_quality([record.quality], _unjudged_days(question, record), question.settings.govern)[0])


def _unjudged_days(question: Question, record: Record) -> float:
    """Days since the last feedback, or since the record's time."""
    since = record.judged or _effective(record)
    return max((question.now - since).total_seconds() / SECONDS_A_DAY, 0.0)


def _effective(record: Record) -> datetime:
    return record.updated or record.time


def _vectors(question: Question, keys: Sequence[str]) -> Vectors:
    """One row per record; zeros where it has no vector."""
    held = question.store.vectors(keys)
    width = next((vector.size for vector in held.values()), 1)
    return np.stack([held.get(key, np.zeros(width, dtype=np.float32)) for key in keys])
