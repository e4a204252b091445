"""Turns in: clean → compare with what is there → embed → gate → write, all of a batch or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any

from recollect.engine import Embedded, Engine, under_one_policy
from recollect.errors import ConflictError, InputError
from recollect.guard import Guard
from recollect.ledger import rows_in_force
from recollect.math.vectors import Vectors, spread_cosines
from recollect.rules import rules_in_view
from recollect.settings.rows import GateRows
from recollect.supersede import supersede, with_states
from recollect.text.echo import containment, shingles, strip_frames, words_of
from recollect.text.private import without_private
from recollect.types import (
    AGENT_ROLES,
    ANCHORS,
    GLOBAL_OWNER,
    WHEN,
    Boundary,
    Event,
    EventFilter,
    Filter,
    IngestReport,
    Outcome,
    Provenance,
    Record,
    Scored,
    Turn,
)

TOOL = "tool"  # the role whose words always come from elsewhere
HEARTBEATS = frozenset({"heartbeat", "heartbeat_ok", "ping", "keepalive", "no_reply"})

Progress = Callable[[int], None]


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
    for batch in _batches(turns, engine.settings.ingest.batch):
        outcomes += _ingest_batch(engine, batch, who)
        if progress is not None:
            progress(len(batch))
    owner = Record("-", "turn", "", engine.clock(), user=who.user).owner
    return IngestReport(tuple(outcomes), engine.freshness(Filter(tenant=engine.tenant, owners=(owner,))))


def _batches(turns: Iterable[Turn], size: int) -> Iterator[list[Turn]]:
    rest = iter(turns)
    while batch := list(islice(rest, size)):
        yield batch


@under_one_policy
def _ingest_batch(engine: Engine, turns: Sequence[Turn], who: Speaker) -> list[Outcome]:
    guard = engine.guard
    drafts = [_draft(engine, guard, turn, who) for turn in turns]
    outcomes: dict[int, Outcome] = {i: draft for i, draft in enumerate(drafts) if isinstance(draft, Outcome)}
    records = {i: draft for i, draft in enumerate(drafts) if isinstance(draft, Record)}
    known = {record.key: record for record in engine.store.get([record.key for record in records.values()])}
    for i, record in list(records.items()):
        earlier = known.setdefault(record.key, record)
        if earlier is not record:
            outcomes[i] = _duplicate(record, earlier)
            del records[i]
    fresh = list(records.values())
    embedded = engine.embed(fresh)
    weighed = _judge(engine, [_marked_echo(engine, record) for record in fresh], embedded.vectors if embedded else None)
    judged = {i: _allowed(guard, record) for i, record in zip(records, weighed, strict=True)}
    outcomes |= {i: outcome for i, outcome in judged.items() if isinstance(outcome, Outcome)}
    kept = {i: record for i, record in judged.items() if isinstance(record, Record)}
    places = [place for place, outcome in enumerate(judged.values()) if isinstance(outcome, Record)]
    written = _write(engine, list(kept.values()), embedded.at(places) if embedded else None)
    for i, record in kept.items():
        outcomes[i] = _stored(record) if record.key in written else _duplicate(record, record)
    return [outcomes[i] for i in range(len(turns))]


def _allowed(guard: Guard, record: Record) -> Record | Outcome:
    """The record if the policy lets it be kept; else why it does not."""
    kept = guard.kept(record)
    return kept if isinstance(kept, Record) else Outcome(record.id, "skipped", f"denied: {kept}")


def _draft(engine: Engine, guard: Guard, turn: Turn, who: Speaker) -> Record | Outcome:
    """The record a turn would become, cleaned of what we injected ourselves and of secrets; or why it is skipped."""
    limit = engine.settings.ingest.max_text_chars
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
    time = turn.time or engine.clock()
    record = Record(
        id=turn.id,
        kind="turn",
        text=cleaned.text,
        time=time,
        tenant=engine.tenant,
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
        meta=dated(cleaned.text, time),
    )
    return with_states(record) if engine.settings.ingest.supersede else record


def dated(text: str, said_at: datetime) -> dict[str, Any]:
    """What a text says of time, resolved against the moment it was said: nothing when it says nothing."""
    from recollect.text.dates import resolve, time_expressions  # its patterns take a tenth of a second to compile

    named = {expression.text.lower() for expression in time_expressions(text)}
    spans = sorted({(span.start.isoformat(), span.end.isoformat()) for span in resolve(text, said_at)})
    return {ANCHORS: len(named), WHEN: [list(span) for span in spans]} if named else {}


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


def _marked_echo(engine: Engine, record: Record) -> Record:
    """An agent's repetition of what it was just shown stays in the history, and out of retrieval."""
    rows = engine.settings.ingest
    if record.role not in AGENT_ROLES or len(words_of(record.text)) < rows.echo_words:
        return record
    own = shingles(record.text)
    for recalled in (*_recalled(engine, record), *_rules_over(engine, record)):
        if containment(own, shingles(recalled.text)) >= rows.echo_share:
            return replace(record, echo_of=recalled.id)
    return record


