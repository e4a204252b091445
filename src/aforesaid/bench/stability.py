"""How much of a prompt stays the same from turn to turn, so that a model can take it from its cache.

The last turns of each conversation are replayed as a new session, with all earlier turns in memory: a context is
assembled for each turn, then the turn is ingested. The baseline ("plain") uses the same hits, but ranks the history
anew for every turn and puts it before the recent turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from aforesaid.bench.measuring import USER, mean, temporary_memory
from aforesaid.bench.quality.types import Corpus
from aforesaid.embed.base import Embedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.types import Context

LIVE = "live"  # the replayed session


@dataclass(frozen=True, slots=True)
class StabilityRow:
    """Means over the turns of all conversations. Shares count unchanged characters from the start of a prompt."""

    conversations: int
    contexts: int
    unchanged: float
    plain_unchanged: float
    tokens: float
    plain_tokens: float

    @property
    def read_again(self) -> float:
        """Tokens that a model must read again, for each that it must read again with the baseline."""
        return (1 - self.unchanged) * self.tokens / ((1 - self.plain_unchanged) * self.plain_tokens)


def measure(
    corpora: Sequence[Corpus], embedder: Embedder | None, settings: Settings, turns: int, budget: int
) -> StabilityRow:
    """Replay the last turns of each conversation and compare each context with the one before it."""
    kept: list[float] = []
    plain_kept: list[float] = []
    sizes: list[int] = []
    plain_sizes: list[int] = []
    for corpus in corpora:
        with temporary_memory(embedder, settings) as memory:
            contexts = _replay(memory, corpus, turns, budget)
        plain = [_plain(context) for context in contexts]
        kept += _shares([context.text for context in contexts])
        plain_kept += _shares(plain)
        sizes += [context.tokens for context in contexts]
        plain_sizes += [
            round(context.tokens * len(text) / max(len(context.text), 1))
            for context, text in zip(contexts, plain, strict=True)
        ]
    return StabilityRow(len(corpora), len(sizes), mean(kept), mean(plain_kept), mean(sizes), mean(plain_sizes))


def _replay(memory: Memory, corpus: Corpus, turns: int, budget: int) -> list[Context]:
    all_turns = list(corpus.turns)
    memory.ingest(all_turns[:-turns], user=USER)
    contexts = []
    for turn in all_turns[-turns:]:
        contexts.append(memory.assemble(turn.text, user=USER, session=LIVE, budget_tokens=budget, now=turn.time))
        memory.ingest([replace(turn, session=LIVE)], user=USER)
    return contexts


def _plain(context: Context) -> str:
    """The same records as the baseline orders them: recalled history by score, then the recent turns."""
    texts = {record.key: record.text for record in context.records}
    taken = [item for item in context.trace if item.taken]
    recalled = sorted((item for item in taken if item.part == "recall"), key=lambda item: -(item.score or 0.0))
    tail = [item for item in taken if item.part == "tail"]
    return "\n".join(texts[item.key] for item in (*recalled, *tail))


def _shares(texts: Sequence[str]) -> list[float]:
    return [_leading(old, new) / max(len(new), 1) for old, new in pairwise(texts)]


def _leading(old: str, new: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))


def table(row: StabilityRow, budget: int) -> str:
    """The figures as text."""
    return "\n".join(
        (
            f"{row.contexts} contexts of at most {budget} tokens in {row.conversations} conversations",
            f"the same from the start: {row.unchanged:.0%} of {row.tokens:.0f} tokens; "
            f"plain way {row.plain_unchanged:.0%}",
            f"read again: {row.read_again:.2f} tokens for each of the plain way",
        )
    )
