"""In-memory search: BM25 without an index, and vectors that are all compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from aforesaid.errors import DimensionError, InputError
from aforesaid.math.bm25 import MOST_COUNTED, inverse_frequency, length_norms, term_scores
from aforesaid.math.cascade import EPSILON, tier_vectors
from aforesaid.math.vectors import Vectors, known_passages, unit_rows
from aforesaid.store.filtering import passes
from aforesaid.store.protocols import Passages, Space
from aforesaid.text.analyze import searchable, terms
from aforesaid.types import Filter, Record, Scored


def best_by_terms(words: Sequence[str], records: Iterable[Record], where: Filter, limit: int) -> list[Scored]:
    """Rank the records that pass the filter by BM25. Equal scores keep their order.

    Term statistics are those of all records of the filter's owners, and of nobody else.
    """
    owned = Filter(where.tenant, where.owners, echoes=True, withheld=True)
    in_view = [record for record in records if passes(record, owned)]
    counts = [Counter(terms(searchable(record))) for record in in_view]
    norms = length_norms(np.array([counter.total() for counter in counts], dtype=np.int64), len(in_view))
    scores = np.zeros(len(in_view))
    for word, repeats in Counter(words).items():
        held = np.array([min(counter[word], MOST_COUNTED) for counter in counts], dtype=np.int64)
        idf = inverse_frequency(len(in_view), int(np.count_nonzero(held)))
        scores += term_scores(repeats * idf, held, norms)
    pairs = zip(in_view, scores.tolist(), strict=True)
    found = [Scored(record.key, score) for record, score in pairs if score > 0 and passes(record, where)]
    return sorted(found, key=lambda item: -item.score)[: max(limit, 0)]


@dataclass
class DictVectors:
    """The vector spaces, and for each the record vectors and sentence vectors by key."""

    spaces: dict[str, Space] = field(default_factory=dict)
    vectors: dict[str, dict[str, Vectors]] = field(default_factory=dict)
    passages: dict[str, dict[str, Vectors]] = field(default_factory=dict)

    def all_spaces(self) -> list[Space]:
        """Return every vector space, the active one first."""
        return sorted(self.spaces.values(), key=lambda space: (not space.active, space.name))

    def add_space(self, name: str, dimensions: int) -> None:
        """Create a space unless it exists."""
        old = self.spaces.get(name)
        if old is not None and old.dimensions != dimensions:
            raise DimensionError(
                f"Space {name!r} has {old.dimensions} dimensions, not {dimensions}.", "Use another name."
            )
        self.spaces.setdefault(name, Space(name, dimensions, active=not self.spaces))
        self.vectors.setdefault(name, {})
        self.passages.setdefault(name, {})

    def activate(self, name: str) -> None:
        """Make this space active and delete all others."""
        self._space(name)  # raises if it does not exist
        self.spaces = {name: replace(self.spaces[name], active=True)}
        self.vectors = {name: self.vectors[name]}
        self.passages = {name: self.passages[name]}

    def drop_space(self, name: str) -> None:
        """Delete a space that is not active."""
        space = self._space(name)
        if space is not None and space.active:
            raise InputError(f"The vector space {name!r} is in use.", "Activate another one first.")
        for held in (self.spaces, self.vectors, self.passages):
            held.pop(name)

    def _space(self, name: str | None) -> Space | None:
        if name is None:
            return next((space for space in self.spaces.values() if space.active), None)
        if name not in self.spaces:
            raise InputError(f"There is no vector space {name!r}.", "Call add_space first.")
        return self.spaces[name]

    def held(self, name: str | None = None) -> Mapping[str, Vectors]:
        """Return the vectors of a space by key. Without a name, of the active space."""
        space = self._existing(name)
        return self.vectors[space.name] if space else {}

    def held_passages(self, name: str | None = None) -> Mapping[str, Vectors]:
        """Return the sentence vectors of a space by key. Without a name, of the active space."""
        space = self._existing(name)
        return self.passages[space.name] if space else {}

    def _existing(self, name: str | None) -> Space | None:
        return None if name is not None and name not in self.spaces else self._space(name)

    def search(
        self,
        vector: Vectors,
        keys: Iterable[str],
        limit: int,
        prefix: int | None = None,
        epsilon: float = EPSILON,
        name: str | None = None,
    ) -> list[Scored]:
        """Rank these records by cosine similarity in a space. Equal scores keep their order."""
        space = self._existing(name)
        if space is None:
            return []
        query = unit_rows(np.reshape(vector, (1, -1)), 1, space.dimensions, "The query")[0]
        width = prefix or space.dimensions
        vectors = self.vectors[space.name]
        scored = [
            Scored(key, float(tier_vectors(vectors[key], width, epsilon) @ tier_vectors(query, width, epsilon)))
            for key in keys
            if key in vectors
        ]
        return sorted(scored, key=lambda item: -item.score)[: max(limit, 0)]

    def put(
        self, keys: Sequence[str], matrix: Vectors, space: str | None, passages: Passages | None, known: Container[str]
    ) -> None:
        """Store unit vectors and sentence vectors of the records whose key is in `known`."""
        target = self._space(space)
        if target is None:
            raise DimensionError("The store has no vector space yet.", "Call add_space first.")
        rows = unit_rows(matrix, len(keys), target.dimensions, target.name)
        parts = known_passages(passages, set(keys), target.dimensions, target.name)
        self.vectors[target.name].update({key: row for key, row in zip(keys, rows, strict=True) if key in known})
        held = self.passages[target.name]
        for key in keys:
            held.pop(key, None)
        held |= {key: halves.astype(np.float32) for key, halves in parts.items() if key in known}

    def drop(self, key: str) -> None:
        """Delete the vectors and sentence vectors of a record."""
        for held in (*self.vectors.values(), *self.passages.values()):
            held.pop(key, None)
