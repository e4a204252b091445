"""BM25 without an index: each search counts the terms of every record."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from aforesaid.text.analyze import searchable, terms
from aforesaid.types import Record, Scored

BM25_K1, BM25_B = 1.2, 0.75  # fixed in SQLite's FTS5
BM25_LEAST_IDF = 1e-6  # FTS5's minimum, for terms in more than half of all records


def best_by_terms(
    words: Sequence[str], records: Iterable[Record], passing: Iterable[Record], limit: int
) -> list[Scored]:
    """Rank `passing` by BM25, with term statistics from `records`. Equal scores keep their order."""
    counts = {record.key: Counter(terms(searchable(record))) for record in records}
    if not counts or not words:
        return []
    # The owner's term counts towards the length, as in the FTS5 index.
    lengths = {key: sum(counter.values()) + 1 for key, counter in counts.items()}
    mean = sum(lengths.values()) / len(lengths)
    holders = {word: sum(word in counter for counter in counts.values()) for word in words}
    scored = []
    for record in passing:
        counter = counts[record.key]
        if not any(word in counter for word in words):
            continue
        score = sum(_bm25(counter[word], lengths[record.key] / mean, holders[word], len(counts)) for word in words)
        scored.append(Scored(record.key, score))
    return sorted(scored, key=lambda item: -item.score)[:limit]


def _bm25(count: int, relative_length: float, holders: int, records: int) -> float:
    """idf · f·(k1+1) / (f + k1·(1 − b + b·|d|/mean)), with FTS5's idf = max(ln((N − n + ½)/(n + ½)), 1e-6)."""
    idf = max(math.log((records - holders + 0.5) / (holders + 0.5)), BM25_LEAST_IDF) if holders else BM25_LEAST_IDF
    return idf * count * (BM25_K1 + 1) / (count + BM25_K1 * (1 - BM25_B + BM25_B * relative_length))
