"""From answers to figures: means with intervals, by variant, type and fold, and differences to the first variant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aforesaid.bench.quality.choose import fold_of
from aforesaid.bench.quality.intervals import Estimate, estimate, percentile
from aforesaid.bench.quality.metrics import fraction_at
from aforesaid.bench.quality.run import Plan, QuestionResult, Ready, Run

Estimates = Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class VariantReport:
    """The figures of one variant; `differences` are to the first variant, question by question."""

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
    """The figures of one dataset; speeds are the engine's own, without the model."""

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
    answers = defaultdict(list)
    for answer in run.answers:
        answers[answer.variant].append(answer)
    first = answers[run.variants[0].variant.name]
    seconds = sum(build.seconds for build in run.builds)
    turns = sum(build.turns for build in run.builds)
    names = {ready.embedder.name for ready in run.variants if ready.embedder}
    return QualityReport(
        dataset=run.dataset.name,
        format=run.dataset.format,
        embedder=", ".join(sorted(names)) or "none",
        questions=len(first),
        groups=len({answer.question.group for answer in first}),
        skipped=dict(run.dataset.skipped),
        corpora=len({answer.question.corpus for answer in first}),
        turns=turns,
        unstored=turns - sum(build.stored for build in run.builds),
        limit=run.plan.limit,
        ingest_turns_per_second=turns / seconds if seconds else 0.0,
        variants=tuple(_of_variant(ready, answers[ready.variant.name], first, run.plan) for ready in run.variants),
    )


def _of_variant(
    ready: Ready, answers: Sequence[QuestionResult], first: Sequence[QuestionResult], plan: Plan
) -> VariantReport:
    times = [answer.search_ms for answer in answers]
    return VariantReport(
        name=ready.variant.name,
        profile=ready.variant.profile,
        settings=dict(ready.variant.settings),
        metrics=estimates(answers),
        types=_types(answers),
        folds=_folds(answers),
        differences=differences(answers, first),
        curve=_curve(answers, max(plan.ks)),
        search_ms_p50=percentile(times, 0.50),
        search_ms_p95=percentile(times, 0.95),
    )


def estimates(answers: Sequence[QuestionResult]) -> dict[str, Estimate]:
    """The mean of every metric with its interval, each over the questions that have it."""
    return {name: found for name, values in _columns(answers).items() if (found := _estimate(values))}


def differences(answers: Sequence[QuestionResult], base: Sequence[QuestionResult]) -> dict[str, Estimate]:
    """The mean of answer − base for every metric that both have, question by question, with its interval."""
    before = {answer.question.id: answer.metrics for answer in base}
    columns = defaultdict(list)
    for answer in answers:
        for name, value in answer.metrics.items():
            if name in before[answer.question.id]:
                columns[name].append((value - before[answer.question.id][name], answer.question.group))
    return {name: found for name, values in columns.items() if (found := _estimate(values))}


def _columns(answers: Sequence[QuestionResult]) -> dict[str, list[tuple[float, str]]]:
    columns = defaultdict(list)
    for answer in answers:
        for name, value in answer.metrics.items():
            columns[name].append((value, answer.question.group))
    return columns


def _estimate(values: Sequence[tuple[float, str]]) -> Estimate | None:
    return estimate([value for value, _ in values], [group for _, group in values])


def _types(answers: Sequence[QuestionResult]) -> dict[str, dict[str, Estimate]]:
    found = defaultdict(list)
    for answer in answers:
        found[answer.question.type].append(answer)
    return {name: estimates(found[name]) for name in sorted(found)}


def _folds(answers: Sequence[QuestionResult]) -> dict[int, dict[str, float]]:
    found = defaultdict(list)
    for answer in answers:
        found[fold_of(answer.question.group)].append(answer)
    return {
        fold: {name: sum(v for v, _ in values) / len(values) for name, values in _columns(found[fold]).items()}
        for fold in sorted(found)
    }


def _curve(answers: Sequence[QuestionResult], depth: int) -> list[float]:
    """Mean fraction@k of turns for k = 1 … depth."""
    asked = [answer for answer in answers if answer.question.evidence_turns]
    return [
        sum(fraction_at(a.ranking, a.question.evidence_turns, k) for a in asked) / max(len(asked), 1)
        for k in range(1, depth + 1)
    ]
