"""Figures of a run: means with intervals by variant, type and fold, and differences to the first variant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from aforesaid.bench.quality.metrics import Estimate, estimate, percentile
from aforesaid.bench.quality.run import QuestionResult, Ready, Run
from aforesaid.bench.quality.types import Corpus, fold_of
from aforesaid.types import SearchResult

Estimates = Mapping[str, Estimate]
K = TypeVar("K", bound=Hashable)
SHOWN_HITS = 20


@dataclass(frozen=True, slots=True)
class VariantReport:
    """The figures of one variant. `differences` compare it with the first variant, question by question."""

    name: str
    profile: str
    settings: Mapping[str, str]
    metrics: Estimates
    types: Mapping[str, Estimates]
    folds: Mapping[int, Estimates]
    differences: Estimates
    search_ms_p50: float
    search_ms_p95: float


@dataclass(frozen=True, slots=True)
class QualityReport:
    """The figures of one dataset. Speeds do not include the model."""

    dataset: str
    format: str
    embedder: str
    questions: int
    groups: int
    skipped: Mapping[str, int]
    corpora: int
    turns: int
    unstored: int
    limit: int
    ingest_turns_per_second: float
    variants: tuple[VariantReport, ...]


def report(run: Run) -> QualityReport:
    """All figures of a run."""
    results = _grouped(run.results, lambda result: result.variant)
    first = results[run.variants[0].variant.name]
    seconds = sum(build.seconds for build in run.builds)
    turns = sum(build.turns for build in run.builds)
    names = {ready.embedder.name for ready in run.variants if ready.embedder}
    return QualityReport(
        dataset=run.dataset.name,
        format=run.dataset.format,
        embedder=", ".join(sorted(names)) or "none",
        questions=len(first),
        groups=len({result.question.group for result in first}),
        skipped=dict(run.dataset.skipped),
        corpora=len({result.question.corpus for result in first}),
        turns=turns,
        unstored=turns - sum(build.stored for build in run.builds),
        limit=run.plan.limit,
        ingest_turns_per_second=turns / seconds if seconds else 0.0,
        variants=tuple(_variant_report(ready, results[ready.variant.name], first) for ready in run.variants),
    )


def _variant_report(ready: Ready, results: Sequence[QuestionResult], first: Sequence[QuestionResult]) -> VariantReport:
    types = _grouped(results, lambda result: result.question.type)
    folds = _grouped(results, lambda result: fold_of(result.question.group))
    times = [result.search_ms for result in results]
    return VariantReport(
        name=ready.variant.name,
        profile=ready.variant.profile,
        settings=dict(ready.variant.settings),
        metrics=estimates(results),
        types={name: estimates(types[name]) for name in sorted(types)},
        folds={fold: estimates(folds[fold]) for fold in sorted(folds)},
        differences=differences(results, first),
        search_ms_p50=percentile(times, 0.50),
        search_ms_p95=percentile(times, 0.95),
    )


def estimates(results: Sequence[QuestionResult]) -> dict[str, Estimate]:
    """The mean of every metric with its interval, over the questions that have the metric."""
    return _estimates((result, result.metrics) for result in results)


def differences(results: Sequence[QuestionResult], base: Sequence[QuestionResult]) -> dict[str, Estimate]:
    """The mean of result − base with its interval, for every metric that both have."""
    before = {result.question.id: result.metrics for result in base}
    return _estimates(
        (result, {name: value - old[name] for name, value in result.metrics.items() if name in old})
        for result in results
        if (old := before[result.question.id])
    )


def _estimates(rows: Iterable[tuple[QuestionResult, Mapping[str, float]]]) -> dict[str, Estimate]:
    values, groups = defaultdict(list), defaultdict(list)
    for result, metrics in rows:
        for name, value in metrics.items():
            values[name].append(value)
            groups[name].append(result.question.group)
    return {name: found for name in values if (found := estimate(values[name], groups[name]))}


def _grouped(results: Iterable[QuestionResult], key: Callable[[QuestionResult], K]) -> dict[K, list[QuestionResult]]:
    groups = defaultdict(list)
    for result in results:
        groups[key(result)].append(result)
    return groups


def details(dataset: str, corpus: Corpus, result: QuestionResult, hits: SearchResult) -> dict[str, Any]:
    """One result in full: what was missed, and what was found instead."""
    question = result.question
    ranks = {turn: rank for rank, turn in enumerate(result.ranking, 1)}
    texts = {turn.id: turn.text for turn in corpus.turns if turn.id in question.evidence_turns}
    evidence = [
        {"turn": turn, "rank": ranks.get(turn), "text": texts.get(turn)} for turn in sorted(question.evidence_turns)
    ]
    return {
        "dataset": dataset,
        "variant": result.variant,
        "id": question.id,
        "type": question.type,
        "group": question.group,
        "fold": fold_of(question.group),
        "question": question.text,
        "answer": question.answer,
        "now": question.now.isoformat(),
        "evidence": evidence,
        "missed": [item["turn"] for item in evidence if item["rank"] is None],
        "metrics": dict(result.metrics),
        "hits": [
            {
                "rank": rank,
                "turn": hit.record.id,
                "evidence": hit.record.id in question.evidence_turns,
                "score": round(hit.score, 6),
                "reason": hit.reason,
                "text": hit.record.text,
            }
            for rank, hit in enumerate(hits[:SHOWN_HITS], 1)
        ],
    }
