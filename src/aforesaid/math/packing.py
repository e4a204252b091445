"""What fits a budget of tokens, in order (seed 000 §3, §7.2, §7.8, SPEC 6). Positions in, positions out."""

from __future__ import annotations

from collections.abc import Sequence

from aforesaid.math.decay import LARGEST, within
from aforesaid.settings.rows import AssembleRows

DEFAULTS = AssembleRows()
SHARE_DIGITS = 9  # 0.29 · 100 is 28.999999999999996 in binary, and 29 tokens must fit it


def longest_prefix(costs: Sequence[float], budget: float) -> int:
    """m = max{r | Σ_{i≤r} cᵢ ≤ B}: how many of the first go in, as `libra` packs (seed 000 §3, SPEC 6)."""
    _check(costs, budget)
    used = 0.0
    for taken, cost in enumerate(costs):
        used += cost
        if used > budget:
            return taken
    return len(costs)


def fitting(costs: Sequence[float], budget: float) -> tuple[int, ...]:
    """The longest prefix, then each next that still fits: i is taken iff Σ_{taken before i} c + cᵢ ≤ B (SPEC 6)."""
    _check(costs, budget)
    taken: list[int] = []
    used = 0.0
    for i, cost in enumerate(costs):
        if used + cost <= budget:
            used += cost
            taken.append(i)
    return tuple(taken)


def soft_prefix(costs: Sequence[float], budget: float) -> int:
    """Pref(I2; b) = ⟨d₁ … d_j⟩, j = max{r | Σ_{i≤r} toks(dᵢ) ≤ b}, in authored order (seed 000 §7.2, SPEC 6)."""
    return longest_prefix(costs, budget)


def share_tokens(total: float, share: float) -> float:
    """share·τ, such as the reserves α1·τ, α2·τ, ρ·τ (seed 000 §7.8, SPEC 6)."""
    return round(_tokens(total, "budget") * float(within(share, 0, 1, "share")), SHARE_DIGITS)


def hard_fits(total: float, hard: float, share: float = DEFAULTS.hard) -> bool:
    """τ_I1 ≤ α1·τ, which must hold when authored rules are loaded (seed 000 §7.8, SPEC 6)."""
    return _tokens(hard, "hard rules") <= share_tokens(total, share)


def mandatory_fits(total: float, hard: float, tail_base: float) -> bool:
    """τ_I1 + toks(T_base) ≤ τ, else the context is degraded (seed 000 §7.8, SPEC 6)."""
    return _tokens(hard, "hard rules") + _tokens(tail_base, "tail base") <= _tokens(total, "budget")


def soft_budget(total: float, hard: float, tail_base: float, share: float = DEFAULTS.soft) -> float:
    """τ_I2 = max(0, min(α2·τ, τ − τ_I1 − toks(T_base))) (seed 000 §7.8, SPEC 6)."""
    room = _tokens(total, "budget") - _tokens(hard, "hard rules") - _tokens(tail_base, "tail base")
    return max(0.0, min(share_tokens(total, share), room))


def tail_target(total: float, share: float = DEFAULTS.tail) -> float:
    """τ_tail = β·τ (seed 000 §7.8, SPEC 6)."""
    return share_tokens(total, share)


def tail_budget(total: float, hard: float, soft: float, tail_base: float, share: float = DEFAULTS.tail) -> float:
    """max(0, min(max(β·τ, toks(T_base)), τ − τ_I1 − toks(I2*))): the base wins (seed 000 §7.8, SPEC 6)."""
    room = _tokens(total, "budget") - _tokens(hard, "hard rules") - _tokens(soft, "soft rules")
    return max(0.0, min(max(tail_target(total, share), _tokens(tail_base, "tail base")), room))


def recall_budget(total: float, hard: float, soft: float, tail: float) -> float:
    """τ_V = max(0, τ − τ_I1 − toks(I2*) − toks(T_recent)) (seed 000 §7.8, SPEC 6)."""
    used = _tokens(hard, "hard rules") + _tokens(soft, "soft rules") + _tokens(tail, "tail")
    return max(0.0, _tokens(total, "budget") - used)


def _tokens(count: float, name: str) -> float:
    return float(within(count, 0, LARGEST, name))


def _check(costs: Sequence[float], budget: float) -> None:
    within(costs, 0, LARGEST, "costs")
    _tokens(budget, "budget")
