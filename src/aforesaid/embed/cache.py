"""A cache of recent vectors, so that the same text is not embedded twice."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

from aforesaid.embed.base import Vectors


class VectorCache:
    """The vectors of the `limit` most recently used texts; thread-safe."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rows: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, texts: Sequence[str], compute: Callable[[list[str]], Vectors]) -> list[Vectors]:
        """One vector per text, in order. `compute` is called once for the distinct texts that are not cached."""
        keys = [_key(text) for text in texts]
        rows = {}
        with self._lock:
            for key in keys:
                if key in self._rows:
                    self._rows.move_to_end(key)
                    rows[key] = self._rows[key]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        if missing:
            new = dict(zip(missing, compute(list(missing.values())), strict=True))
            rows |= new
            if self._limit:
                with self._lock:
                    for key, row in new.items():
                        self._rows[key] = row.copy()  # a view would keep its whole batch in memory
                        self._rows.move_to_end(key)
                    while len(self._rows) > self._limit:
                        self._rows.popitem(last=False)
        return [rows[key] for key in keys]


def _key(text: str) -> bytes:
    """A hash, because texts may be long, and a forgotten text must not stay in memory."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
