"""The gate: decides which user messages are durable, from their text and their nearest neighbours (spec 4)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from aforesaid.engine.kept_values import GATE, calibration
from aforesaid.engine.request import Request
from aforesaid.math.vectors import Vectors, spread_cosines
from aforesaid.settings.rows import GateRows
from aforesaid.types import AGENT_ROLES, Filter, Record, Scored

THRESHOLD = "gate.threshold"  # the setting


def gate_rows(request: Request) -> GateRows:
    """The gate's settings, with the calibrated threshold if one was fitted under the current policy."""
    rows, stored = request.settings.gate, calibration(request, GATE)
    if not stored:
        return rows
    try:
        fitted = json.loads(stored)
        threshold = float(fitted["threshold"])
        usable = fitted["policy_version"] == request.policy_version and 0.0 <= threshold <= 1.0
    except (ValueError, TypeError, KeyError):
        return rows
    return replace(rows, threshold=threshold) if usable else rows


def apply_gate(request: Request, records: Sequence[Record], vectors: Vectors | None) -> list[Record]:
    """Score each user message, in order, against stored neighbours and the earlier ones of the batch."""
    stored = _stored_neighbours(request, records, vectors)
    rows = gate_rows(request)
    gated: list[Record] = []
    for i, record in enumerate(records):
        if record.role in AGENT_ROLES:
            gated.append(record)
            continue
        durable = turns = None
        if vectors is not None:
            same = [j for j in range(i) if gated[j].namespace == record.namespace]
            spread = spread_cosines(vectors[same] @ vectors[i], request.arm.background)
            cosines = dict(zip(same, spread.tolist(), strict=True))
            durable = stored[i].durable + [cosines[j] for j in same if gated[j].durable]
            turns = stored[i].turns + list(cosines.values())
        gated.append(decide_record(request, record, durable, turns, rows))
    return gated


def decide_record(
    request: Request,
    record: Record,
    durable: Sequence[float] | None,
    turns: Sequence[float] | None,
    rows: GateRows | None = None,
) -> Record:
    """Add the gate's decision to a record.

    `durable` and `turns` are the cosines of its neighbours; None when embeddings are unavailable. Pass `rows` when
    `gate_rows` was already called.
    """
    from aforesaid.math.gate import decide
    from aforesaid.math.tokens import gate_tokens

    signals = request.readers.read_signals(record.text)
    length = gate_tokens(record.text, request.settings.tokens)
    decision = decide(signals, length, durable, turns, rows or gate_rows(request))
    return replace(record, gate=decision, durable=decision.decision == "admit")


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Cosines of the nearest durable records and of the nearest turns of a namespace."""

    durable: list[float]
    turns: list[float]


def neighbours(request: Request, record: Record, vectors: Vectors) -> list[Neighbours]:
    """The neighbours of each vector in the record's namespace, without the record itself.

    The gate's thresholds assume a model that gives unrelated texts a cosine near 0, so we rescale ours to that.
    """
    rows = request.settings.gate
    here = Filter(request.tenant, (record.owner,), namespace=record.namespace, exclude=(record.key,))
    find_nearest = request.view.vector_search_many
    durable = find_nearest(vectors, replace(here, durable=True), rows.novelty_neighbours)
    turns = find_nearest(vectors, replace(here, kinds=("turn",)), rows.frequency_neighbours)

    def spread(hits: Sequence[Scored]) -> list[float]:
        cosines: list[float] = spread_cosines([hit.score for hit in hits], request.arm.background).tolist()
        return cosines

    return [Neighbours(spread(one), spread(other)) for one, other in zip(durable, turns, strict=True)]


def _stored_neighbours(request: Request, records: Sequence[Record], vectors: Vectors | None) -> dict[int, Neighbours]:
    """The stored neighbours of each user message, by position; one search per namespace."""
    if vectors is None:
        return {}
    groups: dict[str, list[int]] = {}
    for i, record in enumerate(records):
        if record.role not in AGENT_ROLES:
            groups.setdefault(record.namespace, []).append(i)
    found: dict[int, Neighbours] = {}
    for members in groups.values():
        found |= dict(zip(members, neighbours(request, records[members[0]], vectors[members]), strict=True))
    return found
