"""From text to terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.testing.samples import make_record
from aforesaid.text.analyze import MAX_QUERY_TERMS, MAX_TERM_CHARS, is_unspaced, query_terms, searchable, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Running runs", ["run", "run"]),
        ("Ana's café", ["ana", "cafe"]),
        ("don’t", ["dont"]),
        ("snake_case and kebab-case", ["snake", "case", "and", "kebab", "case"]),
        ("京都", ["京都", "京", "都"]),
        ("ねこ", ["ねこ"]),
        ("ＡＢＣ１２３", ["abc123"]),
        ("東京Tower", ["東京", "tower", "東", "京"]),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Where does she live?", ["live"]),
        ("who are you", ["who", "are", "you"]),  # nothing but stop words: better those than nothing
        ("京都のアパート", ["京都", "都の", "のア", "アパ", "パー", "ート", "京", "都"]),
        (
            "UNTSOの名称は",
            ["の名", "名称", "称は", "untso", "untso", "untso", "名", "称"],
        ),  # one word beside many terms
        ("猫", ["猫"]),
        ("run running", ["run"]),
    ],
)
def test_query_terms(query: str, expected: list[str]) -> None:
    assert query_terms(query) == expected


@given(st.text())
def test_any_text_gives_clean_terms(text: str) -> None:
    for term in terms(text) + query_terms(text):
        assert 0 < len(term) <= MAX_TERM_CHARS
        assert '"' not in term
        assert not term.isspace()
    assert len(query_terms(text)) <= MAX_QUERY_TERMS


@given(st.text(alphabet="abc 京都のネコ"))
def test_a_text_is_found_by_its_own_words(text: str) -> None:
    assert set(query_terms(text)) <= set(terms(text))


@pytest.mark.parametrize(
    ("text", "unspaced"),
    [("猫の名前は？", True), ("what is 猫?", False), ("", False), ("123", False), ("Kyotoの家賃はいくらですか", True)],
)
def test_scripts_without_spaces_are_recognised(text: str, unspaced: bool) -> None:
    assert is_unspaced(text) == unspaced


def test_a_named_speaker_is_part_of_what_is_found() -> None:
    assert searchable(make_record("1", text="hi", role="Caroline")) == "Caroline: hi"
    assert searchable(make_record("1", text="hi", role="user")) == "hi"
    assert searchable(make_record("1", text="hi")) == "hi"
