"""wordllama's `l2_supercat`: a vector for each token, trained for prefixes of 64, 128 and 256 dimensions (MIT).

The wheel is unpacked, never installed: the weights and the tokenizer are all we need of it.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from aforesaid.embed.base import Vectors

WHEEL = "wordllama==0.4.0.post1"
WEIGHTS = "wordllama/weights/l2_supercat_256.safetensors"
TOKENIZER = "wordllama/tokenizers/l2_supercat_tokenizer_config.json"
SHA256 = {
    WEIGHTS: "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
    TOKENIZER: "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
}
SECONDS = 600  # for a download of 19 MB


def fetch(folder: Path) -> None:
    """Download and unpack what is not there yet. Raises RuntimeError if pip fails: nothing is skipped."""
    if all((folder / name).is_file() for name in SHA256):
        return
    folder.mkdir(parents=True, exist_ok=True)
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--dest", str(folder)]
    command = [sys.executable, "-m", "pip", "download", *options, WHEEL]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    if done.returncode:
        raise RuntimeError(f"{WHEEL} cannot be fetched, and these tests need it. pip says:\n{done.stderr}")
    [wheel] = folder.glob("wordllama-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for name in SHA256:
            archive.extract(name, folder)
    wheel.unlink()


class WordLlama:
    """The mean of the token vectors, as an embedder."""

    name = "wordllama-l2-supercat-256"
    dimensions = 256
    matryoshka = True

    def __init__(self, folder: Path) -> None:
        raw = {name: (folder / name).read_bytes() for name in SHA256}
        for name, expected in SHA256.items():
            if (found := hashlib.sha256(raw[name]).hexdigest()) != expected:
                raise ValueError(f"{folder / name} has sha256 {found}, expected {expected}: delete it and try again.")
        header = 8 + int.from_bytes(
            raw[WEIGHTS][:8], "little"
        )  # safetensors: the length of the header, the header, data
        halves = np.frombuffer(raw[WEIGHTS], dtype=np.float16, offset=header)
        self._vectors = halves.reshape(-1, self.dimensions).astype(np.float32)
        self._tokenizer = Tokenizer.from_str(raw[TOKENIZER].decode())
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The unit vectors of the texts; zero for a text without tokens."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, found in zip(rows, self._tokenizer.encode_batch(list(texts), add_special_tokens=False), strict=True):
            if found.ids:
                row[:] = self._vectors[found.ids].mean(axis=0)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(lengths == 0, 1, lengths), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """The unit vector of a query."""
        return np.asarray(self.embed([text])[0])
