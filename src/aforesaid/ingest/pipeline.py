"""Stores turns: draft → find duplicates → embed → mark echoes → gate → policy → write. A batch is all or nothing.

A rule that the user lays down ("from now on …") is also saved as guidance, in the same transaction (spec 8).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from aforesaid._util.batches import batched
from aforesaid.engine.engine import Engine
from aforesaid.engine.request import Request
from aforesaid.engine.rules import save_guidance, standing_rules
from aforesaid.engine.vector_arm import Embedded
from aforesaid.engine.writer import writing
from aforesaid.errors import ConflictError, InputError
from aforesaid.ingest.echo import mark_echo
from aforesaid.ingest.entity_quality import with_entity_and_quality
from aforesaid.ingest.gate import apply_gate
from aforesaid.ingest.supersede import supersede, with_states
from aforesaid.text.echo import strip_frames
from aforesaid.text.extract.reader import failures
from aforesaid.text.private import without_private
from aforesaid.types import (
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

TOOL = "tool"  # turns of this role are always marked as untrusted
HEARTBEATS = frozenset({"heartbeat", "heartbeat_ok", "ping", "keepalive", "no_reply"})


@dataclass(frozen=True, slots=True)
class Speaker:
    """The owner of the turns, and who may read them."""

    user: str | None = None
    project: str | None = None
    agent: str | None = None
    boundary: Boundary = "internal"
    allow: tuple[str, ...] | None = None


def ingest(engine: Engine, turns: Iterable[Turn], who: Speaker, progress: Progress | None = None) -> IngestReport:
    """Store turns in batches. A batch is on disk when its outcomes are reported."""
    outcomes: list[Outcome] = []
    total = len(turns) if isinstance(turns, Sized) else None
    for batch in batched(turns, engine.settings.ingest.batch):
        outcomes += engine.run(partial(_ingest_batch, turns=batch, who=who))
        if progress is not None:
            progress(len(outcomes), total)
    owner = owner_of("user", who.user, None)
    return IngestReport(tuple(outcomes), engine.request().freshness(Filter(tenant=engine.tenant, owners=(owner,))))


def _ingest_batch(request: Request, turns: Sequence[Turn], who: Speaker) -> list[Outcome]:
    """Store one batch. `outcomes` and `records` are keyed by the turn's position in the batch."""
    with failures() as reader_failures:
        drafts = {i: _draft(request, turn, who) for i, turn in enumerate(turns)}
        outcomes, records = _split(drafts)
        duplicates, records = _split(_find_duplicates(request, records))
        new = list(records.values())
        embedded = request.embed(new)
        marked = [mark_echo(request, record) for record in new]
        gated = apply_gate(request, marked, embedded.vectors if embedded else None)
        checked = [_check_policy(request, with_entity_and_quality(request, record)) for record in gated]
        rows = [row for row, record in enumerate(checked) if isinstance(record, Record)]
        denied, records = _split(dict(zip(records, checked, strict=True)))
        written = _write(request, list(records.values()), embedded.select(rows) if embedded else None, reader_failures)
    outcomes |= duplicates | denied
    for i, record in records.items():
        outcomes[i] = _stored(record) if record.key in written else _duplicate(record, record)
    return [outcomes[i] for i in range(len(turns))]


def _split(items: Mapping[int, Record | Outcome]) -> tuple[dict[int, Outcome], dict[int, Record]]:
    """Separate the turns that are finished (an outcome) from those that go on to the next stage (a record)."""
    outcomes = {i: item for i, item in items.items() if isinstance(item, Outcome)}
    return outcomes, {i: item for i, item in items.items() if isinstance(item, Record)}


