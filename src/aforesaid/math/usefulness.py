"""How useful a record is apart from its text: g of the `pce` profile, and how feedback and time change it.

Spec 5.6, 9, P4. Utility is in [−1, 1] and starts at 0; confidence and quality are in [0, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from aforesaid.errors import InputError
from aforesaid.math.domain import LARGEST_SCORE, SLACK, Flags, Floats, Numbers, row, same_length, share
from aforesaid.settings.rows import GovernRows, PceRows
from aforesaid.types import ClaimType

Signal: TypeAlias = Literal["helpful", "harmful", "outdated", "duplicate"]
SIGNALS: tuple[Signal, ...] = get_args(Signal)

DEFAULTS = PceRows()
FEEDBACK_DEFAULTS = GovernRows()
SECONDS_A_DAY = 86_400


def sigmoid(values: Numbers) -> Floats:
    """Logistic function: σ(x) = 1 / (1 + exp(−x)), without overflow (spec P4)."""
    return np.asarray(
        np.exp(-np.logaddexp(0.0, -row(values, -LARGEST_SCORE, LARGEST_SCORE, "x of σ"))), dtype=np.float64
    )


def utility_z(utilities: Numbers, epsilon: float = DEFAULTS.epsilon) -> Floats | None:
    """Standard score of utility over the candidates: z = (u − mean) / standard deviation (÷ n) (spec P4).

    None for a single candidate or a deviation of at most ε.
    """
    array = row(utilities, -LARGEST_SCORE, LARGEST_SCORE, "Utility")
    deviation = float(array.std()) if array.size > 1 else 0.0
    if deviation <= epsilon:
        return None
    return np.asarray((array - array.mean()) / deviation, dtype=np.float64)


def utility_share(utilities: Numbers, epsilon: float = DEFAULTS.epsilon) -> Floats:
    """Utility as a share: σ(utility_z), or without a z score (u + 1) / 2 in [0, 1] (spec 5.6, P4).

    The second replaces σ(z), not z: u = 0 gives 0.5, as z = 0 does.
    """
    z = utility_z(utilities, epsilon)
    if z is not None:
        return sigmoid(z)
    return np.clip((np.asarray(utilities, dtype=np.float64) + 1.0) / 2.0, 0.0, 1.0)


def half_lives(claim_types: Sequence[ClaimType | None], rows: PceRows = DEFAULTS) -> Floats:
    """Half-life HL in days: fact 120, task 14, preference 90, policy_hint 365, else 30 (spec 5.6, P4)."""
    days: dict[str | None, float] = {
        "fact": rows.half_life_fact,
        "task": rows.half_life_task,
        "preference": rows.half_life_preference,
        "policy_hint": rows.half_life_policy_hint,
    }
    return np.fromiter((days.get(name, rows.half_life_other) for name in claim_types), np.float64, len(claim_types))


def age_days(now_seconds: float, times_seconds: Numbers) -> Floats:
    """Age in days: (now − ts) / 86400, ts = updated_at or created_at; at least 0 (spec 5.6, P4)."""
    times = row(times_seconds, -LARGEST_SCORE, LARGEST_SCORE, "A time")
    if not abs(now_seconds) <= LARGEST_SCORE:
        raise InputError(f"Now is {now_seconds!r}.", "Give Unix seconds.")
    return np.maximum((now_seconds - times) / SECONDS_A_DAY, 0.0)


def recency(ages_days: Numbers, half_lives_days: Numbers) -> Floats:
    """Recency: exp(−ln 2 · age_days / HL) (spec 5.6, P4)."""
    ages = row(ages_days, 0.0, LARGEST_SCORE, "An age in days")
    lives = row(half_lives_days, 1e-6, LARGEST_SCORE, "A half-life in days")
    same_length(ages=ages, half_lives=lives)
    return np.asarray(np.exp2(-ages / lives), dtype=np.float64)


def clipped(values: Numbers, name: str, epsilon: float = DEFAULTS.epsilon) -> Floats:
    """A term of g: min(max(x, ε), 1), never exactly 0 (spec P4)."""
    return np.clip(row(values, -LARGEST_SCORE, LARGEST_SCORE, name), share(epsilon, "ε"), 1.0)


def factor(values: Numbers, base: float, name: str, epsilon: float = DEFAULTS.epsilon) -> Floats:
    """One factor of g, at least `base`: base + (1 − base)·x (spec 5.6, P4)."""
    least = share(base, f"The base of {name}")
    return np.asarray(least + (1.0 - least) * clipped(values, name, epsilon), dtype=np.float64)


def usefulness(
    utility_shares: Numbers,
    confidences: Numbers,
    recencies: Numbers,
    qualities: Numbers | None = None,
    rows: PceRows = DEFAULTS,
) -> Floats:
    """g = (.6+.4·σ(utility_z)) · (.5+.5·confidence) · (.3+.7·recency) [· (.5+.5·quality)] (spec 5.6, P4).

    `utility_shares` come from `utility_share`. Quality counts only if given and `rows.use_quality` is on.
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
    """Final score: score_final = S·g (spec 5.6, P1)."""
    left, right = row(fused_scores, 0.0, 1.0, "S"), row(useful, 0.0, 1.0, "g")
    same_length(S=left, g=right)
    return left * right


def kept(scores: Numbers, threshold: float = DEFAULTS.threshold) -> Flags:
    """Which scores are high enough: score ≥ 0.15, else `below_threshold` (spec 5.6, P1)."""
    return row(scores, -LARGEST_SCORE, LARGEST_SCORE, "A score") + SLACK >= share(threshold, "The threshold")


def feedback(
    utility: float, confidence: float, signal: Signal, rows: GovernRows = FEEDBACK_DEFAULTS
) -> tuple[float, float]:
    """Utility in [−1, 1] and confidence in [0, 1] after one feedback signal (spec 9, P4).

    helpful +.10, +.05; harmful −.20, −.10; outdated confidence −.20; duplicate halves the utility of the record that
    was merged away (the seed's "decay" read as one half-life) and does not change the record that stays.
    """
    if signal not in SIGNALS:
        raise InputError(f"{signal!r} is not a feedback signal.", f"Use one of {', '.join(SIGNALS)}.")
    if not -1.0 <= utility <= 1.0:
        raise InputError(f"Utility is {utility!r}.", "It must be in [-1, 1].")
    share(confidence, "Confidence")
    if signal == "duplicate":
        return utility / 2.0, confidence
    more_utility, more_confidence = {
        "helpful": (rows.helpful_utility, rows.helpful_confidence),
        "harmful": (rows.harmful_utility, rows.harmful_confidence),
        "outdated": (0.0, rows.outdated_confidence),
    }[signal]
    return min(max(utility + more_utility, -1.0), 1.0), min(max(confidence + more_confidence, 0.0), 1.0)


def decayed_utility(utilities: Numbers, elapsed_days: float, rows: GovernRows = FEEDBACK_DEFAULTS) -> Floats:
    """Utility after some days: u·2^(−days/30), towards 0 from both sides (spec 9, P4)."""
    return row(utilities, -1.0, 1.0, "Utility") * recency([elapsed_days], [rows.utility_half_life_days])


def decayed_quality(qualities: Numbers, elapsed_days: float, rows: GovernRows = FEEDBACK_DEFAULTS) -> Floats:
    """Quality after some days: quality·2^(−days/120) (spec 9, P4)."""
    return row(qualities, 0.0, 1.0, "Quality") * recency([elapsed_days], [rows.quality_half_life_days])
