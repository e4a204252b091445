"""Cuts the messages of a session, in order of time, into clusters of about equal size (spec 8, L5)."""

from __future__ import annotations

from itertools import pairwise

from aforesaid.errors import InputError
from aforesaid.settings.rows import CompactRows

DEFAULTS = CompactRows()
TRIVIAL = "trivial"  # the method for a cluster of one message


def cluster_size(turns: int = DEFAULTS.cluster_turns) -> int:
    """Messages per cluster: k, or 20 if k is not positive (spec 8, L5)."""
    return turns if turns >= 1 else DEFAULTS.cluster_turns


def cluster_count(n: int, turns: int = DEFAULTS.cluster_turns) -> int:
    """Number of clusters: c = ⌈max(n, 1) / k⌉, at least 1 (spec 8, L5)."""
    return -(-max(_count(n), 1) // cluster_size(turns))


def cluster_index(i: int, n: int, turns: int = DEFAULTS.cluster_turns) -> int:
    """Cluster of message i of n, from 0: clusterIndex(i) = ⌊i·c / max(n, 1)⌋ (spec 8, L5)."""
    if not 0 <= i < max(_count(n), 1):
        raise InputError(f"Message {i} of {n}.", "Messages are counted from 0.")
    return i * cluster_count(n, turns) // max(n, 1)


def partition(n: int, turns: int = DEFAULTS.cluster_turns) -> tuple[range, ...]:
    """The messages of each cluster j: {i | ⌊i·c / n⌋ = j} = ⌈j·n / c⌉ … ⌈(j+1)·n / c⌉ − 1 (spec 8, L5).

    Empty for n = 0.
    """
    if _count(n) == 0:
        return ()
    count = cluster_count(n, turns)
    edges = [-(-j * n // count) for j in range(count + 1)]
    return tuple(range(start, end) for start, end in pairwise(edges))


def cluster_method(size: int, method: str) -> str:
    """`trivial` for a cluster of one message, else the given method (spec 8, L5)."""
    return TRIVIAL if _count(size) == 1 else method


def _count(n: int) -> int:
    if n < 0:
        raise InputError(f"{n} messages.", "The number cannot be negative.")
    return n
