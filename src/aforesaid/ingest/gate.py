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
    """The gate's settings, with the calibrated threshold if there is one for the policy in force."""
    rows, kept = request.settings.gate, calibration(request, GATE)
    if not kept:
        return rows
    try:
        found = json.loads(kept)
        threshold = float(found["threshold"])
        fits = found["policy_version"] == request.policy_version and 0.0 <= threshold <= 1.0
    except (ValueError, TypeError, KeyError):
        return rows
    return replace(rows, threshold=threshold) if fits else rows


def apply_gate(request: Request, records: Sequence[Record], vectors: Vectors | None) -> list[Record]:
    """Every turn of a person through the gate, in order, each seeing those before it."""
    stored = _stored_neighbours(request, records, vectors)
    rows = gate_rows(request)
    judged: list[Record] = []
    for i, record in enumerate(records):
        if record.role in AGENT_ROLES:
            judged.append(record)
            continue
        durable = turns = None
        if vectors is not None:
            same = [j for j in range(i) if judged[j].namespace == record.namespace]
            spread = spread_cosines(vectors[same] @ vectors[i], request.arm.background)
            cosines = dict(zip(same, spread.tolist(), strict=True))
            durable = stored[i].durable + [cosines[j] for j in same if judged[j].durable]
            turns = stored[i].turns + list(cosines.values())
        judged.append(weighed(request, record, durable, turns, rows))
    return judged


def weighed(
    request: Request,
    record: Record,
    durable: Sequence[float] | None,
    turns: Sequence[float] | None,
    rows: GateRows | None = None,
) -> Record:
    """The record with the gate's decision, from the cosines of its neighbours (None: not known).

    `rows` are the gate's settings in force, for a caller that has read them already.
    """
    from aforesaid.math.gate import decide
    from aforesaid.math.tokens import gate_tokens

    signals = request.readers.read_signals(record.text)
    decision = decide(signals, gate_tokens(record.text), durable, turns, rows or gate_rows(request))
    return replace(record, gate=decision, durable=decision.decision == "admit")


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Cosines of the nearest durable records and of the nearest turns of a namespace."""

    durable: list[float]
    turns: list[float]


def neighbours(request: Request, record: Record, vectors: Vectors) -> list[Neighbours]:
    """What is near to each vector in the record's namespace, the record itself left out.

    The gate's thresholds mean cosines of a model whose unrelated texts are near 0; ours are spread out to that scale.
    """
    rows = request.settings.gate
    here = Filter(request.tenant, (record.owner,), namespace=record.namespace, exclude=(record.key,))
    near = request.store.vector_search_many
    durable = near(vectors, replace(here, durable=True), rows.novelty_neighbours)
    turns = near(vectors, replace(here, kinds=("turn",)), rows.frequency_neighbours)

    def spread(hits: Sequence[Scored]) -> list[float]:
        cosines: list[float] = spread_cosines([hit.score for hit in hits], request.arm.background).tolist()
        return cosines

    return [Neighbours(spread(one), spread(other)) for one, other in zip(durable, turns, strict=True)]


def _stored_neighbours(request: Request, records: Sequence[Record], vectors: Vectors | None) -> dict[int, Neighbours]:
    """For each turn of a person, what the store holds near it: one look for all turns of a namespace."""
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
