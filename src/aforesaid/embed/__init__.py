"""Embedders: the seam (`base`), the local model, endpoints, and a hash for tests. Nothing heavy is imported here."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aforesaid.embed.base import Embedder, Vectors, unit_rows
from aforesaid.settings import Settings

if TYPE_CHECKING:
    from aforesaid.embed.endpoints import OllamaEmbedder, OpenAIEmbedder
    from aforesaid.embed.fetch import Progress
    from aforesaid.embed.hashing import HashEmbedder
    from aforesaid.embed.local import LocalEmbedder
    from aforesaid.embed.numerics import check_numerics

__all__ = [
    "Embedder",
    "HashEmbedder",
    "LocalEmbedder",
    "OllamaEmbedder",
    "OpenAIEmbedder",
    "Vectors",
    "check_numerics",
    "open_embedder",
    "unit_rows",
]

_HOMES = {
    "HashEmbedder": "hashing",
    "LocalEmbedder": "local",
    "OllamaEmbedder": "endpoints",
    "OpenAIEmbedder": "endpoints",
    "check_numerics": "numerics",
}
DEFAULT_HASH_DIMENSIONS = 64


def open_embedder(settings: Settings, progress: Progress | None = None) -> Embedder | None:
    """The embedder that the settings name, None for `off`; weights and services are not touched before first use."""
    rows = settings.embed
    match rows.provider:
        case "local":
            return _local(settings, progress)
        case "openai":
            from aforesaid.embed.endpoints import OpenAIEmbedder

            return OpenAIEmbedder(
                rows.model,
                dimensions=rows.dimensions,
                batch=rows.batch,
                timeout_ms=rows.timeout_ms,
                retries=rows.retries,
                cache_texts=rows.cache_texts,
            )
        case "ollama":
            from aforesaid.embed.endpoints import OllamaEmbedder

            return OllamaEmbedder(
                rows.model,
                dimensions=rows.dimensions,
                batch=rows.batch,
                timeout_ms=rows.timeout_ms,
                retries=rows.retries,
                cache_texts=rows.cache_texts,
            )
        case "hash":
            from aforesaid.embed.hashing import HashEmbedder

            return HashEmbedder(rows.dimensions or DEFAULT_HASH_DIMENSIONS)
        case _:
            return None


def _local(settings: Settings, progress: Progress | None) -> Embedder:
    from aforesaid.embed.local import LocalEmbedder
    from aforesaid.embed.weights import pull

    rows = settings.embed
    return LocalEmbedder(
        Path(rows.model) if rows.model else None,
        max_tokens=rows.max_tokens,
        threads=rows.threads,
        cache_texts=rows.cache_texts,
        fetch=lambda: pull(progress),
    )


def __getattr__(name: str) -> Any:
    """Import an embedder when it is first named."""
    if name not in _HOMES:
        raise AttributeError(f"module 'aforesaid.embed' has no attribute {name!r}")
    return getattr(import_module(f"aforesaid.embed.{_HOMES[name]}"), name)
