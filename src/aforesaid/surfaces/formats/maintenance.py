"""The store as a whole: counts, problems, imports, receipts of deletion and the audit log as JSON and text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, one_line, table, visible
from aforesaid.surfaces.formats.records import counted, next_page, size, stamp
from aforesaid.surfaces.formats.values import to_json
from aforesaid.types import Event

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.deletion.forget import Receipt
    from aforesaid.governance.audit import AuditReport
    from aforesaid.importers.report import FileReport, Intake
    from aforesaid.maintenance.export import ImportReport
    from aforesaid.store.protocols import Problem
    from aforesaid.surfaces.verbs.declare import View

MOST_TRACES = 10  # places shown of those where something was found
LISTED_FILES = 30  # with something new, or that failed
LISTED_PROBLEMS = 20
QUIET = ("unchanged", "left")  # states of files that are only counted
SUBJECT_COLUMNS = 28


# Counts and problems


def stats_json(found: Mapping[str, Any], view: View) -> dict[str, Any]:
    """What a store holds."""
    return {"store": view.store, "tenant": view.tenant, **to_json(found["stats"]), "spaces": to_json(found["spaces"])}


def stats_text(found: Mapping[str, Any], view: View) -> str:
    """What a store holds, one thing a line."""
    stats, spaces = found["stats"], found["spaces"]
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(stats.kinds.items()))
    rows = [
        ("store", view.store),
        ("tenant", view.tenant),
        ("records", f"{stats.records:,}{f' ({kinds})' if kinds else ''}"),
        ("vectors", f"{stats.vectors:,}{f', {stats.pending:,} missing' if stats.pending else ''}"),
        *(("embedder", f"{s.name}, {s.dimensions} dimensions{'' if s.active else ' (not active)'}") for s in spaces),
        ("edges", f"{stats.edges:,}"),
        ("events", f"{stats.events:,}"),
        ("on disk", size(stats.bytes_on_disk)),
        ("schema", str(stats.schema)),
    ]
    return "\n".join(table(rows))


def reindex_text(found: Mapping[str, Any], view: View) -> str:
    """How many vectors were made, and by which model."""
    name = found["spaces"][0].name if found["spaces"] else "nothing"
    return f"embedded {counted(found['embedded'], 'record')} with {name}"


def problems_text(problems: Sequence[Problem], records: int) -> str:
    """What `verify` found."""
    if not problems:
        return f"no problems in {counted(records, 'record')}"
    lines = [f"{'mended' if item.mended else 'problem'}: {item.what} ({item.where})" for item in problems]
    left = sum(not item.mended for item in problems)
    return "\n".join([*lines, f"{counted(len(problems), 'problem')}, {len(problems) - left} mended, {left} left"])


def problems_note(found: Mapping[str, Any], view: View) -> str:
    """What to do about the problems that are left."""
    if all(problem.mended for problem in found["problems"]):
        return ""
    return "Restore a backup." if view.given["repair"] else "`aforesaid verify --repair` rebuilds what is derived."


# Imports


def import_text(report: ImportReport) -> str:
    """What an import of an aforesaid export added."""
    taken = ", ".join(f"{value} {name}" for name, value in to_json(report).items() if name != "known")
    return f"imported {taken}; {report.known} records were here already"


def intake_json(intake: Intake, view: View) -> dict[str, Any]:
    """An import for programs: the totals, then every file."""
    first, last = _bounds(intake)
    return {**to_json(intake), "first": to_json(first), "last": to_json(last)}


def intake_text(intake: Intake, columns: int) -> str:
    """An import for people: one row for each file with news, bad lines, then the totals and what was left out."""
    lines = [clip(line, columns) for line in _file_rows(intake)]
    lines += _problem_lines(intake, columns)
    taken = " and ".join([counted(intake.turns, "turn"), *([counted(intake.claims, "claim")] if intake.claims else [])])
    verb = "would take" if intake.dry_run else "took"
    nothing = "nothing new" if not intake.turns + intake.claims else f"{taken}{_span(intake)}"
    lines.append(f"{verb} {nothing}; {intake.known:,} known already{_from(intake)}")
    if intake.left:
        lines += ["left:", *(f"  {row}" for row in table((f"{count:,}", why) for why, count in intake.left.items()))]
    if intake.stopped:
        lines.append("Stopped at the limit; run it again to go on.")
    return "\n".join([*lines, *intake.notes])


def _bounds(intake: Intake) -> tuple[Any, Any]:
    times = [time for file in intake.files for time in (file.first, file.last) if time is not None]
    return (min(times), max(times)) if times else (None, None)


def _span(intake: Intake) -> str:
    first, last = _bounds(intake)
    span = f", {stamp(first)} to {stamp(last)}" if first else ""
    return f" of {counted(intake.sessions, 'session')}{span}" if intake.sessions else span


def _from(intake: Intake) -> str:
    """How many files there were, and how many of them had no news."""
    states = [file.state for file in intake.files]
    parts = [f"{states.count(state):,} {state}" for state in ("unchanged", "left", "unreadable") if state in states]
    return f" ({counted(len(states), 'file')}{': ' if parts else ''}{', '.join(parts)})"


def _file_rows(intake: Intake) -> list[str]:
    news = [file for file in intake.files if file.state not in QUIET]
    rows = [_row(file) for file in news[:LISTED_FILES]]
    if not rows:
        return []
    head = ("new", "known", "left", "bad", "format", "state", "file")
    more = [f"… and {len(news) - LISTED_FILES} more files"] if len(news) > LISTED_FILES else []
    return [*table([head, *rows]), *more, ""]


def _row(file: FileReport) -> tuple[str, ...]:
    numbers = (file.turns + file.claims, file.known, sum(file.left.values()), file.bad)
    name = one_line(file.path) + (f" ({one_line(file.why)})" if file.why else "")
    return (*(f"{number:,}" for number in numbers), file.format or "-", file.state, name)


def _problem_lines(intake: Intake, columns: int) -> list[str]:
    found = [problem for file in intake.files for problem in file.problems]
    if not found:
        return []
    shown = [clip(f"  {one_line(each.where)}: {one_line(each.message)}", columns) for each in found[:LISTED_PROBLEMS]]
    more = [f"  … and {intake.bad - LISTED_PROBLEMS} more"] if intake.bad > LISTED_PROBLEMS else []
    return ["skipped what cannot be read:", *shown, *more, ""]


# Receipts of deletion


def receipt_text(receipt: Receipt) -> str:
    """What was deleted, what was cleaned besides, and the proof that it is gone; or what would be deleted."""
    if receipt.dry_run:
        rows = [(one_line(each.id), each.kind, "made of the others" if each.derived else "") for each in receipt.would]
        more = [f"  and {receipt.records - len(rows)} more"] if receipt.records > len(rows) else []
        head = f"would forget {counted(receipt.records, 'record')}{_kinds(receipt)}"
        return "\n".join([head, *(f"  {line}" for line in table(rows)), *more])
    lines = [f"forgot {counted(receipt.records, 'record')} at {stamp(receipt.time)} UTC{_kinds(receipt)}"]
    if receipt.scrubbed:
        lines.append("also: " + ", ".join(f"{count} {name}" for name, count in receipt.scrubbed.items()))
    if receipt.to_summarise:
        names = ", ".join(map(visible, receipt.to_summarise))
        lines.append(f"without a summary now, until `aforesaid compact` makes one: {names}")
    return "\n".join([*lines, *_proof_lines(receipt)])


def _kinds(receipt: Receipt) -> str:
    if not receipt.kinds:
        return ""
    derived = f", {receipt.derived} of them made of the others" if receipt.derived else ""
    return ": " + ", ".join(f"{count} {kind}" for kind, count in receipt.kinds.items()) + derived


def _proof_lines(receipt: Receipt) -> list[str]:
    proof = receipt.proof
    if proof is None:
        return ["not proven: the files were not checked"]
    looked = f"looked for {counted(proof.needles, 'trace')} in {counted(len(proof.files), 'file')}, {size(proof.bytes)}"
    if receipt.proven:
        return [f"proven: {looked}; none is left"]
    places = [f"  {visible(each.file)} at byte {each.offset}: {each.what}" for each in proof.found[:MOST_TRACES]]
    more = [f"  and {len(proof.found) - MOST_TRACES} more"] if len(proof.found) > MOST_TRACES else []
    return [f"NOT PROVEN: {looked}; {len(proof.found)} found:", *places, *more, receipt.remedy]


# The audit log


def events_view(events: Sequence[Event], view: View) -> str:
    """One event a line: its number, time, topic, subject and body."""
    rows = [
        (str(e.number), f"{e.time:%Y-%m-%d %H:%M:%S}", one_line(e.topic),
         clip(one_line(e.subject or "-"), SUBJECT_COLUMNS), "(erased)" if e.erased else _body(e))
        for e in events
    ]  # fmt: skip
    return ("\n".join(clip(line, view.columns) for line in table(rows)) or "No such events.") + next_page(events, view)


def _body(event: Event) -> str:
    return " ".join(f"{one_line(str(name))}={_value(value)}" for name, value in event.body.items() if value is not None)


def _value(value: Any) -> str:
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def log_text(report: AuditReport) -> str:
    """Whether the chain is intact, what it holds, and the digest to note elsewhere."""
    head = f"broken: {one_line(report.problem)}" if report.problem else "the audit log is intact"
    rows = ((report.erased, "erased"), (report.pruned, "pruned"))
    counts = [counted(report.events, "event"), *(f"{number:,} {word}" for number, word in rows if number)]
    return "\n".join([head, ", ".join(counts), *([f"newest digest {report.digest}"] if report.digest else [])])
