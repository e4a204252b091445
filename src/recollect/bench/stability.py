"""How much of a prompt stays the same from turn to turn: what a model's cache need not read again.

    python -m recollect.bench.stability locomo10.json [--turns 50] [--budget 2000] [--json]

The last turns of every conversation are lived through as a session of its own, over all that came before: a context is
assembled for each of a speaker's turns, then the turn is taken in. Beside it stands the plain way, on the same hits:
history ranked anew for every turn, before the same recent turns.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

from recollect.bench.quality.formats import load
from recollect.bench.quality.types import Corpus
from recollect.bench.quality.vectors import CachedEmbedder, default_folder
from recollect.embed import open_embedder
from recollect.memory import Memory
from recollect.settings import Settings
from recollect.store.sqlite import SQLiteStore
from recollect.types import Context

USER = "reader"
LIVE = "live"  # the session that is lived through


@dataclass(frozen=True, slots=True)
class Row:
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


def measure(corpora: Sequence[Corpus], turns: int, budget: int) -> Row:
    """Live through the last turns of each conversation, and compare each context with the one before it."""
    settings = Settings.load()
    embedder = open_embedder(settings)
    cached = CachedEmbedder(embedder, default_folder(), f"max_tokens={settings.embed.max_tokens}") if embedder else None
    kept: list[float] = []
    plain_kept: list[float] = []
    sizes: list[int] = []
    plain_sizes: list[int] = []
    for corpus in corpora:
        with (
            tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder,
            Memory(SQLiteStore(Path(folder) / "m.db", settings.store), cached, settings=settings) as memory,
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
    return Row(len(corpora), len(sizes), _mean(kept), _mean(plain_kept), _mean(sizes), _mean(plain_sizes))


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what stays of a context."""
    parser = argparse.ArgumentParser(
        prog="python -m recollect.bench.stability", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("path", type=Path, help="a conversation file: LoCoMo, LongMemEval, BEAM")
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--budget", type=int, default=2000)
    parser.add_argument("--conversations", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    corpora = list(load(options.path, "auto").corpora.values())[: options.conversations]
    row = measure(corpora, options.turns, options.budget)
    if options.json:
        sys.stdout.write(json.dumps({**asdict(row), "read_again": row.read_again}) + "\n")
        return
    sys.stdout.write(
        f"{row.contexts} contexts of at most {options.budget} tokens in {row.conversations} conversations\n"
        f"the same from the start: {row.unchanged:.0%} of {row.tokens:.0f} tokens; "
        f"plain way {row.plain_unchanged:.0%}\n"
        f"read again: {row.read_again:.2f} tokens for each of the plain way\n"
    )


if __name__ == "__main__":
    main()
