"""When a search has failed: the summaries it found give way to the raw turns under them (spec 5.10).

(S1 ∧ S2) ∨ S3 ⇒ the turns under the leading summaries are searched on their own, and join the other hits by score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from aforesaid.engine.lineage import covered_by
from aforesaid.math.recovery import nothing_strong, weak_summaries
from aforesaid.math.vectors import spread_cosines
from aforesaid.retrieval.ranking.base import TIER, Question, vector_candidates
from aforesaid.types import Hit

Rank = Callable[[Question], list[Hit]]


def failure(question: Question, hits: Sequence[Hit], relative: bool) -> str:
    """What is wrong with the hits, in a few words; nothing when they will do.

    Where scores are `relative` to the best of their own query, its cosine above the model's background counts instead.
    """
    rows = question.settings.recovery
    if weak_summaries([hit.record.confidence if hit.record.kind == "summary" else None for hit in hits], rows):
        return f"the first {rows.summaries} are summaries that keep little of their turns"
    top = _strength(question, hits) if relative else max((hit.score for hit in hits), default=0.0)
    if nothing_strong(_fell_to_full(question, hits), top, rows):
        return f"the best score is {top:.2f}"
    return ""


def recovered(question: Question, hits: Sequence[Hit], rank: Rank) -> list[Hit]:
    """The hits, with the turns under their summaries in place of those summaries; the same hits when there are none."""
    kinds = question.where.kinds
    summaries = [hit.record.key for hit in hits if hit.record.kind == "summary"] or _nearest(question, hits)
    if not summaries or (kinds is not None and "turn" not in kinds):
        return list(hits)
    below = covered_by(question.store, summaries)
    keys = tuple(sorted(set().union(*below.values())))
    if not keys:
        return list(hits)
    turns = rank(replace(question, where=replace(question.where, keys=keys, kinds=("turn",))))
    found = {hit.record.key for hit in turns}
    expanded = {summary for summary, covered in below.items() if covered & found}
    joined = {hit.record.key: hit for hit in hits if hit.record.key not in expanded}
    for hit in turns:
        known = joined.get(hit.record.key)
        if known is None or known.score < hit.score:
            joined[hit.record.key] = replace(hit, reason=f"{hit.reason}; recovered=from a summary")
    return sorted(joined.values(), key=lambda hit: (-hit.score, hit.record.key))[: question.limit]


def _nearest(question: Question, hits: Sequence[Hit]) -> list[str]:
    """When nothing at all was found, the summaries that come nearest."""
    if hits:
        return []
    only = replace(question, where=replace(question.where, kinds=("summary",)))
    return list(vector_candidates(only, question.settings.recovery.summaries))


def _fell_to_full(question: Question, hits: Sequence[Hit]) -> bool:
    """S1: no shorter tier answered; without tiers every search is one of all dimensions."""
    width = question.vector.size if question.vector is not None else 0
    return all(hit.parts.get(TIER, width) >= width for hit in hits)


def _strength(question: Question, hits: Sequence[Hit]) -> float:
    """The best cosine above the background; a hit by words alone is as strong as can be."""
    if question.vector is None:
        return 1.0 if hits else 0.0
    cosines = [hit.parts["cos"] for hit in hits if "cos" in hit.parts]
    return float(spread_cosines(cosines, question.request.arm.background).max()) if cosines else 0.0
