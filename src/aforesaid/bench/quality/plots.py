"""Figures of a report: recall by k, by question type, and by token budget; each as PNG and SVG."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aforesaid.bench.quality.intervals import Estimate
from aforesaid.bench.quality.metrics import MAIN
from aforesaid.bench.quality.report import QualityReport, VariantReport
from aforesaid.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#1b6ca8", "#d1495b", "#3c896d", "#8d6a9f", "#e9a23b", "#b5651d", "#7a7a7a", "#00798c")
INCHES = (7.0, 4.4)
INCHES_A_BAR = 0.16
DOTS_PER_INCH = 160
STYLE: dict[Any, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "axes.axisbelow": True,
    "axes.edgecolor": "#888888",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "svg.hashsalt": "aforesaid",  # makes the files reproducible
}


def check_matplotlib() -> None:
    """Raise InputError with the install command when matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise InputError("Figures need matplotlib.", "Run: pip install 'aforesaid[plots]'") from None


def draw(report: QualityReport, folder: Path) -> list[Path]:
    """Write the figures of a report and return their paths."""
    check_matplotlib()
    import matplotlib as mpl

    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "-", report.dataset).strip("-")
    with mpl.rc_context(STYLE):
        figures = {"recall": _recall(report), "types": _types(report), "budget": _budgets(report)}
        return [
            path for kind, figure in figures.items() if figure for path in _saved(figure, folder / f"{name}-{kind}")
        ]


def _saved(figure: Figure, path: Path) -> list[Path]:
    files = [path.with_name(f"{path.name}.{end}") for end in ("png", "svg")]
    for file in files:
        metadata = {"Date": None} if file.suffix == ".svg" else {}
        figure.savefig(file, dpi=DOTS_PER_INCH, bbox_inches="tight", metadata=metadata)
    return files


def _recall(report: QualityReport) -> Figure:
    """Turn fraction@k over k."""
    from matplotlib.ticker import MaxNLocator

    figure, axes = _empty(report, "evidence turns among the first k hits", INCHES)
    for variant, colour in _coloured(report.variants):
        ks = range(1, len(variant.curve) + 1)
        axes.plot(ks, variant.curve, color=colour, label=variant.name, linewidth=1.8, marker="o", markersize=3)
    axes.set(xlabel="k", ylabel="mean share found", xlim=(0.5, len(report.variants[0].curve) + 0.5), ylim=(0, 1.02))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _legend(axes)
    return figure


def _types(report: QualityReport) -> Figure:
    """Turn fraction@10 by question type, with intervals."""
    types = [name for name, metrics in report.variants[0].types.items() if MAIN in metrics]
    bars = len(types) * (len(report.variants) + 1)
    figure, axes = _empty(
        report, "evidence turns among the first 10 hits, by question type", (7.0, 1.6 + INCHES_A_BAR * bars)
    )
    height = 0.8 / len(report.variants)
    for i, (variant, colour) in enumerate(_coloured(report.variants)):
        found = [variant.types[name][MAIN] for name in types]
        places = [place + (i + 0.5) * height - 0.4 for place in range(len(types))]
        axes.barh(
            places, [e.mean for e in found], height * 0.9, xerr=_reach(found), color=colour, label=variant.name,
            error_kw={"ecolor": "#333333", "elinewidth": 0.9, "capsize": 2},
        )  # fmt: skip
    counts = [report.variants[0].types[name][MAIN].count for name in types]
    axes.set_yticks(range(len(types)), [f"{name} ({count})" for name, count in zip(types, counts, strict=True)])
    axes.margins(y=0.02)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set(xlabel="mean share found", xlim=(0, 1.02))
    _legend(axes)
    return figure


def _budgets(report: QualityReport) -> Figure | None:
    """The share of questions whose evidence is all inside the context, by token budget; None if not measured."""
    measured = [(v, c) for v, c in _coloured(report.variants) if any(name.startswith("budget.") for name in v.metrics)]
    if not measured:
        return None
    figure, axes = _empty(report, "questions whose evidence is all inside the context", INCHES)
    for variant, colour in measured:
        found = {int(n.split(".")[1]): e for n, e in variant.metrics.items() if n.startswith("budget.")}
        sizes = sorted(found)
        axes.errorbar(
            sizes, [found[s].mean for s in sizes], yerr=_reach([found[s] for s in sizes]), color=colour,
            label=variant.name, linewidth=1.8, marker="o", markersize=4, capsize=3,
        )  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.set(xlabel="budget in tokens", ylabel="share of questions", ylim=(0, 1.02))
    _legend(axes)
    return figure


def _reach(found: Sequence[Estimate]) -> list[list[float]]:
    """The lengths of each interval below and above its mean."""
    return [[max(e.mean - e.low, 0.0) for e in found], [max(e.high - e.mean, 0.0) for e in found]]


def _empty(report: QualityReport, title: str, inches: tuple[float, float]) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=inches, layout="constrained")
    axes = figure.subplots()
    axes.set_title(f"{report.dataset}, {report.questions:,} questions:\n{title}")
    return figure, axes


def _coloured(variants: Sequence[VariantReport]) -> list[tuple[VariantReport, str]]:
    return [(variant, COLOURS[i % len(COLOURS)]) for i, variant in enumerate(variants)]


def _legend(axes: Any) -> None:
    """A legend beside the figure; none for a single variant."""
    if len(axes.get_legend_handles_labels()[1]) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
