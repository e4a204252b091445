"""How fast: ingest and search at several sizes, each beside numpy's exact cosine over the same vectors in the same run.

    python -m aforesaid.bench.speed --sizes 1000,10000,100000 [--json]

Texts are made up from a skewed vocabulary; vectors come from feature hashing at the default model's width, so that
the figures are the engine's own. The model's cost is measured apart, on `--model-turns` of the same texts.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from aforesaid.context.assemble import considered
from aforesaid.embed.base import Embedder, Vectors
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.embed.local import LocalEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.types import Turn

START = datetime(2026, 1, 1, tzinfo=UTC)
VOCABULARY = 20_000
QUERIES = 50
STOP_WORDS = 100  # so many of the commonest words no question is made of
DIMENSIONS = 384


@dataclass(frozen=True, slots=True)
class SpeedRow:
    """The figures of one size."""

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
        """The same inside a session, where what was shown is noted on disk."""
        return self.session_ms / self.wide_search_ms


def made_up_turns(count: int, seed: int = 0) -> Iterator[Turn]:
    """Turns of twenty words, common words common, in sessions of fifty."""
    chance = np.random.default_rng(seed)
    weights = 1 / np.arange(1, VOCABULARY + 1)
    words = chance.choice(VOCABULARY, size=(count, 20), p=weights / weights.sum())
    for i, row in enumerate(words):
        text = " ".join(f"w{word}" for word in row)
        yield Turn(f"t{i}", f"s{i // 50}", "user" if i % 2 == 0 else "assistant", text, START + timedelta(minutes=i))


def measure(records: int, folder: Path, embedder: Embedder) -> SpeedRow:
    """Fill a store, then search it."""
    turns = list(made_up_turns(records))
    # The texts are embedded beforehand: an embedder is measured apart.
    known = _Known(embedder, [turn.text for turn in turns])
    memory = Memory.open(folder / f"{records}.db", embedder=known, settings=Settings())
    began = time.perf_counter()
    memory.ingest(turns, user="bench")
    ingest_seconds = time.perf_counter() - began
    queries = [_question(turn.text) for turn in turns[:: max(records // QUERIES, 1)]][:QUERIES]
    vectors = [known.embed_query(query) for query in queries]
    matrix = np.stack([known.vectors[turn.text] for turn in turns])
    where = memory.where(user="bench")
    for query in queries[:3]:
        memory.search(query, user="bench", limit=10)
    wide = considered(memory.settings, memory.settings.assemble.budget_tokens)
    row = SpeedRow(
        records,
        records / ingest_seconds,
        _p50(lambda i: memory.search(queries[i], user="bench", limit=10)),
        _p50(lambda i: memory.store.vector_search(vectors[i], where, 100)),
        _p50(lambda i: memory.store.text_search(queries[i].split(), where, 100)),
        _p50(lambda i: np.argpartition(-(matrix @ vectors[i]), 9)[:10]),
        _p50(lambda i: memory.search(queries[i], user="bench", limit=wide)),
        _p50(lambda i: memory.assemble(queries[i], user="bench")),
        _p50(lambda i: memory.assemble(queries[i], user="bench", session=turns[-1].session)),
    )
    memory.close()
    return row


def _question(text: str) -> str:
    """Up to six of a text's words, the commonest left out as stop words are."""
    rare = [word for word in text.split() if int(word[1:]) >= STOP_WORDS]
    return " ".join((rare or text.split())[:6])


class _Known:
    """An embedder that looks up what was embedded before."""

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


def _p50(work: Callable[[int], object]) -> float:
    times = []
    for i in range(QUERIES):
        began = time.perf_counter()
        work(i)
        times.append(time.perf_counter() - began)
    return sorted(times)[QUERIES // 2] * 1000


def measure_model(turns: int) -> float:
    """Turns a second through the default local model alone."""
    embedder = LocalEmbedder(cache_texts=0)
    texts = [turn.text for turn in made_up_turns(turns)]
    embedder.embed(texts[:4])
    began = time.perf_counter()
    embedder.embed(texts)
    return turns / (time.perf_counter() - began)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--model-turns", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = measure_all([int(size) for size in options.sizes.split(",")])
    model = measure_model(options.model_turns) if options.model_turns else 0.0
    sys.stdout.write(json.dumps(figures(rows, model), indent=2) + "\n" if options.json else table(rows, model))
    return 0


def measure_all(sizes: Sequence[int]) -> list[SpeedRow]:
    """The figures of every size, each in a store of its own."""
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(size, Path(folder), HashEmbedder(DIMENSIONS)))
    return rows


def figures(rows: Sequence[SpeedRow], model: float) -> dict[str, Any]:
    """The figures as JSON holds them."""
    ratios = ("search_ratio", "assemble_ratio", "session_ratio")
    found = [asdict(row) | {name: getattr(row, name) for name in ratios} for row in rows]
    return {"rows": found, "model_turns_per_second": model}


def table(rows: Sequence[SpeedRow], model: float) -> str:
    """The figures for people."""
    lines = ["records    ingest/s  search ms  vector ms  text ms  numpy ms  search ÷ numpy"]
    lines += [
        f"{r.records:>7,} {r.ingest_turns_per_second:>11.0f} {r.search_ms:>10.2f} {r.vector_ms:>10.2f} "
        f"{r.text_ms:>8.2f} {r.numpy_ms:>9.3f} {r.search_ratio:>15.2f}"
        for r in rows
    ]
    lines += ["", "records    search for a context ms  context ms     ÷  in a session ms     ÷"]
    lines += [
        f"{r.records:>7,} {r.wide_search_ms:>24.2f} {r.assemble_ms:>11.2f} {r.assemble_ratio:>5.2f} "
        f"{r.session_ms:>16.2f} {r.session_ratio:>5.2f}"
        for r in rows
    ]
    lines += [f"The default model alone embeds {model:.0f} such turns a second."] if model else []
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
