"""What somebody wants a context for: which scopes and types come first, and how many of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from aforesaid.types import Record, Scope

IntentName = Literal["resume_task", "debug_incident", "design_decision", "policy_check"]
INTENTS: tuple[IntentName, ...] = get_args(IntentName)
SCOPE_LIFT, TYPE_LIFT = 0.10, 0.20  # added to 1 for what is wanted most; half of it for what comes second, and so on
EVIDENCE = "evidence"  # the type of whatever is no claim: turns, summaries, chunks


@dataclass(frozen=True, slots=True)
class Intent:
    """Scopes from the most wanted on, and types with the share of a context that each may fill."""

    scopes: tuple[Scope, ...]
    shares: Mapping[str, float]

    def lift(self, record: Record) -> float:
        """What a score is multiplied by: from 1 for what nobody asked for to 1.32 for the first scope and type."""
        return (1 + SCOPE_LIFT * _nearness(record.scope, self.scopes)) * (
            1 + TYPE_LIFT * _nearness(type_of(record), tuple(self.shares))
        )

    def quota(self, kind: str, limit: int) -> int:
        """How many of a type a context of so many items holds at most; at least one."""
        return max(round(self.shares.get(kind, 0.0) * limit), 1)


def type_of(record: Record) -> str:
    """The type that quotas count."""
    return record.claim_type or EVIDENCE


def _nearness(name: str, wanted: tuple[str, ...]) -> float:
    return 1 / (1 + wanted.index(name)) if name in wanted else 0.0


TABLE: Mapping[IntentName, Intent] = {
    "resume_task": Intent(("session", "project", "user"), {"task": 0.5, EVIDENCE: 0.5, "fact": 0.4, "preference": 0.2}),
    "debug_incident": Intent(("session", "project"), {EVIDENCE: 0.7, "fact": 0.5, "task": 0.2}),
    "design_decision": Intent(
        ("project", "global"), {"policy_hint": 0.4, "fact": 0.5, "preference": 0.3, EVIDENCE: 0.3}
    ),
    "policy_check": Intent(("global", "project"), {"policy_hint": 0.8, "fact": 0.3}),
}
