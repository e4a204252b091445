"""Neighbours of what was found, by registered links (spec L7.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aforesaid.math.libra import hops
from aforesaid.retrieval.ranking.base import Question, reason
from aforesaid.types import Hit


def linked_hits(question: Question, parents: Sequence[Hit], taken: Sequence[Hit] = ()) -> list[Hit]:
    """S_hop = 0.5·max parent score, kept from 0.15: what the parents link to, may be seen, and is not there already."""
    rows = question.settings.libra
    scores = {item.record.key: min(max(item.score, 0.0), 1.0) for item in parents}  # a sum of boosts may pass 1
    links: dict[str, list[str]] = {}
    for edge in question.store.edges(list(scores)):
        if edge.kind == "hop":
            links.setdefault(edge.source, []).append(edge.target)
    there = {item.record.key for item in taken}
    found = hops(scores, links, rows.hop_decay, rows.hop_threshold)
    reached = {hop.id: hop for hop in found if hop.id not in there}
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
