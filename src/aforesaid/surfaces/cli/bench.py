"""`aforesaid bench`: how good and how fast, on your own machine and with your own files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from aforesaid.surfaces.cli.app import App, progress
from aforesaid.surfaces.cli.bench_context import compaction, files, stability
from aforesaid.surfaces.cli.options import F, numbers, verb

if TYPE_CHECKING:
    from aforesaid.bench.quality.choose import QuestionSelection
    from aforesaid.bench.quality.report import QualityReport
    from aforesaid.bench.quality.run import Plan
    from aforesaid.bench.quality.variants import Variant
    from aforesaid.settings import Settings

FORMATS = ("auto", "longmemeval", "locomo", "squad", "beir", "beam")
ALWAYS_KS = {5, 10}  # the cutoffs that every table shows


@click.group()
def bench() -> None:
    """Measure how good and how fast it is."""


def asked(function: F) -> F:
    """The files, and which of their questions count."""
    for decorate in reversed(
        (
            click.argument("paths", nargs=-1, required=True, metavar="PATH..."),
            click.option("--format", "form", type=click.Choice(FORMATS), default="auto", show_default=True,
                         help="What the files are."),
            click.option("--pool", type=click.IntRange(0), default=0, metavar="N",
                         help="LongMemEval: fill each haystack up to N sessions with those of other questions."),
            click.option("--types", multiple=True, metavar="TYPE", help="Only this type; may be repeated."),
            click.option("--fold", type=click.IntRange(0, 4), metavar="0-4", help="Only this fold."),
            click.option("--without-fold", type=click.IntRange(0, 4), metavar="0-4", help="All but this fold."),
            click.option("--limit-questions", type=click.IntRange(1), metavar="N",
                         help="At most N questions a file, each type in proportion."),
            click.option("--cache", metavar="DIR", help="Where vectors are kept.  [default: the user's cache]"),
            click.option("--no-cache", is_flag=True, help="Keep no vectors; the model starts anew."),
            click.option("--per-question", type=click.File("w", encoding="utf-8", lazy=False), metavar="FILE",
                         help="Write every answer as a line of JSON: ranks, what was missed, and the texts."),
        )
    ):  # fmt: skip
        function = decorate(function)
    return function


VARIANT = click.option(
    "--variant", "variants", multiple=True, metavar="NAME", help="A variant of the ablation's table; may be repeated."
)


@verb(
    "quality",
    "aforesaid bench quality locomo10.json --limit-questions 50\n"
    "  aforesaid bench quality longmemeval_s.json --pool 500 --profile default --profile pce --plot figures",
)
@asked
@click.option("--profile", "profiles", multiple=True, metavar="NAME", help="A way to rank; may be repeated.")
@VARIANT
@click.option("--k", "ks", type=numbers, default="5,10,20", show_default=True, help="Cutoffs; 5 and 10 always count.")
@click.option("--budgets", type=numbers, default="1000,2000,4000,8000", show_default=True, help="Tokens; 0: none.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="Hits asked for.")
@click.option("--plot", metavar="DIR", help="Write figures as PNG and SVG; needs aforesaid[plots].")
@click.pass_obj
def quality(
    app: App,
    /,
    profiles: Sequence[str],
    variants: Sequence[str],
    ks: tuple[int, ...],
    budgets: tuple[int, ...],
    limit: int,
    plot: str | None,
    **options: Any,
) -> None:
    """Measure retrieval on public question sets. Recall by turn and session, answers inside a token budget, speed.

    PATH is a file or folder of LongMemEval, LoCoMo, SQuAD, BEIR or BEAM as its authors publish it; .gz and .xz do.
    --set changes a setting for every variant.
    """
    from aforesaid.bench.quality import plots
    from aforesaid.bench.quality.run import Plan
    from aforesaid.bench.quality.variants import Variant, named
    from aforesaid.surfaces.formats import common as shown
    from aforesaid.surfaces.formats.bench import quality_text

    if plot is not None:
        plots.check_matplotlib()
    ranked = profiles or (() if variants else ("default",))
    chosen = {variant.name: variant for variant in (*(Variant(name, name) for name in ranked), *named(variants))}
    cutoffs = tuple(sorted(ALWAYS_KS.union(ks)))
    plan = Plan(cutoffs, budgets, max(limit, *cutoffs))
    reports = _reports(app, tuple(chosen.values()), plan, _Options(**options))
    app.say([shown.plain(report) for report in reports], "\n\n\n".join(map(quality_text, reports)))
    if plot is not None:
        for report in reports:
            for file in plots.draw(report, Path(plot)):
                app.note(f"wrote {file}")


@verb("ablation", "aforesaid bench ablation locomo10.json --write docs/benchmarks.md")
@asked
@VARIANT
@click.option("--write", metavar="PAGE", help="Put the tables between the marks of this Markdown page.")
@click.pass_obj
def ablation(app: App, /, variants: Sequence[str], write: str | None, **options: Any) -> None:
    """Compare variants of the ranking. Each one's difference to the default, question by question."""
    from aforesaid.bench.quality.run import Plan
    from aforesaid.bench.quality.variants import VARIANTS, named
    from aforesaid.surfaces.formats import common as shown
    from aforesaid.surfaces.formats.bench import ablation_markdown, ablation_text, check_marks, write_between

    if write is not None:
        check_marks(Path(write))
    chosen = dict.fromkeys(variant.name for variant in (VARIANTS[0], *(named(variants) if variants else VARIANTS)))
    reports = _reports(app, named(list(chosen)), Plan(budgets=()), _Options(**options))
    if write is not None:
        write_between(Path(write), ablation_markdown(reports))
    app.say([shown.plain(report) for report in reports], ablation_text(reports))


