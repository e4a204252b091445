"""Feedback on a record: decay its utility → apply the signal → store, once a minute (spec 9, P4).

A duplicate is merged into its representative. Nothing is deleted, and both keep the links.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from aforesaid.engine.kept_values import raise_most_uses
from aforesaid.engine.lineage import COVERS, EVIDENCE, derived_from
from aforesaid.engine.request import Request
from aforesaid.engine.writer import Writer, writing
from aforesaid.errors import InputError, NotFoundError
from aforesaid.ingest.supersede import SUPERSEDES
from aforesaid.math import pce
from aforesaid.math.pce import SECONDS_A_DAY, SIGNALS, Signal
from aforesaid.retrieval.search import clean_query
from aforesaid.settings.rows import GovernRows
from aforesaid.text.analyze import query_terms
from aforesaid.types import (
    JUDGED,
    QUALITY,
    SUPERSEDED_BY,
    USES,
    Edge,
    EventFilter,
    Filter,
    Record,
    check_choice,
)

TOPIC = "feedback"
LABELS: Mapping[Signal, int] = {"helpful": 1, "harmful": 0, "outdated": 0}  # "duplicate" gives no label
MINUTE = 16  # leading characters of an ISO 8601 time that name its minute
EVERY_EVENT = 1 << 62


@dataclass(frozen=True, slots=True)
class RecordValue:
    """Utility and confidence of a record."""

    utility: float
    confidence: float


@dataclass(frozen=True, slots=True)
class FeedbackReport:
    """The effect of a signal. `counted` is False for a repeat in the same minute, or when the record was merged before.

    `into` is the id of a duplicate's representative; `label` is the label for calibration, if a query was given.
    """

    id: str
    signal: Signal
    before: RecordValue
    after: RecordValue
    counted: bool
    into: str = ""
    label: Mapping[str, float | None] | None = None


def feedback(
    request: Request, key: str, signal: Signal, now: datetime, *, into: str | None = None, query: str | None = None
) -> FeedbackReport:
    """Apply one signal to a record. `into` is the key of a duplicate's representative."""
    check_choice(signal, SIGNALS, "signal")
    if (signal == "duplicate") != (into is not None):
        raise InputError(
            f"The signal {signal!r} {'needs a' if into is None else 'takes no'} representative record.",
            "Give of=ID." if into is None else "Leave of=ID out.",
        )
    label = _label(request, key, signal, query) if query is not None and signal in LABELS else None
    with writing(request, check_policy=False) as writer:
        record = _get_record(request, key)
        before = RecordValue(record.utility, record.confidence)
        other = _get_record(request, into) if into is not None else None
        if _is_repeat(request, key, signal, now) or (other is not None and _merged(request, record, other)):
            return FeedbackReport(record.id, signal, before, before, False, other.id if other else "")
        decayed = decay(record, now, request.settings.govern)
        utility, confidence = pce.feedback(decayed.utility, decayed.confidence, signal, request.settings.govern)
        changed = replace(decayed, utility=utility, confidence=confidence)
        after = RecordValue(utility, confidence)
        body: dict[str, Any] = {
            "signal": signal,
            "at": now.isoformat(),
            "before": asdict(before),
            "after": asdict(after),
        }
        if other is not None:
            changed = _merge(writer, changed, decayed, other, now)
            body["into"] = other.key
        if label is not None:
            body["label"] = label
        writer.commit([changed], events=[request.event(TOPIC, key, body)])
    return FeedbackReport(record.id, signal, before, after, True, other.id if other else "", label)


def decay(record: Record, now: datetime, rows: GovernRows) -> Record:
    """Decay the record since its last feedback: utility halves every 30 days, quality every 120."""
    since = record.judged or record.updated or record.time
    days = max((now - since).total_seconds() / SECONDS_A_DAY, 0.0)
    meta = {**record.meta, JUDGED: max(now, since).isoformat()}
    if record.quality is not None:
        meta[QUALITY] = float(pce.decayed_quality([record.quality], days, rows)[0])
    utility = float(pce.decayed_utility([_clamped(record.utility, -1.0)], days, rows)[0])
    return replace(record, utility=utility, confidence=_clamped(record.confidence, 0.0), meta=meta)


