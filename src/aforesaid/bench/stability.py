"""How much of a prompt stays the same from turn to turn, so that a model can take it from its cache.

The last turns of each conversation are replayed as a new session, with all earlier turns in memory: a context is
assembled for each turn, then the turn is ingested. The baseline ("plain") uses the same hits, but ranks the history
anew for every turn and puts it before the recent turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from aforesaid.bench.measuring import USER, Figures, mean, temporary_memory
from aforesaid.bench.quality.types import Corpus
from aforesaid.embed.base import Embedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.types import Context

LIVE = "live"  # the replayed session


def measure(
    corpora: Sequence[Corpus], embedder: Embedder | None, settings: Settings, turns: int, budget: int
) -> Figures:
    """Replay the last turns of each conversation and compare each context with the one before it.

    Shares count unchanged characters from the start of a prompt. `read_again` is the number of tokens that a model
    must read again for each that it must read again with the baseline.
    """
    shares: list[float] = []
    plain_shares: list[float] = []
    tokens: list[float] = []
    plain_tokens: list[float] = []
    for corpus in corpora:
        with temporary_memory(embedder, settings) as memory:
            contexts = _replay(memory, corpus, turns, budget)
        plain = [_plain(context) for context in contexts]
        shares += _unchanged([context.text for context in contexts])
        plain_shares += _unchanged(plain)
        tokens += [context.tokens for context in contexts]
        plain_tokens += [
            round(context.tokens * len(text) / max(len(context.text), 1))
            for context, text in zip(contexts, plain, strict=True)
        ]
    unchanged, plain_unchanged = mean(shares), mean(plain_shares)
    return {
        "budget": budget,
        "conversations": len(corpora),
        "contexts": len(tokens),
        "unchanged": unchanged,
        "plain_unchanged": plain_unchanged,
        "tokens": mean(tokens),
        "plain_tokens": mean(plain_tokens),
        "read_again": (1 - unchanged) * mean(tokens) / ((1 - plain_unchanged) * mean(plain_tokens)),
    }


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


def _unchanged(texts: Sequence[str]) -> list[float]:
    """The share of each text that equals the start of the one before it."""
    return [_common(old, new) / max(len(new), 1) for old, new in pairwise(texts)]


def _common(old: str, new: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
