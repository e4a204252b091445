"""`openclaw`: three modes, the better of two scores, boosts by file, expansions until an early stop (spec O1–O4).

    score = max(norm_vec, norm_fts) + 0.10·[topic] + 0.05·[curated] − 0.10·[older than a year]

The seed leaves both norms open: here norm_vec = max(cos, 0) and norm_fts = bm25 ÷ the query's best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aforesaid.math import openclaw as formulas
from aforesaid.math.fusion import relative
from aforesaid.retrieval.ranking.base import (
    SECONDS_A_DAY,
    Question,
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
    """The query as asked; then its variants, unless the leading hits already agree."""
    query = analyse(question.text, question.settings.pce, question.settings.openclaw)
    best = {item.record.key: item for item in _pass(question, query)}
    for variant in query.expansions[: question.settings.openclaw.max_expansions]:
        if _agreed(question, list(best.values())):
            break
        for item in _pass(_rephrased(question, variant), query):
            held = best.get(item.record.key)
            if held is None or item.score > held.score:
                best[item.record.key] = item
    return sorted(best.values(), key=lambda item: (-item.score, item.record.key))[: question.limit]


def _rephrased(question: Question, variant: str) -> Question:
    vectors = question.embed([variant]) if question.vector is not None else None
    return replace(question, text=variant, vector=vectors[0] if vectors is not None else None)


def _agreed(question: Question, ranked: Sequence[Hit]) -> bool:
    rows = question.settings.openclaw
    files = [_file(item.record) for item in ranked]
    return formulas.early_stop([item.score for item in ranked], files, rows.threshold, rows) if ranked else False


def _pass(question: Question, query: QueryAnalysis) -> list[Hit]:
    """One look, by mode: which arm goes first, and whether the other is asked at all."""
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
    held = {record.key: record for record in question.store.get(list(dict.fromkeys([*bm25, *cosines])))}
    found = both_arms(
        {key: value for key, value in bm25.items() if key in held},
        {key: value for key, value in cosines.items() if key in held},
    )
    if not found.keys:
        return []
    records = [held[key] for key in found.keys]
    norm_text = relative([value or 0.0 for value in found.bm25])
    norm_vec = [min(max(value or 0.0, 0.0), 1.0) for value in found.cosines]
    merged = formulas.merged(norm_vec, norm_text)
    tiers = [_tier(record) for record in records]
    topic, curated = [tier == "topic" for tier in tiers], [tier == "curated" for tier in tiers]
    ages = [question.age_seconds(record) / SECONDS_A_DAY for record in records]
    rows = question.settings.openclaw
    scores = formulas.boosted(merged, topic, curated, ages, historical=query.historical, rows=rows)
    ranked = []
    for i, record in enumerate(records):
        parts = {
            "norm_vec": norm_vec[i],
            "norm_fts": float(norm_text[i]),
            "merged": float(merged[i]),
            "boost": float(scores[i] - merged[i]),
            "age_days": ages[i],
        }
        why = {"mode": query.mode} | evidence(question, record, found.text_rank(i), found.cosines[i])
        why |= {"file": _file(record)} if record.provenance and record.provenance.file else {}
        why |= {"tier": tiers[i]} if tiers[i] else {}
        ranked.append(Hit(record, float(scores[i]), parts, reason(why)))
    return ranked


def _tier(record: Record) -> str:
    """What a chunk's note is; of any other record the file tells."""
    if record.kind == "chunk" and TIER in record.meta:
        return str(record.meta[TIER])
    file = _file(record)
    return "topic" if TOPICS in file else "curated" if file.endswith(CURATED) else ""


def _file(record: Record) -> str:
    """The file a record comes from; a turn's session stands for its daily log."""
    return (record.provenance.file if record.provenance else None) or record.session or record.id
