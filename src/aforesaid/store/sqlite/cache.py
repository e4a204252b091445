"""A bounded cache of what was read from the file, by name and version."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any


class BlockCache:
    """Values by name and version, the least recently used dropped when they outgrow the limit; thread-safe."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._size = 0
        self._held: OrderedDict[tuple[str, int], tuple[int, int, Any]] = OrderedDict()
        self._borrowed: dict[tuple[str, int], int] = {}
        self._guard = threading.Lock()

    def borrowed(self, name: tuple[str, int], count: int) -> int:
        """How many slots were read past the cache so far, these included; for ever too few when there is no cache."""
        with self._guard:
            self._borrowed[name] = self._borrowed.get(name, 0) + count
            return self._borrowed[name] if self._limit else 0

    def clear(self) -> None:
        """Forget everything."""
        with self._guard:
            self._held.clear()
            self._size = 0

    def get(self, name: tuple[str, int], version: int) -> Any:
        """The value of that version, or None."""
        with self._guard:
            found = self._held.get(name)
            if found is None or found[0] != version:
                return None
            self._held.move_to_end(name)
            return found[2]

    def put(self, name: tuple[str, int], version: int, value: Any, size: int) -> None:
        """Keep a value of so many bytes."""
        with self._guard:
            old = self._held.pop(name, None)
            self._size += size - (old[1] if old else 0)
            self._held[name] = (version, size, value)
            while self._size > self._limit and self._held:
                _, (_, dropped, _) = self._held.popitem(last=False)
                self._size -= dropped
