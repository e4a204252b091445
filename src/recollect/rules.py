"""Authored rules in the store: which are in view, in the order in which they were written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.engine import Engine
from recollect.types import Filter, Record

TIER = "tier"  # keys of a node's `meta`: 1 hard, 2 soft, 0 lore,
ORDER = "order"  # and its place in its document
HARD, SOFT = 1, 2


@dataclass(frozen=True, slots=True)
class Rules:
    """Hard and soft rules in authored order."""

    hard: Sequence[Record] = ()
    soft: Sequence[Record] = ()

    @property
    def records(self) -> tuple[Record, ...]:
        """All of them."""
        return (*self.hard, *self.soft)


def documents(engine: Engine, owner: str) -> dict[str, str]:
    """The documents that are loaded for an owner: what each is called, and the key of its content."""
    found: dict[str, str] = json.loads(engine.store.setting(_registry(engine, owner)) or "{}")
    return found


def note_document(engine: Engine, owner: str, name: str, key: str | None) -> None:
    """Remember a document's content, or with None that it is gone."""
    rest = {other: value for other, value in documents(engine, owner).items() if other != name}
    engine.store.put_setting(_registry(engine, owner), json.dumps({**rest, name: key} if key else rest))


def _registry(engine: Engine, owner: str) -> str:
    return f"documents/{engine.tenant}/{owner}"


def rules_in_view(engine: Engine, where: Filter) -> Rules:
    """Every rule that a caller is under: everybody's first, then the project's, then their own."""
    names = sorted({name for owner in where.owners or () for name in documents(engine, owner)})
    if not names:  # as nearly always: a look through all records for nodes would cost more than the search
        return Rules()
    nodes = engine.store.find(replace(where, kinds=("node",), durable=True, sessions=tuple(names), exclude=()))
    ordered = sorted(nodes, key=lambda node: (_nearness(node), node.session or "", node.meta[ORDER], node.key))
    hard, soft = ([node for node in ordered if node.meta[TIER] == tier] for tier in (HARD, SOFT))
    return Rules(tuple(hard), tuple(soft))


def _nearness(node: Record) -> int:
    return ("global", "project", "user", "session").index(node.scope)
