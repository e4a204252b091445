"""Estimates the tokens of a text without a tokenizer (spec 2)."""

from __future__ import annotations

import math
import re

from aforesaid.settings.rows import TokenRows

DEFAULTS = TokenRows()
SLACK = 1e-9  # rounding errors must not add a token

# Whole runs of a script, which is faster than single characters.
CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u303f\u3040-\u31ff\u3200-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001b000-\U0001b16f\U0001f200-\U0001f2ff\U00020000-\U0003ffff]+"
)
DENSE = re.compile(
    "[\u0400-\u052f\u0590-\u06ff\u0750-\u077f\u0870-\u08ff\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f"
    "\ufb1d-\ufdff\ufe70-\ufefc]+"
)


def estimate_tokens(text: str, rows: TokenRows = DEFAULTS) -> int:
    """Estimated tokens: ceil(cjk/χ₁ + dense/χ₂ + other/χ₃), χ characters per token by script; "" is 0 (spec 2).

    Mixed text is summed by script run. Rounding every run up would count each change of script as a token; one ceil
    at the end keeps max(a, b) ≤ |a + b| ≤ |a| + |b|.
    """
    if text.isascii():
        return math.ceil(len(text) / rows.chars_other - SLACK)
    rest = CJK.sub("", text)
    other = DENSE.sub("", rest)
    cjk, dense = len(text) - len(rest), len(rest) - len(other)
    return math.ceil(cjk / rows.chars_cjk + dense / rows.chars_dense + len(other) / rows.chars_other - SLACK)


def gate_tokens(text: str, rows: TokenRows = DEFAULTS) -> int:
    """Estimated tokens for the gate only: max(floor(code points / 4), 1) (spec 2); never used for budgets."""
    return max(math.floor(len(text) / rows.gate_chars), 1)
