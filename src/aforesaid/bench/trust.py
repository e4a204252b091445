"""Whether answers can be trusted: measured on question sets with known evidence, without an LLM.

Every question is asked three times: of its own conversation, of the same conversation with its evidence hidden, and of
another conversation. A confidence is good when it tells the first from the others, and when of the questions with a
confidence of 0.7 seven in ten have their answer in the memory. Other figures: of changed facts, how often the newest
evidence comes first; and how many tokens a context takes for the evidence that it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from aforesaid.bench.measuring import USER, mean, temporary_memory
from aforesaid.bench.preservation import auc
from aforesaid.bench.quality.types import BenchQuestion, Corpus, Dataset, digest
from aforesaid.embed.base import Embedder
from aforesaid.math.confidence import Logistic, fit_logistic
from aforesaid.memory import Memory
from aforesaid.retrieval.confidence import HIT, RESULT, RESULT_BY_WORDS, hit_signals
from aforesaid.retrieval.ranking.newest import MATCHED
from aforesaid.settings import Settings
from aforesaid.types import Progress, SearchResult

Mode = Literal["own", "hidden", "foreign"]
KEPT = 0.95  # share of answerable questions that a threshold keeps
BINS = 10
LIMIT = 50  # hits that are asked for
FITTED = 30  # hits of a question that the model of hits is fitted on
WEIGHTS: Mapping[Mode, float] = {"own": 1.0, "hidden": 0.5, "foreign": 0.5}  # half of the questions have no answer
BUDGET = 2000  # tokens of the measured contexts
CHANGED = ("knowledge-update",)  # types of questions about facts that changed

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, asked in one mode. `found` has the signals of each leading hit and whether it is evidence."""

    question: BenchQuestion
    dataset: str
    mode: Mode
    confidence: float
    signals: Mapping[str, float]
    found: tuple[tuple[Mapping[str, float], bool], ...]
    hit_confidences: tuple[float, ...]
    newest_first: bool | None  # None: the evidence was not said at two times, or not found
    context_tokens: int
    complete: bool  # the context holds all evidence


@dataclass(frozen=True, slots=True)
class TrustReport:
    """The figures of one dataset.

    Attributes:
        foreign_auroc: How well the confidence tells own questions from those of another conversation; None without one.
        foreign_refused: The share of those that a threshold refuses which keeps 95 % of the own ones.
        hidden_auroc: The same for questions whose evidence is hidden.
        hidden_refused: The share of those that the threshold refuses.
        calibration_error: Mean distance of a confidence from the share that has an answer, in ten bins. Hits too.
        newest_first: Of questions about changed facts, how often the newest evidence comes before older evidence.
        context_tokens: Mean tokens of a context with a budget of 2,000; for questions of others beside it.
        complete: The share of contexts that hold all evidence.
    """

    dataset: str
    questions: int
    foreign_auroc: float | None
    foreign_refused: float | None
    hidden_auroc: float | None
    hidden_refused: float | None
    calibration_error: float
    hit_calibration_error: float
    changed: int
    newest_first: float
    context_tokens: float
    foreign_context_tokens: float
    complete: float
    bins: tuple[tuple[float, float, int], ...]  # mean confidence, share with an answer, questions


def measure(
    dataset: Dataset,
    questions: Sequence[BenchQuestion],
    embedder: Embedder | None,
    settings: Settings,
    progress: Progress | None = None,
    *,
    contexts: bool = True,
) -> list[Asked]:
    """Ask every question in all three modes, corpus by corpus. Without `contexts` none are built, which is faster."""
    asked: list[Asked] = []
    names = sorted({question.corpus for question in questions})
    for done, name in enumerate(names, 1):
        own = [question for question in questions if question.corpus == name]
        with temporary_memory(embedder, settings) as memory:
            asked += _ask_corpus(memory, dataset, dataset.corpora[name], own, contexts)
        if progress is not None:
            progress(done, len(names))
    return asked


def _ask_corpus(
    memory: Memory, dataset: Dataset, corpus: Corpus, own: Sequence[BenchQuestion], contexts: bool
) -> Iterator[Asked]:
    memory.ingest(corpus.turns, user=USER)
    others = sorted(
        (question for question in dataset.questions if question.corpus != corpus.name),
        key=lambda question: digest(f"{corpus.name}\x1f{question.id}"),
    )
    for question in own:
        yield _ask(memory, dataset.name, question, "own", contexts)
        yield _ask(memory, dataset.name, question, "hidden", False)
    for question in others[: len(own)]:
        yield _ask(memory, dataset.name, question, "foreign", contexts, own[0])


def _ask(
    memory: Memory,
    dataset: str,
    question: BenchQuestion,
    mode: Mode,
    contexts: bool,
    asker: BenchQuestion | None = None,
) -> Asked:
    now = (asker or question).now
    hidden = sorted(question.evidence_turns) if mode == "hidden" else []
    evidence = question.evidence_turns if mode == "own" else frozenset[str]()
    exclude = [memory.get(id_, user=USER).key for id_ in hidden]
    result = memory.search(question.text, user=USER, now=now, limit=LIMIT, exclude=exclude)
    tokens, complete = 0, False
    if contexts:
        context = memory.assemble(question.text, user=USER, now=now, budget_tokens=BUDGET)
        tokens, complete = context.tokens, evidence <= {record.id for record in context.records}
    covered = {hit.record.key: hit.parts.get(MATCHED, 0.0) for hit in result}
    found = [(hit_signals(result, rank, covered), hit.record.id in evidence) for rank, hit in enumerate(result)]
    return Asked(
        question, dataset, mode, result.confidence, result.signals, tuple(found[:FITTED]),
        tuple(hit.confidence for hit in result[:FITTED]), _newest_first(result, evidence), tokens, complete,
    )  # fmt: skip


