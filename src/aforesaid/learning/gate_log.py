"""The gate log: each decision with its terms, and what other weights would decide (spec 11.3).

The log is read from the stored records, so a deleted turn is gone from it too.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from aforesaid.engine.request import Request
from aforesaid.errors import InputError
from aforesaid.ingest.gate import THRESHOLD, gate_rows
from aforesaid.math.gate import TERMS, blend, branches, verdict
from aforesaid.settings import checked
from aforesaid.settings.rows import GateRows
from aforesaid.store.protocols import Order
from aforesaid.types import Decision, Filter, GateDecision, Progress, Record

REPLAYABLE = (THRESHOLD, *(f"gate.weight_{term}" for term in TERMS))
KEPT = dict(zip(TERMS, ("H", "R", "Dnl", "P", "A", "Dtech"), strict=True))  # the signal of each weight
VECTOR_OFF = "vector=off"  # in a reason: H and R were unknown, and their least values were used
PAGE = 500


@dataclass(frozen=True, slots=True)
class GateEntry:
    """One decision of the gate: the turn, the decision and its terms."""

    id: str
    key: str
    session: str | None
    role: str | None
    time: datetime
    text: str
    decision: Decision
    score: float
    threshold: float
    signals: Mapping[str, float]
    reason: str


@dataclass(frozen=True, slots=True)
class GateChange:
    """An entry that other weights decide differently, with the new score and decision."""

    entry: GateEntry
    score: float
    decision: Decision


@dataclass(frozen=True, slots=True)
class GateReplay:
    """Decisions before and after a change of weights; `changed` holds the newest changes."""

    weights: Mapping[str, float]
    turns: int
    before: Mapping[str, int]
    after: Mapping[str, int]
    changes: int
    changed: tuple[GateChange, ...]
    unreadable: int = 0


def entries(
    request: Request, where: Filter, *, order: Order = "newest", progress: Progress | None = None
) -> Iterator[GateEntry]:
    """The gate's decisions under a filter, with texts redacted for this purpose."""
    turns = replace(where, kinds=("turn",))
    total = request.store.count(turns)
    for number, record in enumerate(request.view.scan(turns, order=order), 1):
        if record.gate is not None:
            yield entry_of(record, record.gate)
        if progress is not None and (number % PAGE == 0 or number == total):
            progress(number, total)


def entry_of(record: Record, gate: GateDecision) -> GateEntry:
    """The log entry of a record."""
    turn = (record.id, record.key, record.session, record.role, record.time, record.text)
    return GateEntry(*turn, gate.decision, gate.score, gate.threshold, dict(gate.signals), gate.reason)


def replay(
    request: Request,
    where: Filter,
    weights: Mapping[str, float],
    *,
    limit: int | None = None,
    progress: Progress | None = None,
) -> GateReplay:
    """Decide every turn again from its stored terms. Settings that `weights` does not name keep their current value."""
    rows = weighted(gate_rows(request), weights)
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    changed: deque[GateChange] = deque(maxlen=limit)
    changes = unreadable = 0
    for entry in entries(request, where, order="oldest", progress=progress):
        try:
            score, decision = replayed(entry, rows)
        except (KeyError, TypeError, InputError):  # terms written by another program
            unreadable += 1
            continue
        before[entry.decision] += 1
        after[decision] += 1
        if decision != entry.decision:
            changes += 1
            changed.append(GateChange(entry, score, decision))
    turns = before.total() + unreadable
    return GateReplay(dict(weights), turns, before, after, changes, tuple(reversed(changed)), unreadable)


def weighted(rows: GateRows, weights: Mapping[str, float]) -> GateRows:
    """The gate's settings with other weights. Raises for settings that the stored terms cannot replay."""
    values: dict[str, Any] = {name: checked(name, value, "the replay") for name, value in weights.items()}
    for name in values:
        if name not in REPLAYABLE:
            raise InputError(
                f"{name} cannot be replayed: a stored turn holds only the resulting terms.",
                f"A replay takes {', '.join(REPLAYABLE)}.",
            )
    return replace(rows, **{name.removeprefix("gate."): value for name, value in values.items()})


def replayed(gate: GateEntry | GateDecision, rows: GateRows) -> tuple[float, Decision]:
    """G = (1−T)·Gconv + T·Gtech from stored terms, and the decision; where vectors were off, for every H and R."""
    technical, terms = gate.signals["T"], {term: gate.signals[name] for term, name in KEPT.items()}
    least = greatest = blend(technical, *branches(terms, rows))
    if VECTOR_OFF in gate.reason.split("; "):
        greatest = blend(technical, *branches(terms | {"novelty": 1.0, "repetition": 1.0}, rows))
    return least, verdict(least, greatest, rows.threshold)
