"""`default`: words and meaning joined convexly, each record with its true cosine.

score = α·meaning + (1 − α)·words
"""

from __future__ import annotations

from recollect.math.fusion import convex, relative, stretched
from recollect.profiles.base import (
    SECONDS_A_DAY,
    Found,
    Question,
    both_arms,
    evidence,
    reason,
    text_candidates,
    true_cosines,
    vector_candidates,
)
from recollect.text.analyze import is_unspaced
from recollect.types import Hit


def rank(question: Question) -> list[Hit]:
    """Both arms wider than the page, fused; a record found by words alone gets its true cosine too."""
    rows = question.settings.search
    bm25 = text_candidates(question, max(rows.min_candidates, rows.text_factor * question.limit))
    cosines = vector_candidates(question, max(rows.min_candidates, rows.vector_factor * question.limit))
    cosines |= true_cosines(question, [key for key in bm25 if key not in cosines])
    return _weighed(question, both_arms(bm25, cosines), _alpha(question))


def _alpha(question: Question) -> float:
    """How far meaning counts: less where the usual models know the language less well than bigrams do."""
    if question.vector is None:
        return 0.0
    rows = question.settings.search
    return rows.alpha_unspaced if is_unspaced(question.text) else rows.alpha


def _weighed(question: Question, found: Found, alpha: float) -> list[Hit]:
    """Words against the best of the query, cosines stretched over the candidates; without a vector, the farthest."""
    words = relative([value or 0.0 for value in found.bm25])
    far = min((value for value in found.cosines if value is not None), default=0.0)
    meaning = stretched([far if value is None else value for value in found.cosines])
    scores = convex(meaning, words, alpha).tolist()
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], found.keys[i]))[: question.limit]
    records = {record.key: record for record in question.store.get([found.keys[i] for i in order])}
    ranked = []
    for i in order:
        record = records.get(found.keys[i])
        if record is None:  # forgotten by another process in this very moment
            continue
        parts = {"alpha": alpha, "meaning": float(meaning[i]), "words": float(words[i])}
        bm25, cosine = found.bm25[i], found.cosines[i]
        parts |= {"bm25": bm25} if bm25 is not None else {}
        parts |= {"cos": cosine} if cosine is not None else {}
        parts["age_days"] = question.age_seconds(record) / SECONDS_A_DAY
        why = evidence(question, record, found.text_rank(i), cosine)
        why |= {"durable": "yes"} if record.durable else {}
        ranked.append(Hit(record, scores[i], parts, reason(why)))
    return ranked
