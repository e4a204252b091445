"""Whether the hard rules fit their share of a prompt: τ_I1 ≤ α1·τ (spec 6, L7.8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aforesaid.context import render as frame
from aforesaid.engine.engine import Engine
from aforesaid.engine.request import Request
from aforesaid.engine.rules import GUIDANCE, rules_in_view
from aforesaid.math import packing
from aforesaid.store.protocols import ValueKind
from aforesaid.types import GLOBAL_OWNER, Filter, Record

REMEDY = "Turn list items that are no rules into paragraphs, shorten them, or raise assemble.hard or the budget."


@dataclass(frozen=True, slots=True)
class RuleRoom:
    """The tokens that hard rules need, and the budget τ with the share α1 that is theirs."""

    needed: int
    budget_tokens: int
    share: float

    @property
    def reserved(self) -> int:
        """α1·τ in whole tokens."""
        return int(packing.share_tokens(self.budget_tokens, self.share))

    @property
    def problem(self) -> str:
        """What is wrong, with the numbers; "" when the rules fit."""
        if packing.hard_fits(self.budget_tokens, self.needed, self.share):
            return ""
        return (
            f"the hard rules need {self.needed} tokens, and {self.reserved} are reserved for them "
            f"(assemble.hard = {self.share} of a budget of {self.budget_tokens})"
        )


def rule_room(request: Request, hard: Sequence[Record], budget_tokens: int | None = None) -> RuleRoom:
    """The room of hard rules in a prompt of this budget, by default `assemble.budget_tokens`."""
    rows = request.settings.assemble
    needed = request.count_tokens(frame.rules(hard, ()) + "\n") if hard else 0
    return RuleRoom(needed, rows.budget_tokens if budget_tokens is None else budget_tokens, rows.hard)


def rule_problem(request: Request, where: Filter) -> str:
    """What is wrong with the rules that prompts under this filter show; "" when they fit."""
    return rule_room(request, rules_in_view(request, where).hard).problem


def rule_problems(engine: Engine) -> dict[str, str]:
    """The owners of the tenant's documents whose hard rules do not fit, with the problem of each."""
    loaded = engine.store.values.items(ValueKind.DOCUMENT, engine.tenant)
    owners = sorted({slot.owner for slot in loaded if slot.name != GUIDANCE})
    if not owners:
        return {}
    request = engine.request()
    views = {owner: Filter(engine.tenant, tuple(dict.fromkeys((owner, GLOBAL_OWNER)))) for owner in owners}
    problems = {owner: rule_problem(request, where) for owner, where in views.items()}
    return {owner: problem for owner, problem in problems.items() if problem}
