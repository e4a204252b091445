"""A vector cache on disk: embedding a question set takes hours, and every run needs the same vectors.

There is one append-only file for each embedder and kind of text. A row is digest, checksum, vector. The next writer
removes a row that a crash left incomplete; a vector with a wrong checksum is computed again.
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
    """The default cache folder: `bench` beside the models (AFORESAID_CACHE moves it)."""
    return weights.cache_folder().parent.parent / "bench"


class VectorFile:
    """Vectors by the digest of their text. Several processes may write at once."""

    def __init__(self, path: Path, dimensions: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._dimensions = dimensions
        self._row_bytes = DIGEST_BYTES + CHECKSUM_BYTES + 4 * dimensions
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._offsets: dict[bytes, int] = {}
        self._read_to = 0
        self._read_new_rows()

    def __len__(self) -> int:
        return len(self._offsets)

    def get(self, text: str) -> Vectors | None:
        """The vector of a text; None when it is missing or damaged."""
        digest = _digest(text)
        offset = self._offsets.get(digest)
        if offset is None:
            return None
        row = os.pread(self._file, self._row_bytes, offset)
        body = row[DIGEST_BYTES + CHECKSUM_BYTES :]
        if row[: DIGEST_BYTES + CHECKSUM_BYTES] != digest + _checksum(body) or len(row) != self._row_bytes:
            return None
        return np.frombuffer(body, dtype="<f4").astype(np.float32)

    def put(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Append vectors. Other processes can read them as soon as this returns."""
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
            self._read_new_rows()
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _read_new_rows(self) -> None:
        """Read the digests of rows that this or another process has appended."""
        size = os.fstat(self._file).st_size
        for offset in range(self._read_to, size - self._row_bytes + 1, self._row_bytes):
            self._offsets[os.pread(self._file, DIGEST_BYTES, offset)] = offset
            self._read_to = offset + self._row_bytes


class CachedEmbedder:
    """An embedder that looks vectors up before it computes them. `model_seconds` is the time of the model itself.

    `recipe` names the settings that change a vector. All other attributes are those of the wrapped embedder.
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
        """The name of the wrapped embedder."""
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._embedder.dimensions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text, from disk if possible."""
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
        """The vector of a query, from disk if possible."""
        if self._folder is None:
            return self._timed(lambda: self._embedder.embed_query(text), 1)
        file = self._file("query")
        found = file.get(text)
        if found is None:
            found = self._timed(lambda: self._embedder.embed_query(text), 1)
            file.put([text], found[np.newaxis])
        return found

    def close(self) -> None:
        """Close the files."""
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
