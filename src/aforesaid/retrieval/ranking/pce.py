"""`pce`: text and vectors fused by a query-dependent α, weighed by usefulness, thinned out for diversity (spec P1–P5).

S = α·S_vec + (1 − α)·S_text        score = S·g        kept if ≥ 0.15, in the order of MMR
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime

import numpy as np

from aforesaid.engine.kept_values import TEXT, VECTOR, calibration
from aforesaid.math import pce
from aforesaid.math.calibration import Calibration, calibrated
from aforesaid.math.pce import diverse
from aforesaid.math.vectors import Vectors
from aforesaid.retrieval.ranking.base import (
    SECONDS_A_DAY,
    Candidates,
    Question,
    both_arms,
    evidence,
    reason,
    text_candidates,
    vector_candidates,
)
from aforesaid.text.extract.query import analyse
from aforesaid.text.normalize import content_hash
from aforesaid.types import JUDGED, Hit, Record, as_time

ENTITY = "entity"  # the key of `meta` that names a record's entity cluster; records without one are in none
QUALITY = "quality"


def rank(question: Question) -> list[Hit]:
    """Fuse both searches, weigh by usefulness, drop scores under the threshold, and diversify."""
    return rank_all(question)[0]


def rank_all(question: Question) -> tuple[list[Hit], int]:
    """Like `rank`, and the number of candidates under the threshold."""
    alpha = analyse(question.text, question.settings.pce, question.settings.openclaw).alpha
    bm25 = _arm(question, text_candidates, pce.text_candidates(question.limit, question.settings.search))
    cosines = _arm(question, vector_candidates, pce.vector_candidates(question.limit, question.settings.search))
    found = _existing(question, both_arms(bm25, cosines))
    return _select(question, found, alpha) if found.keys else ([], 0)


def _arm(question: Question, arm: Callable[[Question, int], dict[str, float]], asked: int) -> dict[str, float]:
    """Run one search; repeat it with twice the limit when it found fewer than k/2."""
    found = arm(question, asked)
    wider = pce.widened(asked, len(found), question.limit, rows=question.settings.search)
    # A search that returned less than its limit has no more hits.
    return arm(question, wider) if wider > asked and len(found) == asked else found


def _existing(question: Question, found: Candidates) -> Candidates:
    """The candidates that still exist: another process may have deleted one."""
    held = {record.key for record in question.store.get(found.keys)}
    kept = [i for i, key in enumerate(found.keys) if key in held]
    return Candidates([found.keys[i] for i in kept], [found.bm25[i] for i in kept], [found.cosines[i] for i in kept])


def _select(question: Question, found: Candidates, alpha: float) -> tuple[list[Hit], int]:
    rows = question.settings.pce
    records = question.store.get(found.keys)
    s_text = calibrated(found.bm25, _calibration(question, TEXT), lambda raw: pce.text_min_max(raw, rows.epsilon))
    s_vec = calibrated(found.cosines, _calibration(question, VECTOR), pce.vector_share)
    fused = pce.fused(s_vec, s_text, alpha)
    utilities = pce.utility_share([_decayed_utility(question, record) for record in records], rows.epsilon)
    confidences = [record.confidence for record in records]
    ages = pce.age_days(question.now.timestamp(), [_effective(record).timestamp() for record in records])
    recencies = pce.recency(ages, pce.half_lives([record.claim_type for record in records], rows))
    qualities = [float(record.meta.get(QUALITY, 1.0)) for record in records]
    g = pce.usefulness(utilities, confidences, recencies, qualities, rows)
    scores = pce.score(fused, g)
    kept = np.flatnonzero(pce.kept(scores, rows.threshold))
    below = len(records) - int(kept.size)
    if not kept.size:
        return [], below
    chosen = kept[
        diverse(
            scores[kept],
            [content_hash(records[i].text) for i in kept],
            [records[i].meta.get(ENTITY) for i in kept],
            _vectors(question, [found.keys[i] for i in kept]),
            question.limit,
            rows,
        )
    ]
    ranked = []
    for i in chosen.tolist():
        parts = {
            "alpha": alpha,
            "s_vec": float(np.nan_to_num(s_vec[i])),
            "s_text": float(np.nan_to_num(s_text[i])),
            "S": float(fused[i]),
            "utility": float(utilities[i]),
            "confidence": confidences[i],
            "recency": float(recencies[i]),
            **({"quality": qualities[i]} if rows.use_quality else {}),
            "g": float(g[i]),
            "age_days": float(ages[i]),
        }
        why = evidence(question, records[i], found.text_rank(i), found.cosines[i])
        why |= {"utility": f"{parts['utility']:.2f}", "confidence": f"{confidences[i]:.2f}", "g": f"{parts['g']:.2f}"}
        ranked.append(Hit(records[i], float(scores[i]), parts, reason(why)))
    return ranked, below


def _calibration(question: Question, name: str) -> Calibration | None:
    """The fitted map that the store keeps for a side, if there is one that can be read, for the policy in force."""
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
    judged = record.meta.get(JUDGED)
    since = as_time(judged) if judged is not None else _effective(record)
    days = max((question.now - since).total_seconds() / SECONDS_A_DAY, 0.0)
    return float(pce.decayed_utility([record.utility], days, question.settings.govern)[0])


def _effective(record: Record) -> datetime:
    return record.updated or record.time


def _vectors(question: Question, keys: Sequence[str]) -> Vectors:
    """One row per record; zeros where it has no vector."""
    held = question.store.vectors(keys)
    width = next((vector.size for vector in held.values()), 1)
    return np.stack([held.get(key, np.zeros(width, dtype=np.float32)) for key in keys])
