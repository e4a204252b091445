"""The interface of an embedder (texts in, unit vectors out), and a cache that embedders share."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Protocol, runtime_checkable

import numpy as np

from aforesaid.errors import InputError
from aforesaid.math.vectors import Vectors, unit_rows
from aforesaid.types import storable

__all__ = ["Embedder", "VectorCache", "Vectors", "checked_texts", "only_row", "unit_rows"]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors. `name` identifies the model and version, and is stored with the vectors."""

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    def embed(self, texts: Sequence[str]) -> Vectors: ...
    def embed_query(self, text: str) -> Vectors: ...


def only_row(vectors: Vectors) -> Vectors:
    """The only row of a matrix, as a vector."""
    [row] = vectors
    return np.asarray(row, dtype=np.float32)


def checked_texts(texts: Sequence[str]) -> list[str]:
    """The texts as a list of valid Unicode; InputError for anything that is not text."""
    if isinstance(texts, str):  # otherwise each character would be embedded
        raise InputError("embed() takes a list of texts, got one str.", "Pass [text], or call embed_query(text).")
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"A text must be str, got {type(text).__name__}.", "Decode bytes as UTF-8 first.")
    return [storable(text) for text in texts]


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
