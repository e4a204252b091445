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


def default_folder() -> Path:
    """The default cache folder: `bench` beside the models (AFORESAID_CACHE moves it)."""
    return weights.cache_folder().parent.parent / "bench"


class VectorFile:
    """Vectors by the digest of their text. Several processes may write at once."""

    def __init__(self, path: Path, dimensions: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._row = np.dtype([("digest", f"V{DIGEST_BYTES}"), ("checksum", "<u4"), ("vector", "<f4", (dimensions,))])
        self._file = path.open("a+b")
        self._offsets: dict[bytes, int] = {}
        self._read_to = 0
        self._read_new_rows()

    def __len__(self) -> int:
        return len(self._offsets)

    def get(self, text: str) -> Vectors | None:
        """The vector of a text; None when it is missing or damaged."""
        offset = self._offsets.get(_digest(text))
        data = b"" if offset is None else os.pread(self._file.fileno(), self._row.itemsize, offset)
        if len(data) != self._row.itemsize:
            return None
        [row] = np.frombuffer(data, self._row)
        sound = bytes(row["digest"]) == _digest(text) and row["checksum"] == zlib.crc32(row["vector"].tobytes())
        return row["vector"].astype(np.float32) if sound else None

    def put(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Append vectors. Other processes can read them as soon as this returns."""
        rows = np.empty(len(texts), self._row)
        rows["digest"] = [np.void(_digest(text)) for text in texts]
        rows["vector"] = vectors
        rows["checksum"] = [zlib.crc32(vector.tobytes()) for vector in rows["vector"]]
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            size = os.fstat(self._file.fileno()).st_size
            self._file.truncate(size - size % self._row.itemsize)
            self._file.write(rows.tobytes())
            self._file.flush()
            self._read_new_rows()
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _read_new_rows(self) -> None:
        """Read the digests of rows that this or another process has appended."""
        file, size = self._file.fileno(), self._row.itemsize
        while self._read_to + size <= os.fstat(file).st_size:
            self._offsets[os.pread(file, DIGEST_BYTES, self._read_to)] = self._read_to
            self._read_to += size


class CachedEmbedder:
    """An embedder that looks vectors up before it computes them. `model_seconds` is the time of the model itself.

    `recipe` names the settings that change a vector. Without a folder nothing is kept. All other attributes are those
    of the wrapped embedder.
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
        return self._cached("text", texts, self._embedder.embed)

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query, from disk if possible."""
        rows = self._cached("query", [text], lambda missing: self._embedder.embed_query(missing[0])[np.newaxis])
        return np.asarray(rows[0])

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.close()
        self._files.clear()

    def _cached(self, kind: str, texts: Sequence[str], compute: Callable[[Sequence[str]], Vectors]) -> Vectors:
        file = self._file(kind)
        known = {text: file.get(text) if file is not None else None for text in texts}
        missing = [text for text, vector in known.items() if vector is None]
        if missing:
            began = time.perf_counter()
            fresh = compute(missing)
            self.model_seconds += time.perf_counter() - began
            self.made += len(missing)
            if file is not None:
                file.put(missing, fresh)
            known.update(zip(missing, fresh, strict=True))
        rows = [vector for vector in map(known.__getitem__, texts) if vector is not None]
        return np.stack(rows) if rows else np.empty((0, self.dimensions), np.float32)

    def _file(self, kind: str) -> VectorFile | None:
        if self._folder is not None and kind not in self._files:
            recipe = "\x1f".join((self.name, self._recipe, str(self.dimensions), kind))
            name = "".join(char if char.isalnum() else "-" for char in self.name)[:60]
            path = self._folder / f"{name}-{_digest(recipe).hex()[:12]}.{kind}"
            self._files[kind] = VectorFile(path, self.dimensions)
        return self._files.get(kind)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()