@verb("speed", "aforesaid bench speed --sizes 1000,10000")
@click.option("--sizes", type=numbers, default="1000,10000,100000", show_default=True, help="Turns in the store.")
@click.option(
    "--model-turns", type=click.IntRange(0), default=200, show_default=True, help="Texts for the model; 0: none."
)
@click.pass_obj
def speed(app: App, sizes: tuple[int, ...], model_turns: int) -> None:
    """Measure how fast it ingests and searches. Made-up turns, beside numpy's exact cosine in the same run."""
    from aforesaid.bench import speed as measuring

    rows = []
    click.echo(measuring.HEADER, err=app.json)
    for row in measuring.measure_sizes(sizes):
        rows.append(row)
        click.echo(row, err=app.json)
    model = measuring.measure_model(model_turns) if model_turns else 0.0
    app.say(
        measuring.figures(rows, model), f"The default model embeds {model:.0f} such turns a second." if model else ""
    )


@verb("starts", "aforesaid bench starts --runs 5")
@click.option("--runs", type=click.IntRange(1), default=3, show_default=True, help="How often each is tried.")
@click.pass_obj
def starts(app: App, runs: int) -> None:
    """Measure how long a host waits. `mcp` and `hook` as processes, with no daemon, a new one and a running one."""
    from aforesaid.bench import starts as measuring
    from aforesaid.surfaces.formats import common as shown

    options = [part for name, value in app.arguments.items() for part in ("--set", f"{name}={value}")]
    rows = measuring.measure(runs, options)
    app.say([shown.plain(row) for row in rows], measuring.table(rows))


@verb("scoring", "aforesaid bench scoring")
@click.pass_obj
def scoring(app: App) -> None:
    """Measure what scoring costs. A thousand candidates through each profile's formulas, without a store."""
    from aforesaid.bench.scoring import costs

    found = dict(costs())
    app.say({"ms": found}, "\n".join(f"{name:<28} {cost:6.2f} ms" for name, cost in found.items()))


@verb("tokens", "aforesaid bench tokens notes.md")
@click.argument("files", nargs=-1, metavar="[FILES]...")
@click.pass_obj
def tokens(app: App, files: Sequence[str]) -> None:
    """Measure the token estimate. Against real tokenizers, on FILES or on texts of our own."""
    from aforesaid.bench.tokens import measure, table, texts_of
    from aforesaid.surfaces.formats import common as shown

    errors = list(measure(texts_of(files)))
    app.say([{**shown.plain(error), "error": error.error} for error in errors], table(errors).rstrip())


@dataclass(frozen=True, slots=True)
class _Options:
    """What `asked` reads."""

    paths: Sequence[str]
    form: str
    pool: int
    types: Sequence[str]
    fold: int | None
    without_fold: int | None
    limit_questions: int | None
    cache: str | None
    no_cache: bool
    per_question: IO[str] | None

    @property
    def choice(self) -> QuestionSelection:
        """Which questions count."""
        from aforesaid.bench.quality.choose import QuestionSelection

        return QuestionSelection(tuple(self.types), self.fold, self.without_fold, self.limit_questions)

    @property
    def cache_folder(self) -> Path | None:
        """Where vectors are kept; None for nowhere."""
        from aforesaid.bench.quality.vectors import default_folder

        if self.no_cache:
            return None
        return Path(self.cache).expanduser() if self.cache else default_folder()


def _reports(app: App, variants: Sequence[Variant], plan: Plan, options: _Options) -> list[QualityReport]:
    """Every file through every variant; all files are read before anything long begins."""
    from aforesaid.bench.quality.choose import choose
    from aforesaid.bench.quality.details import Details
    from aforesaid.bench.quality.formats import load
    from aforesaid.bench.quality.report import report
    from aforesaid.bench.quality.run import ready, run

    datasets = [load(Path(path), options.form, pool=options.pool) for path in options.paths]
    questions = [choose(dataset.questions, options.choice) for dataset in datasets]
    reports = []
    with ExitStack() as closing:
        prepared = ready(variants, partial(_settings, app), app.embedder, options.cache_folder)
        for variant in prepared:
            if variant.embedder is not None:
                closing.callback(variant.embedder.close)
        for dataset, here in zip(datasets, questions, strict=True):
            keep = Details(options.per_question, dataset.name) if options.per_question else None
            with progress(dataset.name) as move:
                reports.append(report(run(dataset, here, prepared, plan, keep=keep, progress=move)))
    return reports


def _settings(app: App, changed: Mapping[str, str]) -> Settings:
    """The settings in force, with a variant's own on top."""
    from aforesaid.settings import Settings

    return Settings.load(app.config, arguments={**app.arguments, **changed})


for command in (quality, ablation, stability, compaction, files, speed, starts, scoring, tokens):
    bench.add_command(command)
