"""Which snippets go into a prompt: at most 6 and 1,200 tokens, the best of them, topics first (SPEC 10; seed 004)."""

from __future__ import annotations

from collections.abc import Sequence

from aforesaid.retrieval.ranking.file_tiers import TIERS, Tier
from aforesaid.settings.rows import FileRows


def chosen(
    scores: Sequence[float], tiers: Sequence[Tier], tokens: Sequence[int], rows: FileRows, limit: int, enough: float
) -> list[int]:
    """The places of the snippets to show, in their order.

    The best are taken; one that does not fit is passed over and the next is tried. Of those that score enough, topics
    come before curated memory before notes before logs: what somebody distilled before what was jotted down. What
    scores less follows by score, so that no weak brief stands before a sure find.
    """
    taken: list[int] = []
    left = rows.max_tokens
    for at in sorted(range(len(scores)), key=lambda at: (-scores[at], TIERS.index(tiers[at]))):
        if len(taken) < limit and tokens[at] <= left:
            taken.append(at)
            left -= tokens[at]
    return sorted(taken, key=lambda at: TIERS.index(tiers[at]) if scores[at] >= enough else len(TIERS))
