"""Text search: BM25 over the lists of `postings`. Only the lists of the owners in view are read and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from aforesaid.errors import StoreCorruptError
from aforesaid.math.bm25 import inverse_frequency, length_norms, term_scores
from aforesaid.store.protocols import TermMatches
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed, owners_clause
from aforesaid.store.sqlite.passing import Rows, Scores, best_passing, by_row
from aforesaid.store.sqlite.postings import CHUNK, GAP, PLACE, counts_in, places_in, unpacked
from aforesaid.types import Filter, Scored


class TermIndex:
    """Finds records by term."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def search(self, words: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        """Rank by BM25 under the filter; ties by row."""
        if not words or limit <= 0:
            return []
        with self._database.snapshot():
            try:
                rows, scores = self._scores(words, where)
            except (ValueError, IndexError, KeyError, TypeError) as error:
                raise StoreCorruptError(
                    f"{self._database.path}: the text index is damaged: {error}.", "Run `aforesaid verify --repair`."
                ) from error
            return best_passing(self._database, rows, scores, where, limit)

    def _scores(self, words: Sequence[str], where: Filter) -> tuple[Rows, Scores]:
        """Return the rows that have a word, with their scores, by row."""
        owners = owners_clause(where)
        sql = f"SELECT owner, chunk, data FROM places WHERE owner IN ({owners.sql}) ORDER BY owner, chunk"
        chunks = self._database.rows(sql, *owners.parameters)
        places = np.frombuffer(b"".join(data for _, _, data in chunks), dtype=PLACE)
        starts, end = {}, 0
        for owner, chunk, data in chunks:
            starts[owner, chunk] = end
            end += len(data) // PLACE.itemsize
        records = int(np.count_nonzero(places["row"]))
        norms = length_norms(places["length"], records)
        scores = np.zeros(places.size)
        lists = self._lists(words, where)
        for word, repeats in Counter(words).items():
            mine = lists.get(word, [])
            if not mine:
                continue
            postings = unpacked(GAP + b"".join(data[len(GAP) :] for _, _, data in mine))
            sizes = [(len(data) - len(GAP)) // postings.itemsize for _, _, data in mine]
            at = np.repeat([starts[owner, chunk] for owner, chunk, _ in mine], sizes) + places_in(postings)
            idf = inverse_frequency(records, postings.size)
            scores[at] += term_scores(repeats * idf, counts_in(postings), norms[at])
        found = np.flatnonzero(scores)
        return by_row(places["row"][found], scores[found])

    def matches(self, words: Sequence[str], keys: Sequence[str], where: Filter) -> TermMatches:
        """Return which words records contain, and how many records of the filter's owners contain each."""
        owners = owners_clause(where)
        with self._database.snapshot():
            sql = f"SELECT ifnull(sum(records), 0) FROM owners WHERE owner IN ({owners.sql})"
            records = int(self._database.one(sql, *owners.parameters)[0])
            sql = f"SELECT key, owner, place FROM records JOIN placed USING (row) WHERE key IN {LISTED}"
            asked: dict[tuple[int, int], list[tuple[str, int]]] = {}
            for key, owner, place in self._database.rows(sql, listed(keys)):
                asked.setdefault((owner, place // CHUNK), []).append((key, place % CHUNK))
            lists = self._lists(words, where)
        holders, found = dict.fromkeys(words, 0), {key: set[str]() for held in asked.values() for key, _ in held}
        for word, held in lists.items():
            for owner, chunk, data in held:
                postings = unpacked(data)
                holders[word] += postings.size
                if (owner, chunk) in asked:
                    here = set(places_in(postings).tolist())
                    for key, place in asked[owner, chunk]:
                        if place in here:
                            found[key].add(word)
        return TermMatches(records, holders, {key: frozenset(terms) for key, terms in found.items()})

    def _lists(self, words: Sequence[str], where: Filter) -> dict[str, list[tuple[int, int, bytes]]]:
        """Return the lists of each word as (owner, chunk, data)."""
        owners = owners_clause(where)
        lists: dict[str, list[tuple[int, int, bytes]]] = {}
        for word, *held in self._database.rows(
            f"""SELECT term, owner, chunk, postings.data FROM places CROSS JOIN postings USING (owner, chunk)
                WHERE owner IN ({owners.sql}) AND term IN {LISTED}""",
            *owners.parameters, listed(sorted(set(words))),
        ):  # fmt: skip
            lists.setdefault(word, []).append((held[0], held[1], held[2]))
        return lists
