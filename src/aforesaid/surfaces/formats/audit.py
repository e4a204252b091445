"""What the audit log looks like: events as a table, and what a check of the chain found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, one_line, table
from aforesaid.surfaces.formats.common import counted, plain
from aforesaid.types import Event

if TYPE_CHECKING:  # this room imports numpy
    from aforesaid.governance.audit import AuditReport

SUBJECT_COLUMNS = 28


def events_text(events: Sequence[Event], columns: int) -> str:
    """A line an event: its number, when, what, about what, and what is noted of it."""
    rows = [
        (str(e.number), f"{e.time:%Y-%m-%d %H:%M:%S}", one_line(e.topic), clip(_subject(e), SUBJECT_COLUMNS), _body(e))
        for e in events
    ]
    return "\n".join(clip(line, columns) for line in table(rows)) if rows else "No such events."


def _subject(event: Event) -> str:
    return one_line(event.subject) if event.subject is not None else "-"


def _body(event: Event) -> str:
    if event.erased:
        return "(erased)"
    return " ".join(f"{one_line(str(name))}={_value(value)}" for name, value in event.body.items() if value is not None)


def _value(value: Any) -> str:
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def report_dict(report: AuditReport) -> dict[str, Any]:
    """Everything that a check found."""
    return {**plain(report), "intact": report.intact}


def report_text(report: AuditReport) -> str:
    """Whether the chain holds, what is and what is no longer in it, and the digest to note elsewhere."""
    head = f"broken: {one_line(report.problem)}" if report.problem else "the audit log is intact"
    counts = [
        counted(report.events, "event"),
        *([f"{report.erased:,} erased"] if report.erased else []),
        *([f"{report.pruned:,} pruned"] if report.pruned else []),
    ]
    return "\n".join([head, ", ".join(counts), *([f"newest digest {report.digest}"] if report.digest else [])])