def _draft(request: Request, turn: Turn, who: Speaker) -> Record | Outcome:
    """Build the record of a turn without private parts, recalled frames and secrets; or say why it is skipped."""
    limit = request.settings.ingest.max_text_chars
    if len(turn.text) > limit:
        raise InputError(
            f"Turn {turn.id!r} has {len(turn.text)} characters, more than {limit}.",
            "Shorten it, or raise ingest.max_text_chars.",
        )
    public = without_private(turn.text)
    text, frames = strip_frames(public)
    cleaned = request.guard.clean(text, who.boundary)
    if not cleaned.text.strip():
        why = "recalled text only" if frames else "private" if public != turn.text else "empty"
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
        meta=date_metadata(request, cleaned.text, time),
    )
    return with_states(request.readers, request.engine.door.record(record))


def date_metadata(request: Request, text: str, said_at: datetime) -> dict[str, Any]:
    """The time spans that a text mentions, as record metadata; empty when it mentions none."""
    reading = request.readers.read_dates(text, said_at)
    if reading is None or not reading.expressions:
        return {}
    spans = sorted({(span.start.isoformat(), span.end.isoformat()) for span in reading.spans})
    return {WHEN: [list(span) for span in spans]}


def _find_duplicates(request: Request, records: Mapping[int, Record]) -> dict[int, Record | Outcome]:
    """Replace each record that is stored already, or repeats one earlier in the batch, by its outcome."""
    known = {record.key: record for record in request.store.get([record.key for record in records.values()])}
    checked: dict[int, Record | Outcome] = {}
    for i, record in records.items():
        first = known.setdefault(record.key, record)
        checked[i] = record if first is record else _duplicate(record, first)
    return checked


def _check_policy(request: Request, record: Record) -> Record | Outcome:
    """The record, or a skipped outcome when the policy forbids to store it."""
    checked = request.guard.try_validate_record(record)
    return checked if isinstance(checked, Record) else Outcome(record.id, "skipped", f"denied: {checked}")


def _duplicate(record: Record, earlier: Record) -> Outcome:
    if (record.text, record.role) != (earlier.text, earlier.role):
        raise ConflictError(
            f"Turn {record.id!r} of session {record.session!r} is already stored with a different text or role. "
            "Nothing of this batch was stored.",
            "Stored turns never change: give the new message its own id.",
        )
    return Outcome(record.id, "duplicate", "same id and text", record.key, earlier.gate, earlier.redactions)


def _stored(record: Record) -> Outcome:
    if record.echo_of is not None:
        return Outcome(record.id, "echo", f"repeats recalled {record.echo_of}", record.key, None, record.redactions)
    reason = record.gate.reason if record.gate else "kept as history; the gate only scores user messages"
    return Outcome(record.id, "stored", reason, record.key, record.gate, record.redactions)


def _write(
    request: Request, records: Sequence[Record], embedded: Embedded | None, reader_failures: Counter[str]
) -> set[str]:
    """Write the records that no other process stored meanwhile; returns the keys that this call stored."""
    if not records:
        return set()
    rules = standing_rules(request, records)
    with writing(request) as writer:
        known = {record.key: record for record in request.store.get([record.key for record in records])}
        for record in records:
            if record.key in known:
                _duplicate(record, known[record.key])  # raises when the texts differ
        rows = [row for row, record in enumerate(records) if record.key not in known]
        new = [records[row] for row in rows]
        if new:
            writer.commit(new, embedded.select(rows) if embedded else None)
            supersede(writer, new)
            saved = save_guidance(writer, [rule for rule in rules if rule.key not in known])
            writer.commit(events=[_event(request, new, saved, reader_failures)])
    return {record.key for record in new}


def _event(request: Request, records: Sequence[Record], rules: int, reader_failures: Counter[str]) -> Event:
    decisions = [record.gate.decision for record in records if record.gate]
    body = {
        "turns": len(records),
        **{decision: decisions.count(decision) for decision in ("admit", "defer", "reject")},
        "redacted": sum(bool(record.redactions) for record in records),
        "echoes": sum(record.echo_of is not None for record in records),
        **({"rules": rules} if rules else {}),
        **({"reader_failures": dict(reader_failures)} if reader_failures else {}),
    }
    return request.event("ingest", records[0].session, body)
