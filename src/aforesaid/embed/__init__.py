"""Embedders: the interface (`base`), the local model, services, and a hash for tests. Imported on first use."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aforesaid.embed.base import Embedder, Vectors, unit_rows
from aforesaid.settings import Settings

if TYPE_CHECKING:
    from aforesaid.embed.endpoints import OllamaEmbedder, OpenAIEmbedder
    from aforesaid.embed.hashing import HashEmbedder
    from aforesaid.embed.local import LocalEmbedder
    from aforesaid.embed.numerics import check_numerics
    from aforesaid.types import Progress

__all__ = [
    "Embedder", "HashEmbedder", "LocalEmbedder", "OllamaEmbedder", "OpenAIEmbedder", "Vectors", "check_numerics",
    "open_embedder", "unit_rows",
]  # fmt: skip

_LAZY = {
    "HashEmbedder": "hashing",
    "LocalEmbedder": "local",
    "OllamaEmbedder": "endpoints",
    "OpenAIEmbedder": "endpoints",
    "check_numerics": "numerics",
}
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


def __getattr__(name: str) -> Any:
    """Import an embedder on first use."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
