"""The real engine under test: each corpus goes into a temporary store, and every variant answers from it.

Variants that differ only in how they search share one store.
"""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

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

USER = "reader"
DEFAULT_KS = (5, 10, 20)
DEFAULT_BUDGETS = (1000, 2000, 4000, 8000)
DEFAULT_LIMIT = 50  # hits asked for: deep enough that the best turns of twenty sessions are among them
DUPLICATES_IN = 10  # the hits that are looked through for repeated texts
ASSEMBLED = "default"  # the profile that `assemble` ranks with
SEARCH_ONLY = {"search", "default", "cascade", "libra", "time", "pce", "openclaw", "recovery", "assemble", "origins"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: the cutoffs k, the token budgets, and how many hits are asked for."""

    ks: tuple[int, ...] = DEFAULT_KS
    budgets: tuple[int, ...] = DEFAULT_BUDGETS
    limit: int = DEFAULT_LIMIT


@dataclass(frozen=True, slots=True)
class Ready:
    """A variant with all it needs to run."""

    variant: Variant
    settings: Settings
    embedder: CachedEmbedder | None

    @property
    def stored_as(self) -> Hashable:
        """Equal for variants whose stores are the same: every setting that may shape what is written."""
        return tuple(getattr(self.settings, row.name) for row in fields(Settings) if row.name not in SEARCH_ONLY)


@dataclass(frozen=True, slots=True)
class Build:
    """How one store was filled; the model's own time is left out of `seconds`."""

    turns: int
    stored: int
    seconds: float


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """What one variant made of one question."""

    question: BenchQuestion
    variant: str
    ranking: tuple[str, ...]
    metrics: Mapping[str, float]
    search_ms: float


@dataclass(frozen=True, slots=True)
class Run:
    """All answers on one dataset, and how its stores were filled."""

    dataset: Dataset
    variants: tuple[Ready, ...]
    plan: Plan
    answers: tuple[QuestionResult, ...]
    builds: tuple[Build, ...]


Keep = Callable[[Corpus, QuestionResult, SearchResult], None]


def ready(
    variants: Sequence[Variant],
    settings_with: Callable[[Mapping[str, str]], Settings],
    embedder_of: Callable[[Settings], Embedder | None],
    cache: Path | None,
) -> tuple[Ready, ...]:
    """The variants with their settings; those that embed alike share one model. `cache` keeps vectors between runs."""
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
    """Ask every question of every variant, corpus by corpus; `keep` sees each answer with its hits."""
    asked, alike = defaultdict(list), defaultdict(list)
    for question in questions:
        asked[question.corpus].append(question)
    for variant in variants:
        alike[variant.stored_as].append(variant)
    turns = sum(dataset.corpora[name].size for name in asked)
    step = _Steps(progress, turns * len(alike) + len(questions) * len(variants))
    answers, builds = [], []
    for name, here in asked.items():
        corpus = dataset.corpora[name]
        for group in alike.values():
            with _filled(corpus, group[0], step) as (store, build):
                builds.append(build)
                for variant in group:
                    memory = Memory(store, variant.embedder, settings=variant.settings)
                    for question in here:
                        answer, hits = _answer(memory, question, variant, plan)
                        answers.append(answer)
                        step.move_to(step.done + 1)
                        if keep is not None:
                            keep(corpus, answer, hits)
    return Run(dataset, tuple(variants), plan, tuple(answers), tuple(builds))


class _Steps:
    """Counts what is done, and tells."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self.done = progress, total, 0

    def move_to(self, done: int) -> None:
        self.done = done
        if self._progress is not None:
            self._progress(done, self._total)


@contextmanager
def _filled(corpus: Corpus, variant: Ready, step: _Steps) -> Iterator[tuple[Store, Build]]:
    """A store that holds the corpus, for as long as it is needed."""
    with (
        tempfile.TemporaryDirectory(prefix="aforesaid-bench-") as folder,
        closing(SQLiteStore(Path(folder) / "corpus.db", variant.settings.store)) as store,
    ):
        memory = Memory(store, variant.embedder, settings=variant.settings)
        before, began = _model_seconds(variant), time.perf_counter()
        start = step.done
        report = memory.ingest(corpus.turns, user=USER, progress=lambda done, _: step.move_to(start + done))
        seconds = time.perf_counter() - began - (_model_seconds(variant) - before)
        _check_vectors(variant, report.freshness)
        yield store, Build(len(report), report.count("stored"), seconds)


def _check_vectors(variant: Ready, freshness: Freshness | None) -> None:
    """Refuse to measure an engine that has quietly lost its vectors."""
    if variant.embedder is not None and freshness is not None and (freshness.vector_off or freshness.pending):
        raise EmbedError(
            f"Not all vectors could be had: {freshness.line}.",
            "To measure text search alone, add --set embed.provider=off.",
        )


def _model_seconds(variant: Ready) -> float:
    return variant.embedder.model_seconds if variant.embedder else 0.0


def _answer(memory: Memory, question: BenchQuestion, variant: Ready, plan: Plan) -> tuple[QuestionResult, SearchResult]:
    if variant.embedder is not None:
        variant.embedder.embed_query(question.text)  # so that the search below is timed without the model
    profile = variant.variant.profile
    began = time.perf_counter()
    hits = memory.search(question.text, user=USER, now=question.now, limit=plan.limit, profile=profile)
    search_ms = (time.perf_counter() - began) * 1000
    ranking = tuple(hit.record.id for hit in hits)
    of_turns = ranking_metrics(ranking, question.evidence_turns, plan.ks)
    of_sessions = ranking_metrics(sessions_ranked(ranking), question.evidence_sessions, plan.ks)
    metrics = {f"turn.{name}": value for name, value in of_turns.items()}
    metrics |= {f"session.{name}": value for name, value in of_sessions.items()}
    metrics["duplicates"] = duplicate_share([hit.record.text for hit in hits[:DUPLICATES_IN]])
    if profile == ASSEMBLED and question.evidence_turns:
        metrics |= {f"budget.{budget}": _answered(memory, question, budget) for budget in plan.budgets}
    return QuestionResult(question, variant.variant.name, ranking, metrics, search_ms), hits


def _answered(memory: Memory, question: BenchQuestion, budget: int) -> float:
    """1 when a context of so many tokens, asked for outside any session, holds all evidence."""
    context = memory.assemble(question.text, user=USER, now=question.now, budget_tokens=budget)
    return float(question.evidence_turns <= {record.id for record in context.records})
