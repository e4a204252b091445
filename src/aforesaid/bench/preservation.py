"""Whether the preservation gate tells good summaries from others, on sessions with a written summary.

The gate sees each session with its own summary, with the summary of another session of the conversation or of another
conversation, and with mixtures of both, sentence by sentence. Good is: own summaries pass, the others do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from aforesaid.bench.measuring import USER, Figures, mean, temporary_memory
from aforesaid.bench.quality.types import Corpus, Dataset, Session
from aforesaid.compaction.summarize import SummarySource
from aforesaid.compaction.summarize.extractive import ExtractiveSummarizer
from aforesaid.embed.base import Embedder, Vectors
from aforesaid.embed.scale import derive_scale, shipped_scale
from aforesaid.engine.thresholds import derived_settings
from aforesaid.math.summaries import alignment, preserves, support
from aforesaid.settings import Settings
from aforesaid.text.sentences import sentences
from aforesaid.types import Record

OWN = "own"


@dataclass(frozen=True, slots=True)
class Judged:
    """What the gate sees of one text for one session."""

    align: float
    support: float
    accepted: bool


def measure_gate(dataset: Dataset, embedder: Embedder, settings: Settings) -> list[Figures]:
    """The share of accepted summaries by kind, and the AUC of each measure alone; nothing without written summaries."""
    scale = shipped_scale(embedder.name) or derive_scale(embedder)
    rows = derived_settings(settings, scale).compact
    extractive = ExtractiveSummarizer(embedder.embed)
    found: dict[str, list[Judged]] = {}
    for corpus in dataset.corpora.values():
        for session, records, turns in _stored(corpus, embedder, settings):
            sources = [SummarySource(record.text, record.role, record.time) for record in records]
            extract = embedder.embed([extractive.summarize(sources, rows.cap_tokens).text])[0]
            for kind, text in _candidates(dataset, corpus, session):
                align = alignment(embedder.embed([text])[0], turns)
                backed = support(embedder.embed(sentences(text)), turns, scale.centre)
                passes = preserves(align, alignment(extract, turns), backed, scale.draft_gap, rows)
                found.setdefault(kind, []).append(Judged(align, backed, passes))
    return [_figures(kind, judged, found[OWN]) for kind, judged in found.items()]


def _stored(
    corpus: Corpus, embedder: Embedder, settings: Settings
) -> Iterator[tuple[Session, Sequence[Record], Vectors]]:
    """Each session that has a summary, its stored turns and their vectors."""
    written = _summarised(corpus)
    if not written:
        return
    with temporary_memory(embedder, settings) as memory:
        memory.ingest(corpus.turns, user=USER)
        for session in written:
            [name] = corpus.session_ids({session.source_id})
            records = memory.list(user=USER, session=name, kinds=["turn"], limit=1_000_000)[::-1]
            yield session, records, np.stack(list(memory.store.vectors([each.key for each in records]).values()))


def _figures(kind: str, judged: Sequence[Judged], own: Sequence[Judged]) -> Figures:
    return {
        "summary": kind,
        "texts": len(judged),
        "accepted": mean([float(each.accepted) for each in judged]),
        "auc_align": auc([each.align for each in own], [each.align for each in judged]),
        "auc_support": auc([each.support for each in own], [each.support for each in judged]),
    }


def auc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """The share of pairs in which the first is larger; ties count half."""
    difference = np.subtract.outer(np.asarray(higher), np.asarray(lower))
    return float((difference > 0).mean() + (difference == 0).mean() / 2)


def _candidates(dataset: Dataset, corpus: Corpus, session: Session) -> Iterator[tuple[str, str]]:
    """The texts to judge for a session, by kind."""
    yield OWN, session.summary
    here = _summarised(corpus)
    place = here.index(session)
    if len(here) > 1:
        same = here[(place + 1) % len(here)].summary
        yield "same conversation", same
        yield "half same conversation", mixture(session.summary, same)
    names = [name for name, other in dataset.corpora.items() if _summarised(other)]
    if len(names) > 1:
        there = _summarised(dataset.corpora[names[(names.index(corpus.name) + 1) % len(names)]])
        other = there[place % len(there)].summary
        yield "other conversation", other
        yield "half other conversation", mixture(session.summary, other)


def mixture(one: str, other: str) -> str:
    """Alternate sentences of two texts: the first, third, … of one and the second, fourth, … of the other."""
    pairs = zip_longest(sentences(one)[::2], sentences(other)[1::2])
    return " ".join(sentence for pair in pairs for sentence in pair if sentence)


def _summarised(corpus: Corpus) -> list[Session]:
    return [session for session in corpus.sessions if session.summary and len(session.messages) > 1]