def _rules_over(engine: Engine, record: Record) -> tuple[Record, ...]:
    """The authored rules that this turn's speaker was under."""
    owners = [record.owner, GLOBAL_OWNER, *([f"project:{record.project}"] if record.project else [])]
    return rules_in_view(engine, Filter(engine.tenant, tuple(owners))).records


def _recalled(engine: Engine, record: Record) -> list[Record]:
    """What was put into this session's prompts, newest first."""
    limit = engine.settings.ingest.echo_recalled
    subject = recall_subject(record.owner, record.session)
    events = engine.store.events(EventFilter(engine.tenant, topic="recall", subject=subject, limit=limit))
    keys = dict.fromkeys(key for event in events for key in event.body["keys"])
    return engine.store.get(list(keys)[:limit])


def recall_subject(owner: str, session: str | None) -> str:
    """The subject under which an assembly notes what it recalled for a session."""
    return f"{owner}/{session}"


def _judge(engine: Engine, records: Sequence[Record], vectors: Vectors | None) -> list[Record]:
    """Every turn of a person through the gate, in order, each seeing those before it."""
    stored = _stored_neighbours(engine, records, vectors)
    rows = rows_in_force(engine)
    judged: list[Record] = []
    for i, record in enumerate(records):
        if record.role in AGENT_ROLES:
            judged.append(record)
            continue
        durable = turns = None
        if vectors is not None:
            same = [j for j in range(i) if judged[j].namespace == record.namespace]
            spread = spread_cosines(vectors[same] @ vectors[i], engine.arm.background)
            cosines = dict(zip(same, spread.tolist(), strict=True))
            durable = stored[i].durable + [cosines[j] for j in same if judged[j].durable]
            turns = stored[i].turns + list(cosines.values())
        judged.append(weighed(engine, record, durable, turns, rows))
    return judged


def weighed(
    engine: Engine,
    record: Record,
    durable: Sequence[float] | None,
    turns: Sequence[float] | None,
    rows: GateRows | None = None,
) -> Record:
    """The record with the gate's decision, from the cosines of its neighbours (None: not known).

    `rows` are the gate's settings in force, for a caller that has read them already.
    """
    from recollect.math.gate import decide
    from recollect.math.tokens import gate_tokens
    from recollect.text.signals import read_signals

    decision = decide(
        read_signals(record.text), gate_tokens(record.text), durable, turns, rows or rows_in_force(engine)
    )
    return replace(record, gate=decision, durable=decision.decision == "admit")


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Cosines of the nearest durable records and of the nearest turns of a namespace."""

    durable: list[float]
    turns: list[float]


def neighbours(engine: Engine, record: Record, vectors: Vectors) -> list[Neighbours]:
    """What is near to each vector in the record's namespace, the record itself left out.

    The gate's thresholds mean cosines of a model whose unrelated texts are near 0; ours are spread out to that scale.
    """
    rows = engine.settings.gate
    here = Filter(engine.tenant, (record.owner,), namespace=record.namespace, exclude=(record.key,))
    near = engine.store.vector_search_many
    durable = near(vectors, replace(here, durable=True), rows.novelty_neighbours)
    turns = near(vectors, replace(here, kinds=("turn",)), rows.frequency_neighbours)

    def spread(hits: Sequence[Scored]) -> list[float]:
        cosines: list[float] = spread_cosines([hit.score for hit in hits], engine.arm.background).tolist()
        return cosines

    return [Neighbours(spread(one), spread(other)) for one, other in zip(durable, turns, strict=True)]


def _stored_neighbours(engine: Engine, records: Sequence[Record], vectors: Vectors | None) -> dict[int, Neighbours]:
    """For each turn of a person, what the store holds near it: one look for all turns of a namespace."""
    if vectors is None:
        return {}
    groups: dict[str, list[int]] = {}
    for i, record in enumerate(records):
        if record.role not in AGENT_ROLES:
            groups.setdefault(record.namespace, []).append(i)
    found: dict[int, Neighbours] = {}
    for members in groups.values():
        found |= dict(zip(members, neighbours(engine, records[members[0]], vectors[members]), strict=True))
    return found


def _write(engine: Engine, records: Sequence[Record], embedded: Embedded | None) -> set[str]:
    """Write what no other process wrote meanwhile; the keys that this call stored."""
    if not records:
        return set()
    with engine.writing():
        there = {record.key: record for record in engine.store.get([record.key for record in records])}
        for record in records:
            if record.key in there:
                _duplicate(record, there[record.key])
        new = [i for i, record in enumerate(records) if record.key not in there]
        engine.store.put([records[i] for i in new])
        if embedded is not None:
            engine.ready_space()
            keys = [records[i].key for i in new]
            engine.store.put_vectors(keys, embedded.vectors[new], passages=embedded.passages)
        if new:
            supersede(engine, [records[i] for i in new])
            engine.store.append([_event(engine, [records[i] for i in new])])
    return {records[i].key for i in new}


def _event(engine: Engine, records: Sequence[Record]) -> Event:
    gates = [record.gate.decision for record in records if record.gate]
    body = {
        "turns": len(records),
        **{decision: gates.count(decision) for decision in ("admit", "defer", "reject")},
        "redacted": sum(bool(record.redactions) for record in records),
        "echoes": sum(record.echo_of is not None for record in records),
    }
    return engine.event("ingest", records[0].session, body)
