"""Turns in: clean → compare with what is there → embed → gate → write, all of a batch or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from aforesaid.engine.engine import Engine
from aforesaid.engine.request import Request
from aforesaid.engine.vector_arm import Embedded
from aforesaid.engine.writer import writing
from aforesaid.errors import ConflictError, InputError
from aforesaid.ingest.echo import mark_echo
from aforesaid.ingest.gate import apply_gate
from aforesaid.ingest.supersede import supersede, with_states
from aforesaid.policy.enforcement import Guard
from aforesaid.text.echo import strip_frames
from aforesaid.text.extract.reader import failures
from aforesaid.text.private import without_private
from aforesaid.types import (
    ANCHORS,
    WHEN,
    Boundary,
    Event,
    Filter,
    IngestReport,
    Outcome,
    Progress,
    Provenance,
    Record,
    Turn,
    owner_of,
)

TOOL = "tool"  # the role whose words always come from elsewhere
HEARTBEATS = frozenset({"heartbeat", "heartbeat_ok", "ping", "keepalive", "no_reply"})


@dataclass(frozen=True, slots=True)
class Speaker:
    """Whose turns these are, and who may see them."""

    user: str | None = None
    project: str | None = None
    agent: str | None = None
    boundary: Boundary = "internal"
    allow: tuple[str, ...] | None = None


def ingest(engine: Engine, turns: Iterable[Turn], who: Speaker, progress: Progress | None = None) -> IngestReport:
    """Take turns in batches; each batch is acknowledged whole once it is on disk."""
    outcomes: list[Outcome] = []
    total = len(turns) if isinstance(turns, Sized) else None
    for batch in _batches(turns, engine.settings.ingest.batch):
        outcomes += engine.run(lambda request, batch=batch: _ingest_batch(request, batch, who))  # type: ignore[misc]
        if progress is not None:
            progress(len(outcomes), total)
    owner = owner_of("user", who.user, None)
    return IngestReport(tuple(outcomes), engine.request().freshness(Filter(tenant=engine.tenant, owners=(owner,))))


def _batches(turns: Iterable[Turn], size: int) -> Iterator[list[Turn]]:
    rest = iter(turns)
    while batch := list(islice(rest, size)):
        yield batch


def _ingest_batch(request: Request, turns: Sequence[Turn], who: Speaker) -> list[Outcome]:
    with failures() as failed:
        return _ingest_read(request, turns, who, failed)


def _ingest_read(request: Request, turns: Sequence[Turn], who: Speaker, failed: Counter[str]) -> list[Outcome]:
    guard = request.guard
    drafts = [_draft(request, guard, turn, who) for turn in turns]
    outcomes: dict[int, Outcome] = {i: draft for i, draft in enumerate(drafts) if isinstance(draft, Outcome)}
    records = {i: draft for i, draft in enumerate(drafts) if isinstance(draft, Record)}
    known = {record.key: record for record in request.store.get([record.key for record in records.values()])}
    for i, record in list(records.items()):
        earlier = known.setdefault(record.key, record)
        if earlier is not record:
            outcomes[i] = _duplicate(record, earlier)
            del records[i]
    fresh = list(records.values())
    embedded = request.embed(fresh)
    weighed = apply_gate(
        request, [mark_echo(request, record) for record in fresh], embedded.vectors if embedded else None
    )
    judged = {i: _allowed(guard, record) for i, record in zip(records, weighed, strict=True)}
    outcomes |= {i: outcome for i, outcome in judged.items() if isinstance(outcome, Outcome)}
    kept = {i: record for i, record in judged.items() if isinstance(record, Record)}
    places = [place for place, outcome in enumerate(judged.values()) if isinstance(outcome, Record)]
    written = _write(request, list(kept.values()), embedded.select(places) if embedded else None, failed)
    for i, record in kept.items():
        outcomes[i] = _stored(record) if record.key in written else _duplicate(record, record)
    return [outcomes[i] for i in range(len(turns))]


def _allowed(guard: Guard, record: Record) -> Record | Outcome:
    """The record if the policy lets it be kept; else why it does not."""
    kept = guard.try_validate_record(record)
    return kept if isinstance(kept, Record) else Outcome(record.id, "skipped", f"denied: {kept}")


def _draft(request: Request, guard: Guard, turn: Turn, who: Speaker) -> Record | Outcome:
    """The record a turn would become, cleaned of what we injected ourselves and of secrets; or why it is skipped."""
    limit = request.settings.ingest.max_text_chars
    if len(turn.text) > limit:
        raise InputError(
            f"Turn {turn.id!r} has {len(turn.text)} characters, more than {limit}.",
            "Shorten it, or raise ingest.max_text_chars.",
        )
    said = without_private(turn.text)
    text, frames = strip_frames(said)
    cleaned = guard.clean(text, who.boundary)
    if not cleaned.text.strip():
        why = "recalled text only" if frames else "private" if said != turn.text else "empty"
        return Outcome(turn.id, "skipped", why)
    if cleaned.text.strip().lower().strip("[]().!") in HEARTBEATS:
        return Outcome(turn.id, "skipped", "heartbeat")
    time = turn.time or request.clock()
    record = Record(
        id=turn.id,
        kind="turn",
        text=cleaned.text,
        time=time,
        tenant=request.tenant,
        scope="session",
        user=who.user,
        project=who.project,
        session=turn.session,
        agent=who.agent,
        role=turn.role,
        bundle=turn.bundle,
        memory_type="evidence",
        provenance=Provenance(who=turn.role, method="ingest"),
        redactions=cleaned.kinds,
        boundary=cleaned.boundary,
        allow=who.allow,
        tainted=turn.tainted or turn.role == TOOL,
        meta=dated(request, cleaned.text, time),
    )
    return with_states(request.readers, record)


def dated(request: Request, text: str, said_at: datetime) -> dict[str, Any]:
    """The dates and times that a text names, as metadata of its record; empty when it names none."""
    reading = request.readers.read_dates(text, said_at)
    if reading is None or not reading.expressions:
        return {}
    named = {expression.text.lower() for expression in reading.expressions}
    spans = sorted({(span.start.isoformat(), span.end.isoformat()) for span in reading.spans})
    return {ANCHORS: len(named), WHEN: [list(span) for span in spans]}


def _duplicate(record: Record, earlier: Record) -> Outcome:
    if (record.text, record.role) != (earlier.text, earlier.role):
        raise ConflictError(
            f"Turn {record.id!r} of session {record.session!r} is stored with other words; nothing of this batch was.",
            "Raw turns never change: give the new message an id of its own.",
        )
    return Outcome(record.id, "duplicate", "same id and text", record.key, earlier.gate, earlier.redactions)


def _stored(record: Record) -> Outcome:
    if record.echo_of is not None:
        return Outcome(record.id, "echo", f"repeats recalled {record.echo_of}", record.key, None, record.redactions)
    reason = record.gate.reason if record.gate else "kept as history; the gate weighs what users say"
    return Outcome(record.id, "stored", reason, record.key, record.gate, record.redactions)


def _write(request: Request, records: Sequence[Record], embedded: Embedded | None, failed: Counter[str]) -> set[str]:
    """Write what no other process wrote meanwhile; the keys that this call stored."""
    if not records:
        return set()
    with writing(request) as writer:
        there = {record.key: record for record in request.store.get([record.key for record in records])}
        for record in records:
            if record.key in there:
                _duplicate(record, there[record.key])
        rows = [i for i, record in enumerate(records) if record.key not in there]
        new = [records[i] for i in rows]
        if new:
            writer.commit(new, embedded.select(rows) if embedded else None)
            supersede(writer, new)
            writer.commit(events=[_event(request, new, failed)])
    return {record.key for record in new}


def _event(request: Request, records: Sequence[Record], failed: Counter[str]) -> Event:
    gates = [record.gate.decision for record in records if record.gate]
    body = {
        "turns": len(records),
        **{decision: gates.count(decision) for decision in ("admit", "defer", "reject")},
        "redacted": sum(bool(record.redactions) for record in records),
        "echoes": sum(record.echo_of is not None for record in records),
        **({"reader_failures": dict(failed)} if failed else {}),
    }
    return request.event("ingest", records[0].session, body)
