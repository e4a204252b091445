"""`libra-single`, `libra-two-pass`, `libra`: meaning, age and authority, with hops and time (spec L1–L9.9).

    single pass   score = (α·cos + β·R + γ·S)·Q
    two passes    S_final = ω·cos·(1 + κM)/(1 + κ) [· Q], and neighbours by hops
    with time     S_proj = (1 − ξ)·S_final + ξ·S_cov, for questions of time only

All three rank by vectors: without the vector arm they find nothing, and the freshness line says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aforesaid.engine.kept_values import most_uses
from aforesaid.math import libra, temporal
from aforesaid.math.cascade import tiers_for
from aforesaid.math.domain import Flags
from aforesaid.math.pce import vector_candidates as wide
from aforesaid.retrieval.ranking.base import TIER, Question, evidence, reason, vector_candidates
from aforesaid.retrieval.ranking.links import linked_hits
from aforesaid.text.analyze import query_terms, searchable, terms
from aforesaid.text.extract.dates import time_expressions
from aforesaid.text.extract.reader import guarded
from aforesaid.text.extract.temporal import event_slots, temporal_patterns
from aforesaid.types import ANCHORS, USES, Hit, Record, Scope

AUTHORITY = "authority"  # the key of `meta` that holds a(d); lore of an authored document has 1 without it
RECOVERY_POOL = 20  # times the recovery limit that is read to choose the recovered by their dates


class Near(NamedTuple):
    """The nearest records by cosine, and how many dimensions were compared."""

    tier: int
    cosines: dict[str, float]


def rank_single(question: Question) -> list[Hit]:
    """One pass over the nearest records (spec L1–L2)."""
    tier, cosines = _cascade(question, wide(question.limit, question.settings.search))
    records = question.store.get(list(cosines))
    if not records:
        return []
    scored = libra.single_pass(
        [cosines[record.key] for record in records],
        [question.age_seconds(record) for record in records],
        [_scope(question, record) for record in records],
        [1.0 - record.confidence for record in records],
        [record.kind == "summary" for record in records],
        question.settings.libra,
        question.settings.search,
    )
    alpha, beta, gamma = libra.hybrid_weights(question.settings.libra).values
    ranked = []
    for i, record in enumerate(records):
        parts = {
            TIER: tier,
            "alpha": alpha,
            "beta": beta,
            "gamma": gamma,
            "cos": float(scored.cosine[i]),
            "recency": float(scored.recency[i]),
            "scope": float(scored.scope[i]),
            "quality": float(scored.quality[i]),
        }
        why = evidence(question, record, None, cosines[record.key])
        why |= {"recency": f"{parts['recency']:.2f}", "scope": f"{parts['scope']:.1f}"}
        ranked.append(Hit(record, float(scored.score[i]), parts, reason(why)))
    return _best(question, ranked)


def rank_two_pass(question: Question) -> list[Hit]:
    """C2 ∪ C*_hop (spec L7.3–L7.8)."""
    second = _second_pass(question, _first_pass(question))
    return _best(question, [*second, *linked_hits(question, second)])


def rank(question: Question) -> list[Hit]:
    """Two passes; a question of time takes its anchors from a wider pool, so that both ends of a span come along."""
    xi = temporal.query_indicator(temporal_patterns(question.text), question.settings.time)
    if not temporal.active(xi, question.settings.time):
        return rank_two_pass(question)
    second = _second_pass(question, _first_pass(question))
    chosen = _selected(question, second, xi)
    return _best(question, [*chosen, *linked_hits(question, second, taken=chosen)])


def _cascade(question: Question, limit: int) -> Near:
    """The first tier of a Matryoshka model whose best score reaches its exit, else all dimensions (spec L4).

    An early exit keeps the order of its tier, as the seed has it.
    """
    if question.vector is None:
        return Near(0, {})
    rows = question.settings.cascade
    *lower, _ = tiers_for(question.vector.size, question.request.arm.matryoshka, rows)
    for width, exit_at in zip(lower, (rows.exit1, rows.exit2), strict=False):
        found = question.store.vector_search(question.vector, question.where, limit, prefix=width)
        if found and found[0].score >= exit_at:
            return Near(width, {item.key: item.score for item in found})
    return Near(question.vector.size, vector_candidates(question, limit))


def _first_pass(question: Question) -> Near:
    """C1: the k1 nearest with cos ≥ θ1."""
    rows = question.settings.libra
    near = _cascade(question, rows.k1)
    return Near(near.tier, {key: cosine for key, cosine in near.cosines.items() if cosine >= rows.theta1})


def _second_pass(question: Question, near: Near) -> list[Hit]:
    """C2: the k2 best by S_final."""
    ranked = _final_scores(question, near)
    return sorted(ranked, key=lambda item: (-item.score, item.record.key))[: question.settings.libra.k2]


def _final_scores(question: Question, found: Near) -> list[Hit]:
    """S_final of every candidate, with its parts."""
    rows, records = question.settings.libra, question.store.get(list(found.cosines))
    if not records:
        return []
    near = [found.cosines[record.key] for record in records]
    uses = [int(record.meta.get(USES, 0)) for record in records]
    recent = libra.recency([question.age_seconds(record) for record in records], rows.authority_decay)
    frequent = libra.access_frequency(uses, max(*uses, _most_uses(question)))
    authored = np.array([_authored(record) for record in records])
    omega = libra.authority(recent, frequent, authored, libra.authority_weights(rows))
    keywords = frozenset(query_terms(question.text))
    covered = libra.keyword_coverage(keywords, [set(terms(searchable(record))) for record in records])
    summaries = [record.kind == "summary" for record in records]
    quality = libra.quality([1.0 - record.confidence for record in records], summaries, rows.delta)
    scores = libra.second_pass(omega, near, covered, rows.kappa, quality)
    ranked = []
    for i, record in enumerate(records):
        parts = {
            TIER: found.tier,
            "omega": float(omega[i]),
            "r": float(recent[i]),
            "f": float(frequent[i]),
            "a": float(authored[i]),
            "cos": max(near[i], 0.0),
            "theta1": rows.theta1,
            "coverage": float(covered[i]),
            "keyword_factor": float(libra.keyword_factor(covered[i], rows.kappa)),
            "quality": float(quality[i]),
        }
        why = evidence(question, record, None, near[i])
        why |= {"omega": f"{parts['omega']:.2f}", "keywords": f"{parts['coverage']:.2f}"}
        ranked.append(Hit(record, float(scores[i]), parts, reason(why)))
    return ranked


def _selected(question: Question, second: Sequence[Hit], xi: float) -> list[Hit]:
    """The greedy choice 𝒮* among C2 and the recovered records, by σ(d) = S_proj(d, 𝒮*∖{d}) (spec L9.6–L9.8)."""
    rows = question.settings.time
    pool = [*second, *_recovered(question, second)]
    if not pool:
        return []
    anchors = [_anchors(question, item.record) for item in pool]
    slots = event_slots(question.text, rows.max_slots)
    matches = _slot_matches(question, [item.record for item in pool], slots)
    finals = [item.score for item in pool]
    chosen = [choice.index for choice in temporal.select(finals, anchors, matches, xi, rows)]
    ranked = []
    for i, score in zip(chosen, temporal.injection_scores(finals, anchors, matches, chosen, xi, rows), strict=True):
        others = temporal.covered_slots(matches, [j for j in chosen if j != i])
        gain = float(temporal.marginal_coverage(matches, others)[i])
        parts = dict(pool[i].parts) | {"xi": xi, "S_final": pool[i].score, "anchors": anchors[i], "gain": gain}
        why = f"{pool[i].reason}; xi={xi:.2f}; anchors={anchors[i]:.2f}; slots={gain:.2f}"
        ranked.append(Hit(pool[i].record, float(score), parts, why))
    return ranked


def _recovered(question: Question, second: Sequence[Hit]) -> list[Hit]:
    """Records under the first pass's threshold that are rich in dates."""
    rows = question.settings.time
    near = vector_candidates(question, RECOVERY_POOL * rows.recovery_limit)
    ranked = _final_scores(question, Near(question.vector.size if question.vector is not None else 0, near))
    known = {item.record.key for item in second}
    chosen = temporal.recover(
        [near[item.record.key] for item in ranked],
        [_anchors(question, item.record) for item in ranked],
        [item.score for item in ranked],
        [i for i, item in enumerate(ranked) if item.record.key in known],
        rows,
    )
    return [ranked[i] for i in chosen]


