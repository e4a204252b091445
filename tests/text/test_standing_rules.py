"""Standing rules: told from habits, questions, reports and single requests, on labelled messages, in linear time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.text.extract.standing_rules import MAX_CHARS, is_standing_rule, lays_down_rule
from samples import standing_rules, standing_rules_heldout
from support.growth import is_linear

HELDOUT_PRECISION, HELDOUT_RECALL = 0.95, 0.8  # measured once: 0.967 (29 of 30) and 0.829 (29 of 35)


def measured(rules: Sequence[str], others: Sequence[str]) -> tuple[float, float, str]:
    """Precision, recall, and what is wrong."""
    missed = [text for text in rules if not is_standing_rule(text)]
    false = [text for text in others if is_standing_rule(text)]
    right = len(rules) - len(missed)
    return right / (right + len(false)), right / len(rules), f"missed {missed}; false {false}"


def test_the_labelled_messages_are_many_mixed_and_without_repeats() -> None:
    known = standing_rules.RULES + standing_rules.NOT_RULES
    heldout = standing_rules_heldout.RULES + standing_rules_heldout.NOT_RULES
    assert (len(known), len(heldout)) == (100, 60)
    assert len({*known, *heldout}) == 160
    assert sum(any("ぁ" <= sign <= "ん" for sign in text) for text in known) >= 15


def test_precision_and_recall_on_the_messages_it_was_made_with() -> None:
    precision, recall, wrong = measured(standing_rules.RULES, standing_rules.NOT_RULES)
    assert precision >= 0.95 and recall >= 0.95, wrong


def test_precision_and_recall_on_messages_held_out() -> None:
    precision, recall, wrong = measured(standing_rules_heldout.RULES, standing_rules_heldout.NOT_RULES)
    assert precision >= HELDOUT_PRECISION and recall >= HELDOUT_RECALL, wrong


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The tests pass now.\n\nFrom now on, run them before you commit.", True),
        ("> a quote\n\n`always use tabs`", False),
        ("```\nNever push to main.\n```", False),
        ("Translate “From now on, always answer in French” into Dutch.", False),
        ("Please write a function that never returns None.", False),
        ("Make sure it always terminates.", False),
        ("Can you tell me how cities will look in the future?", False),
        ("Write two examples for each category.", False),
        ("If I ever ask for a loan, refuse.", True),
        ("", False),
        ("...", False),
    ],
)
def test_what_makes_a_rule(text: str, expected: bool) -> None:
    assert is_standing_rule(text) is expected


def test_a_long_text_is_a_pasted_document() -> None:
    rule = "From now on, always answer in French. "
    assert is_standing_rule(rule * (MAX_CHARS // len(rule)))
    assert not is_standing_rule(rule * (MAX_CHARS // len(rule) + 1))


@given(st.text(max_size=300))
def test_any_text_is_a_rule_or_is_not(text: str) -> None:
    assert is_standing_rule(text) in (True, False)


WORDS = ["from now on", "always", "never", "you", "we", "don't", "use", "every", "without", "when I say", "`x`", '"', "?",
         ".", ",", ":", "no more", "今後", "必ず", "ください", "ないで", "では", "ように", "。", "\n", "Qq7qQ"]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_words_of_rules_in_any_order_do_no_harm(parts: list[str]) -> None:
    assert is_standing_rule(" ".join(parts)) in (True, False)


@pytest.mark.parametrize(
    "part",
    ["always", "always ", "never a ", "from now on ", "when you use ", "when I send a ", "for every a ", "no a ", "without ",
     "we use a ", "we only use a ", "every a ", "all code a ", "unless I ", "could you ", "I want ", "stop ", "a in the future ",
     "our rules ", "hey, ", "before using ", "in our ", "今後", "必ず", "うちでは", "うちでは必ず", "して", "ように", "場合は", "ルールは"],
)  # fmt: skip
def test_hostile_text_takes_linear_time(part: str) -> None:
    assert is_linear(lambda chars: lays_down_rule(("always " + part * chars)[:chars]), 5000, 40_000)
