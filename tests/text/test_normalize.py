"""One content, one hash."""

from __future__ import annotations

import hashlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.text.normalize import content_hash, fold

SAME = [
    ("I moved to Lisbon.", "  I moved to Lisbon. \n"),
    ("one\ntwo", "one\r\ntwo"),
    ("one two", "one \t\n  two"),
    ("café", unicodedata.normalize("NFD", "café")),
    ("東京 に", "東京\u3000に"),
    ("", " \n\t "),
]
DIFFERENT = [("a b", "ab"), ("Lisbon", "lisbon"), ("1", "１"), ("a", "")]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_form_and_spacing_do_not_matter(one: str, other: str) -> None:
    assert content_hash(one) == content_hash(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_words_and_letters_do(one: str, other: str) -> None:
    assert content_hash(one) != content_hash(other)


def test_the_hash_is_sha256_of_the_folded_text() -> None:
    assert content_hash(" a\r\n b ") == hashlib.sha256(b"a b").hexdigest()


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert content_hash(fold(text)) == content_hash(text)


def test_lone_surrogates_have_a_hash() -> None:
    assert len(content_hash("a\ud800b")) == 64
