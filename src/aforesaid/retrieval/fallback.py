"""Replaces weak summary hits by the raw turns that they cover (spec 5.10).

(S1 ∧ S2) ∨ S3 ⇒ search the turns under the leading summaries, and merge them into the other hits by score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from aforesaid.engine.lineage import covered_by
from aforesaid.math.fusion import nothing_strong, weak_summaries
from aforesaid.math.vectors import spread_cosines
from aforesaid.retrieval.ranking.base import TIER, Question, best_first, vector_candidates
from aforesaid.types import Hit

Rank = Callable[[Question], list[Hit]]


def weak_hits_reason(question: Question, hits: Sequence[Hit], relative: bool) -> str:
    """Why the hits are too weak, or "" when they are good enough.

    When scores are `relative` to the best hit, its cosine above the model's background is used instead.
    """
    rows = question.settings.recovery
    if weak_summaries([hit.record.confidence if hit.record.kind == "summary" else None for hit in hits], rows):
        return f"the first {rows.summaries} are summaries that keep little of their turns"
    top = _strength(question, hits) if relative else max((hit.score for hit in hits), default=0.0)
    if nothing_strong(_used_all_dimensions(question, hits), top, rows):
        return f"the best score is {top:.2f}"
    return ""


def with_raw_turns(question: Question, hits: Sequence[Hit], rank: Rank) -> list[Hit]:
    """Replace summaries by those of their turns that match the query; unchanged when there are none."""
    kinds = question.where.kinds
    summaries = [hit.record.key for hit in hits if hit.record.kind == "summary"] or _nearest_summaries(question, hits)
    if not summaries or (kinds is not None and "turn" not in kinds):
        return list(hits)
    below = covered_by(question.store, summaries)
    keys = tuple(sorted(set().union(*below.values())))
    if not keys:
        return list(hits)
    turns = rank(replace(question, where=replace(question.where, keys=keys, kinds=("turn",))))
    found = {hit.record.key for hit in turns}
    expanded = {summary for summary, covered in below.items() if covered & found}
    merged = {hit.record.key: hit for hit in hits if hit.record.key not in expanded}
    for hit in turns:
        known = merged.get(hit.record.key)
        if known is None or known.score < hit.score:
            merged[hit.record.key] = replace(hit, reason=f"{hit.reason}; recovered=from a summary")
    return best_first(merged.values(), question.limit)


def _nearest_summaries(question: Question, hits: Sequence[Hit]) -> list[str]:
    """The nearest summaries, when the search found nothing."""
    if hits:
        return []
    only = replace(question, where=replace(question.where, kinds=("summary",)))
    return list(vector_candidates(only, question.settings.recovery.summaries))


def _used_all_dimensions(question: Question, hits: Sequence[Hit]) -> bool:
    """S1: all hits were compared with all dimensions; always true without tiers."""
    width = question.vector.size if question.vector is not None else 0
    return all(hit.parts.get(TIER, width) >= width for hit in hits)


def _strength(question: Question, hits: Sequence[Hit]) -> float:
    """The best cosine above the background. Without embeddings every hit counts as strong."""
    if question.vector is None:
        return 1.0 if hits else 0.0
    cosines = [hit.parts["cos"] for hit in hits if "cos" in hit.parts]
    return float(spread_cosines(cosines, question.request.arm.background).max()) if cosines else 0.0
