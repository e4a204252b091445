"""What a summary stands for: the turns and summaries it covers, down to the raw words."""

from __future__ import annotations

from collections.abc import Sequence

from aforesaid.store.protocols import Reader
from aforesaid.types import Record

COVERS = "covers"  # a summary's source
EVIDENCE = "evidence"  # the turn that guidance was kept from


def covered_by(store: Reader, keys: Sequence[str]) -> dict[str, frozenset[str]]:
    """For each of these records that is a summary, everything below it, however many summaries deep."""
    below: dict[str, set[str]] = {}
    level, known = list(keys), set(keys)
    while level:
        edges = [edge for edge in store.edges(level) if edge.kind == COVERS]
        for edge in edges:
            below.setdefault(edge.source, set()).add(edge.target)
        level = sorted({edge.target for edge in edges} - known)
        known |= set(level)
    return {key: frozenset(_all_below(key, below)) for key in keys if key in below}


def _all_below(key: str, below: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [key]
    while waiting:
        for target in below.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def made_from(store: Reader, keys: Sequence[str]) -> set[str]:
    """Everything that was derived from these records: summaries, summaries of those, and guidance."""
    found: set[str] = set()
    level = list(keys)
    while level:
        above = {edge.source for edge in store.edges(level, incoming=True) if edge.kind in (COVERS, EVIDENCE)}
        level = sorted(above - found)
        found |= above
    return found - set(keys)


def taken_up(store: Reader, keys: Sequence[str]) -> set[str]:
    """Those of these records that a summary covers already."""
    return {edge.target for edge in store.edges(keys, incoming=True) if edge.kind == COVERS}


def raw_turns(store: Reader, key: str) -> list[Record]:
    """The raw turns under a summary, exactly as they were stored, oldest first."""
    below = covered_by(store, [key]).get(key, frozenset())
    turns = [record for record in store.get(sorted(below)) if record.kind == "turn"]
    return sorted(turns, key=lambda turn: (turn.time, turn.id, turn.key))
