"""Adds records that are related to hits: documents that they link to (spec L7.7), and newer statements (spec 11.9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aforesaid.math.libra import hops
from aforesaid.retrieval.ranking.base import Question, best_first, reason
from aforesaid.types import SUPERSEDED_BY, Hit

TIE = 1e-9  # keeps the older statement behind the newer one when both would have the same score


def linked_hits(question: Question, parents: Sequence[Hit], taken: Sequence[Hit] = ()) -> list[Hit]:
    """The visible records that the parents link to and that are not in `taken`.

    S_hop = 0.5 · the best score of a parent; kept from 0.15.
    """
    rows = question.settings.libra
    scores = {hit.record.key: min(max(hit.score, 0.0), 1.0) for hit in parents}  # features may lift a score over 1
    links: dict[str, list[str]] = {}
    for edge in question.store.edges(list(scores)):
        if edge.kind == "hop":
            links.setdefault(edge.source, []).append(edge.target)
    present = {hit.record.key for hit in taken}
    found = hops(scores, links, rows.hop_decay, rows.hop_threshold)
    reached = {hop.id: hop for hop in found if hop.id not in present}
    if not reached:
        return []
    visible = {record.key: record for record in question.store.find(replace(question.where, keys=tuple(reached)))}
    return [
        Hit(
            visible[key],
            hop.score,
            {"hop_decay": rows.hop_decay, "parent": scores[hop.parent]},
            reason({"hop": hop.parent[:8], "parent": f"{scores[hop.parent]:.2f}"}),
        )
        for key, hop in reached.items()
        if key in visible
    ]


def rank_newer_first(question: Question, hits: Sequence[Hit]) -> list[Hit]:
    """Give the better score to the newer record of each superseded pair, and say so in both reasons.

    Adds the newer record when the search did not find it and the filter allows it.
    """
    stale = {hit.record.key: str(hit.record.meta[SUPERSEDED_BY]) for hit in hits if SUPERSEDED_BY in hit.record.meta}
    if not stale:
        return list(hits)
    found = {hit.record.key: hit for hit in hits}
    newer = {record.key: record for record in question.store.find(replace(question.where, keys=tuple(stale.values())))}
    for key, successor in stale.items():
        if successor in newer:
            old = found[key]
            new = found.get(successor) or Hit(newer[successor], old.score, {}, "found=through what it replaced")
            low, high = sorted((old.score, new.score))
            found[successor] = replace(new, score=high, reason=f"{new.reason}; supersedes={old.record.id}")
            found[key] = replace(old, score=low - TIE, reason=f"{old.reason}; superseded=by {new.record.id}")
    return best_first(found.values(), question.limit)
