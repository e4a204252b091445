"""Sentences: where they end, where they only seem to, and which a turn is found by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.text.sentences import passages, sentences
from support.growth import is_linear


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved. It rained!  Did you see?", ["I moved.", "It rained!", "Did you see?"]),
        ("I met Dr. Smith at 5 p.m. yesterday. He left.", ["I met Dr. Smith at 5 p.m. yesterday.", "He left."]),
        ("It is J. K. Rowling, e.g. her first book. Yes.", ["It is J. K. Rowling, e.g. her first book.", "Yes."]),
        ("Version 3.5 is out... and it works.", ["Version 3.5 is out... and it works."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("one line\ntwo lines\n\nthree", ["one line", "two lines", "three"]),
        ("京都に住んでいます。猫が二匹います！名前は？「はい。」", ["京都に住んでいます。", "猫が二匹います！", "名前は？", "「はい。」"]),
        ("no end", ["no end"]),
        ("", []),
        (" \n ", []),
        ("?!", ["?!"]),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet="ab A.!?。\n\"'…", max_size=60))
def test_no_character_is_lost_or_moved(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize("part", [".", ". ", "'", '."', "。", "\n", "? ", "Dr. "])
def test_hostile_text_is_read_in_linear_time(part: str) -> None:
    assert is_linear(lambda count: sentences(part * count), 1_000, 8_000)


def test_passages_are_what_a_text_of_several_things_says() -> None:
    aside = "Can you suggest some throw pillows? Thanks! By the way, my dentist moved to Porto."
    assert passages(aside, 9) == ["Can you suggest some throw pillows?", "By the way, my dentist moved to Porto."]
    assert passages(aside, 1) == ["Can you suggest some throw pillows?"]
    assert passages(aside, 0) == []
    assert passages("My dentist moved to Porto. Great!", 9) == [], "one thing is found by the whole"
    assert passages("歯医者がポルトに引っ越した。新しい枕を探しています。", 9) == ["歯医者がポルトに引っ越した。", "新しい枕を探しています。"]  # fmt: skip
