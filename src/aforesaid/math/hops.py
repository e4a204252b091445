"""One step along the links of documents, from the survivors C2 of the second pass (spec 5.5, L7.7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from aforesaid.math.domain import within
from aforesaid.settings.rows import LibraRows

DEFAULTS = LibraRows()
Id = TypeVar("Id", int, str)


@dataclass(frozen=True, slots=True)
class Hop(Generic[Id]):
    """A linked record, its score, and the record that links to it."""

    id: Id
    score: float
    parent: Id


def hop_score(parent_score: float, decay: float = DEFAULTS.hop_decay) -> float:
    """Score of a linked record: S_hop = η·S_final of its best parent, η ∈ [0, 1] (spec 5.5, L7.7)."""
    return float(within(decay, 0, 1, "hop_decay")) * float(within(parent_score, 0, 1, "parent score"))


def best_parents(scores: Mapping[Id, float], neighbours: Mapping[Id, Iterable[Id]]) -> dict[Id, Id]:
    """Linked records C_hop = ∪ H(d) ∖ C2 over d ∈ C2, each with its best parent (spec 5.5, L7.7).

    Only links that leave C2 are followed, so the depth is one and cycles end. The smaller id wins a tie.
    """
    found: dict[Id, Id] = {}
    for parent in sorted(scores, key=lambda parent: (-scores[parent], parent)):
        for neighbour in neighbours.get(parent, ()):
            if neighbour not in scores:
                found.setdefault(neighbour, parent)
    return found


def hops(
    scores: Mapping[Id, float],
    neighbours: Mapping[Id, Iterable[Id]],
    decay: float = DEFAULTS.hop_decay,
    threshold: float = DEFAULTS.hop_threshold,
) -> tuple[Hop[Id], ...]:
    """Good linked records C*_hop = {d′ ∈ C_hop | S_hop(d′) ≥ θ_hop}, by score, then id (spec 5.5, L7.7).

    `scores` has the S_final of every record in C2, `neighbours` the links of each record.
    """
    least = float(within(threshold, 0, 1, "hop_threshold"))
    within(list(scores.values()), 0, 1, "parent score")
    parents = best_parents(scores, neighbours)
    reached = (Hop(found, hop_score(scores[parent], decay), parent) for found, parent in parents.items())
    return tuple(sorted((hop for hop in reached if hop.score >= least), key=lambda hop: (-hop.score, hop.id)))
