"""Directives: told from everything that only looks like one, on a labelled set, and in linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.text.extract.imperatives import is_directive, read_prose
from samples import imperative_sentences as labelled
from support.growth import is_linear

LEAST_PRECISION, LEAST_RECALL = 0.95, 0.9


def test_the_labelled_set_is_large_mixed_and_without_repeats() -> None:
    everything = labelled.DIRECTIVES + labelled.OTHERS
    assert len(everything) == len(set(everything)) >= 200
    assert 0.4 <= len(labelled.OTHERS) / len(everything) <= 0.6
    assert sum(any("ぁ" <= sign <= "ん" for sign in text) for text in everything) >= 50


def test_precision_and_recall_on_the_labelled_set() -> None:
    missed = [text for text in labelled.DIRECTIVES if not is_directive(text)]
    false = [text for text in labelled.OTHERS if is_directive(text)]
    right = len(labelled.DIRECTIVES) - len(missed)
    precision, recall = right / (right + len(false)), right / len(labelled.DIRECTIVES)
    figures = f"precision {precision:.3f}, recall {recall:.3f}; missed {missed}; false {false}"
    assert precision >= LEAST_PRECISION and recall >= LEAST_RECALL, figures


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cache is shared. Never clear it by hand.", True),
        ("The cache is shared. It is cleared every night.", False),
        ("# Use tabs", False),
        ("```\nUse tabs.\n```", False),
        ("```\nUse tabs.\n```\nNever mix them.", True),
        ("`Use tabs.`", False),
        ("Never push to\nmain.", True),
        ("The queue is one that we\nnever empty.", False),
        ("テストを必ず実行\nしてください。", True),
        ("", False),
        ("...", False),
    ],
)
def test_a_paragraph_directs_when_one_of_its_sentences_does(text: str, expected: bool) -> None:
    assert is_directive(text) is expected


def test_prose_masks_code_and_quotations_and_gives_them_back() -> None:
    prose = read_prose('Run `make. All`, not "make". See [the *guide*](a.md).')
    assert len(prose.sentences) == 2
    assert prose.unmask(prose.sentences[0]).split() == ["Run", "make.", "All", ",", "not", "make", "."]
    assert prose.sentences[1] == "See the guide."


@given(st.text(max_size=300))
def test_any_text_directs_or_does_not(text: str) -> None:
    assert is_directive(text) in (True, False)


RULE_WORDS = [
    "never",
    "you",
    "must",
    "use",
    "`x`",
    '"',
    "'",
    "。",
    "ください",
    "こと",
    "な",
    ".",
    "?",
    "\n",
    ",",
    ";",
    "Qq7qQ",
]


@given(st.lists(st.sampled_from(RULE_WORDS), max_size=40))
def test_words_of_rules_in_any_order_do_no_harm(parts: list[str]) -> None:
    assert is_directive(" ".join(parts)) in (True, False)


@pytest.mark.parametrize(
    "part",
    ["a", "a ", "the a ", "if a, ", "you ", "you must ", "never, ", "no ", "no a ", "code ", "All commits a ", "agents a ", "`", "``` ",
     '"', "'", "“", "[", "[a](", "*", "_", "必ず", "決して", "は", "こと", "な", "に", "the lead reviewer, ", "log files ", "\n", "。", ": "],
)  # fmt: skip
def test_hostile_text_takes_linear_time(part: str) -> None:
    assert is_linear(lambda chars: is_directive((part * chars)[:chars]), 5000, 40_000)
