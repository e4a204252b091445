"""Token estimates: arithmetic by hand, and the laws that packing leans on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.math.tokens import estimate_tokens, gate_tokens, safe_tokens
from aforesaid.settings.rows import TokenRows
from support.growth import is_linear

CASES = [
    ("", 0),
    ("a", 1),  # 0.25
    ("abcd", 1),
    ("abcde", 2),  # 1.25
    ("日本語", 2),  # 3 / 1.6 = 1.875
    ("日本語テキスト", 5),  # 7 / 1.6 = 4.375
    ("한국어", 2),
    ("привет", 3),  # 6 / 2.5 = 2.4
    ("שלום", 2),  # 4 / 2.5 = 1.6
    ("مرحبا", 2),  # 5 / 2.5 = 2
    ("日本 abc", 3),  # 2 / 1.6 + 4 / 4 = 2.25
    ("привет мир", 4),  # 9 / 2.5 + 1 / 4 = 3.85
    ("ｶﾀｶﾅ。", 4),  # 5 / 1.6 = 3.125
    ("𠮷野家", 2),  # 3 code points, one of them beyond the first plane
    ("🙂🙂🙂🙂", 1),  # pictures are of no script: 4 / 4
]


@pytest.mark.parametrize(("text", "tokens"), CASES)
def test_by_hand(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_runs_are_summed_before_rounding() -> None:
    assert estimate_tokens("a日" * 8) == 7  # 8 / 4 + 8 / 1.6, not 16 rounded runs


def test_the_rows_count() -> None:
    rows = TokenRows(chars_cjk=1.0, chars_dense=1.0, chars_other=2.0, gate_chars=8)
    assert estimate_tokens("日本жabcd", rows) == 5
    assert gate_tokens("a" * 24, rows) == 3


@pytest.mark.parametrize(("text", "tokens"), [("", 1), ("abc", 1), ("a" * 7, 1), ("a" * 8, 2), ("日" * 8, 2)])
def test_the_gate_has_its_own_estimator(text: str, tokens: int) -> None:
    assert gate_tokens(text) == tokens


MIXED = st.text(st.sampled_from("ab 日本ひカ한жяאب🙂\n"), max_size=60)


@given(MIXED, MIXED)
def test_a_whole_costs_no_more_than_its_parts_and_no_less_than_one(one: str, other: str) -> None:
    whole = estimate_tokens(one + other)
    assert max(estimate_tokens(one), estimate_tokens(other)) <= whole <= estimate_tokens(one) + estimate_tokens(other)


@given(MIXED)
def test_order_does_not_matter_and_zero_is_only_for_nothing(text: str) -> None:
    assert estimate_tokens(text) == estimate_tokens("".join(sorted(text)))
    assert (estimate_tokens(text) == 0) == (text == "")


@pytest.mark.parametrize("piece", ["a", "日", "a日", "слово и ещё "])
def test_time_is_linear(piece: str) -> None:
    assert is_linear(lambda repeats: estimate_tokens(piece * repeats), 10_000, 80_000)


SAFE_CASES = [
    ("", 0),
    ("the server", 3),  # two words of one token, and 0.08 for the space
    ("zyxq", 3),  # 1 + 4 · 0.31
    ("The", 1),
    ("2026-05-12", 10),
    (" 7", 3),  # 0.08 + 1 + 1
    ("日本", 4),  # 2 · 1.6
    ("a" * 31, 11),  # one rare word: 1 + 31 · 0.31
    ("a" * 32, 33),  # a run, like base64: 32 · 1.02
    ("😀", 5),
]


@pytest.mark.parametrize(("text", "tokens"), SAFE_CASES)
def test_the_safe_estimate_by_hand(text: str, tokens: int) -> None:
    assert safe_tokens(text) == tokens
    assert safe_tokens(text, TokenRows(margin=2.0)) in (2 * tokens - 1, 2 * tokens)


@given(MIXED, MIXED)
def test_safe_estimates_of_lines_add_up(one: str, other: str) -> None:
    both = safe_tokens(f"{one}\n{other}")
    assert max(safe_tokens(one), safe_tokens(other)) <= both <= safe_tokens(one) + safe_tokens(other) + 1
