"""Intents: for each kind of task, which scopes and claim types to prefer and how many of each to take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from aforesaid.types import Record, Scope

IntentName = Literal["resume_task", "debug_incident", "design_decision", "policy_check"]
INTENTS: tuple[IntentName, ...] = get_args(IntentName)
SCOPE_LIFT, TYPE_LIFT = 0.10, 0.20  # largest score boosts: full for the first choice, 1/2 for the second, 1/3 …
EVIDENCE = "evidence"  # the type of every record that is not a claim: turns, summaries, chunks


@dataclass(frozen=True, slots=True)
class Intent:
    """Scopes in order of preference, and claim types with the share of a context that each may fill."""

    scopes: tuple[Scope, ...]
    shares: Mapping[str, float]

    def lift(self, record: Record, scope: Scope) -> float:
        """The factor for a record's score: from 1 (nothing matches) to 1.32 (scope and type are first choice)."""
        return (1 + SCOPE_LIFT * _preference(scope, self.scopes)) * (
            1 + TYPE_LIFT * _preference(type_of(record), tuple(self.shares))
        )

    def quota(self, kind: str, limit: int) -> int:
        """The most items of a type in a context of `limit` items; at least 1."""
        return max(round(self.shares.get(kind, 0.0) * limit), 1)


def type_of(record: Record) -> str:
    """The type that counts towards a quota."""
    return record.claim_type or EVIDENCE


def _preference(name: str, wanted: tuple[str, ...]) -> float:
    return 1 / (1 + wanted.index(name)) if name in wanted else 0.0


TABLE: Mapping[IntentName, Intent] = {
    "resume_task": Intent(("session", "project", "user"), {"task": 0.5, EVIDENCE: 0.5, "fact": 0.4, "preference": 0.2}),
    "debug_incident": Intent(("session", "project"), {EVIDENCE: 0.7, "fact": 0.5, "task": 0.2}),
    "design_decision": Intent(
        ("project", "global"), {"policy_hint": 0.4, "fact": 0.5, "preference": 0.3, EVIDENCE: 0.3}
    ),
    "policy_check": Intent(("global", "project"), {"policy_hint": 0.8, "fact": 0.3}),
}
