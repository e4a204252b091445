"""Vectors kept on disk, because a model takes hours over what a benchmark asks again every time.

One append-only file an embedder and kind of text. A row is digest, checksum, vector; a row that a crash cut short is
cut off by the next writer, and one whose checksum is wrong is made anew.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aforesaid.embed import weights
from aforesaid.embed.base import Embedder, Vectors

DIGEST_BYTES = 16
CHECKSUM_BYTES = 4


def default_folder() -> Path:
    """Where vectors are kept: `bench` in the cache that holds the models (AFORESAID_CACHE moves it)."""
    return weights.cache_folder().parent.parent / "bench"


class VectorFile:
    """Vectors of one length by the digest of their text; several processes may write at once."""

    def __init__(self, path: Path, dimensions: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._dimensions = dimensions
        self._row_bytes = DIGEST_BYTES + CHECKSUM_BYTES + 4 * dimensions
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._places: dict[bytes, int] = {}
        self._read_to = 0
        self._catch_up()

    def __len__(self) -> int:
        return len(self._places)

    def get(self, text: str) -> Vectors | None:
        """The vector of a text; None when it is not here, or damaged."""
        digest = _digest(text)
        place = self._places.get(digest)
        if place is None:
            return None
        row = os.pread(self._file, self._row_bytes, place)
        body = row[DIGEST_BYTES + CHECKSUM_BYTES :]
        if row[: DIGEST_BYTES + CHECKSUM_BYTES] != digest + _checksum(body) or len(row) != self._row_bytes:
            return None
        return np.frombuffer(body, dtype="<f4").astype(np.float32)

    def put(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Append vectors; they are there for the next process once this returns."""
        rows = b"".join(
            _digest(text) + _checksum(body) + body
            for text, body in zip(texts, (row.astype("<f4").tobytes() for row in vectors), strict=True)
        )
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            size = os.fstat(self._file).st_size
            os.ftruncate(self._file, size - size % self._row_bytes)
            os.lseek(self._file, 0, os.SEEK_END)
            while rows:
                rows = rows[os.write(self._file, rows) :]
            self._catch_up()
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    def _catch_up(self) -> None:
        """Note the rows that were written since the last look, by anybody."""
        size = os.fstat(self._file).st_size
        for place in range(self._read_to, size - self._row_bytes + 1, self._row_bytes):
            self._places[os.pread(self._file, DIGEST_BYTES, place)] = place
            self._read_to = place + self._row_bytes


class CachedEmbedder:
    """An embedder whose vectors are looked up first; `model_seconds` is what the model itself took.

    `recipe` names whatever else shapes a vector beside the embedder's name. All other attributes are the embedder's.
    """

    def __init__(self, embedder: Embedder, folder: Path | None, recipe: str = "") -> None:
        self._embedder = embedder
        self._folder = folder
        self._recipe = recipe
        self._files: dict[str, VectorFile] = {}
        self.model_seconds = 0.0
        self.made = 0

    @property
    def name(self) -> str:
        """The embedder's own name."""
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._embedder.dimensions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row a text, from disk where it is there."""
        if self._folder is None or not texts:
            return self._timed(lambda: self._embedder.embed(texts), len(texts))
        file = self._file("text")
        known = {text: file.get(text) for text in texts}
        missing = [text for text, vector in known.items() if vector is None]
        if missing:
            fresh = self._timed(lambda: self._embedder.embed(missing), len(missing))
            file.put(missing, fresh)
            known.update(zip(missing, fresh, strict=True))
        return np.stack([vector for vector in map(known.__getitem__, texts) if vector is not None])

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question, from disk if it is there."""
        if self._folder is None:
            return self._timed(lambda: self._embedder.embed_query(text), 1)
        file = self._file("query")
        found = file.get(text)
        if found is None:
            found = self._timed(lambda: self._embedder.embed_query(text), 1)
            file.put([text], found[np.newaxis])
        return found

    def close(self) -> None:
        """Let go of the files."""
        for file in self._files.values():
            file.close()
        self._files.clear()

    def _timed(self, work: Callable[[], Vectors], texts: int) -> Vectors:
        began = time.perf_counter()
        vectors = work()
        self.model_seconds += time.perf_counter() - began
        self.made += texts
        return vectors

    def _file(self, kind: str) -> VectorFile:
        assert self._folder is not None
        if kind not in self._files:
            whole = "\x1f".join((self.name, self._recipe, str(self.dimensions), kind))
            name = f"{''.join(c if c.isalnum() else '-' for c in self.name)[:60]}-{_digest(whole).hex()[:12]}.{kind}"
            self._files[kind] = VectorFile(self._folder / name, self.dimensions)
        return self._files[kind]


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


def _checksum(body: bytes) -> bytes:
    return zlib.crc32(body).to_bytes(CHECKSUM_BYTES, "little")
