"""The store as a whole: counts, problems, imports, receipts of deletion and the audit log as JSON and text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, one_line, table
from aforesaid.surfaces.formats.records import next_page, stamp
from aforesaid.surfaces.formats.report import counted, report_text, size
from aforesaid.surfaces.formats.values import to_json
from aforesaid.types import Event

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.deletion.forget import ForgetReceipt
    from aforesaid.importers.report import FileReport, ImporterReport
    from aforesaid.maintenance.reindex import ReindexReport, ReindexStatus
    from aforesaid.surfaces.verbs.declare import View

QUIET = ("unchanged", "left")  # states of files that are only counted
SHOWN_STATES = {"taken": "imported", "left": "skipped"}
SUBJECT_COLUMNS = 28


# Counts and problems


def stats_json(found: Mapping[str, Any], view: View) -> dict[str, Any]:
    """What a store holds."""
    about = {"store": view.store, "tenant": view.tenant, **to_json(found["stats"])}
    searches = {"searches": to_json(found["searches"])} if found.get("searches") else {}
    return {**about, **searches, "spaces": to_json(found["spaces"])}


def problems_note(found: Mapping[str, Any], view: View) -> str:
    """What to do about the problems that are left."""
    if all(problem.mended for problem in found["problems"]):
        return ""
    if view.given["repair"]:
        return "Restore a backup."
    return "`aforesaid verify --repair` mends what can be mended and drops the rest; `aforesaid backup` first."


# Vectors


def reindex_text(report: ReindexReport, view: View) -> str:
    """What `reindex` did, and how alike the two models search."""
    compared = report.comparison
    found = {
        "embedded": counted(report.embedded, "record"),
        "model": report.model,
        "before": report.previous if compared else "",
        "overlap@10": f"{compared.overlap:.2f} ({compared.texts} texts, {compared.queries} queries)"
        if compared
        else "",
        "found by a sentence of theirs": f"{compared.found_before:.2f} before, {compared.found_after:.2f} after"
        if compared and compared.found_before is not None
        else "",
        "search uses": report.model if report.switched else report.previous,
    }
    return report_text(found, view.columns)


def reindex_note(report: ReindexReport, view: View) -> str:
    """What to do after a switch, or when the comparison stopped it."""
    if not report.switched:
        return (
            f"The overlap is below {view.given['min_overlap']}, so search still uses {report.previous}. "
            "Run it again without --min-overlap to switch, or with --cancel to delete the new vectors."
        )
    if report.comparison is None:
        return ""
    return "Set embed.provider and embed.model to this model everywhere. Other programs search by words until then."


def reindex_status_json(status: ReindexStatus, view: View) -> dict[str, Any]:
    """How far the vectors of each model are."""
    spaces = [{**to_json(space), "percent": space.percent} for space in status.spaces]
    return {"running": status.running, "spaces": spaces}


# Imports


def intake_json(intake: ImporterReport, view: View) -> dict[str, Any]:
    """An import for programs: the totals, then every file."""
    first, last = _bounds(intake)
    return {**to_json(intake), "first": to_json(first), "last": to_json(last)}


def intake_text(intake: ImporterReport, columns: int) -> str:
    """An import for people: the totals, then the files with news and the lines that cannot be read."""
    first, last = _bounds(intake)
    states = Counter(file.state for file in intake.files)
    found = {
        "would import" if intake.dry_run else "imported": counted(intake.turns, "turn"),
        "claims": intake.claims or "",
        "sessions": intake.sessions or "",
        "span": f"{stamp(first)} to {stamp(last)}" if first else "",
        "stored before": intake.known or "",
        "skipped": intake.left,
        "files": {SHOWN_STATES.get(state, state): number for state, number in states.items()},
        "stopped": "at the limit; run it again to go on" if intake.stopped else "",
        "notes": list(intake.notes) or "",
        "by file": [_file_row(file) for file in intake.files if file.state not in QUIET] or "",
        "cannot be read": [to_json(problem) for file in intake.files for problem in file.problems] or "",
    }
    return report_text(found, columns)


def _bounds(intake: ImporterReport) -> tuple[Any, Any]:
    times = [time for file in intake.files for time in (file.first, file.last) if time is not None]
    return (min(times), max(times)) if times else (None, None)


def _file_row(file: FileReport) -> dict[str, Any]:
    counts = {"new": file.turns + file.claims, "known": file.known, "skipped": file.left.total(), "bad": file.bad}
    state = SHOWN_STATES.get(file.state, file.state)
    return {**counts, "format": file.format, "state": state, "why": file.why, "file": file.path}


# Receipts of deletion


def receipt_text(receipt: ForgetReceipt, columns: int) -> str:
    """What was or would be deleted, and whether a search through all files proves that it is gone."""
    proof = receipt.proof
    found = {
        "would forget" if receipt.dry_run else "forgot": counted(receipt.records, "record"),
        "kinds": receipt.kinds,
        "derived from the others": receipt.derived or "",
        "also": receipt.scrubbed,
        "needs `aforesaid compact`": list(receipt.to_summarise) or "",
        "proven": "" if receipt.dry_run else "yes" if receipt.proven else "NOT PROVEN",
        "remedy": receipt.remedy,
        "searched": f"{counted(len(proof.files), 'file')}, {size(proof.bytes)}, {proof.needles} traces"
        if proof
        else "",
        "left": to_json(proof.found) if proof and proof.found else "",
        "records": to_json(receipt.would) or "",
    }
    return report_text(found, columns)


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