def _slot_matches(question: Question, records: Sequence[Record], slots: Sequence[str]) -> Flags:
    """φ: which record covers which event slot of the question."""
    vectors = question.embed(slots) if slots else None
    if vectors is None:
        return np.zeros((len(records), 0), dtype=np.bool_)
    held = question.store.vectors([record.key for record in records])
    blank = np.zeros(vectors.shape[1], dtype=np.float32)
    return temporal.slot_matches(
        np.stack([held.get(record.key, blank) for record in records]) @ vectors.T, question.settings.time
    )


def _anchors(question: Question, record: Record) -> float:
    """A(d), from what was counted when the record was written; counted now for one that says nothing of it."""
    count = record.meta.get(ANCHORS)
    if count is None:
        found = guarded("dates", lambda: time_expressions(record.text), ())
        count = len({expression.text.lower() for expression in found})
    return temporal.anchor_density(int(count), question.settings.time)


def _most_uses(question: Question) -> int:
    """max acc over all that the question may see, not over the candidates alone."""
    owners = question.where.owners or ()
    return max((most_uses(question.request, owner) for owner in owners), default=0)


def _authored(record: Record) -> float:
    return min(max(float(record.meta.get(AUTHORITY, 1.0 if record.kind == "node" else 0.0)), 0.0), 1.0)


def _scope(question: Question, record: Record) -> Scope:
    """A turn counts as the active session's only there; elsewhere it is part of its user's memory."""
    if record.scope == "session" and record.session not in (question.where.sessions or ()):
        return "user"
    return record.scope


def _best(question: Question, ranked: Sequence[Hit]) -> list[Hit]:
    return sorted(ranked, key=lambda item: (-item.score, item.record.key))[: question.limit]
