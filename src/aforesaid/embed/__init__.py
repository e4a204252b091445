"""Embedders: the interface (`base`), the local model, services, and a hash for tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid.embed.base import Embedder
from aforesaid.settings import Settings

if TYPE_CHECKING:
    from aforesaid.types import Progress

DEFAULT_HASH_DIMENSIONS = 64


def open_embedder(settings: Settings, progress: Progress | None = None) -> Embedder | None:
    """The embedder that the settings name; None for `off`. The model loads, or the service is called, on first use."""
    rows = settings.embed
    if rows.provider == "local":
        from aforesaid.embed.local import LocalEmbedder
        from aforesaid.embed.weights import pull

        return LocalEmbedder(
            Path(rows.model) if rows.model else None,
            max_tokens=rows.max_tokens,
            threads=rows.threads,
            cache_texts=rows.cache_texts,
            fetch=lambda: pull(progress),
        )
    if rows.provider in ("openai", "ollama"):
        from aforesaid.embed.endpoints import OllamaEmbedder, OpenAIEmbedder

        service = OpenAIEmbedder if rows.provider == "openai" else OllamaEmbedder
        return service(
            rows.model,
            dimensions=rows.dimensions,
            batch=rows.batch,
            timeout_ms=rows.timeout_ms,
            retries=rows.retries,
            cache_texts=rows.cache_texts,
        )
    if rows.provider == "hash":
        from aforesaid.embed.hashing import HashEmbedder

        return HashEmbedder(rows.dimensions or DEFAULT_HASH_DIMENSIONS)
    return None
