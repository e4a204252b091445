"""What fits a token budget, in order (spec 6, L3, L7.2, L7.8)."""

from __future__ import annotations

from collections.abc import Sequence

from aforesaid.math.domain import LARGEST, within
from aforesaid.settings.rows import AssembleRows

DEFAULTS = AssembleRows()
SHARE_DIGITS = 9  # in binary 0.29 · 100 is 28.999999999999996, but 29 tokens must fit


def longest_prefix(costs: Sequence[float], budget: float) -> int:
    """How many of the first items fit: m = max{r | Σ_{i≤r} cᵢ ≤ B}; of soft rules Pref(I2; b) (spec 6, L3, L7.2)."""
    within(costs, 0, LARGEST, "costs")
    _tokens(budget, "budget")
    used = 0.0
    for taken, cost in enumerate(costs):
        used += cost
        if used > budget:
            return taken
    return len(costs)


def share_tokens(total: float, share: float) -> float:
    """A share of the budget in tokens: share·τ, as in α1·τ, α2·τ, ρ·τ and the tail's β·τ (spec 6, L7.8)."""
    return round(_tokens(total, "budget") * float(within(share, 0, 1, "share")), SHARE_DIGITS)


def hard_fits(total: float, hard: float, share: float = DEFAULTS.hard) -> bool:
    """Whether the hard rules fit their share, checked when they are loaded: τ_I1 ≤ α1·τ (spec 6, L7.8)."""
    return _tokens(hard, "hard rules") <= share_tokens(total, share)


def mandatory_fits(total: float, hard: float, tail_base: float) -> bool:
    """Whether the mandatory parts fit: τ_I1 + toks(T_base) ≤ τ, else it is degraded (spec 6, L7.8)."""
    return _tokens(hard, "hard rules") + _tokens(tail_base, "tail base") <= _tokens(total, "budget")


def soft_budget(total: float, hard: float, tail_base: float, share: float = DEFAULTS.soft) -> float:
    """Tokens for soft rules: τ_I2 = max(0, min(α2·τ, τ − τ_I1 − toks(T_base))) (spec 6, L7.8)."""
    room = _tokens(total, "budget") - _tokens(hard, "hard rules") - _tokens(tail_base, "tail base")
    return max(0.0, min(share_tokens(total, share), room))


def tail_budget(total: float, hard: float, soft: float, tail_base: float, share: float = DEFAULTS.tail) -> float:
    """Tokens for recent messages: max(0, min(max(β·τ, toks(T_base)), τ − τ_I1 − toks(I2*))) (spec 6, L7.8)."""
    room = _tokens(total, "budget") - _tokens(hard, "hard rules") - _tokens(soft, "soft rules")
    return max(0.0, min(max(share_tokens(total, share), _tokens(tail_base, "tail base")), room))


def recall_budget(total: float, mandatory: float) -> float:
    """Tokens left for recall: τ_V = max(0, τ − toks(I1 ∪ I2* ∪ T_recent)) (spec 6, L7.8)."""
    return max(0.0, _tokens(total, "budget") - _tokens(mandatory, "mandatory parts"))


def _tokens(count: float, name: str) -> float:
    return float(within(count, 0, LARGEST, name))
