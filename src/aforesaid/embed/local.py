"""The default embedder: snowflake-arctic-embed-s, int8, on this machine's CPU."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import RLock

import numpy as np

from aforesaid.embed import weights
from aforesaid.embed.base import VectorCache, Vectors, checked_texts, only_row
from aforesaid.embed.model import DEFAULT, QUICK, OnnxModel, Recipe, check_sentences, recipe_of
from aforesaid.errors import EmbedError, ModelMissingError


class LocalEmbedder:
    """A local ONNX model, loaded on first use, and downloaded first if needed unless `fetch` is None.

    A text always gets the same vector, whatever the other texts are. `folder` may contain another model: its name is
    then its sha256, and `recipe_of` finds out how to use it.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        max_tokens: int = 256,
        threads: int = 0,
        cache_texts: int = 4096,
        fetch: Callable[[], Path] | None = weights.pull,
    ) -> None:
        self._folder = weights.named_folder(folder)
        self._max_tokens = max_tokens
        self._threads = threads or _cores()
        self._cache = VectorCache(cache_texts)
        self._fetch = fetch
        self._lock = RLock()
        self._model: OnnxModel | None = None
        self._recipe: Recipe | None = DEFAULT if self._folder is None else None
        self._failure: EmbedError | None = None

    @property
    def name(self) -> str:
        """The model and the first digits of its sha256; available without loading it."""
        return self._known_recipe().name

    @property
    def dimensions(self) -> int:
        """The vector length; a user's own model is loaded to find out."""
        recipe = self._known_recipe()
        if not recipe.dimensions:
            recipe = self._recipe = replace(recipe, dimensions=len(self._open().vector("dimensions")))
        return recipe.dimensions

    @property
    def background(self) -> float:
        """The mean cosine of unrelated texts: known for the default model, else 0."""
        return self._known_recipe().background

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text, in order."""
        clean = checked_texts(texts)
        if not clean:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack(self._cache.get(clean, self._compute))

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query, with the query prefix of the model."""
        [clean] = checked_texts([text])
        return only_row(self.embed([self._known_recipe().query_prefix + clean]))

    def _compute(self, texts: list[str]) -> Vectors:
        model = self._open()
        if len(texts) == 1:
            return model.vector(texts[0])[np.newaxis]
        # longest first, so that all threads finish at about the same time
        order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
        # a new pool per call costs 0.1 ms, and works after a fork
        with ThreadPoolExecutor(min(self._threads, len(texts))) as pool:
            rows = list(pool.map(model.vector, [texts[index] for index in order]))
        return np.stack(rows)[np.argsort(order)]

    def _open(self) -> OnnxModel:
        with self._lock:
            if self._model is None:
                recipe = self._known_recipe()
                folder = self._located()
                if self._folder is None:
                    weights.check(folder)
                model = OnnxModel(folder, recipe, self._max_tokens)
                if recipe == DEFAULT:
                    check_sentences(model.vector, [QUICK])
                self._model = model
            return self._model

    def _known_recipe(self) -> Recipe:
        with self._lock:
            if self._recipe is None:
                self._recipe = recipe_of(self._located())
            return self._recipe

    def _located(self) -> Path:
        """The model folder. A failed download is not tried again, so later calls fail at once."""
        found = weights.locate(self._folder)
        if found is not None:
            return found
        if self._fetch is None:
            raise ModelMissingError("The model is not on this machine, and downloads are off.", weights.REMEDY)
        if self._failure is not None:
            raise type(self._failure)(self._failure.message, self._failure.remedy)
        try:
            return self._fetch()
        except EmbedError as error:
            self._failure = error
            raise


def _cores() -> int:
    """The cores that this process may use; in a container, fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
