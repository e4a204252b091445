"""Follows the links between records and their sources: what a summary covers, what was derived from a record."""

from __future__ import annotations

from collections.abc import Sequence

from aforesaid.store.protocols import Reader
from aforesaid.types import Record

COVERS = "covers"  # from a summary to a record it summarises
EVIDENCE = "evidence"  # from guidance or a claim to the record it is based on


def covered_by(store: Reader, keys: Sequence[str]) -> dict[str, frozenset[str]]:
    """For each summary among these keys: the keys of all records that it covers, at any depth."""
    below: dict[str, set[str]] = {}
    level = set(keys)
    while level:
        edges = [edge for edge in store.edges(sorted(level)) if edge.kind == COVERS]
        below |= {key: set() for key in level}
        for edge in edges:
            below[edge.source].add(edge.target)
        level = {edge.target for edge in edges} - below.keys()
    return {key: frozenset(_all_below(key, below)) for key in keys if below[key]}


def _all_below(key: str, below: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    level = below[key]
    while level:
        found |= level
        level = set().union(*(below[target] for target in level)) - found
    return found


def derived_from(store: Reader, keys: Sequence[str]) -> set[str]:
    """The keys of everything derived from these records, at any depth: summaries, claims and guidance."""
    found: set[str] = set()
    level = list(keys)
    while level:
        above = {edge.source for edge in store.edges(level, incoming=True) if edge.kind in (COVERS, EVIDENCE)}
        level = sorted(above - found)
        found |= above
    return found - set(keys)


def already_summarised(store: Reader, keys: Sequence[str]) -> set[str]:
    """The keys of those records that a summary already covers."""
    return {edge.target for edge in store.edges(keys, incoming=True) if edge.kind == COVERS}


def raw_turns(store: Reader, key: str) -> list[Record]:
    """The turns that a summary covers, exactly as stored, oldest first."""
    below = covered_by(store, [key]).get(key, frozenset())
    turns = [record for record in store.get(sorted(below)) if record.kind == "turn"]
    return sorted(turns, key=lambda turn: (turn.time, turn.id, turn.key))
