"""Runs a question set: stores each corpus in a temporary file and lets every variant answer from it.

Variants that differ only in how they search share one store.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

from aforesaid.bench.measuring import USER, temporary_folder
from aforesaid.bench.quality.metrics import duplicate_share, ranking_metrics, sessions_ranked
from aforesaid.bench.quality.types import BenchQuestion, Corpus, Dataset
from aforesaid.bench.quality.variants import Variant
from aforesaid.bench.quality.vectors import CachedEmbedder
from aforesaid.embed.base import Embedder
from aforesaid.errors import EmbedError
from aforesaid.memory import Memory
from aforesaid.retrieval.search import PROFILES
from aforesaid.settings import Settings
from aforesaid.store.protocols import Store
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import Freshness, Progress, SearchResult, check_choice

DEFAULT_KS = (5, 10, 20)
DEFAULT_BUDGETS = (1000, 2000, 4000, 8000)
DEFAULT_LIMIT = 50  # enough hits to contain the best turns of twenty sessions
DUPLICATES_IN = 10  # hits to check for repeated texts
ASSEMBLED = "default"  # the profile that `assemble` ranks with
SEARCH_ONLY = {"search", "default", "cascade", "libra", "time", "pce", "openclaw", "recovery", "assemble", "origins"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure: the cutoffs k, the token budgets, and the number of hits."""

    ks: tuple[int, ...] = DEFAULT_KS
    budgets: tuple[int, ...] = DEFAULT_BUDGETS
    limit: int = DEFAULT_LIMIT


@dataclass(frozen=True, slots=True)
class Ready:
    """A variant with its settings and embedder."""

    variant: Variant
    settings: Settings
    embedder: CachedEmbedder | None

    @property
    def store_key(self) -> Hashable:
        """Equal for variants that can share a store: all settings that affect what is written."""
        return tuple(getattr(self.settings, row.name) for row in fields(Settings) if row.name not in SEARCH_ONLY)


@dataclass(frozen=True, slots=True)
class Build:
    """How one store was filled. `seconds` do not include the model."""

    turns: int
    stored: int
    seconds: float


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """The result of one question with one variant."""

    question: BenchQuestion
    variant: str
    ranking: tuple[str, ...]
    metrics: Mapping[str, float]
    search_ms: float


@dataclass(frozen=True, slots=True)
class Run:
    """All results on one dataset, and how its stores were filled."""

    dataset: Dataset
    variants: tuple[Ready, ...]
    plan: Plan
    results: tuple[QuestionResult, ...]
    builds: tuple[Build, ...]


Keep = Callable[[Corpus, QuestionResult, SearchResult], None]


def ready(
    variants: Sequence[Variant],
    settings_with: Callable[[Mapping[str, str]], Settings],
    embedder_of: Callable[[Settings], Embedder | None],
    cache: Path | None,
) -> tuple[Ready, ...]:
    """The variants with settings and embedder; equal embed settings share one. `cache` keeps vectors between runs."""
    embedders: dict[Hashable, CachedEmbedder | None] = {}
    prepared = []
    for variant in variants:
        check_choice(variant.profile, tuple(PROFILES), "profile")
        settings = settings_with(variant.settings)
        if settings.embed not in embedders:
            embedder = embedder_of(settings)
            recipe = f"max_tokens={settings.embed.max_tokens}"
            embedders[settings.embed] = CachedEmbedder(embedder, cache, recipe) if embedder else None
        prepared.append(Ready(variant, settings, embedders[settings.embed]))
    return tuple(prepared)


def run(
    dataset: Dataset,
    questions: Sequence[BenchQuestion],
    variants: Sequence[Ready],
    plan: Plan,
    *,
    keep: Keep | None = None,
    progress: Progress | None = None,
) -> Run:
    """Ask every question with every variant, corpus by corpus. `keep` gets each result with its hits."""
    asked, groups = defaultdict(list), defaultdict(list)
    for question in questions:
        asked[question.corpus].append(question)
    for variant in variants:
        groups[variant.store_key].append(variant)
    turns = sum(dataset.corpora[name].size for name in asked)
    total, done = turns * len(groups) + len(questions) * len(variants), 0

    def show(steps: int) -> None:
        if progress is not None:
            progress(steps, total)

    results, builds = [], []
    for name, here in asked.items():
        corpus = dataset.corpora[name]
        for group in groups.values():
            with _filled_store(corpus, group[0], lambda stored, _, start=done: show(start + stored)) as (store, build):  # type: ignore[misc]
                builds.append(build)
                done += corpus.size
                for variant in group:
                    memory = Memory(store, variant.embedder, settings=variant.settings)
                    for question in here:
                        result, hits = _answer(memory, question, variant, plan)
                        results.append(result)
                        done += 1
                        show(done)
                        if keep is not None:
                            keep(corpus, result, hits)
    return Run(dataset, tuple(variants), plan, tuple(results), tuple(builds))


@contextmanager
def _filled_store(corpus: Corpus, variant: Ready, progress: Progress) -> Iterator[tuple[Store, Build]]:
    """A temporary store that contains the corpus."""
    with (
        temporary_folder() as folder,
        closing(SQLiteStore(folder / "corpus.db", variant.settings.store)) as store,
    ):
        memory = Memory(store, variant.embedder, settings=variant.settings)
        before, began = _model_seconds(variant), time.perf_counter()
        report = memory.ingest(corpus.turns, user=USER, progress=progress)
        seconds = time.perf_counter() - began - (_model_seconds(variant) - before)
        _check_vectors(variant, report.freshness)
        yield store, Build(len(report), report.count("stored"), seconds)


def _check_vectors(variant: Ready, freshness: Freshness | None) -> None:
    """Raise when vectors are missing: the figures would be wrong without anybody noticing."""
    if variant.embedder is not None and freshness is not None and (freshness.vector_off or freshness.pending):
        raise EmbedError(
            f"Not all vectors could be had: {freshness.line}.",
            "To measure text search alone, add --set embed.provider=off.",
        )


def _model_seconds(variant: Ready) -> float:
    return variant.embedder.model_seconds if variant.embedder else 0.0


def _answer(memory: Memory, question: BenchQuestion, variant: Ready, plan: Plan) -> tuple[QuestionResult, SearchResult]:
    if variant.embedder is not None:
        variant.embedder.embed_query(question.text)  # cached, so the timed search below runs without the model
    profile = variant.variant.profile
    began = time.perf_counter()
    hits = memory.search(question.text, user=USER, now=question.now, limit=plan.limit, profile=profile)
    search_ms = (time.perf_counter() - began) * 1000
    ranking = tuple(hit.record.id for hit in hits)
    turn_metrics = ranking_metrics(ranking, question.evidence_turns, plan.ks)
    session_metrics = ranking_metrics(sessions_ranked(ranking), question.evidence_sessions, plan.ks)
    metrics = {f"turn.{name}": value for name, value in turn_metrics.items()}
    metrics |= {f"session.{name}": value for name, value in session_metrics.items()}
    metrics["duplicates"] = duplicate_share([hit.record.text for hit in hits[:DUPLICATES_IN]])
    if profile == ASSEMBLED and question.evidence_turns:
        metrics |= {f"budget.{budget}": _complete_in_context(memory, question, budget) for budget in plan.budgets}
    return QuestionResult(question, variant.variant.name, ranking, metrics, search_ms), hits


def _complete_in_context(memory: Memory, question: BenchQuestion, budget: int) -> float:
    """1 when a context with this token budget contains all evidence."""
    context = memory.assemble(question.text, user=USER, now=question.now, budget_tokens=budget)
    return float(question.evidence_turns <= {record.id for record in context.records})