def _newest_first(result: SearchResult, evidence: frozenset[str]) -> bool | None:
    """Whether the best hit of the newest day of evidence comes before all older evidence."""
    days = [hit.record.time.date() for hit in result if hit.record.id in evidence]
    return days[0] == max(days) if len(set(days)) > 1 else None


def report(dataset: str, asked: Sequence[Asked]) -> TrustReport:
    """The figures of the questions of a dataset."""
    by_mode: dict[Mode, list[Asked]] = {"own": [], "hidden": [], "foreign": []}
    for each in asked:
        by_mode[each.mode].append(each)
    own, hidden, foreign = (np.array([each.confidence for each in by_mode[mode]]) for mode in by_mode)
    foreign_auroc, foreign_refused = _told_apart(own, foreign)
    hidden_auroc, hidden_refused = _told_apart(own, hidden)
    bins = _bins(np.array([each.confidence for each in asked]), _answerable(asked), _weights(asked))
    hits = [(conf, right) for each in asked for conf, (_, right) in zip(each.hit_confidences, each.found, strict=True)]
    hit_weights = np.repeat(_weights(asked), [len(each.found) for each in asked])
    hit_bins = _bins(np.array([conf for conf, _ in hits]), np.array([right for _, right in hits], float), hit_weights)
    changed = [each.newest_first for each in by_mode["own"] if each.question.type in CHANGED]
    ordered = [float(first) for first in changed if first is not None]
    return TrustReport(
        dataset=dataset,
        questions=len(own),
        foreign_auroc=foreign_auroc,
        foreign_refused=foreign_refused,
        hidden_auroc=hidden_auroc,
        hidden_refused=hidden_refused,
        calibration_error=_error(bins),
        hit_calibration_error=_error(hit_bins),
        changed=len(ordered),
        newest_first=mean(ordered) if ordered else 0.0,
        context_tokens=mean([each.context_tokens for each in by_mode["own"]]),
        foreign_context_tokens=mean([each.context_tokens for each in by_mode["foreign"]]),
        complete=mean([float(each.complete) for each in by_mode["own"]]),
        bins=tuple((round(p, 3), round(share, 3), count) for p, share, _, count in bins),
    )


def _told_apart(own: Floats, others: Floats) -> tuple[float | None, float | None]:
    """AUROC, and the share of others that a threshold refuses which keeps 95 % of the own ones; None without others."""
    if not others.size:
        return None, None
    return auc(own.tolist(), others.tolist()), float((others < np.quantile(own, 1 - KEPT)).mean())


def _answerable(asked: Iterable[Asked]) -> Floats:
    return np.array([each.mode == "own" for each in asked], dtype=np.float64)


def _weights(asked: Iterable[Asked]) -> Floats:
    return np.array([WEIGHTS[each.mode] for each in asked])


def _bins(confidences: Floats, right: Floats, weights: Floats) -> list[tuple[float, float, float, int]]:
    """Mean confidence, share that is right, weight and number of cases, for each tenth that has any."""
    found = []
    for number in range(BINS):
        inside = np.minimum((confidences * BINS).astype(int), BINS - 1) == number
        if inside.any():
            mine = weights[inside]
            sure, share = (float(np.average(values[inside], weights=mine)) for values in (confidences, right))
            found.append((sure, share, float(mine.sum() / weights.sum()), int(inside.sum())))
    return found


def _error(bins: Sequence[tuple[float, float, float, int]]) -> float:
    """The expected calibration error: Σ weight · |confidence − share|."""
    return sum(weight * abs(confidence - share) for confidence, share, weight, _ in bins)


def fit(asked: Sequence[Asked]) -> dict[str, Logistic]:
    """Fit the models of confidence anew. Datasets count the same, however many questions they have."""
    asked = [each for each in asked if each.signals]  # a search without hits needs no model
    sizes = {name: sum(each.dataset == name for each in asked) for name in {each.dataset for each in asked}}
    weights = _weights(asked) / np.array([sizes[each.dataset] for each in asked]) * len(asked)
    own = [each for each in asked if each.mode == "own"]
    rows = [pair for each in own for pair in each.found]
    per_hit = np.repeat([len(own) / sizes[each.dataset] for each in own], [len(each.found) for each in own])
    near = np.array(["near" in each.signals for each in asked])
    with_near = [each for each in asked if "near" in each.signals]
    return {
        "RESULT": _fitted(RESULT, [each.signals for each in with_near], _answerable(with_near), weights[near]),
        "RESULT_BY_WORDS": _fitted(RESULT_BY_WORDS, [e.signals for e in asked], _answerable(asked), weights),
        "HIT": _fitted(HIT, [signals for signals, _ in rows], np.array([float(right) for _, right in rows]), per_hit),
    }


def _fitted(model: Logistic, signals: Sequence[Mapping[str, float]], labels: Floats, weights: Floats) -> Logistic:
    if not signals:
        return model
    names = list(model.weights)
    matrix = np.array([[each[name] for name in names] for each in signals])
    intercept, found = fit_logistic(matrix, labels, weights)
    return Logistic(round(intercept, 2), {name: round(value, 2) for name, value in zip(names, found, strict=True)})


Split = Callable[[Asked], object]


def held_out(asked: Sequence[Asked], split: Split) -> Iterator[tuple[dict[str, Logistic], list[Asked]]]:
    """For each group, the models fitted on all others, and the group."""
    for group in sorted({split(each) for each in asked}, key=str):
        yield (
            fit([each for each in asked if split(each) != group]),
            [each for each in asked if split(each) == group],
        )
