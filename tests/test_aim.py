"""What a question is after, and how a text is spoken."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import NOW
from recollect.text.aim import asking_share, ends_asking, named_speaker, personal_share, read_aim

WEEK = timedelta(days=7)


@pytest.mark.parametrize(
    ("query", "of_agent"),
    [
        ("What was the restaurant you recommended last time?", True),
        ("Which three books did you suggest?", True),
        ("Can you remind me what the second option was?", True),
        ("Going back to our previous conversation about omelettes: how many eggs?", True),
        ("What was your advice on the visa?", True),
        ("前回の会話で話した店の名前は？", True),
        ("教えてくれたレシピは？", True),
        ("Can you recommend a restaurant?", False),
        ("Could you list what I bought?", False),
        ("What did I recommend to Lena?", False),
        ("Where do I live?", False),
    ],
)
def test_asking_for_what_the_agent_said(query: str, of_agent: bool) -> None:
    assert read_aim(query, NOW, WEEK).of_agent == of_agent


@pytest.mark.parametrize(
    ("query", "personal"),
    [("What is my rent?", True), ("Where did I go?", True), ("私の住所は？", True), ("What is Iris's mystery?", False)],
)
def test_asking_of_oneself(query: str, personal: bool) -> None:
    assert read_aim(query, NOW, WEEK).personal == personal


def test_a_named_period_covers_the_days_after_it() -> None:
    aim = read_aim("What did she plant two weeks ago?", NOW, WEEK)
    assert aim.covers(NOW - 2 * WEEK) == 1.0
    assert aim.covers(NOW - WEEK) == 1.0, "told of a week later"
    assert aim.covers(NOW - timedelta(days=1)) == 0.0
    assert aim.covers(NOW - 4 * WEEK) == 0.0
    assert read_aim("What did she plant?", NOW, WEEK).covers(NOW) == 0.0


def test_a_sharp_period_counts_for_more() -> None:
    aim = read_aim(f"What did she plant in {NOW.year - 1}, or on {NOW.year - 1}-03-05?", NOW, WEEK)
    assert aim.covers(NOW.replace(year=NOW.year - 1, month=3, day=6)) == 1.0
    assert aim.covers(NOW.replace(year=NOW.year - 1, month=7, day=6)) == 0.5


@pytest.mark.parametrize(
    ("query", "roles", "speaker"),
    [
        ("What did Caroline paint?", ["Caroline", "Melanie", "user"], "Caroline"),
        ("What did caroline's sister paint?", ["Caroline", None], "Caroline"),
        ("What did Ana paint?", ["Ana María Silva"], "Ana María Silva"),
        ("What did Caroline and Melanie paint?", ["Caroline", "Melanie"], None),
        ("What did the user say to the assistant?", ["user", "assistant"], None),
        ("What did Anabel paint?", ["Ana"], None),
        ("anything", ["!?", ""], None),
    ],
)
def test_the_speaker_whom_a_question_names(query: str, roles: list[str | None], speaker: str | None) -> None:
    assert named_speaker(query, roles) == speaker


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("What did you paint?", 1.0),
        ("I painted it. Nice?", 5 / 18),
        ("No question here.", 0.0),
        ("何を描いたの？海を描いた。", 7 / 13),
        ("a?b is code", 0.0),
        ("?", 1.0),
        ("", 0.0),
    ],
)
def test_the_share_that_asks(text: str, share: float) -> None:
    assert asking_share(text) == pytest.approx(share)


def test_ending_in_a_question() -> None:
    assert ends_asking("Nice! What did you paint?  \n")
    assert ends_asking("何？")
    assert not ends_asking("What? I see.")


def test_the_share_that_is_personal() -> None:
    assert personal_share("I sold my car.") == 1.0
    assert personal_share("The quick brown fox jumps over the lazy dog and " * 3 + "me") == pytest.approx(10 / 31)
    assert personal_share("Write a poem.") == 0.0


@given(st.text())
def test_any_text_has_shares(text: str) -> None:
    assert 0 <= asking_share(text) <= 1
    assert 0 <= personal_share(text) <= 1
    read_aim(text, NOW, WEEK)
    named_speaker(text, [text, text[::-1]])
