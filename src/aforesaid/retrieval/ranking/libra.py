"""`libra-single`, `libra-two-pass` and `libra`: cosine, age and authority, with links and dates (spec L1–L9.9).

    libra-single     score = (α·cos + β·R + γ·S)·Q
    libra-two-pass   S_final = ω·cos·(1 + κM)/(1 + κ) [· Q], and linked records
    libra            the same; for questions about time S_proj = (1 − ξ)·S_final + ξ·S_cov

All three search by vectors only. Without embeddings they find nothing, and the result's freshness says so. They search
V: hard, soft and elevated rules have their own place in a prompt and are not found (spec L7.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from aforesaid.engine.kept_values import most_uses
from aforesaid.math import libra, temporal
from aforesaid.math.cascade import tiers_for
from aforesaid.math.domain import Flags
from aforesaid.math.pce import vector_candidates as wide
from aforesaid.retrieval.ranking.base import TIER, Question, best_first, both_arms, scored_hits, vector_candidates
from aforesaid.retrieval.ranking.related import linked_hits
from aforesaid.text.analyze import query_terms, searchable, terms
from aforesaid.text.extract.temporal import event_slots, temporal_patterns
from aforesaid.types import Hit, Record


class Near(NamedTuple):
    """The nearest records by cosine, and how many dimensions were compared."""

    tier: int
    cosines: dict[str, float]


def rank_single(question: Question) -> list[Hit]:
    """One pass over the nearest records (spec L1–L2)."""
    question = _without_rules(question)
    tier, cosines = _cascade(question, wide(question.limit, question.settings.search))
    found = both_arms(question, {}, cosines)
    if not found:
        return []
    scored = libra.single_pass(
        [cosines[each.record.key] for each in found],
        [question.age_seconds(each.record) for each in found],
        [question.scope_of(each.record) for each in found],
        [1.0 - each.record.confidence for each in found],
        [each.record.kind == "summary" for each in found],
        question.settings.libra,
        question.settings.search,
    )
    weights = zip(("alpha", "beta", "gamma"), libra.hybrid_weights(question.settings.libra).values, strict=True)
    columns = {"cos": scored.cosine, "recency": scored.recency, "scope": scored.scope, "quality": scored.quality}
    explain = "recency={recency:.2f}; scope={scope:.1f}"
    hits = scored_hits(question, found, scored.score, {TIER: tier, **dict(weights)}, columns, explain)
    return best_first(hits, question.limit)


def rank_two_pass(question: Question) -> list[Hit]:
    """The second pass and its linked records: C2 ∪ C*_hop (spec L7.3–L7.8)."""
    question = _without_rules(question)
    second = _second_pass(question)
    return best_first([*second, *linked_hits(question, second)], question.limit)


def rank(question: Question) -> list[Hit]:
    """Two passes. For a question about time, all other records with dates are considered too (spec L9.6)."""
    xi = temporal.query_indicator(temporal_patterns(question.text), question.settings.time)
    if not temporal.active(xi, question.settings.time):
        return rank_two_pass(question)
    question = _without_rules(question)
    second = _second_pass(question)
    chosen = _select_by_dates(question, second, xi)
    return best_first([*chosen, *linked_hits(question, second, taken=chosen)], question.limit)


def _without_rules(question: Question) -> Question:
    return replace(question, where=replace(question.where, rules=False))


def _cascade(question: Question, limit: int) -> Near:
    """Search with few dimensions first; stop when the best score reaches the tier's exit (spec 3, L4).

    An early exit keeps the order of its tier. An empty tier never answers, so the next one is searched. Models without
    Matryoshka training have only the full tier.
    """
    if question.vector is None:
        return Near(0, {})
    rows = question.settings.cascade
    exits = {rows.tier1_dimensions: rows.exit1, rows.tier2_dimensions: rows.exit2}
    *lower, _ = tiers_for(question.vector.size, question.request.arm.matryoshka, rows)
    for width in lower:
        found = question.store.vector_search(question.vector, question.where, limit, prefix=width, epsilon=rows.epsilon)
        if found and found[0].score >= exits[width]:
            return Near(width, {item.key: item.score for item in found})
    return Near(question.vector.size, vector_candidates(question, limit))


def _second_pass(question: Question) -> list[Hit]:
    """C2: of the k1 nearest records with cos ≥ θ1, the k2 best by S_final."""
    rows = question.settings.libra
    near = _cascade(question, rows.k1)
    keys = list(near.cosines)
    kept = libra.first_pass(list(near.cosines.values()), rows.k1, rows.theta1).tolist()
    ranked = best_first(_final_scores(question, Near(near.tier, {keys[i]: near.cosines[keys[i]] for i in kept})))
    return [ranked[i] for i in libra.survivors([hit.score for hit in ranked], rows.k2).tolist()]


def _final_scores(question: Question, near: Near) -> list[Hit]:
    """S_final of every candidate, with its parts."""
    rows, found = question.settings.libra, both_arms(question, {}, near.cosines)
    if not found:
        return []
    records = [each.record for each in found]
    cosines = [near.cosines[record.key] for record in records]
    uses = [record.uses for record in records]
    recent = libra.recency([question.age_seconds(record) for record in records], rows.authority_decay)
    frequent = libra.access_frequency(uses, max(*uses, _most_uses(question)))
    authored = np.array([_authored(record) for record in records])
    omega = libra.authority(recent, frequent, authored, libra.authority_weights(rows))
    keywords = frozenset(query_terms(question.text))
    covered = libra.keyword_coverage(keywords, [set(terms(searchable(record))) for record in records])
    summaries = [record.kind == "summary" for record in records]
    quality = libra.quality([1.0 - record.confidence for record in records], summaries, rows.delta)
    scores = libra.second_pass(omega, cosines, covered, rows.kappa, quality)
    columns = {
        "omega": omega,
        "r": recent,
        "f": frequent,
        "a": authored,
        "cos": np.maximum(cosines, 0.0),
        "theta1": np.full(len(cosines), rows.theta1),
        "coverage": covered,
        "keyword_factor": libra.keyword_factor(covered, rows.kappa),
        "quality": quality,
    }
    explain = "omega={omega:.2f}; keywords={coverage:.2f}"
    return scored_hits(question, found, scores, {TIER: near.tier}, columns, explain)


def _select_by_dates(question: Question, second: Sequence[Hit], xi: float) -> list[Hit]:
    """The greedy choice 𝒮* among C2 and the recovered records, by σ(d) = S_proj(d, 𝒮*∖{d}) (spec L9.6–L9.8)."""
    rows = question.settings.time
    pool = [*second, *recovery_set(question, second)]
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


def recovery_set(question: Question, second: Sequence[Hit]) -> list[Hit]:
    """C_rec: of all records with cos ≥ θ_rec outside C2, the k_rec with the largest A(d); equal ones by cosine.

    Asks the store for the nearest records of each A(d), from the largest on, until there are enough.
    """
    rows, where = question.settings.time, question.where
    exclude = (*where.exclude, *(hit.record.key for hit in second))
    near: dict[str, float] = {}
    for least, most in temporal.density_levels(rows):
        if len(near) == rows.recovery_limit:
            break
        equal = replace(question, where=replace(where, exclude=exclude, least_dates=least, most_dates=most))
        found = vector_candidates(equal, rows.recovery_limit - len(near))
        near |= {key: cosine for key, cosine in found.items() if cosine >= rows.recovery_cosine}
    return _final_scores(question, Near(question.vector.size if question.vector is not None else 0, near))


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
    """A(d): the density of the time expressions that were counted when the record was written."""
    return temporal.anchor_density(record.dates, question.settings.time)


def _most_uses(question: Question) -> int:
    """max acc: over all records of the visible owners, not only over the candidates."""
    owners = question.where.owners or ()
    return max((most_uses(question.request, owner) for owner in owners), default=0)


def _authored(record: Record) -> float:
    """a(d): what `meta` says, else 1 for authored documents and 0 for the rest."""
    return (1.0 if record.kind == "node" else 0.0) if record.authority is None else record.authority
