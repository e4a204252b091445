"""Embedders that call a service with OpenAI's `/embeddings`: OpenAI itself, Ollama and many others."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from aforesaid._util.batches import batched
from aforesaid._util.json_http import OpenAIPost
from aforesaid.embed.base import VectorCache, Vectors, checked_texts, only_row, unit_rows
from aforesaid.errors import DimensionError, EndpointError, SettingsError

OLLAMA_HOST = "127.0.0.1"
OLLAMA_PORT = 11434
NESTED_FAMILIES = ("text-embedding-3", "nomic-embed-text")  # common models with Matryoshka training
ANSWER_BYTES = 65_536  # the answer besides the vectors
ANSWER_BYTES_PER_TEXT = 16_384 * 32  # the longest vector that settings allow, 32 bytes per number


class OpenAIEmbedder:
    """Any service with OpenAI's `/embeddings`. URL and key default to OPENAI_BASE_URL and OPENAI_API_KEY.

    Texts are sent in batches, and vectors are cached. `dimensions` is requested and checked; 0 accepts any length.
    """

    provider = "openai"
    remote = True  # texts leave this machine

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int = 0,
        batch: int = 64,
        timeout_ms: int = 30_000,
        retries: int = 3,
        cache_texts: int = 0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not model.strip():
            raise SettingsError(
                f"embed.model is empty, and {self.provider} has no default.", "Name the model to ask for."
            )
        self.name = f"{self.provider}:{model}@{dimensions}" if dimensions else f"{self.provider}:{model}"
        self._post = OpenAIPost("/embeddings", base_url, api_key, timeout_ms=timeout_ms, retries=retries, sleep=sleep)
        self._fixed = {"model": model, "dimensions": dimensions} if dimensions else {"model": model}
        self._dimensions = dimensions
        self._batch = max(1, batch)
        self._cache = VectorCache(cache_texts)

    @property
    def matryoshka(self) -> bool:
        """Whether a prefix of a vector is a useful vector too (Matryoshka training)."""
        return any(family in self.name for family in NESTED_FAMILIES)

    @property
    def dimensions(self) -> int:
        """The vector length: from the settings, else from the first answer, for which it may send a request."""
        if not self._dimensions:
            self._request(["dimensions"])
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text, in order."""
        clean = checked_texts(texts)
        if not clean:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack(self._cache.get(clean, self._in_batches))

    def embed_query(self, text: str) -> Vectors:
        """The vector of one text, the same as from `embed`."""
        return only_row(self.embed([text]))

    def _in_batches(self, texts: list[str]) -> Vectors:
        return np.concatenate([self._request(batch) for batch in batched(texts, self._batch)])

    def _request(self, texts: Sequence[str]) -> Vectors:
        filled = [text if text.strip() else "." for text in texts]  # services refuse a batch with an empty text
        answer = self._post({**self._fixed, "input": filled}, ANSWER_BYTES + len(filled) * ANSWER_BYTES_PER_TEXT)
        rows = self._rows(answer)
        if len(rows) != len(filled):
            raise self._malformed(f"{len(rows)} vectors for {len(filled)} texts")
        expected = self._dimensions or len(rows[0])
        for row in rows:
            if len(row) != expected or not row:
                raise DimensionError(
                    f"{self.name} returned a vector of {len(row)} numbers, expected {expected or 'some'}.",
                    "Check the model's name and embed.dimensions.",
                )
        try:
            matrix = np.asarray(rows, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise self._malformed("a vector that is not made of numbers") from None
        vectors = unit_rows(matrix, len(rows), expected, self.name)
        self._dimensions = expected
        return vectors

    def _rows(self, answer: Any) -> list[list[Any]]:
        """The vectors in an answer, in the order of the texts."""
        items = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise self._malformed("no list of embeddings under 'data'")
        rows = {str(item.get("index", place)): item.get("embedding") for place, item in enumerate(items)}
        ordered = [rows.get(str(place)) for place in range(len(items))]
        if len(rows) != len(items) or not all(isinstance(row, list) for row in ordered):
            raise self._malformed("embeddings that are not numbered lists")
        return [row for row in ordered if row is not None]

    def _malformed(self, what: str) -> EndpointError:
        return EndpointError(f"{self._post.url} answered with {what}.", "Check that it serves embeddings.")


class OllamaEmbedder(OpenAIEmbedder):
    """A model that Ollama serves. The host defaults to OLLAMA_HOST, else this machine."""

    provider = "ollama"

    def __init__(self, model: str, host: str | None = None, **options: Any) -> None:
        super().__init__(model, ollama_url(host), api_key="", **options)


def ollama_url(host: str | None) -> str:
    """The base URL of Ollama's OpenAI API. The host defaults to OLLAMA_HOST; 0.0.0.0 means this machine."""
    host = (host or os.environ.get("OLLAMA_HOST") or "").strip().rstrip("/")
    if "://" not in host:
        bare = not re.search(r":\d+$", host) or host.endswith("]")
        host = f"http://{host or OLLAMA_HOST}" + (f":{OLLAMA_PORT}" if bare else "")
    return re.sub(r"^(https?://)(0\.0\.0\.0)?(?=:|/|$)", rf"\g<1>{OLLAMA_HOST}", host) + "/v1"
