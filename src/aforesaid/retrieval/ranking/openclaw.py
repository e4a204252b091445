"""`openclaw`: the better of two scores plus boosts by file, for the query and its variants (spec O1–O4).

    score = max(norm_vec, norm_fts) + 0.10·[topic] + 0.05·[curated] − 0.10·[older than a year]

The published policy does not define the norms. We use norm_vec = 1 − 2^−p, where p is the cosine's place on the model's
scale, and norm_fts = bm25 ÷ the best bm25. When thresholds are literal, norm_vec = max(cos, 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aforesaid.math import openclaw as formulas
from aforesaid.math.fusion import relative
from aforesaid.math.libra import keyword_coverage
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
from aforesaid.retrieval.ranking.model_variants import ModelVariants, model_variants
from aforesaid.text.analyze import query_terms, searchable, terms
from aforesaid.text.extract.query import QueryAnalysis, analyse
from aforesaid.text.normalize import content_hash
from aforesaid.types import Hit, Record

TOPICS = "memory/topics/"
CURATED = "MEMORY.md"


def rank(question: Question) -> list[Hit]:
    """Search for the query, then for its variants until the leading hits suffice; a record keeps its best score."""
    query = analyse(question.text, question.settings.pce, question.settings.openclaw)
    best = {hit.record.key: hit for hit in _search(question, query)}
    tried: list[str] = []
    stopped, problem = _stop_reason(question, list(best.values())), ""
    if not stopped:
        variants, problem = _variants(question, query)
        for variant in variants:
            tried.append(variant)
            for hit in _search(_rephrased(question, variant), query):
                known = best.get(hit.record.key)
                if known is None or hit.score > known.score:
                    best[hit.record.key] = hit
            if stopped := _stop_reason(question, list(best.values())):
                break
    question.details.update(mode=query.mode, variants=tried, stopped=stopped, degraded=problem)
    return best_first(best.values(), question.limit)


def _variants(question: Question, query: QueryAnalysis) -> tuple[list[str], str]:
    """Other wordings to search: those of a chat model first, if one is configured; and why it gave none."""
    most = question.settings.openclaw.max_expansions
    found = model_variants(question.request, question.text) if most else ModelVariants()
    return list(dict.fromkeys([*found.texts, *query.expansions]))[:most], found.problem


def _rephrased(question: Question, variant: str) -> Question:
    vector = question.request.arm.embed_query(variant) if question.vector is not None else None
    return replace(question, text=variant, vector=vector)


def _stop_reason(question: Question, hits: Sequence[Hit]) -> str:
    """Why no further variant is searched; empty to go on (spec O1, O7)."""
    rows = question.settings.openclaw
    if not hits:
        return ""
    strengths, files = [_strength(question, hit) for hit in hits], [_file(hit.record) for hit in hits]
    if formulas.early_stop(strengths, files, rows.threshold, rows):
        return f"the best {rows.stop_top} hits come from at most {rows.stop_files} files"
    strong = [hit for hit in best_first(hits, rows.stop_top) if _strength(question, hit) >= rows.threshold]
    same = next((each for each in strong[1:] if _says_the_same(question, strong[0].record, each.record)), None)
    return " and ".join(sorted(map(_file, (strong[0].record, same.record)))) + " say the same" if same else ""


def _strength(question: Question, hit: Hit) -> float:
    """A hit's score, but its keyword score counts only as far as the record has the words of the query.

    The best keyword score of a query is always 1, even if only one of its words was found.
    """
    if question.request.scale is None:
        return hit.score
    covered = keyword_coverage(set(query_terms(question.text)), [terms(searchable(hit.record))])
    return max(hit.parts["norm_vec"], hit.parts["norm_fts"] * float(covered[0])) + hit.parts["boost"]


def _says_the_same(question: Question, one: Record, other: Record) -> bool:
    """Whether records of two files state the same: the same words, or nearly the same meaning and numbers."""
    if _file(one) == _file(other):
        return False
    if content_hash(one.text) == content_hash(other.text):
        return True
    vectors, scale = question.store.vectors([one.key, other.key]), question.request.scale
    if scale is None or len(vectors) < 2 or not formulas.numbers_agree(one.text, other.text):
        return False
    return formulas.same_meaning(float(vectors[one.key] @ vectors[other.key]), scale.slot.unrelated)


def _search(question: Question, query: QueryAnalysis) -> list[Hit]:
    """Run both searches, or only the first one of the query's mode if its hits are good enough."""
    rows = question.settings.openclaw
    if query.mode == "exact":
        bm25 = text_candidates(question, rows.text_exact)
        more = formulas.asks_vectors(relative(list(bm25.values())), rows=rows)
        cosines = vector_candidates(question, rows.vector_exact) if more else {}
    elif query.mode == "semantic":
        cosines = vector_candidates(question, rows.vector_semantic)
        more = formulas.asks_text([_norm_vec(question, value) for value in cosines.values()], rare=bool(query.rare))
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
    norm_vec = [_norm_vec(question, each.cosine) for each in found]
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


def _norm_vec(question: Question, cosine: float | None) -> float:
    """The cosine as a score in [0, 1], by the model's scale; max(cos, 0) when thresholds are literal."""
    scale, found = question.request.scale, 0.0 if cosine is None else cosine
    if scale is None or cosine is None:
        return min(max(found, 0.0), 1.0)
    return formulas.norm_vec(scale.query.place(found))


def _tier(record: Record) -> str:
    """The tier of a chunk's note; for other records, from their file name."""
    if record.kind == "chunk" and TIER in record.meta:
        return str(record.meta[TIER])
    file = _file(record)
    return "topic" if TOPICS in file else "curated" if file.endswith(CURATED) else ""


def _file(record: Record) -> str:
    """The file that a record comes from. Turns have none, so their session is used, which is their daily log."""
    return (record.provenance.file if record.provenance else None) or record.session or record.id
