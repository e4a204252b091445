"""Speed of ingest and search at several store sizes, compared with numpy's exact cosine over the same vectors.

Texts are generated and vectors come from feature hashing at the default model's width, so the figures are those of the
engine alone. The model is measured separately.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from aforesaid.bench.measuring import USER, Figures, generated_turns, median_seconds, seconds, temporary_memory
from aforesaid.context.assemble import hits_to_consider
from aforesaid.embed.base import Vectors
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.embed.local import LocalEmbedder
from aforesaid.settings import Settings

QUERIES = 50
COMMON_WORDS = 100  # the most common words, which no query uses
DIMENSIONS = 384


def measure(records: int) -> Figures:
    """Fill a store with generated turns and search it.

    `wide_search_ms` is the search inside `assemble`, which asks for more hits. In a session, `assemble` also writes
    what it has shown. The ratios compare a search with numpy, and a context with the search that it contains.
    """
    turns = list(generated_turns(records))
    embedder = _Remembering(DIMENSIONS)
    matrix = embedder.embed([turn.text for turn in turns])
    queries = [_query(turn.text) for turn in turns[:: max(records // QUERIES, 1)]][:QUERIES]
    vectors = embedder.embed(queries)
    with temporary_memory(embedder, Settings()) as memory:
        ingest_seconds = seconds(lambda: memory.ingest(turns, user=USER))
        where = memory.where(user=USER)
        wide = hits_to_consider(memory.settings, memory.settings.assemble.budget_tokens)
        for query in queries[:3]:
            memory.search(query, user=USER, limit=10)
        row = {
            "records": records,
            "ingest_turns_per_second": records / ingest_seconds,
            "search_ms": _ms(lambda i: memory.search(queries[i], user=USER, limit=10)),
            "vector_ms": _ms(lambda i: memory.store.vector_search(vectors[i], where, 100)),
            "text_ms": _ms(lambda i: memory.store.text_search(queries[i].split(), where, 100)),
            "numpy_ms": _ms(lambda i: np.argpartition(-(matrix @ vectors[i]), 9)[:10]),
            "wide_search_ms": _ms(lambda i: memory.search(queries[i], user=USER, limit=wide)),
            "assemble_ms": _ms(lambda i: memory.assemble(queries[i], user=USER)),
            "session_ms": _ms(lambda i: memory.assemble(queries[i], user=USER, session=turns[-1].session)),
        }
    return row | {
        "search_ratio": row["search_ms"] / row["numpy_ms"],
        "assemble_ratio": row["assemble_ms"] / row["wide_search_ms"],
        "session_ratio": row["session_ms"] / row["wide_search_ms"],
    }


def measure_model(turns: int) -> float:
    """Turns a second that the default local model embeds."""
    embedder = LocalEmbedder(cache_texts=0)
    texts = [turn.text for turn in generated_turns(turns)]
    embedder.embed(texts[:4])
    return turns / seconds(lambda: embedder.embed(texts))


def _ms(work: Callable[[int], object]) -> float:
    return median_seconds(work, QUERIES) * 1000


def _query(text: str) -> str:
    """Up to six words of a text, without the most common ones."""
    rare = [word for word in text.split() if int(word[1:]) >= COMMON_WORDS]
    return " ".join((rare or text.split())[:6])


class _Remembering(HashEmbedder):
    """Computes each vector once, so that the embedder's time is not part of the figures."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self._known: dict[str, Vectors] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        missing = [text for text in texts if text not in self._known]
        self._known.update(zip(missing, super().embed(missing), strict=True))
        return np.stack([self._known[text] for text in texts])
