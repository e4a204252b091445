"""Chronological clusters: worked numbers, then laws against the definition."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError
from aforesaid.math.summaries import cluster_count, cluster_index, cluster_method, cluster_size

TURNS = st.integers(0, 400)
SIZE = st.integers(-5, 60)


def test_counts_are_arithmetic() -> None:
    assert [cluster_count(n) for n in (0, 1, 19, 20, 21, 40, 41)] == [1, 1, 1, 1, 2, 2, 3]
    assert [cluster_count(10, k) for k in (1, 3, 10, 11)] == [10, 4, 1, 1]


@pytest.mark.parametrize("size", [0, -1, -20])
def test_a_size_that_is_not_positive_is_twenty(size: int) -> None:
    assert cluster_size(size) == 20
    assert cluster_count(41, size) == cluster_count(41, 20) == 3


def test_indices_are_arithmetic() -> None:
    assert [cluster_index(i, 5, 2) for i in range(5)] == [0, 0, 1, 1, 2]
    assert [cluster_index(i, 5, 20) for i in range(5)] == [0] * 5  # fewer turns than a cluster takes


def test_no_turns_make_no_clusters() -> None:
    assert cluster_count(0) == 1  # the guard
    assert cluster_index(0, 0) == 0


@given(TURNS, SIZE)
def test_clusters_are_even_and_none_is_over_size(n: int, k: int) -> None:
    found = [cluster_index(i, n, k) for i in range(n)]
    assert found == sorted(found)
    sizes = list(Counter(found).values())
    assert len(sizes) == (cluster_count(n, k) if n else 0)
    assert all(1 <= size <= cluster_size(k) for size in sizes)
    assert max(sizes, default=0) - min(sizes, default=0) <= 1
    if n >= 1:
        assert cluster_count(n, k) == math.ceil(n / cluster_size(k))


def test_one_turn_alone_is_trivial() -> None:
    assert cluster_method(1, "extractive") == "trivial"
    assert cluster_method(2, "extractive") == "extractive"


def test_what_cannot_be_counted_is_refused() -> None:
    for call in (
        lambda: cluster_count(-1),
        lambda: cluster_index(5, 5),
        lambda: cluster_index(-1, 5),
        lambda: cluster_index(1, 0),
        lambda: cluster_method(-1, "extractive"),
    ):
        with pytest.raises(InputError):
            call()
