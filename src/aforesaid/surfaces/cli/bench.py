"""`aforesaid bench`: quality and speed on your own machine and with your own files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aforesaid.surfaces.cli.app import App, progress
from aforesaid.surfaces.cli.bench_context import compaction, files, readers, stability
from aforesaid.surfaces.cli.options import F, command, numbers
from aforesaid.surfaces.formats.columns import figures_text
from aforesaid.surfaces.formats.values import to_json

if TYPE_CHECKING:
    from aforesaid.bench.quality.report import QualityReport
    from aforesaid.bench.quality.run import Plan, QuestionResult
    from aforesaid.bench.quality.types import Corpus
    from aforesaid.bench.quality.variants import Variant
    from aforesaid.settings import Settings
    from aforesaid.types import SearchResult

ALWAYS_KS = {5, 10}  # the cutoffs that every table shows


@click.group()
def bench() -> None:
    """Measure quality and speed."""


def question_options(function: F) -> F:
    """Options that choose the files and their questions."""
    for decorate in reversed(
        (
            click.argument("paths", nargs=-1, required=True, metavar="PATH..."),
            click.option("--pool", type=click.IntRange(0), default=0, metavar="N",
                         help="LongMemEval: fill each haystack up to N sessions with sessions of other questions."),
            click.option("--types", multiple=True, metavar="TYPE", help="Only this type; may be repeated."),
            click.option("--fold", type=click.IntRange(0, 4), metavar="0-4", help="Only this fold."),
            click.option("--without-fold", type=click.IntRange(0, 4), metavar="0-4", help="All but this fold."),
            click.option("--limit-questions", type=click.IntRange(1), metavar="N",
                         help="At most N questions a file, each type in proportion."),
            click.option("--cache", metavar="DIR", help="The folder for cached vectors.  [default: the user's cache]"),
            click.option("--no-cache", is_flag=True, help="Do not cache vectors."),
            click.option("--per-question", type=click.File("w", encoding="utf-8", lazy=False), metavar="FILE",
                         help="Write every answer as a line of JSON: ranks, missed records, and the texts."),
        )
    ):  # fmt: skip
        function = decorate(function)
    return function


VARIANT = click.option(
    "--variant", "variants", multiple=True, metavar="NAME", help="A variant of the ablation's table; may be repeated."
)


@command(
    "quality",
    "aforesaid bench quality locomo10.json --limit-questions 50\n"
    "  aforesaid bench quality longmemeval_s.json --pool 500 --profile default --profile pce",
)
@question_options
@click.option("--profile", "profiles", multiple=True, metavar="NAME", help="A ranking profile; may be repeated.")
@VARIANT
@click.option(
    "--k", "ks", type=numbers, default="5,10,20", show_default=True, help="Cutoffs; 5 and 10 are always included."
)
@click.option("--budgets", type=numbers, default="1000,2000,4000,8000", show_default=True, help="Tokens; 0: none.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="Hits to request.")
@click.pass_obj
def quality(
    app: App,
    /,
    profiles: Sequence[str],
    variants: Sequence[str],
    ks: tuple[int, ...],
    budgets: tuple[int, ...],
    limit: int,
    **options: Any,
) -> None:
    """Measure retrieval on public question sets. Recall by turn and session, answers inside a token budget, speed.

    PATH is a file or folder of LongMemEval, LoCoMo, SQuAD, BEIR or BEAM as published; .gz and .xz work too.
    --set changes a setting for every variant.
    """
    from aforesaid.bench.quality.run import Plan
    from aforesaid.bench.quality.variants import Variant, named
    from aforesaid.surfaces.formats.bench import quality_text

    ranked = profiles or (() if variants else ("default",))
    chosen = {variant.name: variant for variant in (*(Variant(name, name) for name in ranked), *named(variants))}
    cutoffs = tuple(sorted(ALWAYS_KS.union(ks)))
    plan = Plan(cutoffs, budgets, max(limit, *cutoffs))
    reports = _reports(app, tuple(chosen.values()), plan, options)
    app.say([to_json(report) for report in reports], "\n\n\n".join(map(quality_text, reports)))


@command("ablation", "aforesaid bench ablation locomo10.json --write docs/benchmarks.md")
@question_options
@VARIANT
@click.option("--write", metavar="PAGE", help="Write the tables between the marks of this Markdown page.")
@click.pass_obj
def ablation(app: App, /, variants: Sequence[str], write: str | None, **options: Any) -> None:
    """Compare variants of the ranking. Shows the difference of each to the default."""
    from aforesaid.bench.quality.run import Plan
    from aforesaid.bench.quality.variants import VARIANTS, named
    from aforesaid.surfaces.formats.bench import ablation_markdown, ablation_text, check_marks, write_between

    if write is not None:
        check_marks(Path(write))
    chosen = dict.fromkeys(variant.name for variant in (VARIANTS[0], *(named(variants) if variants else VARIANTS)))
    reports = _reports(app, named(list(chosen)), Plan(budgets=()), options)
    if write is not None:
        write_between(Path(write), ablation_markdown(reports))
    app.say([to_json(report) for report in reports], ablation_text(reports))


@command("speed", "aforesaid bench speed --sizes 1000,10000")
@click.option(
    "--sizes", type=numbers, default="1000,10000,100000", show_default=True, help="Numbers of turns in the store."
)
@click.option(
    "--model-turns",
    type=click.IntRange(0),
    default=200,
    show_default=True,
    help="Texts to embed with the model; 0: none.",
)
@click.pass_obj
def speed(app: App, sizes: tuple[int, ...], model_turns: int) -> None:
    """Measure the speed of ingest and search. Uses invented turns; compares with exact cosine in numpy."""
    from aforesaid.bench import speed as measuring

    rows = []
    for size in sizes:
        rows.append(measuring.measure(size))
        click.echo(figures_text(rows[-1:]) + "\n", err=app.json)
    model = measuring.measure_model(model_turns) if model_turns else 0.0
    text = f"The default model embeds {model:.0f} such turns a second." if model else ""
    app.say({"rows": rows, "model_turns_per_second": model}, text)


@command("starts", "aforesaid bench starts --runs 5")
@click.option("--runs", type=click.IntRange(1), default=3, show_default=True, help="How often each is measured.")
@click.pass_obj
def starts(app: App, runs: int) -> None:
    """Measure the start-up time. `mcp` and `hook` as processes, with no daemon, a new one and a running one."""
    from aforesaid.bench import starts as measuring

    options = [part for name, value in app.arguments.items() for part in ("--set", f"{name}={value}")]
    rows = measuring.measure(runs, options)
    app.say(rows, figures_text(rows))


@command("scoring", "aforesaid bench scoring")
@click.pass_obj
def scoring(app: App) -> None:
    """Measure the cost of scoring. A thousand candidates with the formulas of each profile, without a store."""
    from aforesaid.bench.scoring import costs

    found = dict(costs())
    app.say({"ms": found}, "ms for 1,000 candidates\n" + figures_text([found]))


@command("tokens", "aforesaid bench tokens notes.md")
@click.argument("files", nargs=-1, metavar="[FILES]...")
@click.pass_obj
def tokens(app: App, files: Sequence[str]) -> None:
    """Measure the token estimate. Compares it with real tokenizers, on FILES or on built-in texts."""
    from aforesaid.bench.tokens import measure, texts_of

    rows = measure(texts_of(files))
    app.say(rows, figures_text(rows))


def _reports(app: App, variants: Sequence[Variant], plan: Plan, options: Mapping[str, Any]) -> list[QualityReport]:
    """Run every file through every variant. All files are read first, so that a bad one fails early."""
    from aforesaid.bench.quality.load import load
    from aforesaid.bench.quality.report import details, report
    from aforesaid.bench.quality.run import ready, run
    from aforesaid.bench.quality.types import choose
    from aforesaid.bench.quality.vectors import default_folder

    datasets = [load(Path(path), pool=options["pool"]) for path in options["paths"]]
    choice = {name: options[name] for name in ("types", "fold", "without_fold")}
    questions = [choose(dataset.questions, **choice, limit=options["limit_questions"]) for dataset in datasets]
    cache = Path(options["cache"]).expanduser() if options["cache"] else default_folder()
    stream = options["per_question"]
    reports = []
    with ExitStack() as closing:
        prepared = ready(variants, partial(_settings, app), app.embedder, None if options["no_cache"] else cache)
        for variant in prepared:
            if variant.embedder is not None:
                closing.callback(variant.embedder.close)
        for dataset, here in zip(datasets, questions, strict=True):

            def keep(corpus: Corpus, result: QuestionResult, hits: SearchResult, name: str = dataset.name) -> None:
                if stream:
                    stream.write(json.dumps(details(name, corpus, result, hits), ensure_ascii=False) + "\n")

            with progress(dataset.name) as move:
                reports.append(report(run(dataset, here, prepared, plan, keep=keep, progress=move)))
    return reports


def _settings(app: App, changed: Mapping[str, str]) -> Settings:
    """The current settings, changed by those of a variant."""
    from aforesaid.settings import Settings

    return Settings.load(app.config, arguments={**app.arguments, **changed})


for each in (quality, ablation, readers, stability, compaction, files, speed, starts, scoring, tokens):
    bench.add_command(each)
