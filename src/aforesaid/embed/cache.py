"""The vectors of recent texts, so that what was just embedded is not embedded again."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock

from aforesaid.embed.base import Vectors


class VectorCache:
    """Up to `limit` vectors by text, the least recently used leaving first; safe under threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rows: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._rows)

    def through(self, texts: Sequence[str], compute: Callable[[list[str]], Vectors]) -> list[Vectors]:
        """One vector a text, in order; those not at hand are computed together, each distinct text once."""
        keys = [_key(text) for text in texts]
        rows = self._recall(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        if missing:
            fresh = dict(zip(missing, compute(list(missing.values())), strict=True))
            self._keep(fresh)
            rows.update(fresh)
        return [rows[key] for key in keys]

    def _recall(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        rows = {}
        with self._lock:
            for key in keys:
                if key in self._rows:
                    self._rows.move_to_end(key)
                    rows[key] = self._rows[key]
        return rows

    def _keep(self, fresh: Mapping[bytes, Vectors]) -> None:
        if self._limit == 0:
            return
        with self._lock:
            for key, row in fresh.items():
                self._rows[key] = row.copy()  # a view would keep its whole batch alive
                self._rows.move_to_end(key)
            while len(self._rows) > self._limit:
                self._rows.popitem(last=False)


def _key(text: str) -> bytes:
    """A digest: thousands of texts may be long, and a forgotten one should not stay in memory."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
