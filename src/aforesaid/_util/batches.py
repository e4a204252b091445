"""Splits items into batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of `size` items; the last may be shorter. (`itertools.batched` needs Python 3.12.)"""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
