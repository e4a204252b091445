"""What the surroundings of a record add to its score: its session and its neighbours. Scores are by record key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def session_best(scores: Mapping[str, float], sessions: Mapping[str, str | None]) -> dict[str, float]:
    """The best score in each record's session; its own score for a record without a session."""
    best: dict[str, float] = {}
    for key, score in scores.items():
        session = sessions[key]
        if session is not None:
            best[session] = max(best.get(session, score), score)
    return {key: score if (session := sessions[key]) is None else best[session] for key, score in scores.items()}


def nearness(
    anchors: Mapping[str, float], sides: Mapping[str, Iterable[Sequence[str]]], fade: float
) -> dict[str, float]:
    """For each neighbour of an anchor: max over anchors of score · fade^distance.

    `sides` lists the neighbours of an anchor on each side, nearest first. They need no score of their own.
    """
    near: dict[str, float] = {}
    for anchor, score in anchors.items():
        for side in sides.get(anchor, ()):
            for distance, key in enumerate(side, start=1):
                near[key] = max(near.get(key, 0.0), score * fade**distance)
    return near
