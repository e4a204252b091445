"""How much of a prompt stays the same from turn to turn: what a model's cache need not read again.

    aforesaid bench stability locomo10.json --turns 50 --budgets 1000,2000,4000

The last turns of every conversation are lived through as a session of its own, over all that came before: a context is
assembled for each of a speaker's turns, then the turn is taken in. Beside it stands the plain way, on the same hits:
history ranked anew for every turn, before the same recent turns.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from aforesaid.bench.quality.types import Corpus
from aforesaid.embed.base import Embedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import Context

USER = "reader"
LIVE = "live"  # the session that is lived through


@dataclass(frozen=True, slots=True)
class StabilityRow:
    """Means over the turns of all conversations; shares are of characters, from the start."""

    conversations: int
    contexts: int
    unchanged: float
    plain_unchanged: float
    tokens: float
    plain_tokens: float

    @property
    def read_again(self) -> float:
        """Tokens that a model reads anew for every token of the plain way."""
        return (1 - self.unchanged) * self.tokens / ((1 - self.plain_unchanged) * self.plain_tokens)


def measure(
    corpora: Sequence[Corpus], embedder: Embedder | None, settings: Settings, turns: int, budget: int
) -> StabilityRow:
    """Live through the last turns of each conversation, and compare each context with the one before it."""
    kept: list[float] = []
    plain_kept: list[float] = []
    sizes: list[int] = []
    plain_sizes: list[int] = []
    for corpus in corpora:
        with (
            tempfile.TemporaryDirectory(prefix="aforesaid-bench-") as folder,
            Memory(SQLiteStore(Path(folder) / "m.db", settings.store), embedder, settings=settings) as memory,
        ):
            contexts = _lived(memory, corpus, turns, budget)
        plain = [_plain(context) for context in contexts]
        kept += _shares([context.text for context in contexts])
        plain_kept += _shares(plain)
        sizes += [context.tokens for context in contexts]
        plain_sizes += [
            round(context.tokens * len(text) / max(len(context.text), 1))
            for context, text in zip(contexts, plain, strict=True)
        ]
    return StabilityRow(len(corpora), len(sizes), _mean(kept), _mean(plain_kept), _mean(sizes), _mean(plain_sizes))


def _lived(memory: Memory, corpus: Corpus, turns: int, budget: int) -> list[Context]:
    everything = list(corpus.turns)
    memory.ingest(everything[:-turns], user=USER)
    contexts = []
    for turn in everything[-turns:]:
        contexts.append(memory.assemble(turn.text, user=USER, session=LIVE, budget_tokens=budget, now=turn.time))
        memory.ingest([replace(turn, session=LIVE)], user=USER)
    return contexts


def _plain(context: Context) -> str:
    """The same records with recalled history first, by score, and then the tail."""
    texts = {record.key: record.text for record in context.records}
    taken = [item for item in context.trace if item.taken]
    recalled = sorted((item for item in taken if item.part == "recall"), key=lambda item: -(item.score or 0.0))
    tail = [item for item in taken if item.part == "tail"]
    return "\n".join(texts[item.key] for item in (*recalled, *tail))


def _shares(texts: Sequence[str]) -> list[float]:
    return [_leading(old, new) / max(len(new), 1) for old, new in pairwise(texts)]


def _leading(old: str, new: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)


def table(row: StabilityRow, budget: int) -> str:
    """The figures for people."""
    return "\n".join(
        (
            f"{row.contexts} contexts of at most {budget} tokens in {row.conversations} conversations",
            f"the same from the start: {row.unchanged:.0%} of {row.tokens:.0f} tokens; "
            f"plain way {row.plain_unchanged:.0%}",
            f"read again: {row.read_again:.2f} tokens for each of the plain way",
        )
    )
