"""The interface of an embedder: texts in, unit vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from aforesaid.errors import InputError
from aforesaid.math.vectors import Vectors, unit_rows
from aforesaid.types import storable

__all__ = ["Embedder", "Vectors", "checked_texts", "only_row", "unit_rows"]


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
