"""`aforesaid bench`: quality and speed on your own machine and with your own files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aforesaid.surfaces.cli.app import App, progress
from aforesaid.surfaces.cli.options import USER_HELP, command, moment
from aforesaid.surfaces.formats.report import report_text
from aforesaid.surfaces.formats.values import to_json

if TYPE_CHECKING:
    from aforesaid.bench.quality.report import QualityReport
    from aforesaid.bench.quality.run import Plan, QuestionResult
    from aforesaid.bench.quality.types import Corpus
    from aforesaid.bench.quality.variants import Variant
    from aforesaid.bench.quality.vectors import CachedEmbedder
    from aforesaid.settings import Settings
    from aforesaid.types import Kind, SearchResult

ALWAYS_KS = {5, 10}  # the cutoffs that every table shows

Decorator = Callable[[Any], Any]


def whole(flag: str, text: str, default: int | None = None, least: int = 1, most: int | None = None) -> Decorator:
    """An option with a whole number."""
    span = click.IntRange(least, most)
    return click.option(flag, type=span, default=default, show_default=default is not None, metavar="N", help=text)


def numbers(flag: str, text: str, default: str) -> Decorator:
    """An option with whole numbers separated by commas, smallest first; 0 stands for none."""
    return click.option(flag, type=_numbers, default=default, show_default=True, metavar="N,N…", help=text)


def _numbers(value: str) -> tuple[int, ...]:
    try:
        found = sorted({int(part) for part in value.split(",")} - {0})
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list of numbers like 5,10,20.") from None
    if any(number < 0 for number in found):
        raise click.BadParameter("numbers cannot be negative.")
    return tuple(found)


QUESTION_OPTIONS: tuple[Decorator, ...] = (
    click.argument("paths", nargs=-1, required=True, metavar="PATH..."),
    whole("--pool", "LongMemEval: fill each haystack up to N sessions with sessions of other questions.", 0, 0),
    click.option("--types", multiple=True, metavar="TYPE", help="Only this type; may be repeated."),
    whole("--fold", "Only this fold, of 0 to 4.", least=0, most=4),
    whole("--without-fold", "All but this fold.", least=0, most=4),
    whole("--limit-questions", "At most N questions a file, each type in proportion."),
    click.option("--cache", metavar="DIR", help="The folder for cached vectors.  [default: the user's cache]"),
    click.option("--no-cache", is_flag=True, help="Do not cache vectors."),
    click.option("--per-question", type=click.File("w", encoding="utf-8", lazy=False), metavar="FILE",
                 help="Write every answer as a line of JSON: ranks, missed records, and the texts."),
    click.option("--variant", "variants", multiple=True, metavar="NAME",
                 help="A variant of the ablation's table; may be repeated."),
)  # fmt: skip
CONVERSATION_OPTIONS: tuple[Decorator, ...] = (
    click.argument("path", metavar="PATH"),
    whole("--conversations", "Use at most this many of the file.", 10),
)


def options(decorators: Sequence[Decorator]) -> Decorator:
    """Several options at once."""

    def decorate(function: Any) -> Any:
        for each in reversed(decorators):
            function = each(function)
        return function

    return decorate


@click.group()
def bench() -> None:
    """Measure quality and speed."""


@command(
    "quality",
    "aforesaid bench quality locomo10.json --limit-questions 50\n"
    "  aforesaid bench quality longmemeval_s.json --pool 500 --profile default --profile pce",
)
@options(QUESTION_OPTIONS)
@click.option("--profile", "profiles", multiple=True, metavar="NAME", help="A ranking profile; may be repeated.")
@numbers("--k", "Cutoffs; 5 and 10 are always included.", "5,10,20")
@numbers("--budgets", "Tokens; 0: none.", "1000,2000,4000,8000")
@whole("--limit", "Hits to request.", 50)
@click.pass_obj
def quality(
    app: App, /, profiles: Sequence[str], variants: Sequence[str], k: tuple[int, ...], budgets: tuple[int, ...],
    limit: int, **chosen: Any,
) -> None:  # fmt: skip
    """Measure retrieval on public question sets. Recall by turn and session, answers inside a token budget, speed.

    PATH is a file or folder of LongMemEval, LoCoMo, SQuAD, BEIR or BEAM as published; .gz and .xz work too.
    --set changes a setting for every variant.
    """
    from aforesaid.bench.quality.run import Plan
    from aforesaid.bench.quality.variants import Variant, named
    from aforesaid.surfaces.formats.bench import quality_text

    ranked = profiles or (() if variants else ("default",))
    by_name = {variant.name: variant for variant in (*(Variant(name, name) for name in ranked), *named(variants))}
    cutoffs = tuple(sorted(ALWAYS_KS.union(k)))
    plan = Plan(cutoffs, budgets, max(limit, *cutoffs))
    reports = _reports(app, tuple(by_name.values()), plan, chosen)
    app.say(to_json(reports), "\n\n\n".join(map(quality_text, reports)))


@command("ablation", "aforesaid bench ablation locomo10.json > tables.md")
@options(QUESTION_OPTIONS)
@click.pass_obj
def ablation(app: App, /, variants: Sequence[str], **chosen: Any) -> None:
    """Compare variants of the ranking. Prints Markdown tables with the difference of each to the default."""
    from aforesaid.bench.quality.run import Plan
    from aforesaid.bench.quality.variants import VARIANTS, named
    from aforesaid.surfaces.formats.bench import ablation_text

    names = dict.fromkeys(variant.name for variant in (VARIANTS[0], *(named(variants) if variants else VARIANTS)))
    reports = _reports(app, named(list(names)), Plan(budgets=()), chosen)
    app.say(to_json(reports), ablation_text(reports))


@command("stability", "aforesaid bench stability locomo10.json --budgets 1000,2000")
@options(CONVERSATION_OPTIONS)
@whole("--turns", "Turns in a session.", 50, 2)
@numbers("--budgets", "Token budgets.", "1000,2000,4000")
@click.pass_obj
def stability(app: App, path: str, conversations: int, turns: int, budgets: tuple[int, ...]) -> None:
    """Measure how much of a prompt stays the same. Replays sessions turn by turn, compared with a plain context."""
    from aforesaid.bench.quality.load import load
    from aforesaid.bench.stability import measure

    corpora = list(load(Path(path)).corpora.values())[:conversations]
    settings = app.settings()
    with _cached(app, settings) as embedder:
        app.say([measure(corpora, embedder, settings, turns, budget) for budget in budgets])


@command("compaction", "aforesaid bench compaction locomo10.json")
@options(CONVERSATION_OPTIONS)
@numbers("--growth", "Session lengths to measure; 0: none.", "500,1000,2000,4000")
@click.pass_obj
def compaction(app: App, path: str, conversations: int, growth: tuple[int, ...]) -> None:
    """Measure the quality of summaries. Alignment, coverage, compression, surviving facts; and the cost a turn.

    Where the file has written summaries of its sessions (LoCoMo), also how well the preservation gate tells them from
    others.
    """
    from aforesaid.bench import compaction as measuring
    from aforesaid.bench.preservation import measure_gate
    from aforesaid.bench.quality.load import load

    dataset = load(Path(path))
    some = replace(dataset, corpora=dict(list(dataset.corpora.items())[:conversations]))
    settings = measuring.without_tail(app.settings())
    with _cached(app, settings) as embedder, progress("Summarising") as move:
        report = measuring.measure(some, embedder, settings, move)
        gate = measure_gate(some, embedder, settings) if embedder is not None else []
    app.say({**report, "gate": gate, "growth": measuring.measure_growth(growth)})


@command("files", "aforesaid bench files --notes 10000")
@whole("--notes", "Number of invented notes.", 10_000, 10)
@whole("--model-texts", "Chunks to embed with the model; 0: none.", 64, 0)
@click.pass_obj
def files(app: App, notes: int, model_texts: int) -> None:
    """Measure the speed of indexing notes. Compared with reading and embedding alone; and how soon an edit is found."""
    from aforesaid.bench import files as measuring

    with progress("Indexing") as move:
        app.say(measuring.measure(notes, app.embedder(app.settings()) if model_texts else None, move, model_texts))


@command("own", "aforesaid bench own --user ana --store memory.db")
@click.option("--user", envvar="AFORESAID_USER", metavar="NAME", help=USER_HELP)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    default=("claim",),
    show_default=True,
    metavar="KIND",
    help="The kind of records to ask about; may be repeated.",
)
@click.option("--profile", default="pce", show_default=True, metavar="NAME", help="A ranking profile.")
@click.option(
    "--split",
    type=click.Choice(("valid", "test")),
    default="test",
    show_default=True,
    help="Use valid while you change settings.",
)
@whole("--seed", "Another seed splits differently.", 0, least=0)
@whole("--queries", "At most this many queries.", 200)
@click.option("--now", type=moment, metavar="TIME", help="Count ages from this time.  [default: the clock]")
@click.pass_context
def own(ctx: click.Context, /, kinds: tuple[Kind, ...], queries: int, **chosen: Any) -> None:
    """Measure retrieval on your own records. Splits them 8:1:1 and asks for pieces of the held-out ones.

    Recall@12, nDCG@12, the time of `activate` and the share of searches that fell back, each with the line that it must
    reach. It works on a temporary copy. Exits with 1 when a figure fails.
    """
    from aforesaid.bench.own import OwnPlan, measure
    from aforesaid.surfaces.formats.bench import own_text

    app = ctx.ensure_object(App)
    embedder = app.embedder(app.settings())
    with app.open(existing=True) as memory, progress("Asking") as move:
        report = measure(memory, embedder, OwnPlan(kinds=kinds, most=queries, **chosen), move)
    app.say(to_json(report), own_text(report))
    if not report.passed:
        ctx.exit(1)


@command("trust", "aforesaid bench trust locomo10.json --limit-questions 200")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@whole("--limit-questions", "At most N questions a file, each type in proportion.")
@click.option("--contexts/--no-contexts", default=True, help="Build a context for every question too; slower.")
@click.option("--fit", is_flag=True, help="Also fit the weights of the confidence anew, and print them.")
@click.pass_obj
def trust(app: App, paths: Sequence[str], limit_questions: int | None, contexts: bool, fit: bool) -> None:
    """Measure whether answers can be trusted. Asks questions also where their answer is not.

    Every question is asked of its own conversation, of the same one with its evidence hidden, and of another one. Shows
    how well the confidence tells them apart and whether it is calibrated, how often the newest version of a changed
    fact comes first, and how many tokens a context takes.
    """
    from aforesaid.bench import trust as bench_trust
    from aforesaid.bench.quality.load import load
    from aforesaid.bench.quality.types import choose
    from aforesaid.surfaces.formats.bench import fit_text, trust_text

    datasets = [load(Path(path)) for path in paths]
    settings = app.settings()
    asked = []
    with _cached(app, settings) as embedder:
        for dataset in datasets:
            questions = choose(dataset.questions, limit=limit_questions)
            with progress(dataset.name) as move:
                asked += bench_trust.measure(dataset, questions, embedder, settings, move, contexts=contexts)
    names = [dataset.name for dataset in datasets]
    reports = [bench_trust.report(name, [each for each in asked if each.dataset == name]) for name in names]
    models = bench_trust.fit(asked) if fit else {}
    text = trust_text(reports) + (f"\n\n{fit_text(models)}" if fit else "")
    app.say(to_json({"reports": reports, **({"models": models} if fit else {})}), text)


@command("readers", "aforesaid bench readers locomo10.json")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.pass_context
def readers(ctx: click.Context, paths: Sequence[str]) -> None:
    """Measure the readers of text. Finds, crashes and time of each on the messages and questions of question sets.

    Exits with 1 when a reader raised an exception.
    """
    from aforesaid.bench.quality.load import load
    from aforesaid.bench.readers import measure

    rows = [row for path in paths for row in measure(load(Path(path)))]
    ctx.ensure_object(App).say(rows)
    if any(row["crashes"] for row in rows):
        ctx.exit(1)


@command("secrets", "aforesaid bench secrets tests/samples/secrets/heldout.txt")
@click.argument("paths", nargs=-1, required=True, metavar="FILE...", type=click.Path(exists=True, path_type=Path))
@click.pass_context
def secrets(ctx: click.Context, paths: Sequence[Path]) -> None:
    """Measure the reader of secrets on labelled texts. Recall, precision, and every text that it gets wrong.

    A file has one text a line, with each secret between ⟦ and ⟧.
    """
    from aforesaid.bench.labelled_secrets import measure

    ctx.ensure_object(App).say(list(measure(paths)))


@command("speed", "aforesaid bench speed --sizes 1000,10000")
@numbers("--sizes", "Numbers of turns in the store.", "1000,10000,100000")
@whole("--model-turns", "Texts to embed with the model; 0: none.", 200, 0)
@click.pass_obj
def speed(app: App, sizes: tuple[int, ...], model_turns: int) -> None:
    """Measure the speed of ingest and search. Uses invented turns; compares with exact cosine in numpy."""
    from aforesaid.bench import speed as measuring

    rows = []
    for size in sizes:
        rows.append(measuring.measure(size))
        click.echo(report_text(rows[-1], app.columns) + "\n", err=app.json)
    model = measuring.measure_model(model_turns) if model_turns else 0.0
    text = f"The default model embeds {model:.0f} such turns a second." if model else ""
    app.say({"rows": rows, "model_turns_per_second": model}, text)


@command("starts", "aforesaid bench starts --runs 5")
@whole("--runs", "How often each is measured.", 3)
@click.pass_obj
def starts(app: App, runs: int) -> None:
    """Measure the start-up time. `mcp` and `hook` as processes, with no daemon, a new one and a running one."""
    from aforesaid.bench import starts as measuring

    given = [part for name, value in app.arguments.items() for part in ("--set", f"{name}={value}")]
    app.say(measuring.measure(runs, given))


@command("scoring", "aforesaid bench scoring")
@click.pass_obj
def scoring(app: App) -> None:
    """Measure the cost of scoring. A thousand candidates with the formulas of each profile, without a store."""
    from aforesaid.bench.scoring import costs

    found = dict(costs())
    app.say({"ms": found}, "ms for 1,000 candidates\n" + report_text(found, app.columns))


@command("tokens", "aforesaid bench tokens notes.md")
@click.argument("files", nargs=-1, metavar="[FILES]...")
@click.pass_obj
def tokens(app: App, files: Sequence[str]) -> None:
    """Measure the token estimate. Compares it with real tokenizers, on FILES or on built-in texts."""
    from aforesaid.bench.tokens import measure, texts_of

    app.say(measure(texts_of(files)))


def _reports(app: App, variants: Sequence[Variant], plan: Plan, chosen: Mapping[str, Any]) -> list[QualityReport]:
    """Run every file through every variant. All files are read first, so that a bad one fails early."""
    from aforesaid.bench.quality.load import load
    from aforesaid.bench.quality.report import details, report
    from aforesaid.bench.quality.run import ready, run
    from aforesaid.bench.quality.types import choose
    from aforesaid.bench.quality.vectors import default_folder

    datasets = [load(Path(path), pool=chosen["pool"]) for path in chosen["paths"]]
    choice = {name: chosen[name] for name in ("types", "fold", "without_fold")}
    questions = [choose(dataset.questions, **choice, limit=chosen["limit_questions"]) for dataset in datasets]
    cache = Path(chosen["cache"]).expanduser() if chosen["cache"] else default_folder()
    stream = chosen["per_question"]

    def settings(changed: Mapping[str, str]) -> Settings:
        return replace(app, arguments={**app.arguments, **changed}).settings()

    reports = []
    with ExitStack() as stack:
        prepared = ready(variants, settings, app.embedder, None if chosen["no_cache"] else cache)
        for variant in prepared:
            if variant.embedder is not None:
                stack.callback(variant.embedder.close)
        for dataset, here in zip(datasets, questions, strict=True):

            def keep(corpus: Corpus, result: QuestionResult, hits: SearchResult, name: str = dataset.name) -> None:
                if stream:
                    stream.write(json.dumps(details(name, corpus, result, hits), ensure_ascii=False) + "\n")

            with progress(dataset.name) as move:
                reports.append(report(run(dataset, here, prepared, plan, keep=keep, progress=move)))
    return reports


@contextmanager
def _cached(app: App, settings: Settings) -> Iterator[CachedEmbedder | None]:
    """The embedder with a cache of vectors."""
    from aforesaid.bench.quality.vectors import CachedEmbedder, default_folder

    embedder = app.embedder(settings)
    if embedder is None:
        yield None
        return
    with closing(CachedEmbedder(embedder, default_folder(), f"max_tokens={settings.embed.max_tokens}")) as cached:
        yield cached


for each in (
    quality, ablation, own, trust, readers, secrets, stability, compaction, files, speed, starts, scoring, tokens,
):  # fmt: skip
    bench.add_command(each)
