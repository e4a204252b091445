"""What a question is after, and how a text is spoken."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.text.extract.question import (
    asking_share,
    ends_asking,
    named_speaker,
    personal_share,
    read_aim,
    speaker_of,
)
from support.clock import NOW

WEEK = timedelta(days=7)


@pytest.mark.parametrize(
    "query",
    [
        "What is my rent?",
        "Where did I go?",
        "What did I recommend to Lena?",
        "Can you list what I bought?",
        "私の住所は？",
    ],
)
def test_asking_of_oneself(query: str) -> None:
    aim = read_aim(query, NOW, WEEK)
    assert aim.of_asker
    assert aim.agent_discount == 1.0


@pytest.mark.parametrize(
    "query",
    [
        "What was the restaurant you recommended to me last time?",
        "Which three books did you suggest that I read?",
        "Can you remind me what the second option was?",
        "I am going back to our previous conversation about omelettes: how many eggs?",
        "What was your advice on my visa?",
        "私との前回の会話で話した店の名前は？",
        "私に教えてくれたレシピは？",
    ],
)
def test_asking_of_what_the_agent_said(query: str) -> None:
    aim = read_aim(query, NOW, WEEK)
    assert aim.of_agent
    assert not aim.of_asker
    assert aim.agent_discount == 0.0


def test_asking_of_neither() -> None:
    aim = read_aim("What is Iris's mystery?", NOW, WEEK)
    assert not aim.of_agent
    assert not aim.of_asker
    assert aim.agent_discount == 0.5


def test_a_named_period_covers_the_days_after_it() -> None:
    aim = read_aim("What did she plant two weeks ago?", NOW, WEEK)
    assert aim.covers(NOW - 2 * WEEK) == 1.0
    assert aim.covers(NOW - WEEK) == 1.0, "told of a week later"
    assert aim.covers(NOW - timedelta(days=1)) == 0.0
    assert aim.covers(NOW - 4 * WEEK) == 0.0
    assert read_aim("What did she plant?", NOW, WEEK).covers(NOW) == 0.0
    assert read_aim("What shall I watch tonight, or next week?", NOW, WEEK).periods == (), "plans are not told of yet"


def test_a_sharp_period_counts_for_more() -> None:
    aim = read_aim(f"What did she plant in {NOW.year - 1}, or on {NOW.year - 1}-03-05?", NOW, WEEK)
    assert aim.covers(NOW.replace(year=NOW.year - 1, month=3, day=6)) == 1.0
    assert aim.covers(NOW.replace(year=NOW.year - 1, month=7, day=6)) == 0.5


@pytest.mark.parametrize(
    ("query", "speakers", "speaker"),
    [
        ("What did Caroline paint?", ["Caroline", "Melanie", None], "Caroline"),
        ("What did caroline's sister paint?", ["Caroline", None], "Caroline"),
        ("What did Ana paint?", ["Ana María Silva"], "Ana María Silva"),
        ("What did Caroline and Melanie paint?", ["Caroline", "Melanie"], None),
        ("What did Anabel paint?", ["Ana"], None),
        ("anything", ["!?", ""], None),
    ],
)
def test_the_speaker_whom_a_question_names(query: str, speakers: list[str | None], speaker: str | None) -> None:
    assert named_speaker(query, speakers) == speaker


@pytest.mark.parametrize(
    ("role", "text", "speaker"),
    [
        ("Ana", "Bo: he said", "Ana"),
        ("user", "Ana María: I moved.", "Ana María"),
        ("assistant", "The plan: we move in the morning: early", None),
        (None, "https://example.org", None),
        (None, "What: nothing", None),
        ("user", "太郎: 行きます", "太郎"),
        ("User", "12:30 is fine", None),
    ],
)
def test_who_speaks(role: str | None, text: str, speaker: str | None) -> None:
    assert speaker_of(role, text) == speaker


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("What did you paint?", 1.0),
        ("I painted it. Nice?", 5 / 19),
        ("Nice? I painted it! Well? Yes.", 10 / 30),
        ("?" * 3000, 1.0),
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


@pytest.mark.parametrize(
    ("query", "lengths"),
    [
        ("what happened from 3 May 2020 to 9 May 2020?", [7]),
        ("between 2020-05-03 and 2020-05-04", [2]),
        ("what changed on 3 May 2020 and 9 May 2020?", [1, 1]),
        ("from 9 May 2020 to 3 May 2020", [1, 1]),
    ],
)
def test_two_ends_are_one_period(query: str, lengths: list[int]) -> None:
    periods = read_aim(query, NOW, timedelta()).periods
    assert [(period.end - period.start).days for period in periods] == lengths
