"""`aforesaid demo`: the main features on a small invented conversation, from turns to a prompt."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
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
FOURTH = "4. A prompt's context"
WIDEST = 100  # columns; longer lines are hard to read


@dataclass(frozen=True, slots=True)
class DemoResult:
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
    with tempfile.TemporaryDirectory(prefix="aforesaid-demo-") as folder:
        path = Path(keep).expanduser() if keep else Path(folder) / "memory.db"
        embedder = app.embedder(settings)
        with Memory.open(path, embedder=embedder, settings=settings, tenant=app.tenant) as memory:
            found = _run(memory, turns, now)
    app.say(_json(found, keep), "\n\n".join(_sections(found, keep, min(app.columns, WIDEST))))


def _run(memory: Memory, turns: Sequence[Turn], now: datetime) -> DemoResult:
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
    return DemoResult(taken, records, tuple(results), context, ingest_seconds, median(waits))


def _json(found: DemoResult, keep: str | None) -> dict[str, Any]:
    return {
        "store": keep,
        "ingest": shown.ingest_json(found.report, outcomes=True),
        "searches": [shown.search_json(result, View({"user": USER})) for result in found.results],
        "context": to_json(found.context),
        "turns_per_second": len(found.report) / found.ingest_seconds,
        "ms_per_search": found.search_ms,
    }


def _sections(found: DemoResult, keep: str | None, columns: int) -> Iterator[str]:
    """The parts of the text, each with its title."""
    off = found.report.freshness.vector_off if found.report.freshness else ""
    without = f"\n{wrapped(f'The model is not here, so this goes on with words alone. {off}', columns)}" if off else ""
    yield f"{_title('Mara moves from Porto to Kyoto')}: {len(found.report)} turns of an invented conversation.{without}"
    yield _gate(found, columns)
    yield _secrets(found, columns)
    yield _hits(found, columns)
    title = f"{_title(FOURTH)} in {BUDGET_TOKENS} tokens, for “{TASK}”"
    trace = shown.trace_text(found.context, columns - 3, left_out=EXAMPLES)
    yield "\n".join([title, wrapped(found.context.text, columns, "   | "), wrapped(trace, 10 * columns, "   ")])
    speed = f"{len(found.report) / found.ingest_seconds:.0f} turns/s in (with the start of the model)"
    fresh = wrapped(found.report.freshness.line if found.report.freshness else "", columns, "   ")
    yield f"{_title('5. In numbers')}: {speed}, {found.search_ms:.0f} ms a search;\n{fresh}."
    if keep is not None:
        yield f'The store is {keep}: try `aforesaid --store {keep} search "when does Lena land?" --user {USER}`.'


def _title(text: str) -> str:
    return click.style(text, bold=True)


def _gate(found: DemoResult, columns: int) -> str:
    """The turns with the highest and the lowest scores of the gate."""
    judged = [(outcome, outcome.gate) for outcome in found.report if outcome.gate]
    judged.sort(key=lambda pair: (-pair[1].score, pair[0].id))
    admitted = [pair for pair in judged if pair[1].decision == "admit"]
    others = [pair for pair in judged if pair[1].decision != "admit"]
    lines = [f"{_title('1. What lasts')}: of {len(judged)} turns by Mara the gate admits {len(admitted)}."]
    for outcome, gate in (*admitted[:EXAMPLES], *others[-EXAMPLES:]):
        lines += [f"   {pad(shown.DECISIONS[gate.decision], 8)}  {outcome.id}  {outcome.reason}",
                  "      " + snippet(found.records[outcome.id].text, columns - 6)]  # fmt: skip
    lines += [f"   {pad(o.status, 8)}  {o.id}  {o.reason}" for o in found.report if o.status == "skipped"]
    return "\n".join([*lines, "   Refused turns are stored and found too; they just do not count as knowledge."])


def _secrets(found: DemoResult, columns: int) -> str:
    lines = [f"{_title('2. Secrets')} are replaced by a digest before anything is stored or embedded."]
    for outcome in found.report:
        if outcome.redactions:
            text = snippet(found.records[outcome.id].text, columns - 6, "secret")
            lines += [f"   redacted  {outcome.id}  {', '.join(outcome.redactions)}", f"      {text}"]
    return "\n".join(lines)


def _hits(found: DemoResult, columns: int) -> str:
    lines = [f"{_title('3. Search')} by meaning and by word, with reasons."]
    for result, (question, why) in zip(found.results, QUESTIONS, strict=True):
        hits = [line for hit in shown.hits_text(result, columns - 3) for line in hit.splitlines()]
        lines += [f"   {question}  ({why})", *(f"   {line}".rstrip() for line in hits)]
    return "\n".join(lines).rstrip()
