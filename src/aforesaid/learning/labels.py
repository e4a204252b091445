"""Labels from feedback, and which of them to hold out."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aforesaid.engine.kept_values import MODEL_CHANGE
from aforesaid.engine.request import Request
from aforesaid.errors import InputError
from aforesaid.learning.feedback import EVERY_EVENT, LABELS, TOPIC
from aforesaid.math.domain import Flags
from aforesaid.types import Event, EventFilter

ENOUGH = 20  # least labels for a fit
HELD_OUT = 4  # one of four labels of a class is held out


@dataclass(frozen=True, slots=True)
class Label:
    """The raw scores of a record for a query, and whether it was relevant. Labels of a group stay together."""

    bm25: float | None
    cosine: float | None
    relevant: bool
    group: str = ""


@dataclass(frozen=True, slots=True)
class GateLabel:
    """The G of a turn, and whether it should have been admitted."""

    score: float
    useful: bool
    group: str = ""

    def __post_init__(self) -> None:
        if not 0.0 <= self.score <= 1.0:  # NaN compares false, so it is refused here too
            raise InputError(f"G is {self.score!r}.", "It lies in [0, 1].")


def feedback_labels(request: Request) -> list[Label]:
    """Labels from feedback that was given with a query. Cosines of an earlier embedding model are left out."""
    changes = request.store.log.find(EventFilter(request.tenant, topic=MODEL_CHANGE, limit=1))
    first = changes[0].number if changes else 0
    bodies = [(event, event.body.get("label")) for event in _events(request)]
    return [
        Label(
            label.get("bm25"),
            label.get("cos") if event.number > first else None,
            bool(label["label"]),
            str(event.subject),
        )
        for event, label in bodies
        if label is not None
    ]


def feedback_gate_labels(request: Request) -> list[GateLabel]:
    """Labels from feedback on turns that the gate decided. Deferred turns have no G yet."""
    signals = [(str(event.subject), LABELS.get(event.body.get("signal", ""))) for event in _events(request)]
    held = {record.key: record.gate for record in request.store.get(list({key for key, _ in signals}))}
    return [
        GateLabel(gate.score, bool(useful), key)
        for key, useful in signals
        if useful is not None and (gate := held.get(key)) is not None and gate.decision != "defer"
    ]


def too_few(right: Flags, name: str) -> str:
    """Why the labels are too few for a fit; "" when they are enough."""
    yes = int(right.sum())
    counts = f"{right.size} labels, {yes} {name} and {right.size - yes} not"
    if right.size < ENOUGH:
        return f"{counts}; at least {ENOUGH} are needed"
    return "" if 0 < yes < right.size else f"{counts}; both kinds are needed"


def held_out(right: Flags, labels: Sequence[Label | GateLabel]) -> Flags:
    """Mark a quarter of each class, chosen by hash, so that the order of labels does not matter."""
    held = np.zeros(right.size, dtype=np.bool_)
    order = [(_digest(label.group or repr(label)), _digest(repr(label))) for label in labels]
    for kind in (True, False):
        members = sorted(np.flatnonzero(right == kind).tolist(), key=lambda i: order[i])
        held[members[: max(len(members) // HELD_OUT, 1 if len(members) > 1 else 0)]] = True
    return held


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def _events(request: Request) -> list[Event]:
    """The feedback events, oldest first."""
    return request.store.log.find(EventFilter(request.tenant, topic=TOPIC, limit=EVERY_EVENT))[::-1]
