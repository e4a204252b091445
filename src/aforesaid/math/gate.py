"""The gate: which messages are important (durable) (spec 4). One function per formula; `decide` joins them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from aforesaid.errors import InputError
from aforesaid.math.domain import COSINE_SLACK, SLACK, share
from aforesaid.settings.rows import GateRows
from aforesaid.types import Decision, GateDecision

DEFAULTS = GateRows()
THIRD_SHARE = 0.1  # the reason names a third term if it adds at least this share of G

# Each pattern has the name of its setting, so that a weight cannot miss its pattern.
TECHNICAL = tuple(f"technical_{n}" for n in ("code_fence", "path", "function", "shell", "url", "trace", "hash"))
NATURAL = tuple(f"natural_{n}" for n in ("date", "quantity", "person", "preference", "assertion"))
SPECIFIC = tuple(f"specific_{n}" for n in ("path", "function", "error", "git", "url"))
ACTION = tuple(f"action_{n}" for n in ("decision", "resolution", "milestone", "configuration"))
STRUCTURE = tuple(f"structure_{n}" for n in ("definition", "data", "dependency", "test", "comment"))

CONVERSATIONAL = ("novelty", "repetition", "natural")
ENGINEERING = ("specificity", "action", "structure")
TERMS = CONVERSATIONAL + ENGINEERING
KEYS = ("T", "H", "F", "S", "R", "Dnl", "P", "A", "Dtech", "Gconv", "Gtech", "G")


class Patterns(Protocol):
    """What was found in a text: the names of the patterns present, and counts of the specific ones."""

    @property
    def present(self) -> Collection[str]: ...
    @property
    def counts(self) -> Mapping[str, int]: ...


def technical(present: Collection[str], rows: GateRows = DEFAULTS) -> float:
    """How technical a message is: T = min(Σ sᵢ·[patternᵢ] / 1.5, 1)."""
    return min(_sum(TECHNICAL, present, rows) / rows.technical_norm, 1.0)


def novelty(durable_cosines: Sequence[float], rows: GateRows = DEFAULTS) -> float:
    """Novelty: H = 1 − mean(max(0, cos)) over the 5 nearest durable records; 1 if there are none."""
    nearest = _nearest(durable_cosines, rows.novelty_neighbours)
    return _unit(1.0 - math.fsum(max(0.0, cosine) for cosine in nearest) / len(nearest)) if nearest else 1.0


def frequency(turn_cosines: Sequence[float], rows: GateRows = DEFAULTS) -> float:
    """How often similar messages occur: F = min(#{10 nearest messages with cos ≥ .80} / 5, 1)."""
    nearest = _nearest(turn_cosines, rows.frequency_neighbours)
    return min(sum(cosine >= rows.frequency_cosine for cosine in nearest) / rows.frequency_norm, 1.0)


def saturation(durable_cosines: Sequence[float], rows: GateRows = DEFAULTS) -> float:
    """How often it is stored already: S = min(#{5 nearest durable records with cos ≥ .85} / 3, 1)."""
    nearest = _nearest(durable_cosines, rows.novelty_neighbours)
    return min(sum(cosine >= rows.saturation_cosine for cosine in nearest) / rows.saturation_norm, 1.0)


def repetition(frequent: float, saturated: float) -> float:
    """Repetition, frequent but not stored often: R = F·(1−S)."""
    return _checked(frequent) * (1.0 - _checked(saturated))


def natural(present: Collection[str], rows: GateRows = DEFAULTS) -> float:
    """Personal facts: Dnl = min(Σ weightᵢ·[patternᵢ], 1) over date, quantity, person, preference and assertion."""
    return min(_sum(NATURAL, present, rows), 1.0)


def specificity(counts: Mapping[str, int], text_tokens: int, rows: GateRows = DEFAULTS) -> float:
    """Specificity: P = min(Σ pⱼ·countⱼ / max(L/100, 1), 1), L = `text_tokens`, the gate's token estimate."""
    if not text_tokens >= 0 or any(not counts.get(name, 0) >= 0 for name in SPECIFIC):  # NaN compares false
        raise InputError(f"The gate got {text_tokens} tokens and counts {dict(counts)}.", "Neither can be negative.")
    total = math.fsum(float(getattr(rows, name)) * counts.get(name, 0) for name in SPECIFIC)
    return min(total / max(text_tokens / rows.specific_tokens, 1.0), 1.0)


def action(present: Collection[str], rows: GateRows = DEFAULTS) -> float:
    """Actions: A = min(Σ weightᵢ·[patternᵢ], 1) over decision, resolution, milestone and configuration."""
    return min(_sum(ACTION, present, rows), 1.0)


def structure(present: Collection[str], rows: GateRows = DEFAULTS) -> float:
    """Code structure: Dtech = min(Σ weightᵢ·[patternᵢ], 1) over definition, data, dependency, test, doc comment."""
    return min(_sum(STRUCTURE, present, rows), 1.0)


def branch(terms: Sequence[tuple[float, float]]) -> float:
    """Gconv or Gtech from (weight, term) pairs: Σ wᵢ·xᵢ / Σ wᵢ; 0 if all weights are 0."""
    total = math.fsum(_checked(weight) for weight, _ in terms)
    return _unit(math.fsum(weight * _checked(term) for weight, term in terms) / total) if total > 0 else 0.0


def blend(technical_share: float, conversational: float, technical_score: float) -> float:
    """The gate's score, between the two: G = (1−T)·Gconv + T·Gtech."""
    low, high = sorted((_checked(conversational), _checked(technical_score)))
    mixed = (1.0 - _checked(technical_share)) * conversational + technical_share * technical_score
    return min(max(mixed, low), high)


def decide(
    signals: Patterns,
    text_tokens: int,
    durable_cosines: Sequence[float] | None,
    turn_cosines: Sequence[float] | None,
    rows: GateRows = DEFAULTS,
) -> GateDecision:
    """Admit a message if G ≥ threshold, else reject it. Without cosines (None), defer it if they could matter.

    Without cosines, H, F and S can be anywhere in [0, 1]: admit if even the least G passes, reject if even the greatest
    fails. Terms and score are then those of the least G (H = 0, F = 0, S = 1).
    """
    h, most_h = _bounds(None if durable_cosines is None else novelty(durable_cosines, rows))
    least_s, s = _bounds(None if durable_cosines is None else saturation(durable_cosines, rows))
    f, most_f = _bounds(None if turn_cosines is None else frequency(turn_cosines, rows))
    t, r, dnl = technical(signals.present, rows), repetition(f, s), natural(signals.present, rows)
    p = specificity(signals.counts, text_tokens, rows)
    a, dtech = action(signals.present, rows), structure(signals.present, rows)
    terms = dict(zip(TERMS, (h, r, dnl, p, a, dtech), strict=True))
    conversational, engineering = branches(terms, rows)
    least = blend(t, conversational, engineering)
    best = terms | {"novelty": most_h, "repetition": repetition(most_f, least_s)}
    greatest = blend(t, *branches(best, rows))
    decision = verdict(least, greatest, rows.threshold)
    values = dict(zip(KEYS, (t, h, f, s, r, dnl, p, a, dtech, conversational, engineering, least), strict=True))
    vector_off = durable_cosines is None or turn_cosines is None
    parts = [_score_part(least, greatest, rows.threshold, vector_off), *_term_parts(decision, terms, _shares(t, rows))]
    return GateDecision(decision, least, rows.threshold, values, "; ".join(parts))


def _bounds(known: float | None) -> tuple[float, float]:
    """The least and the greatest value of a term; both are the value if it is known."""
    return (0.0, 1.0) if known is None else (known, known)


def branches(terms: Mapping[str, float], rows: GateRows) -> tuple[float, float]:
    """Gconv = .35·H + .40·R + .25·Dnl and Gtech = .40·P + .35·A + .25·Dtech."""
    conversational, engineering = (
        branch([(getattr(rows, f"weight_{name}"), terms[name]) for name in names])
        for names in (CONVERSATIONAL, ENGINEERING)
    )
    return conversational, engineering


def verdict(least: float, greatest: float, threshold: float) -> Decision:
    """Admit if even the least G passes, reject if even the greatest fails, else defer."""
    if least + SLACK >= threshold:
        return "admit"
    return "defer" if greatest + SLACK >= threshold else "reject"


def _shares(technical_share: float, rows: GateRows) -> dict[str, float]:
    """The largest share of G for each term: its branch's part of the blend times its weight in the branch."""
    shares: dict[str, float] = {}
    for part, names in ((1.0 - technical_share, CONVERSATIONAL), (technical_share, ENGINEERING)):
        total = math.fsum(getattr(rows, f"weight_{name}") for name in names)
        shares |= {name: part * getattr(rows, f"weight_{name}") / total if total else 0.0 for name in names}
    return shares


def _score_part(least: float, greatest: float, threshold: float, vector_off: bool) -> str:
    """G and its threshold; four digits if two do not show which is larger."""
    sign = ">=" if least + SLACK >= threshold else "<"
    digits = 2 if (round(least, 2) >= round(threshold, 2)) == (sign == ">=") else 4
    if not vector_off:
        return f"G={least:.{digits}f}{sign}{threshold:.{digits}f}"
    return f"G={least:.2f}..{greatest:.2f}; threshold={threshold:.2f}; vector=off"


def _term_parts(decision: Decision, terms: Mapping[str, float], shares: Mapping[str, float]) -> list[str]:
    """The two or three terms that added most; for a rejected message also the two that were missed most."""
    brought = {name: shares[name] * terms[name] for name in terms}
    most = [name for name in sorted(terms, key=lambda name: -brought[name]) if brought[name] > 0]
    if len(most) > 2 and brought[most[2]] < THIRD_SHARE * math.fsum(brought.values()):
        most = most[:2]
    parts = [f"{name}={terms[name]:.2f}" for name in most[:3]]
    if decision == "reject":
        lost = {name: shares[name] * (1.0 - terms[name]) for name in terms}
        missing = [name for name in sorted(terms, key=lambda name: -lost[name]) if lost[name] > 0][:2]
        parts.append(f"missing={','.join(missing) or 'weights'}")
    return parts


def _sum(names: Sequence[str], present: Collection[str], rows: GateRows) -> float:
    return math.fsum(float(getattr(rows, name)) for name in names if name in present)


def _checked(value: float) -> float:
    return share(value, "A weight or term of the gate")


def _unit(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _nearest(cosines: Sequence[float], count: int) -> list[float]:
    """The `count` largest cosines, clipped to [−1, 1]."""
    for cosine in cosines:
        if not abs(cosine) <= 1.0 + COSINE_SLACK:  # NaN compares false
            raise InputError(f"{cosine!r} is not a cosine.", "Give similarities of unit vectors, in [-1, 1].")
    return [min(max(float(cosine), -1.0), 1.0) for cosine in sorted(cosines, reverse=True)[:count]]
