"""Which snippets go into a prompt: at most 6 and 1,200 tokens, by score (SPEC 10; seed 004)."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.files.tiers import TIERS, Tier
from recollect.settings.rows import FileRows

TIE = 0.01  # scores nearer than this are a tie, which the tier decides


def chosen(
    scores: Sequence[float], tiers: Sequence[Tier], tokens: Sequence[int], rows: FileRows, limit: int
) -> list[int]:
    """The places of the snippets to show, best first; one that does not fit is passed over and the next is tried.

    Topics before curated memory before notes before logs where scores tie: then the boosts of the seed have not
    decided, and what somebody distilled is worth more than what was jotted down.
    """
    order = _by_score_then_tier(scores, tiers)
    taken: list[int] = []
    left = rows.max_tokens
    for at in order:
        if len(taken) < limit and tokens[at] <= left:
            taken.append(at)
            left -= tokens[at]
    return taken


def _by_score_then_tier(scores: Sequence[float], tiers: Sequence[Tier]) -> list[int]:
    """Runs of scores that lie within a tie of the best of them, each run by tier; the order given decides the rest."""
    by_score = sorted(range(len(scores)), key=lambda at: -scores[at])
    runs: list[list[int]] = []
    for at in by_score:
        if runs and scores[runs[-1][0]] - scores[at] <= TIE:
            runs[-1].append(at)
        else:
            runs.append([at])
    return [at for run in runs for at in sorted(run, key=lambda at: TIERS.index(tiers[at]))]
