"""A bounded cache of blocks read from the file."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any


class BlockCache:
    """A thread-safe LRU cache by name and version, limited in bytes."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._size = 0
        self._held: OrderedDict[tuple[str, int], tuple[int, int, Any]] = OrderedDict()
        self._uncached_reads: dict[tuple[str, int], int] = {}
        self._guard = threading.Lock()

    def count_uncached(self, name: tuple[str, int], count: int) -> int:
        """Add `count` reads that missed the cache; return their total, or 0 if caching is off."""
        with self._guard:
            self._uncached_reads[name] = self._uncached_reads.get(name, 0) + count
            return self._uncached_reads[name] if self._limit else 0

    def clear(self) -> None:
        """Empty the cache."""
        with self._guard:
            self._held.clear()
            self._size = 0

    def get(self, name: tuple[str, int], version: int) -> Any:
        """Return the value of this version, or None."""
        with self._guard:
            found = self._held.get(name)
            if found is None or found[0] != version:
                return None
            self._held.move_to_end(name)
            return found[2]

    def put(self, name: tuple[str, int], version: int, value: Any, size: int) -> None:
        """Cache a value of `size` bytes."""
        with self._guard:
            old = self._held.pop(name, None)
            self._size += size - (old[1] if old else 0)
            self._held[name] = (version, size, value)
            while self._size > self._limit and self._held:
                _, (_, dropped, _) = self._held.popitem(last=False)
                self._size -= dropped
