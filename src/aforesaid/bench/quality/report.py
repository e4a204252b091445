"""Figures of a run: means with intervals by variant, type and fold, and differences to the first variant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from aforesaid.bench.measuring import mean
from aforesaid.bench.quality.choose import fold_of
from aforesaid.bench.quality.intervals import Estimate, estimate, percentile
from aforesaid.bench.quality.metrics import fraction_at
from aforesaid.bench.quality.run import Plan, QuestionResult, Ready, Run

Estimates = Mapping[str, Estimate]
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class VariantReport:
    """The figures of one variant. `differences` compare it with the first variant, question by question."""

    name: str
    profile: str
    settings: Mapping[str, str]
    metrics: Estimates
    types: Mapping[str, Estimates]
    folds: Mapping[int, Mapping[str, float]]
    differences: Estimates
    curve: Sequence[float]
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
        variants=tuple(_variant_report(ready, results[ready.variant.name], first, run.plan) for ready in run.variants),
    )


def _variant_report(
    ready: Ready, results: Sequence[QuestionResult], first: Sequence[QuestionResult], plan: Plan
) -> VariantReport:
    times = [result.search_ms for result in results]
    return VariantReport(
        name=ready.variant.name,
        profile=ready.variant.profile,
        settings=dict(ready.variant.settings),
        metrics=estimates(results),
        types=_types(results),
        folds=_folds(results),
        differences=differences(results, first),
        curve=_curve(results, max(plan.ks)),
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


def _types(results: Sequence[QuestionResult]) -> dict[str, dict[str, Estimate]]:
    found = _grouped(results, lambda result: result.question.type)
    return {name: estimates(found[name]) for name in sorted(found)}


def _folds(results: Sequence[QuestionResult]) -> dict[int, dict[str, float]]:
    found = _grouped(results, lambda result: fold_of(result.question.group))
    return {fold: _means(found[fold]) for fold in sorted(found)}


def _means(results: Sequence[QuestionResult]) -> dict[str, float]:
    values = defaultdict(list)
    for result in results:
        for name, value in result.metrics.items():
            values[name].append(value)
    return {name: mean(values[name]) for name in values}


def _grouped(results: Iterable[QuestionResult], key: Callable[[QuestionResult], K]) -> dict[K, list[QuestionResult]]:
    groups = defaultdict(list)
    for result in results:
        groups[key(result)].append(result)
    return groups


def _curve(results: Sequence[QuestionResult], depth: int) -> list[float]:
    """Mean fraction@k of turns for k = 1 … depth."""
    asked = [(result.ranking, result.question.evidence_turns) for result in results if result.question.evidence_turns]
    return [mean([fraction_at(ranking, turns, k) for ranking, turns in asked]) for k in range(1, depth + 1)]
