"""The optional embedder: returns None and records the reason when embeddings are unavailable."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from aforesaid.embed import open_embedder
from aforesaid.embed.base import Embedder
from aforesaid.embed.scale import ModelScale
from aforesaid.errors import AforesaidError, EmbedderChangedError, EmbedError, EndpointError, StoreError
from aforesaid.math.cascade import DEFAULTS as CASCADE
from aforesaid.math.cascade import tiers_for
from aforesaid.math.vectors import Vectors
from aforesaid.settings import Settings
from aforesaid.settings.rows import CascadeRows
from aforesaid.store.protocols import Store

Redact = Callable[[str], str]


class VectorArm:
    """Wraps one embedder. Returns None and records the reason in `off` when embeddings are unavailable."""

    def __init__(self, embedder: Embedder | None, off: str = "no embedder", redact: Redact = str) -> None:
        """Wrap an embedder. `redact` removes secrets from texts that leave this machine."""
        self.embedder = embedder
        self.off = "" if embedder else off
        self._redact = redact
        self._off_for_good = embedder is None
        self.space: str | None = None  # the store's space with its vectors, once there is one
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
        sent = list(map(self._redact, texts)) if self.remote else texts
        return self._attempt(lambda embedder: embedder.embed(sent))

    def embed_query(self, text: str) -> Vectors | None:
        """Embed a query; None when embeddings are unavailable."""
        sent = self._redact(text) if self.remote else text
        return self._attempt(lambda embedder: embedder.embed_query(sent))

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


class EmbedderInUse:
    """The embedder of a memory. It is used only while the store's active space holds its vectors.

    When another process switches the store to another model, `reload` is asked for the settings of this moment. If
    they name the new model, it is used from then on. Otherwise search goes on with words only, and says why.
    """

    def __init__(
        self, embedder: Embedder | None, reload: Callable[[], Settings] | None = None, redact: Redact = str
    ) -> None:
        self._redact = redact
        self._arm = VectorArm(embedder, redact=redact)
        self._reload = reload
        self._tried: tuple[str, object] | None = None  # model and settings that did not fit each other
        self._guard = threading.Lock()

    @property
    def embedder(self) -> Embedder | None:
        """The embedder, also when the store uses another model."""
        return self._arm.embedder

    def use(self, embedder: Embedder) -> None:
        """Use another embedder from now on. Calls that run already keep theirs."""
        self._arm = VectorArm(embedder, redact=self._redact)

    def arm(self, store: Store, cascade: CascadeRows = CASCADE) -> VectorArm:
        """The vector arm for one call. The store keeps the tiers of a Matryoshka model ready from now on."""
        arm, spaces = self._arm, store.spaces()
        if not spaces or arm.embedder is None:
            return arm
        active = spaces[0].name
        try:
            mine = arm.embedder.name
            found = arm if mine == active else self._reloaded(active)
        except EmbedError as error:  # the model's folder is gone
            return VectorArm(None, f"{error.message} {error.remedy}".strip())
        if found is not None:
            if found.space is None:
                found.space = active
                *lower, _ = tiers_for(spaces[0].dimensions, found.matryoshka, cascade)
                with suppress(StoreError):  # a busy or full store: they are cut in memory
                    store.keep_tiers(active, lower)
            return found
        if mine in [space.name for space in spaces]:
            return VectorArm(None, f"the vectors of model {mine} are not complete; see `aforesaid reindex --status`")
        remedy = "set embed.provider and embed.model to it and restart this program, or run `aforesaid reindex`"
        return VectorArm(None, f"the store has vectors of {active}, this program embeds with {mine}: {remedy}")

    def _reloaded(self, active: str) -> VectorArm | None:
        """An arm for the active model, if the settings of this moment name it. It is used from now on."""
        if self._reload is None:
            return None
        with self._guard:
            if self._arm.embedder is not None and self._arm.embedder.name == active:
                return self._arm  # another thread was quicker
            try:
                settings = self._reload()
                if (active, settings.embed) == self._tried:
                    return None
                self._tried = active, settings.embed
                embedder = open_embedder(settings)
                if embedder is None or embedder.name != active:
                    return None
            except AforesaidError:  # such as a settings file that somebody is just writing
                return None
            self._arm = VectorArm(embedder, redact=self._redact)
            return self._arm


def active_space(store: Store) -> str | None:
    """The name of the model whose vectors the store searches; None when it has no vectors."""
    return next((space.name for space in store.spaces() if space.active), None)


def check_embedder(store: Store, embedder: Embedder | None) -> None:
    """Raise EmbedderChangedError when the store's vectors come from another model: they cannot be compared.

    A model whose vectors are being made by `reindex` is accepted; its searches use words only until they are ready.
    """
    spaces = store.spaces()
    if embedder is None or not spaces or embedder.name in [space.name for space in spaces]:
        return
    raise EmbedderChangedError(
        f"The store's vectors come from {spaces[0].name!r}; this embedder is {embedder.name!r}.",
        "Run `aforesaid reindex` to switch, or open the store with its own embedder (or embed.provider = 'off').",
    )
