"""Estimates the tokens of a text without a tokenizer (spec 2, 6).

`estimate_tokens` is the published estimate by script. `safe_tokens` is for budgets: it is at least the count of every
tokenizer that we measured (docs/tokens.md), and not much more for English and code. The gate has its own estimate.
"""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path

import numpy as np

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

# Tokens of a safe estimate, fitted from above to nine tokenizers on about a hundred languages, code and data.
RARE_LETTER = 0.31  # each letter of a word that is not one token everywhere, besides the 1 of each word
RUN_LETTER = 1.02  # each character of base64, hex and the like
SPACED_NUMBER = 1.0  # the space before a number, which some tokenizers count
BEYOND = 0x10000  # all characters from here on cost the same
BY_CHARACTER: tuple[tuple[int, float], ...] = (  # each character from this code point on
    (0x0, 1.0), (0x80, 2.0), (0x370, 1.35), (0x400, 0.8), (0x450, 2.0), (0x530, 2.2), (0x590, 1.2), (0x660, 2.0),
    (0x780, 3.0), (0x900, 1.5), (0x980, 3.3), (0xE00, 2.0), (0xE80, 3.3), (0x10A0, 2.2), (0x1100, 3.3), (0x1E00, 2.0),
    (0x1F00, 3.0), (0x2000, 1.5), (0x2070, 3.0), (0x2C00, 3.3), (0x2E80, 1.0), (0x3040, 0.9), (0x30A0, 1.55),
    (0x3100, 3.0), (0x4E00, 1.6), (0xA000, 3.3), (0xAC00, 1.75), (0xD7B0, 3.3), (0xFF00, 2.6), (BEYOND, 4.3),
)  # fmt: skip
IN_ASCII = {" ": 0.08, "\t": 0.75} | dict.fromkeys("!\"#'(*<=[\\`{&", 0.75)  # signs cost 1, letters count as words
_WORD = re.compile("[A-Za-z]+")
_RUN = re.compile("[A-Za-z0-9+=]{32,}")
_LONGEST_WORD = 32
_SPACED = re.compile(" [0-9]")


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


def safe_tokens(text: str, rows: TokenRows = DEFAULTS) -> int:
    """An estimate that is not below the count of real tokenizers (spec 6); "" is 0.

    ceil(margin·(words + 0.31·letters of rare words + 1.02·characters of long runs + Σ weights of other characters)).
    A word is a run of ASCII letters. It is rare if it is not one token in every tokenizer that we measured.
    """
    long = 0
    if max(map(len, text.split()), default=0) >= _LONGEST_WORD:
        rest = _RUN.sub("", text)
        text, long = rest, len(text) - len(rest)
    known = _one_token_words()
    words = _WORD.findall(text)
    rare = [word for word in words if word not in known and not (word.istitle() and word.lower() in known)]
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    others = float(_weights()[np.minimum(codes, BEYOND)].sum()) + SPACED_NUMBER * len(_SPACED.findall(text))
    tokens = len(words) + RARE_LETTER * len("".join(rare)) + RUN_LETTER * long + others
    return math.ceil(rows.margin * tokens - SLACK)


@cache
def _one_token_words() -> frozenset[str]:
    """Words that are one token, with the space before them, in every tokenizer that we measured."""
    return frozenset(Path(__file__).with_name("one_token_words.txt").read_text("ascii").split())


@cache
def _weights() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The tokens of each character by code point; letters of ASCII count as words."""
    table = np.zeros(BEYOND + 1)
    for start, tokens in BY_CHARACTER:
        table[start:] = tokens
    for char, tokens in IN_ASCII.items():
        table[ord(char)] = tokens
    for first in "aA":
        table[ord(first) : ord(first) + 26] = 0.0
    return table


def gate_tokens(text: str, rows: TokenRows = DEFAULTS) -> int:
    """Estimated tokens for the gate only: max(floor(code points / 4), 1) (spec 2); never used for budgets."""
    return max(math.floor(len(text) / rows.gate_chars), 1)