def raw_scores(request: Request, query: str, keys: Sequence[str]) -> dict[str, tuple[float | None, float | None]]:
    """The raw text and vector scores of these records for a query; None where a search did not find one."""
    text = clean_query(request, query)
    these = Filter(request.tenant, keys=tuple(keys), echoes=True, withheld=True)
    found = request.store.text_search(query_terms(text), these, len(keys))
    words = {hit.key: hit.score for hit in found if not math.isnan(hit.score)}
    vector = request.arm.embed_query(text)
    cosines = {} if vector is None else {key: float(row @ vector) for key, row in request.view.vectors(keys).items()}
    return {key: (words.get(key), cosines.get(key)) for key in keys}


def _label(request: Request, key: str, signal: Signal, query: str | None) -> dict[str, float | None]:
    bm25, cosine = raw_scores(request, query or "", [key])[key]
    return {"bm25": bm25, "cos": cosine, "label": LABELS[signal]}


def _get_record(request: Request, key: str) -> Record:
    found = request.store.get([key])
    if not found:
        raise NotFoundError(f"The record {key} does not exist.", "It was deleted meanwhile.")
    return found[0]


def _is_repeat(request: Request, key: str, signal: Signal, now: datetime) -> bool:
    """Whether the record got the same signal in this minute."""
    events = request.store.log.find(EventFilter(request.tenant, topic=TOPIC, subject=key, limit=EVERY_EVENT))
    minute = now.isoformat()[:MINUTE]
    return any(e.body.get("signal") == signal and str(e.body.get("at"))[:MINUTE] == minute for e in events)


def _merged(request: Request, record: Record, other: Record) -> bool:
    """Whether the record was already merged into this representative."""
    ended = record.valid_to is not None and record.meta.get(SUPERSEDED_BY) == other.key
    return ended and any(
        edge.target == record.key and edge.kind == SUPERSEDES for edge in request.store.edges([other.key])
    )


def _merge(writer: Writer, changed: Record, decayed: Record, other: Record, now: datetime) -> Record:
    """Give the representative the better values and the links of the duplicate, and end the duplicate."""
    request = writer.request
    problem = _merge_problem(request, changed, other, now)
    if problem:
        raise InputError(
            f"{changed.id!r} cannot be merged into {other.id!r}: {problem}.", "Name another representative."
        )
    kept = decay(other, now, request.settings.govern)
    uses = kept.uses + changed.uses
    meta = {**kept.meta, **({USES: uses} if uses else {})}
    utility, confidence = max(kept.utility, decayed.utility), max(kept.confidence, decayed.confidence)
    edges = [*_relinked(request, changed.key, other.key), Edge(other.key, changed.key, SUPERSEDES, now)]
    writer.commit([replace(kept, utility=utility, confidence=confidence, meta=meta)], edges=edges)
    raise_most_uses(request, other.owner, uses)
    return replace(changed, valid_to=now, meta={**changed.meta, SUPERSEDED_BY: other.key})


def _merge_problem(request: Request, record: Record, other: Record, now: datetime) -> str:
    """Why the record cannot be merged into the other; "" if it can."""
    if other.key == record.key:
        return "they are one record"
    if (other.tenant, other.owner) != (record.tenant, record.owner):
        return "they belong to different owners"
    if _has_ended(other, now) or other.meta.get(SUPERSEDED_BY):
        return f"{other.id!r} was superseded itself"
    if other.withheld or other.echo_of is not None:
        return f"{other.id!r} is not found by searching, so both would be lost"
    if _has_ended(record, now):
        return f"{record.id!r} was superseded already"
    if other.key in derived_from(request.store, [record.key]) or record.key in derived_from(request.store, [other.key]):
        return "one was made from the other"
    return ""


def _has_ended(record: Record, now: datetime) -> bool:
    return record.valid_to is not None and record.valid_to <= now


def _relinked(request: Request, old: str, new: str) -> list[Edge]:
    """The duplicate's evidence and coverage links, changed to the representative."""
    leaving = [replace(edge, source=new) for edge in request.store.edges([old])]
    reaching = [replace(edge, target=new) for edge in request.store.edges([old], incoming=True)]
    return [edge for edge in (*leaving, *reaching) if edge.kind in (COVERS, EVIDENCE)]


def _clamped(value: Any, low: float) -> float:
    return min(max(float(value), low), 1.0)
