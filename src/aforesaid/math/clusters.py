"""Turns in order of time cut into clusters of about equal size (seed 000 §5, SPEC 8)."""

from __future__ import annotations

from itertools import pairwise

from aforesaid.errors import InputError
from aforesaid.settings.rows import CompactRows

DEFAULTS = CompactRows()
TRIVIAL = "trivial"  # the method of a cluster that holds one turn


def cluster_size(turns: int = DEFAULTS.cluster_turns) -> int:
    """k, or 20 if the k asked for is not positive (seed 000 §5 step 4, SPEC 8)."""
    return turns if turns >= 1 else DEFAULTS.cluster_turns


def cluster_count(n: int, turns: int = DEFAULTS.cluster_turns) -> int:
    """c = ⌈max(n, 1) / k⌉, at least 1 (seed 000 §5 step 5, SPEC 8)."""
    return -(-max(_count(n), 1) // cluster_size(turns))


def cluster_index(i: int, n: int, turns: int = DEFAULTS.cluster_turns) -> int:
    """clusterIndex(i) = ⌊i·c / max(n, 1)⌋ for turn i of n, counted from 0 (seed 000 §5 step 6, SPEC 8)."""
    if not 0 <= i < max(_count(n), 1):
        raise InputError(f"Turn {i} of {n}.", "Turns are counted from 0.")
    return i * cluster_count(n, turns) // max(n, 1)


def partition(n: int, turns: int = DEFAULTS.cluster_turns) -> tuple[range, ...]:
    """The turns of every cluster: {i | ⌊i·c / n⌋ = j} = ⌈j·n / c⌉ … ⌈(j+1)·n / c⌉ − 1 (seed 000 §5, SPEC 8).

    Of no turns there are no clusters: the guard in c keeps the division defined, and nothing is there to summarise.
    """
    if _count(n) == 0:
        return ()
    count = cluster_count(n, turns)
    edges = [-(-j * n // count) for j in range(count + 1)]
    return tuple(range(start, end) for start, end in pairwise(edges))


def cluster_method(size: int, method: str) -> str:
    """`trivial` for a cluster of one turn, else the method that summarised it (seed 000 §5, SPEC 8)."""
    return TRIVIAL if _count(size) == 1 else method


def _count(n: int) -> int:
    if n < 0:
        raise InputError(f"{n} turns.", "A number of turns cannot be negative.")
    return n
