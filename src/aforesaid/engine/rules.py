"""Authored rules in the store: which are in view, in the order in which they were written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aforesaid.engine.lineage import EVIDENCE
from aforesaid.engine.request import Request
from aforesaid.engine.vector_arm import Embedded
from aforesaid.engine.writer import writing
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import Edge, Filter, Provenance, Record

TIER = "tier"  # keys of a node's `meta`: 1 hard, 2 soft, 0 lore,
ORDER = "order"  # and its place in its document
HARD, SOFT, ELEVATED = 1, 2, 3
GUIDANCE = "guidance"  # the document that holds what people laid down in talk, word for word


@dataclass(frozen=True, slots=True)
class RulesInView:
    """Hard and soft rules in authored order, and what people laid down in talk, oldest first."""

    hard: Sequence[Record] = ()
    soft: Sequence[Record] = ()
    elevated: Sequence[Record] = ()

    @property
    def records(self) -> tuple[Record, ...]:
        """All of them."""
        return (*self.hard, *self.soft, *self.elevated)


def documents(request: Request, owner: str) -> dict[str, str]:
    """The documents that are loaded for an owner: what each is called, and the key of its content."""
    found = request.store.values.items(ValueKind.DOCUMENT, request.tenant, owner)
    return {slot.name: key for slot, key in found.items()}


def note_document(request: Request, owner: str, name: str, key: str | None) -> None:
    """Remember a document's content, or with None that it is gone."""
    slot = Slot(ValueKind.DOCUMENT, request.tenant, owner, name)
    if key is None:
        request.store.values.drop(slot)
    else:
        request.store.values.put(slot, key)


def rules_in_view(request: Request, where: Filter) -> RulesInView:
    """Every rule that a caller is under: everybody's first, then the project's, then their own."""
    names = sorted({name for owner in where.owners or () for name in documents(request, owner)})
    if not names:  # as nearly always: a look through all records for nodes would cost more than the search
        return RulesInView()
    nodes = request.view.find(replace(where, kinds=("node",), durable=True, sessions=tuple(names), exclude=()))
    ordered = sorted(nodes, key=lambda node: (_nearness(node), node.session or "", node.meta[ORDER], node.key))
    tiers = ([node for node in ordered if node.meta[TIER] == tier] for tier in (HARD, SOFT, ELEVATED))
    return RulesInView(*map(tuple, tiers))


def elevate(request: Request, turns: Sequence[Record]) -> int:
    """Keep turns word for word as guidance that later prompts show; how many were not there yet."""
    guard = request.guard
    made = [guard.update_withheld(_guidance(turn)) for turn in turns]
    there = {record.key for record in request.store.get([record.key for record in made])}
    new = [(record, turn) for record, turn in zip(made, turns, strict=True) if record.key not in there]
    if not new:
        return 0
    records = [record for record, _ in new]
    vectors = request.arm.embed([record.text for record in records])
    edges = [Edge(record.key, turn.key, EVIDENCE, request.clock()) for record, turn in new]
    with writing(request) as writer:
        writer.commit(records, Embedded(vectors, {}) if vectors is not None else None, edges)
        for owner in {record.owner for record, _ in new}:
            note_document(request, owner, GUIDANCE, GUIDANCE)
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


def _nearness(node: Record) -> int:
    return ("global", "project", "user", "session").index(node.scope)
