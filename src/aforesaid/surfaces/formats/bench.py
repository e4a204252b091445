"""Reports of `aforesaid bench quality` as tables for a terminal, and of `ablation` as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from aforesaid.surfaces.formats.columns import table
from aforesaid.surfaces.formats.report import counted

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.bench.own import OwnReport
    from aforesaid.bench.quality.metrics import Estimate
    from aforesaid.bench.quality.report import QualityReport, VariantReport
    from aforesaid.bench.trust import TrustReport
    from aforesaid.math.confidence import Logistic

MAIN = "turn.fraction@10"  # the metric that tables by type and by fold show
COLUMNS = {
    MAIN: "fraction@10",
    "turn.all@5": "all@5",
    "turn.ndcg@10": "nDCG@10",
    "turn.mrr": "MRR",
    "session.all@5": "session all@5",
    "budget.2000": "in 2,000",
    "duplicates": "repeats",
}
COMPARED = {MAIN: "fraction@10", "turn.ndcg@10": "nDCG@10", "session.all@5": "session all@5"}
SIDE_BY_SIDE = 3  # more variants do not fit on a screen with all their metrics
NOTHING = "–"


def share(value: float) -> str:
    """A number between 0 and 1 without its leading zero."""
    text = f"{value:.3f}"
    return text[1:] if text.startswith("0.") else text


def quality_text(report: QualityReport) -> str:
    """The questions, one row for each variant, all metrics side by side if they fit, then by type and by fold."""
    variants = report.variants
    parts = [f"{_head(report)}\n{_stores(report)}", _rows([_titles(), *map(_variant_row, variants)])]
    if len(variants) <= SIDE_BY_SIDE:
        names = list(dict.fromkeys(name for variant in variants for name in variant.metrics))
        cells = [[name, *(_interval(v.metrics.get(name)) for v in variants)] for name in names]
        parts.append(_rows([["every metric, with its 95 % interval", *(v.name for v in variants)], *cells]))
    parts.append(_by_type(report))
    parts.append(_by_fold(report))
    return "\n\n".join(parts)


def trust_text(reports: Sequence[TrustReport]) -> str:
    """One column a dataset; then how confidences and shares of answers agree."""
    lines: list[tuple[str, Callable[[TrustReport], str]]] = [
        ("questions", lambda r: str(r.questions)),
        ("AUROC, another conversation's questions", lambda r: _maybe(r.foreign_auroc)),
        ("of them refused, 95 % of own kept", lambda r: _maybe(r.foreign_refused)),
        ("AUROC, evidence hidden", lambda r: _maybe(r.hidden_auroc)),
        ("of them refused, 95 % of own kept", lambda r: _maybe(r.hidden_refused)),
        ("calibration error of results", lambda r: share(r.calibration_error)),
        ("calibration error of hits", lambda r: share(r.hit_calibration_error)),
        ("changed facts: newest first", lambda r: f"{share(r.newest_first)} of {r.changed}" if r.changed else NOTHING),
        ("tokens of a context, budget 2,000", lambda r: f"{r.context_tokens:.0f}"),
        ("of another conversation's question", lambda r: f"{r.foreign_context_tokens:.0f}"),
        ("all evidence in the context", lambda r: share(r.complete)),
    ]
    table_rows = [["", *(report.dataset for report in reports)]]
    table_rows += [[name, *(show(report) for report in reports)] for name, show in lines]
    parts = [_rows(table_rows)]
    for report in reports:
        cells = [[share(sure), share(right), str(count)] for sure, right, count in report.bins]
        parts.append(_rows([[f"{report.dataset}: confidence", "have an answer", "questions"], *cells]))
    return "\n\n".join(parts)


def _maybe(value: float | None) -> str:
    return NOTHING if value is None else share(value)


def fit_text(models: Mapping[str, Logistic]) -> str:
    """The fitted weights, one model a line."""
    return "\n".join(
        f"{name}: {model.intercept:+.2f} {' '.join(f'{key}={value:+.2f}' for key, value in model.weights.items())}"
        for name, model in models.items()
    )


def own_text(report: OwnReport) -> str:
    """The split, then every figure with its pass line."""
    sizes = f"{report.train} train, {report.valid} valid, {report.test} test"
    asked = f"{counted(report.queries, 'query').replace('querys', 'queries')} from {report.split}"
    head = f"{counted(report.records, 'record')} ({sizes}); {asked}; profile {report.profile}, seed {report.seed}."
    rows = [
        [f.name, f"{f.value:.3f}", f"{'≤' if f.at_most else '≥'} {f.line:g}", "pass" if f.passed else "FAIL"]
        for f in report.figures
    ]
    rows.append(["activate_ms_p50", f"{report.activate_ms_p50:.3f}", "", ""])
    return f"{head}\n\n{_rows(rows)}"


def ablation_text(reports: Sequence[QualityReport]) -> str:
    """Each dataset as a Markdown table: a variant's mean and its difference to the first variant."""
    return "\n\n".join(f"**{_head(report)}**\n\n{_markdown(_differences(report))}" for report in reports)


