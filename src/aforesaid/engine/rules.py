"""Rules in the store: which of them apply to a caller, in the order in which they were written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from aforesaid.engine.lineage import EVIDENCE
from aforesaid.engine.request import Request
from aforesaid.engine.vector_arm import Embedded
from aforesaid.engine.writer import Writer
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.text.normalize import content_hash
from aforesaid.types import USER_ROLES, Edge, Filter, Provenance, Record

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
    hard, soft, elevated = ([node for node in ordered if node.meta[TIER] == tier] for tier in (HARD, SOFT, ELEVATED))
    return RulesInView(tuple(hard), tuple(soft), _last_of_each(elevated))


def guidance_in_view(request: Request, where: Filter) -> list[Record]:
    """The guidance under a filter: turns in which a user laid down a rule, word for word."""
    if not any(GUIDANCE in documents(request, owner) for owner in where.owners or ()):
        return []
    return request.view.find(replace(where, kinds=("node",), durable=True, sessions=(GUIDANCE,), exclude=()))


def _last_of_each(rules: Sequence[Record]) -> tuple[Record, ...]:
    """The rules without those that a later one repeats."""
    last = {content_hash(rule.text): rule for rule in rules}
    return tuple(rule for rule in rules if last[content_hash(rule.text)] is rule)


def standing_rules(request: Request, turns: Sequence[Record]) -> list[Record]:
    """The turns in which the user lays down a rule. Agents, tools, other people and untrusted texts lay down none."""
    return [turn for turn in turns if _is_by_user(turn) and request.readers.is_rule(turn.text)]


def _is_by_user(turn: Record) -> bool:
    return said_by_user(turn) and not turn.tainted and turn.echo_of is None


def said_by_user(turn: Record) -> bool:
    """Whether the user spoke, under their name or none."""
    role = (turn.role or "").lower()
    return role in USER_ROLES or (turn.user is not None and role == turn.user.lower())


def save_guidance(writer: Writer, turns: Sequence[Record]) -> int:
    """Save stored turns word for word as guidance for later prompts; returns how many are new."""
    request, store = writer.request, writer.store
    drafts = [request.guard.update_withheld(_guidance(turn)) for turn in turns]
    known = {record.key for record in store.get([record.key for record in drafts])}
    new = [(record, turn) for record, turn in zip(drafts, turns, strict=True) if record.key not in known]
    vectors = request.view.vectors([turn.key for _, turn in new]) if new else {}
    for record, turn in new:
        vector = vectors.get(turn.key)  # the text is the same
        embedded = Embedded(vector[np.newaxis], {}) if vector is not None else None
        writer.commit([record], embedded, [Edge(record.key, turn.key, EVIDENCE, request.clock())])
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
        meta={TIER: ELEVATED, ORDER: turn.time.timestamp(), "session": turn.session},
    )


def _scope_order(node: Record) -> int:
    return ("global", "project", "user", "session").index(node.scope)
