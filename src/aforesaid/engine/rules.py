"""Rules in the store: which of them apply to a caller, in the order in which they were written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aforesaid.engine.lineage import EVIDENCE
from aforesaid.engine.request import Request
from aforesaid.engine.vector_arm import Embedded
from aforesaid.engine.writer import writing
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import Edge, Filter, Provenance, Record

TIER = "tier"  # key of a node's `meta`: 1 hard, 2 soft, 3 elevated, 0 lore
ORDER = "order"  # key of a node's `meta`: its position in the document
HARD, SOFT, ELEVATED = 1, 2, 3
GUIDANCE = "guidance"  # the document that holds rules which users stated in a conversation


@dataclass(frozen=True, slots=True)
class RulesInView:
    """The rules that apply: hard and soft ones in document order, and those stated in conversations, oldest first."""

    hard: Sequence[Record] = ()
    soft: Sequence[Record] = ()
    elevated: Sequence[Record] = ()

    @property
    def records(self) -> tuple[Record, ...]:
        """All rules."""
        return (*self.hard, *self.soft, *self.elevated)


def documents(request: Request, owner: str) -> dict[str, str]:
    """The documents loaded for an owner: the content key of each, by name."""
    found = request.store.values.items(ValueKind.DOCUMENT, request.tenant, owner)
    return {slot.name: key for slot, key in found.items()}


def set_document(request: Request, owner: str, name: str, key: str | None) -> None:
    """Save the content key of a document; None removes the document."""
    slot = Slot(ValueKind.DOCUMENT, request.tenant, owner, name)
    if key is None:
        request.store.values.drop(slot)
    else:
        request.store.values.put(slot, key)


def rules_in_view(request: Request, where: Filter) -> RulesInView:
    """All rules that apply under a filter: global ones first, then the project's, then the user's."""
    names = sorted({name for owner in where.owners or () for name in documents(request, owner)})
    if not names:  # the usual case; searching all records for nodes would cost more than the search itself
        return RulesInView()
    nodes = request.view.find(replace(where, kinds=("node",), durable=True, sessions=tuple(names), exclude=()))
    ordered = sorted(nodes, key=lambda node: (_scope_order(node), node.session or "", node.meta[ORDER], node.key))
    tiers = ([node for node in ordered if node.meta[TIER] == tier] for tier in (HARD, SOFT, ELEVATED))
    return RulesInView(*map(tuple, tiers))


def save_guidance(request: Request, turns: Sequence[Record]) -> int:
    """Save turns word for word as guidance for later prompts; returns how many are new."""
    guard = request.guard
    drafts = [guard.update_withheld(_guidance(turn)) for turn in turns]
    known = {record.key for record in request.store.get([record.key for record in drafts])}
    new = [(record, turn) for record, turn in zip(drafts, turns, strict=True) if record.key not in known]
    if not new:
        return 0
    records = [record for record, _ in new]
    vectors = request.arm.embed([record.text for record in records])
    edges = [Edge(record.key, turn.key, EVIDENCE, request.clock()) for record, turn in new]
    with writing(request) as writer:
        writer.commit(records, Embedded(vectors, {}) if vectors is not None else None, edges)
        for owner in {record.owner for record, _ in new}:
            set_document(request, owner, GUIDANCE, GUIDANCE)
    return len(new)


def _guidance(turn: Record) -> Record:
    return Record(
        id=f"guidance-{turn.key}",
        kind="node",
        text=turn.text,
        time=turn.time,
        tenant=turn.tenant,
        scope="user",
        user=turn.user,
        session=GUIDANCE,
        durable=True,
        boundary=turn.boundary,
        allow=turn.allow,
        memory_type="norm",
        provenance=Provenance(who=turn.role, method="elevated", sources=(turn.key,)),
        meta={TIER: ELEVATED, ORDER: int(turn.time.timestamp()), "session": turn.session},
    )


def _scope_order(node: Record) -> int:
    return ("global", "project", "user", "session").index(node.scope)
