"""An embedder without a model: signed feature hashing. Deterministic everywhere; for tests and dry runs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

import numpy as np

from aforesaid.embed.base import Vectors, checked_texts, only_row, unit_rows
from aforesaid.errors import InputError

WORD = re.compile(r"\w+")
TRIGRAM_WEIGHT = 0.5  # a shared word counts more than its trigrams


class HashEmbedder:
    """Texts with common words or character trigrams get similar vectors. It knows nothing about meaning."""

    def __init__(self, dimensions: int = 64, seed: int = 0) -> None:
        if dimensions < 1:
            raise InputError(f"dimensions is {dimensions}.", "Give at least 1.")
        self._dimensions = dimensions
        self._seed = seed

    @property
    def name(self) -> str:
        """The scheme with its vector length and seed."""
        return f"hash-{self._dimensions}-{self._seed}"

    @property
    def dimensions(self) -> int:
        """The vector length."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text; a zero row for a text without words."""
        clean = checked_texts(texts)
        rows = np.zeros((len(clean), self._dimensions))
        for row, text in zip(rows, clean, strict=True):
            for feature, weight in _features(text):
                slot, sign = self._place(feature)
                row[slot] += sign * weight
        return unit_rows(rows, len(clean), self._dimensions, self.name)

    def embed_query(self, text: str) -> Vectors:
        """The vector of one text, the same as from `embed`."""
        return only_row(self.embed([text]))

    def _place(self, feature: str) -> tuple[int, int]:
        digest = hashlib.blake2b(f"{self._seed}\x1f{feature}".encode(), digest_size=8).digest()
        value = int.from_bytes(digest, "big")
        return (value >> 1) % self._dimensions, 1 if value & 1 else -1


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in WORD.findall(text.lower()):
        yield f"w:{word}", 1.0
        padded = f" {word} "
        for start in range(len(padded) - 2):
            yield f"t:{padded[start : start + 3]}", TRIGRAM_WEIGHT
