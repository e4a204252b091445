"""Reads of a store that stay in one vector space, so that vectors of two models are never compared."""

from __future__ import annotations

from functools import partial

from aforesaid.store.protocols import Store


class SpaceReader:
    """A `Reader` whose vectors all belong to one model, also when the store switches models during the call.

    After such a switch the old space is gone, and it finds no vectors. Without a name it reads the active space.
    """

    def __init__(self, store: Store, space: str | None) -> None:
        self.get = store.get
        self.find = store.find
        self.scan = store.scan
        self.count = store.count
        self.glances = store.glances
        self.around = store.around
        self.text_search = store.text_search
        self.term_matches = store.term_matches
        self.edges = store.edges
        self.vector_search = partial(store.vector_search, space=space)
        self.vector_search_many = partial(store.vector_search_many, space=space)
        self.vectors = partial(store.vectors, space=space)
        self.passages = partial(store.passages, space=space)
