"""Speed of ingest and search at several store sizes, compared with numpy's exact cosine over the same vectors.

Texts are generated and vectors come from feature hashing at the default model's width, so the figures are those of the
engine alone. The model is measured separately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from aforesaid.bench.measuring import USER, generated_turns, median_seconds, seconds, temporary_memory
from aforesaid.context.assemble import hits_to_consider
from aforesaid.embed.base import Embedder, Vectors
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.embed.local import LocalEmbedder
from aforesaid.settings import Settings

QUERIES = 50
COMMON_WORDS = 100  # the most common words, which no query uses
DIMENSIONS = 384
HEADER = (
    "records  ingest/s  search ms  vector ms  text ms  numpy ms  search ÷ numpy  "
    "wide search ms  context ms     ÷  in a session ms     ÷"
)


@dataclass(frozen=True, slots=True)
class SpeedRow:
    """The figures for one store size. `wide_search_ms` is the search inside `assemble`, which asks for more hits."""

    records: int
    ingest_turns_per_second: float
    search_ms: float
    vector_ms: float
    text_ms: float
    numpy_ms: float
    wide_search_ms: float
    assemble_ms: float
    session_ms: float

    @property
    def search_ratio(self) -> float:
        """A whole search against numpy's exact cosine."""
        return self.search_ms / self.numpy_ms

    @property
    def assemble_ratio(self) -> float:
        """A context against the search that it contains."""
        return self.assemble_ms / self.wide_search_ms

    @property
    def session_ratio(self) -> float:
        """The same in a session, where the records shown are noted on disk."""
        return self.session_ms / self.wide_search_ms

    def __str__(self) -> str:
        return (
            f"{self.records:>7,} {self.ingest_turns_per_second:>9.0f} {self.search_ms:>10.2f} {self.vector_ms:>10.2f} "
            f"{self.text_ms:>8.2f} {self.numpy_ms:>9.3f} {self.search_ratio:>15.2f}  {self.wide_search_ms:>14.2f} "
            f"{self.assemble_ms:>11.2f} {self.assemble_ratio:>5.2f} {self.session_ms:>16.2f} {self.session_ratio:>5.2f}"
        )


def measure_sizes(sizes: Sequence[int]) -> Iterator[SpeedRow]:
    """The figures for each size, as soon as they are measured."""
    return (measure(size, HashEmbedder(DIMENSIONS)) for size in sizes)


def measure(records: int, embedder: Embedder) -> SpeedRow:
    """Fill a store with generated turns and search it."""
    turns = list(generated_turns(records))
    known = _Lookup(embedder, [turn.text for turn in turns])
    queries = [_query(turn.text) for turn in turns[:: max(records // QUERIES, 1)]][:QUERIES]
    vectors = [known.embed_query(query) for query in queries]
    matrix = np.stack([known.vectors[turn.text] for turn in turns])
    with temporary_memory(known, Settings()) as memory:
        ingest_seconds = seconds(lambda: memory.ingest(turns, user=USER))
        where = memory.where(user=USER)
        wide = hits_to_consider(memory.settings, memory.settings.assemble.budget_tokens)
        for query in queries[:3]:
            memory.search(query, user=USER, limit=10)
        return SpeedRow(
            records,
            records / ingest_seconds,
            _ms(lambda i: memory.search(queries[i], user=USER, limit=10)),
            _ms(lambda i: memory.store.vector_search(vectors[i], where, 100)),
            _ms(lambda i: memory.store.text_search(queries[i].split(), where, 100)),
            _ms(lambda i: np.argpartition(-(matrix @ vectors[i]), 9)[:10]),
            _ms(lambda i: memory.search(queries[i], user=USER, limit=wide)),
            _ms(lambda i: memory.assemble(queries[i], user=USER)),
            _ms(lambda i: memory.assemble(queries[i], user=USER, session=turns[-1].session)),
        )


def measure_model(turns: int) -> float:
    """Turns a second that the default local model embeds."""
    embedder = LocalEmbedder(cache_texts=0)
    texts = [turn.text for turn in generated_turns(turns)]
    embedder.embed(texts[:4])
    return turns / seconds(lambda: embedder.embed(texts))


def figures(rows: Sequence[SpeedRow], model: float) -> dict[str, Any]:
    """The figures as JSON."""
    ratios = ("search_ratio", "assemble_ratio", "session_ratio")
    found = [asdict(row) | {name: getattr(row, name) for name in ratios} for row in rows]
    return {"rows": found, "model_turns_per_second": model}


def _ms(work: Callable[[int], object]) -> float:
    return median_seconds(work, QUERIES) * 1000


def _query(text: str) -> str:
    """Up to six words of a text, without the most common ones."""
    rare = [word for word in text.split() if int(word[1:]) >= COMMON_WORDS]
    return " ".join((rare or text.split())[:6])


class _Lookup:
    """An embedder that embeds its texts once, at the start, so that its time is not part of the figures."""

    def __init__(self, embedder: Embedder, texts: list[str]) -> None:
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self.vectors: dict[str, Vectors] = dict(zip(texts, embedder.embed(texts), strict=True))
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.vectors[text] for text in texts])

    def embed_query(self, text: str) -> Vectors:
        if text not in self.vectors:
            self.vectors[text] = self._embedder.embed_query(text)
        return self.vectors[text]
