"""Puts the newest of several hits about the same thing first (spec 5.11).

Two records say something about the same thing when they match a question almost equally well and hold about the same
share of its words. If they were said at different times, the newer one is the current answer, unless the question asks
for the past. No rule about topics or phrasing is needed. The hits keep their places; they only exchange them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aforesaid.retrieval.ranking.base import LINKED
from aforesaid.settings.rows import DefaultRows
from aforesaid.text.extract.question import Aim
from aforesaid.types import AGENT_ROLES, Hit

MATCHED = "matched"  # the part of a hit with the share of the question's words that its record has
LEADING = 10  # hits that are compared


def newest_first(hits: Sequence[Hit], aim: Aim, rows: DefaultRows) -> list[Hit]:
    """The hits, with those about the same thing as the best of them in order of time, newest first."""
    margin = _margin(aim, rows)
    places = _same_thing(hits[:LEADING], margin, rows.newest_words) if margin else []
    days = {place: hits[place].record.time.date() for place in places}  # what was said on one day keeps its order
    if len(set(days.values())) < 2:
        return list(hits)
    order = sorted(places, key=lambda place: (-days[place].toordinal(), place))
    found = list(hits)
    for place, other in zip(places, order, strict=True):
        moved = hits[other]
        if other != place:
            score = hits[place].score
            why = f"{moved.reason}; newest={'first' if place == places[0] else 'later'}"
            moved = replace(moved, score=score, parts={**moved.parts, "moved": score - moved.score}, reason=why)
        found[place] = moved
    return found


def _margin(aim: Aim, rows: DefaultRows) -> float:
    """How far behind the best hit another one about the same thing may be, as a share of its score.

    A question about one event of somebody else ("what did Ana paint?") is answered by that event, old or new.
    """
    if aim.of_past or aim.periods:
        return 0.0
    return rows.newest_margin / 4 if aim.of_event and not aim.of_asker else rows.newest_margin


def _same_thing(hits: Sequence[Hit], margin: float, tolerance: float) -> list[int]:
    """The places of the hits about the same thing as the best one. Agents' words and files are no statements."""
    stated = [place for place, hit in enumerate(hits) if _is_statement(hit)]
    if not stated or MATCHED not in hits[stated[0]].parts:
        return []
    best = hits[stated[0]]
    least = best.score - margin * abs(best.score)
    return [
        place
        for place in stated
        if hits[place].score >= least and abs(hits[place].parts.get(MATCHED, -1.0) - best.parts[MATCHED]) <= tolerance
    ]


def _is_statement(hit: Hit) -> bool:
    return hit.record.kind not in LINKED and hit.record.kind != "summary" and hit.record.role not in AGENT_ROLES
