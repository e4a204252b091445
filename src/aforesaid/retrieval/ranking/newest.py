"""Ranks a newer statement before the one that it supersedes (spec 11.9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aforesaid.retrieval.ranking.base import Question
from aforesaid.types import SUPERSEDED_BY, Hit

TIE = 1e-9  # keeps the older one behind when both would have the same score


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
    return sorted(found.values(), key=lambda hit: (-hit.score, hit.record.key))[: question.limit]
