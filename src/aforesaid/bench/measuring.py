"""What the benchmarks share: timers, temporary memories, generated turns."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import numpy as np

from aforesaid.embed.base import Embedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import Turn

Figures: TypeAlias = dict[str, Any]  # the result of a measurement: numbers by name

USER = "bench"
START = datetime(2026, 1, 1, tzinfo=UTC)
VOCABULARY = 20_000


def seconds(work: Callable[[], object]) -> float:
    """How long a call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def median_seconds(work: Callable[[int], object], runs: int, before: Callable[[], object] = lambda: None) -> float:
    """The median time of `work(0)`, `work(1)`, …; `before` runs before each call and is not timed."""
    times = []
    for run in range(runs):
        before()
        times.append(seconds(lambda run=run: work(run)))  # type: ignore[misc]
    return median(times)


def mean(values: Sequence[float]) -> float:
    """The mean; 0 without values."""
    return sum(values) / max(len(values), 1)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="aforesaid-bench-") as folder:
        yield Path(folder)


@contextmanager
def temporary_memory(embedder: Embedder | None, settings: Settings) -> Iterator[Memory]:
    """An empty memory in a file that is deleted afterwards."""
    with (
        temporary_folder() as folder,
        Memory(SQLiteStore(folder / "m.db", settings.store), embedder, settings=settings) as memory,
    ):
        yield memory


def generated_turns(count: int, seed: int = 0) -> Iterator[Turn]:
    """Turns of twenty words with a skewed vocabulary, in sessions of fifty turns."""
    random = np.random.default_rng(seed)
    weights = 1 / np.arange(1, VOCABULARY + 1)
    words = random.choice(VOCABULARY, size=(count, 20), p=weights / weights.sum())
    for i, row in enumerate(words):
        text = " ".join(f"w{word}" for word in row)
        yield Turn(f"t{i}", f"s{i // 50}", "user" if i % 2 == 0 else "assistant", text, START + timedelta(minutes=i))
