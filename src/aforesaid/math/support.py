"""What the surroundings of a record say for it: its session, its neighbours, the question it answers.

Scores are fused scores by key. Anchors are the best of them; what they support need not have scored at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def session_best(scores: Mapping[str, float], sessions: Mapping[str, str | None]) -> dict[str, float]:
    """The best score in each record's session; a record without a session stands for itself."""
    best: dict[str, float] = {}
    for key, score in scores.items():
        session = sessions[key]
        if session is not None:
            best[session] = max(best.get(session, score), score)
    return {key: score if (session := sessions[key]) is None else best[session] for key, score in scores.items()}


def nearness(
    anchors: Mapping[str, float], sides: Mapping[str, Iterable[Sequence[str]]], fade: float
) -> dict[str, float]:
    """max over anchors of score · fade^distance, for the records on either side of them."""
    near: dict[str, float] = {}
    for anchor, score in anchors.items():
        for side in sides.get(anchor, ()):
            for distance, key in enumerate(side, start=1):
                near[key] = max(near.get(key, 0.0), score * fade**distance)
    return near
