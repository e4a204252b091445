"""The optional embedder: returns None and records the reason when embeddings are unavailable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aforesaid.embed.base import Embedder
from aforesaid.embed.scale import ModelScale
from aforesaid.errors import EmbedderChangedError, EmbedError, EndpointError
from aforesaid.math.vectors import Vectors
from aforesaid.store.protocols import Store


class VectorArm:
    """Wraps the embedder. Returns None and records the reason in `off` when embeddings are unavailable."""

    def __init__(self, embedder: Embedder | None) -> None:
        self.embedder = embedder
        self.off = "" if embedder else "no embedder"
        self._off_for_good = embedder is None
        self.scale: ModelScale | None = None  # what its cosines mean, once known

    @property
    def matryoshka(self) -> bool:
        """Whether a prefix of a vector is a usable vector."""
        return bool(getattr(self.embedder, "matryoshka", False))

    @property
    def remote(self) -> bool:
        """Whether texts leave this machine to be embedded."""
        return bool(getattr(self.embedder, "remote", False))

    @property
    def background(self) -> float:
        """The typical cosine of two unrelated texts with this model; 0 when it is not known."""
        return float(getattr(self.embedder, "background", 0.0))

    def embed(self, texts: Sequence[str]) -> Vectors | None:
        """Embed the texts of records; None when embeddings are unavailable."""
        return self._attempt(lambda embedder: embedder.embed(texts))

    def embed_query(self, text: str) -> Vectors | None:
        """Embed a query; None when embeddings are unavailable."""
        return self._attempt(lambda embedder: embedder.embed_query(text))

    def _attempt(self, work: Callable[[Embedder], Vectors]) -> Vectors | None:
        if self.embedder is None or self._off_for_good:
            return None
        try:
            vectors = work(self.embedder)
        except (EmbedError, EndpointError) as error:
            # A remote service may be back at the next call. Missing model files stay missing, so we do not try again.
            self._off_for_good = not isinstance(error, EndpointError)
            self.off = f"{error.message} {error.remedy}".strip()
            return None
        self.off = ""
        return vectors


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of records, one row each, and by record key the vectors of their sentences."""

    vectors: Vectors
    passages: Mapping[str, Vectors]

    def select(self, rows: Sequence[int]) -> Embedded:
        """Keep only these rows."""
        return Embedded(self.vectors[list(rows)], self.passages)


def check_embedder(store: Store, embedder: Embedder | None) -> None:
    """Raise EmbedderChangedError when the store's vectors come from another model: they cannot be compared."""
    active = next((space for space in store.spaces() if space.active), None)
    if embedder is None or active is None or active.name == embedder.name:
        return
    raise EmbedderChangedError(
        f"The store's vectors come from {active.name!r}; this embedder is {embedder.name!r}.",
        "Run `aforesaid reindex` to switch, or open the store with its own embedder (or embed.provider = 'off').",
    )
