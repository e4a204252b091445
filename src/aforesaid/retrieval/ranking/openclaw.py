"""`openclaw`: the better of two scores plus boosts by file, for the query and its variants (spec O1–O4).

    score = max(norm_vec, norm_fts) + 0.10·[topic] + 0.05·[curated] − 0.10·[older than a year]

The published policy does not define the norms. We use norm_vec = max(cos, 0) and norm_fts = bm25 ÷ the best bm25.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aforesaid.math import openclaw as formulas
from aforesaid.math.fusion import relative
from aforesaid.retrieval.ranking.base import (
    Question,
    best_first,
    both_arms,
    evidence,
    reason,
    text_candidates,
    vector_candidates,
)
from aforesaid.retrieval.ranking.file_tiers import TIER
from aforesaid.text.extract.query import QueryAnalysis, analyse
from aforesaid.types import Hit, Record

TOPICS = "memory/topics/"
CURATED = "MEMORY.md"


def rank(question: Question) -> list[Hit]:
    """Search for the query, then for its variants until the leading hits agree; a record keeps its best score."""
    query = analyse(question.text, question.settings.pce, question.settings.openclaw)
    best = {hit.record.key: hit for hit in _search(question, query)}
    for variant in query.expansions[: question.settings.openclaw.max_expansions]:
        if _hits_agree(question, list(best.values())):
            break
        for hit in _search(_rephrased(question, variant), query):
            known = best.get(hit.record.key)
            if known is None or hit.score > known.score:
                best[hit.record.key] = hit
    return best_first(best.values(), question.limit)


def _rephrased(question: Question, variant: str) -> Question:
    vectors = question.embed([variant]) if question.vector is not None else None
    return replace(question, text=variant, vector=vectors[0] if vectors is not None else None)


def _hits_agree(question: Question, hits: Sequence[Hit]) -> bool:
    """Whether the early stop of the policy applies (spec O4)."""
    rows = question.settings.openclaw
    files = [_file(hit.record) for hit in hits]
    return formulas.early_stop([hit.score for hit in hits], files, rows.threshold, rows) if hits else False


def _search(question: Question, query: QueryAnalysis) -> list[Hit]:
    """Run both searches, or only the first one of the query's mode if its hits are good enough."""
    rows = question.settings.openclaw
    if query.mode == "exact":
        bm25 = text_candidates(question, rows.text_exact)
        more = formulas.asks_vectors(relative(list(bm25.values())), rows=rows)
        cosines = vector_candidates(question, rows.vector_exact) if more else {}
    elif query.mode == "semantic":
        cosines = vector_candidates(question, rows.vector_semantic)
        more = formulas.asks_text([min(max(value, 0.0), 1.0) for value in cosines.values()], rare=bool(query.rare))
        bm25 = text_candidates(question, rows.text_semantic) if more else {}
    else:
        bm25 = text_candidates(question, rows.text_hybrid)
        cosines = vector_candidates(question, rows.vector_hybrid)
    return _scored(question, query, bm25, cosines)


def _scored(question: Question, query: QueryAnalysis, bm25: dict[str, float], cosines: dict[str, float]) -> list[Hit]:
    found = both_arms(question, bm25, cosines)
    if not found:
        return []
    norm_text = relative([each.bm25 or 0.0 for each in found])
    norm_vec = [min(max(each.cosine or 0.0, 0.0), 1.0) for each in found]
    merged = formulas.merged(norm_vec, norm_text)
    tiers = [_tier(each.record) for each in found]
    topic, curated = [tier == "topic" for tier in tiers], [tier == "curated" for tier in tiers]
    ages = [question.age_days(each.record) for each in found]
    rows = question.settings.openclaw
    scores = formulas.boosted(merged, topic, curated, ages, historical=query.historical, rows=rows)
    ranked = []
    for i, (record, _, text_rank, cosine) in enumerate(found):
        parts = {
            "norm_vec": norm_vec[i],
            "norm_fts": float(norm_text[i]),
            "merged": float(merged[i]),
            "boost": float(scores[i] - merged[i]),
            "age_days": ages[i],
        }
        why = {"mode": query.mode} | evidence(question, record, text_rank, cosine)
        why |= {"file": _file(record)} if record.provenance and record.provenance.file else {}
        why |= {"tier": tiers[i]} if tiers[i] else {}
        ranked.append(Hit(record, float(scores[i]), parts, reason(why)))
    return ranked


def _tier(record: Record) -> str:
    """The tier of a chunk's note; for other records, from their file name."""
    if record.kind == "chunk" and TIER in record.meta:
        return str(record.meta[TIER])
    file = _file(record)
    return "topic" if TOPICS in file else "curated" if file.endswith(CURATED) else ""


def _file(record: Record) -> str:
    """The file that a record comes from. Turns have none, so their session is used, which is their daily log."""
    return (record.provenance.file if record.provenance else None) or record.session or record.id
