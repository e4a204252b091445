"""How useful a candidate is, apart from what it says: g of the `pce` profile, and what feedback and time do to it.

SPEC 5.6 and 9; seed 003 §4. Utility lies in [−1, 1] and starts at 0; confidence and quality lie in [0, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from aforesaid.errors import InputError
from aforesaid.math.normalise import LARGEST, Floats, Numbers, checked, same_length, share
from aforesaid.settings.rows import GovernRows, PceRows
from aforesaid.types import ClaimType

Signal: TypeAlias = Literal["helpful", "harmful", "outdated", "duplicate"]
SIGNALS: tuple[Signal, ...] = get_args(Signal)

DEFAULTS = PceRows()
CARE = GovernRows()
SLACK = 1e-9  # products of tenths are not exact in binary: a score of 0.15 must still pass a threshold of 0.15
SECONDS_A_DAY = 86_400


def sigmoid(values: Numbers) -> Floats:
    """σ(x) = 1 / (1 + exp(−x)), without overflow (seed 003 §4)."""
    array = checked(values, -LARGEST, LARGEST, "x of σ", missing=False)
    return np.asarray(np.exp(-np.logaddexp(0.0, -array)), dtype=np.float64)


def utility_z(utilities: Numbers, epsilon: float = DEFAULTS.epsilon) -> Floats | None:
    """z = (u − mean) / standard deviation over the candidates; None when they have no spread (seed 003 §4).

    The deviation is that of the whole set (÷ n). One candidate, or a deviation of at most ε, has no z score.
    """
    array = checked(utilities, -LARGEST, LARGEST, "Utility", missing=False)
    deviation = float(array.std()) if array.size > 1 else 0.0
    if deviation <= epsilon:
        return None
    return np.asarray((array - array.mean()) / deviation, dtype=np.float64)


def utility_share(utilities: Numbers, epsilon: float = DEFAULTS.epsilon) -> Floats:
    """σ(utility_z), or without a z score the linear (u + 1) / 2 clipped to [0, 1] (SPEC 5.6; seed 003 §4).

    The linear value stands in for σ(z), not for z: u = 0 then gives 0.5, as z = 0 does.
    """
    z = utility_z(utilities, epsilon)
    if z is not None:
        return sigmoid(z)
    return np.clip((np.asarray(utilities, dtype=np.float64) + 1.0) / 2.0, 0.0, 1.0)


def half_lives(claim_types: Sequence[ClaimType | None], rows: PceRows = DEFAULTS) -> Floats:
    """HL in days: fact 120, task 14, preference 90, policy_hint 365, else 30 (SPEC 5.6; seed 003 §4)."""
    days: dict[str | None, float] = {
        "fact": rows.half_life_fact,
        "task": rows.half_life_task,
        "preference": rows.half_life_preference,
        "policy_hint": rows.half_life_policy_hint,
    }
    return np.fromiter((days.get(name, rows.half_life_other) for name in claim_types), np.float64, len(claim_types))


def age_days(now_seconds: float, times_seconds: Numbers) -> Floats:
    """age = (now − ts) / 86400, ts = updated_at or created_at; a time to come is age 0 (SPEC 5.6; seed 003 §4)."""
    times = checked(times_seconds, -LARGEST, LARGEST, "A time", missing=False)
    if not abs(now_seconds) <= LARGEST:
        raise InputError(f"Now is {now_seconds!r}.", "Give Unix seconds.")
    return np.maximum((now_seconds - times) / SECONDS_A_DAY, 0.0)


def recency(ages_days: Numbers, half_lives_days: Numbers) -> Floats:
    """recency = exp(−ln 2 · age_days / HL) (SPEC 5.6; seed 003 §4)."""
    ages = checked(ages_days, 0.0, LARGEST, "An age in days", missing=False)
    lives = checked(half_lives_days, 1e-6, LARGEST, "A half-life in days", missing=False)
    same_length(ages=ages, half_lives=lives)
    return np.asarray(np.exp2(-ages / lives), dtype=np.float64)


def clipped(values: Numbers, name: str, epsilon: float = DEFAULTS.epsilon) -> Floats:
    """min(max(x, ε), 1): a term of g inside [0, 1], and never quite 0 (seed 003 §4)."""
    return np.clip(checked(values, -LARGEST, LARGEST, name, missing=False), share(epsilon, "ε"), 1.0)


def factor(values: Numbers, base: float, name: str, epsilon: float = DEFAULTS.epsilon) -> Floats:
    """base + (1 − base)·x: one factor of g, of which `base` is always there (SPEC 5.6; seed 003 §4)."""
    always = share(base, f"The base of {name}")
    return np.asarray(always + (1.0 - always) * clipped(values, name, epsilon), dtype=np.float64)


def usefulness(
    utility_shares: Numbers,
    confidences: Numbers,
    recencies: Numbers,
    qualities: Numbers | None = None,
    rows: PceRows = DEFAULTS,
) -> Floats:
    """g = (.6+.4·σ(utility_z)) · (.5+.5·confidence) · (.3+.7·recency) [· (.5+.5·quality)] (SPEC 5.6; seed 003 §4).

    The first column is `utility_share`. Quality counts only when `rows.use_quality` is on and a column is given.
    """
    columns = [
        factor(utility_shares, rows.utility_base, "utility", rows.epsilon),
        factor(confidences, rows.confidence_base, "confidence", rows.epsilon),
        factor(recencies, rows.recency_base, "recency", rows.epsilon),
    ]
    if rows.use_quality and qualities is not None:
        columns.append(factor(qualities, rows.quality_base, "quality", rows.epsilon))
    same_length(**{str(number): column for number, column in enumerate(columns)})
    return np.asarray(np.prod(columns, axis=0), dtype=np.float64)


def score(fused_scores: Numbers, useful: Numbers) -> Floats:
    """score_final = S·g (SPEC 5.6; seed 003 §1)."""
    left = checked(fused_scores, 0.0, 1.0, "S", missing=False)
    right = checked(useful, 0.0, 1.0, "g", missing=False)
    same_length(S=left, g=right)
    return left * right


def kept(scores: Numbers, threshold: float = DEFAULTS.threshold) -> NDArray[np.bool_]:
    """score ≥ 0.15: what is not kept is `below_threshold` (SPEC 5.6; seed 003 §1)."""
    return checked(scores, -LARGEST, LARGEST, "A score", missing=False) + SLACK >= share(threshold, "The threshold")


def feedback(utility: float, confidence: float, signal: Signal, rows: GovernRows = CARE) -> tuple[float, float]:
    """Utility and confidence after one signal, kept in [−1, 1] and [0, 1] (SPEC 9; seed 003 §4).

    helpful +.10, +.05; harmful −.20, −.10; outdated confidence −.20; duplicate: the record that was merged away loses
    half its utility, the seed's "decay" read as one half-life; its representative is not touched.
    """
    if signal not in SIGNALS:
        raise InputError(f"{signal!r} is not a feedback signal.", f"Use one of {', '.join(SIGNALS)}.")
    if not -1.0 <= utility <= 1.0:
        raise InputError(f"Utility is {utility!r}.", "It must lie in [-1, 1].")
    share(confidence, "Confidence")
    if signal == "duplicate":
        return utility / 2.0, confidence
    more_utility, more_confidence = {
        "helpful": (rows.helpful_utility, rows.helpful_confidence),
        "harmful": (rows.harmful_utility, rows.harmful_confidence),
        "outdated": (0.0, rows.outdated_confidence),
    }[signal]
    return min(max(utility + more_utility, -1.0), 1.0), min(max(confidence + more_confidence, 0.0), 1.0)


def decayed_utility(utilities: Numbers, elapsed_days: float, rows: GovernRows = CARE) -> Floats:
    """u·2^(−days/30): praise and blame both fade to 0 (SPEC 9; seed 003 §4)."""
    return checked(utilities, -1.0, 1.0, "Utility", missing=False) * _fade(elapsed_days, rows.utility_half_life_days)


def decayed_quality(qualities: Numbers, elapsed_days: float, rows: GovernRows = CARE) -> Floats:
    """quality·2^(−days/120) (SPEC 9; seed 003 §4)."""
    return checked(qualities, 0.0, 1.0, "Quality", missing=False) * _fade(elapsed_days, rows.quality_half_life_days)


def _fade(elapsed_days: float, half_life_days: float) -> float:
    return float(recency([elapsed_days], [half_life_days])[0])
