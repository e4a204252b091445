"""`aforesaid demo`: the main features on a small invented conversation, from turns to a prompt."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import click

from aforesaid.surfaces.cli.app import App, progress
from aforesaid.surfaces.cli.options import command
from aforesaid.surfaces.formats import records as shown
from aforesaid.surfaces.formats.columns import pad, snippet, wrapped
from aforesaid.surfaces.formats.values import to_json
from aforesaid.surfaces.verbs.declare import View
from aforesaid.types import Context, IngestReport, Record, SearchResult, Turn

if TYPE_CHECKING:
    from aforesaid.memory import Memory

USER = "mara"
QUESTIONS = (
    ("What is her rent budget now?", "it was changed in June"),
    ("Why did the nightly job fail?", "among code, logs and a stack trace"),
    ("歯医者の予約はいつですか？", "“when is the dentist's appointment?”"),
)
TASK = "Which food is she allergic to?"
BUDGET_TOKENS = 300
EXAMPLES = 3
WIDEST = 100  # columns; longer lines are hard to read


@dataclass(frozen=True, slots=True)
class Tour:
    """The results of the demo, to be shown as text or as JSON."""

    report: IngestReport
    records: dict[str, Record]
    results: tuple[SearchResult, ...]
    context: Context
    ingest_seconds: float
    search_ms: float


@command("demo", "aforesaid demo")
@click.option("--keep", metavar="PATH", help="Keep the store in this file instead of a temporary folder.")
@click.pass_obj
def demo(app: App, keep: str | None) -> None:
    """Show the main features on an invented conversation. Gate, secrets, search, context."""
    from aforesaid.memory import Memory
    from aforesaid.sample import sample_turns

    settings, turns = app.settings(), sample_turns()
    now = max(turn.time for turn in turns if turn.time) + timedelta(days=1)
    with _place(keep) as path:
        embedder = app.embedder(settings)
        with Memory.open(path, embedder=embedder, settings=settings, tenant=app.tenant) as memory:
            tour = _tour(memory, turns, now)
    app.say(_data(tour, keep), _told(tour, keep, min(app.columns, WIDEST)))


@contextmanager
def _place(keep: str | None) -> Iterator[Path]:
    if keep is not None:
        yield Path(keep).expanduser()
        return
    with tempfile.TemporaryDirectory(prefix="aforesaid-demo-") as folder:
        yield Path(folder) / "memory.db"


def _tour(memory: Memory, turns: Sequence[Turn], now: datetime) -> Tour:
    with progress("Taking turns", len(turns)) as report:
        started = time.perf_counter()
        taken = memory.ingest(turns, user=USER, progress=report)
        ingest_seconds = time.perf_counter() - started
    results, waits = [], []
    for question, _ in QUESTIONS:
        started = time.perf_counter()
        results.append(memory.search(question, user=USER, now=now, limit=2))
        waits.append((time.perf_counter() - started) * 1000)
    context = memory.assemble(TASK, user=USER, budget_tokens=BUDGET_TOKENS, now=now)
    records = {record.id: record for record in memory.store.get([outcome.key for outcome in taken if outcome.key])}
    return Tour(taken, records, tuple(results), context, ingest_seconds, median(waits))


def _data(tour: Tour, keep: str | None) -> dict[str, Any]:
    return {
        "store": keep,
        "ingest": shown.ingest_json(tour.report, outcomes=True),
        "searches": [shown.search_json(result, View({"user": USER})) for result in tour.results],
        "context": to_json(tour.context),
        "turns_per_second": len(tour.report) / tour.ingest_seconds,
        "ms_per_search": tour.search_ms,
    }


def _told(tour: Tour, keep: str | None, columns: int) -> str:
    sections = [_opening(tour, columns), _gate(tour, columns), _secrets(tour, columns), _found(tour, columns),
                _context(tour, columns), _numbers(tour, columns)]  # fmt: skip
    if keep is not None:
        sections.append(
            f'The store is {keep}: try `aforesaid --store {keep} search "when does Lena land?" --user {USER}`.'
        )
    return "\n\n".join(sections)


def _title(text: str) -> str:
    return click.style(text, bold=True)


def _opening(tour: Tour, columns: int) -> str:
    lines = [_title("Mara moves from Porto to Kyoto") + f": {len(tour.report)} turns of an invented conversation."]
    off = tour.report.freshness.vector_off if tour.report.freshness else ""
    if off:
        lines.append(wrapped(f"The model is not here, so this goes on with words alone. {off}", columns))
    return "\n".join(lines)


def _gate(tour: Tour, columns: int) -> str:
    """The turns that scored highest and lowest at the gate."""
    judged = [outcome for outcome in tour.report if outcome.gate]
    judged.sort(key=lambda outcome: (-outcome.gate.score if outcome.gate else 0, outcome.id))
    admitted = [outcome for outcome in judged if outcome.gate and outcome.gate.decision == "admit"]
    others = [outcome for outcome in judged if outcome not in admitted]
    lines = [_title("1. What lasts") + f": of {len(judged)} turns by Mara the gate admits {len(admitted)}."]
    for title, chosen in (("admitted", admitted[:EXAMPLES]), ("refused", others[-EXAMPLES:])):
        for outcome in chosen:
            verdict = title if outcome.gate and outcome.gate.decision != "defer" else "deferred"
            lines += [f"   {pad(verdict, 8)}  {outcome.id}  {outcome.reason}",
                      "      " + snippet(tour.records[outcome.id].text, columns - 6)]  # fmt: skip
    lines += [f"   {pad(o.status, 8)}  {o.id}  {o.reason}" for o in tour.report if o.status == "skipped"]
    return "\n".join([*lines, "   Refused turns are kept and found as well; they are just not taken for knowledge."])


def _secrets(tour: Tour, columns: int) -> str:
    lines = [_title("2. Secrets") + " are replaced by a digest before anything is stored or embedded."]
    for outcome in tour.report:
        if outcome.redactions:
            said = snippet(tour.records[outcome.id].text, columns - 6, "secret")
            lines += [f"   redacted  {outcome.id}  {', '.join(outcome.redactions)}", f"      {said}"]
    return "\n".join(lines)


def _found(tour: Tour, columns: int) -> str:
    lines = [_title("3. Search") + " by meaning and by word, with reasons."]
    for result, (question, why) in zip(tour.results, QUESTIONS, strict=True):
        hits = [line for hit in shown.hits_text(result, columns - 3) for line in hit.splitlines()]
        lines += [f"   {question}  ({why})", *(f"   {line}".rstrip() for line in hits)]
    return "\n".join(lines).rstrip()


def _context(tour: Tour, columns: int) -> str:
    title = _title("4. A prompt's context") + f" in {BUDGET_TOKENS} tokens, for “{TASK}”"
    trace = shown.trace_text(tour.context, columns - 3, left_out=EXAMPLES)
    return "\n".join([title, wrapped(tour.context.text, columns, "   | "), wrapped(trace, 10 * columns, "   ")])


def _numbers(tour: Tour, columns: int) -> str:
    speed = f"{len(tour.report) / tour.ingest_seconds:.0f} turns/s in (the model's start included)"
    fresh = tour.report.freshness.line if tour.report.freshness else ""
    return _title("5. In numbers") + f": {speed}, {tour.search_ms:.0f} ms a search;\n{wrapped(fresh, columns, '   ')}."