def _head(report: QualityReport) -> str:
    skipped = "".join(f", {number} left out ({reason})" for reason, number in report.skipped.items())
    asked = f"{counted(report.questions, 'question')} in {counted(report.groups, 'group')}{skipped}"
    return f"{report.dataset} ({report.format}): {asked}; embedder {report.embedder}."


def _stores(report: QualityReport) -> str:
    lost = f" ({report.unstored:,} not stored)" if report.unstored else ""
    speed = f"{report.ingest_turns_per_second:,.0f} a second without the model"
    return f"{counted(report.turns, 'turn')} stored{lost}, {speed}; {counted(report.limit, 'hit')} requested."


def _titles() -> list[str]:
    return ["variant", *COLUMNS.values(), "search p50 · p95"]


def _variant_row(variant: VariantReport) -> list[str]:
    cells = [_interval(variant.metrics.get(MAIN))]
    cells += [_mean(variant.metrics.get(name)) for name in COLUMNS if name != MAIN]
    return [variant.name, *cells, f"{variant.search_ms_p50:.1f} · {variant.search_ms_p95:.1f} ms"]


def _by_type(report: QualityReport) -> str:
    rows = [["fraction@10 by type", "questions", *(variant.name for variant in report.variants)]]
    for name, metrics in report.variants[0].types.items():
        if MAIN in metrics:
            cells = [_interval(variant.types[name].get(MAIN)) for variant in report.variants]
            rows.append([name, str(metrics[MAIN].count), *cells])
    return _rows(rows)


def _by_fold(report: QualityReport) -> str:
    folds = sorted({fold for variant in report.variants for fold in variant.folds})
    rows = [["fraction@10 by fold", *map(str, folds), "spread"]]
    for variant in report.variants:
        found = [variant.folds.get(fold, {}).get(MAIN) for fold in folds]
        known = [estimate.mean for estimate in found if estimate is not None]
        spread = share(max(known) - min(known)) if len(known) > 1 else NOTHING
        rows.append([variant.name, *map(_mean, found), spread])
    return _rows(rows)


def _differences(report: QualityReport) -> list[list[str]]:
    first = report.variants[0].name
    titles = [title for name in COMPARED for title in (COMPARED[name], f"− {first}")]
    rows = [["variant", *titles]]
    for variant in report.variants:
        cells = []
        for name in COMPARED:
            difference = None if variant.name == first else variant.differences.get(name)
            cells += [_mean(variant.metrics.get(name)), _interval(difference, _signed)]
        rows.append([variant.name, *cells])
    return rows


def _mean(found: Estimate | None) -> str:
    return NOTHING if found is None else share(found.mean)


def _interval(found: Estimate | None, show: Callable[[float], str] = share) -> str:
    return NOTHING if found is None else f"{show(found.mean)} [{show(found.low)}, {show(found.high)}]"


def _signed(value: float) -> str:
    return ("−" if round(value, 3) < 0 else "+") + share(abs(value))


def _rows(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(table(rows))


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
