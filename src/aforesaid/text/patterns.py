"""Helpers that build regular expressions from lists of words."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

Row = tuple[str, re.Pattern[str]]

MONTH = (  # in lower case, whole or shortened
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?)"
)


@cache
def _lists() -> dict[str, str]:
    """The lists of words.txt by name."""
    text = Path(__file__).with_name("words.txt").read_text("utf-8")
    plain = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    _, *parts = re.split(r"^\[(.+)\]$", plain, flags=re.MULTILINE)
    return {name: " ".join(words.split()) for name, words in zip(parts[::2], parts[1::2], strict=True)}


def word_list(name: str) -> str:
    """A list of words.txt, separated by spaces."""
    return _lists()[name]


def word_set(text: str) -> frozenset[str]:
    """The words of a text, to look one up."""
    return frozenset(text.split())


def listed(name: str) -> frozenset[str]:
    """A list of words.txt, to look a word up."""
    return word_set(word_list(name))


def word_groups(name: str) -> dict[str, str]:
    """A grouped list of words.txt as word → group: "editor: vim emacs shell: bash". An underscore is a space."""
    groups: dict[str, str] = {}
    group = ""
    for word in word_list(name).split():
        if word.endswith(":"):
            group = word[:-1].replace("_", " ")
        else:
            groups[word.replace("_", " ")] = group
    return groups


def any_of(*parts: str) -> str:
    """An alternation of patterns."""
    return "(?:" + "|".join(parts) + ")"


def words(text: str) -> str:
    """An alternation of the words of a text; each may be a pattern without spaces."""
    return any_of(*text.split())


def by_letter(text: str) -> str:
    """An alternation of many plain words, grouped by first letter, so that few of them are tried at a place."""
    found = text.split()
    letters = sorted({word[0] for word in found})
    return any_of(*(letter + any_of(*(w[1:] for w in found if w[0] == letter)) for letter in letters))


def after_none(text: str, before: str) -> str:
    """An alternation of words, none of them right behind a word of `before`. All must be of fixed length."""
    return any_of(*(word + "".join(f"(?<!{other} {word})" for other in before.split()) for word in text.split()))


def word_row(name: str, *parts: str) -> Row:
    """A row whose alternatives share one word boundary in front, which fails fast inside words."""
    return name, re.compile(rf"\b{any_of(*parts)}", re.MULTILINE)
