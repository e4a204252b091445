"""`aforesaid bench stability`, `compaction`, `files` and `readers`: long sessions, notes, and readers of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aforesaid.surfaces.cli.app import App, progress
from aforesaid.surfaces.cli.options import command, numbers
from aforesaid.surfaces.formats.columns import figures_text

if TYPE_CHECKING:
    from aforesaid.bench.quality.vectors import CachedEmbedder
    from aforesaid.settings import Settings

PATH = click.argument("path", metavar="PATH")
CONVERSATIONS = click.option(
    "--conversations", type=click.IntRange(1), default=10, show_default=True, help="Use at most this many of the file."
)


@contextmanager
def _cached(app: App, settings: Settings) -> Iterator[CachedEmbedder | None]:
    """The embedder with a cache of vectors."""
    from aforesaid.bench.quality.vectors import CachedEmbedder, default_folder

    embedder = app.embedder(settings)
    if embedder is None:
        yield None
        return
    cached = CachedEmbedder(embedder, default_folder(), f"max_tokens={settings.embed.max_tokens}")
    try:
        yield cached
    finally:
        cached.close()


@command("stability", "aforesaid bench stability locomo10.json --budgets 1000,2000")
@PATH
@CONVERSATIONS
@click.option("--turns", type=click.IntRange(2), default=50, show_default=True, help="Turns in a session.")
@click.option("--budgets", type=numbers, default="1000,2000,4000", show_default=True, help="Token budgets.")
@click.pass_obj
def stability(app: App, path: str, conversations: int, turns: int, budgets: tuple[int, ...]) -> None:
    """Measure how much of a prompt stays the same. Replays sessions turn by turn, compared with a plain context."""
    from aforesaid.bench.quality.load import load
    from aforesaid.bench.stability import measure

    corpora = list(load(Path(path)).corpora.values())[:conversations]
    settings = app.settings()
    with _cached(app, settings) as embedder:
        rows = [measure(corpora, embedder, settings, turns, budget) for budget in budgets]
    app.say(rows, figures_text(rows))


@command("compaction", "aforesaid bench compaction locomo10.json")
@PATH
@CONVERSATIONS
@click.option(
    "--growth",
    type=numbers,
    default="500,1000,2000,4000",
    show_default=True,
    help="Session lengths to measure; 0: none.",
)
@click.pass_obj
def compaction(app: App, path: str, conversations: int, growth: tuple[int, ...]) -> None:
    """Measure the quality of summaries. Alignment, coverage, compression, surviving facts; and the cost a turn."""
    from dataclasses import replace

    from aforesaid.bench import compaction as measuring
    from aforesaid.bench.quality.load import load

    dataset = load(Path(path))
    some = replace(dataset, corpora=dict(list(dataset.corpora.items())[:conversations]))
    settings = measuring.without_tail(app.settings())
    with _cached(app, settings) as embedder, progress("Summarising") as move:
        report = measuring.measure(some, embedder, settings, move)
    rows = measuring.measure_growth(growth)
    text = "\n\n".join(figures_text(part) for part in ([report], rows) if part)
    app.say({**report, "growth": rows}, text)


@command("files", "aforesaid bench files --notes 10000")
@click.option("--notes", type=click.IntRange(10), default=10_000, show_default=True, help="Number of invented notes.")
@click.option(
    "--model-texts",
    type=click.IntRange(0),
    default=64,
    show_default=True,
    help="Chunks to embed with the model; 0: none.",
)
@click.pass_obj
def files(app: App, notes: int, model_texts: int) -> None:
    """Measure the speed of indexing notes. Compared with reading and embedding alone; and how soon an edit is found."""
    from aforesaid.bench import files as measuring

    with progress("Indexing") as move:
        row = measuring.measure(notes, app.embedder(app.settings()) if model_texts else None, move, model_texts)
    app.say(row, figures_text([row]))


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
    ctx.obj.say(rows, figures_text(rows))
    if any(row["crashes"] for row in rows):
        ctx.exit(1)
