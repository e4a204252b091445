"""Renders records as prompt text: rules as instructions, recalled history as data inside a frame."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from aforesaid.context.neutralize import neutralised
from aforesaid.text.echo import FRAME_CLOSE, FRAME_OPEN, handle
from aforesaid.types import SUPERSEDED_BY, Record

EMPTY = f"{FRAME_OPEN}\n{FRAME_CLOSE}"
RULES = "Rules that hold:"
GUIDANCE = "Guidance, to be followed where it fits:"
OUTSIDE = "(from outside)"  # marks untrusted text: from a tool, a page or another person
CHANGED = "(changed since)"  # marks superseded records
ASKED = "Asked for by the user before; the newest holds where two disagree:"


def recalled(records: Sequence[Record]) -> str:
    """Recalled history as one frame, with a heading for each day of a session; "" without records."""
    if not records:
        return ""
    lines = [line for day, run in groupby(records, heading) for line in (day, *map(item, run))]
    return "\n".join([FRAME_OPEN, *lines, FRAME_CLOSE])


def heading(record: Record) -> str:
    """The heading of recalled records: day and session, or file."""
    where = record.provenance.file if record.provenance and record.provenance.file else record.session
    return f"{record.time:%Y-%m-%d} {neutralised(where or '')}".rstrip() + ":"


def item(record: Record) -> str:
    """One recalled record on one line: handle, time of day, role and neutralised text."""
    who = f" {neutralised(record.role)}" if record.role else ""
    marks = f" {OUTSIDE}" if record.tainted else ""
    marks += f" {CHANGED}" if SUPERSEDED_BY in record.meta else ""
    return f"{handle(record.key)} {record.time:%H:%M}{who}{marks}: {neutralised(record.text)}"


def rules(hard: Sequence[Record], soft: Sequence[Record], elevated: Sequence[Record] = ()) -> str:
    """The rules with their source, hard ones first; "" without rules."""
    parts = [(RULES, hard), (GUIDANCE, soft), (ASKED, elevated)]
    return "\n".join(line for title, records in parts if records for line in (title, *map(rule, records)))


def rule(record: Record) -> str:
    """One rule: file and lines, then the text; for a rule from a conversation, its day and the text on one line."""
    if record.provenance is not None and record.provenance.file is None:
        return f"[{record.time:%Y-%m-%d}] {neutralised(record.text)}"
    return f"[{place(record)}] {record.text}"


def place(record: Record) -> str:
    """The source of a rule, as path:first-last or path:line."""
    source = record.provenance
    if source is None or source.file is None:
        return record.id
    first, last = source.lines or (0, 0)
    span = f"{first}" if first == last else f"{first}-{last}"
    return f"{source.file}:{span}" if source.lines else source.file
