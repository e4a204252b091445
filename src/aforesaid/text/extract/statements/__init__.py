"""Reads the facts that a text states, and decides which older facts they replace, without a model (spec 11.9).

A statement is a subject, an attribute and a value. If people have only one of something (a home, a manager), it is one
attribute, and a new value replaces the old one. If people have many (habits, pets), each is its own attribute ("own
dog", "habit tennis"): a new one replaces nothing, and "I sold my car" ends "own car". Questions, conditions,
guesses, fiction, the past and hearsay state nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from aforesaid.text.extract.statements import english as statements_en
from aforesaid.text.extract.statements.phrases import SPEAKER
from aforesaid.text.extract.statements.things import PROJECT, settings_in
from aforesaid.text.extract.statements.values import (
    SOFT,
    TIMES,
    Mood,
    Statement,
    conflict,
    key_of,
    same_value,
)
from aforesaid.text.patterns import listed
from aforesaid.text.sentences import sentences

__all__ = ["Mood", "Statement", "key_of", "statements", "supersedes"]

EVERYDAY = listed("statement everyday events")
SENTENCE_CHARS = 600  # we read only the beginning of a longer sentence
TEXT_CHARS = 20_000  # a longer text is a document; facts about people are at its beginning
_KANA = re.compile("[ぁ-んァ-ヶ一-龥]")
_QUOTATION = re.compile(r"[\"“]([^\"“”\n]{1,300})[\"”]")
_FIRST_PERSON = re.compile(r"\b(?:I|my|we|our|I'm|I've)\b")
_CODE_OR_QUOTE = re.compile(r"```.{0,20000}?(?:```|\Z)|^>[^\n]{0,2000}$", re.DOTALL | re.MULTILINE)


def statements(text: str, speaker: str = "") -> tuple[Statement, ...]:
    """The statements of a message or claim, in order. Without a name, the subject of "I" is "speaker"."""
    found = dict.fromkeys(_found(text[:TEXT_CHARS], speaker.strip() or SPEAKER))
    values: dict[str, set[str]] = {}
    for each in found:
        if each.subject.startswith(PROJECT):
            values.setdefault(each.attribute, set()).add(each.value)
    return tuple(each for each in found if len(values.get(each.attribute, ())) < 2)  # a list of records is no setting


def _found(text: str, speaker: str) -> Iterator[Statement]:
    plain = _CODE_OR_QUOTE.sub(lambda fence: " " * len(fence[0]), text) if "```" in text or ">" in text else text
    plain = plain.replace("’", "'")
    if '"' in plain or "“" in plain:
        plain = _QUOTATION.sub(_blank_quotation, plain)
    discourse = statements_en.Discourse(speaker)
    at = 0
    for sentence in sentences(plain):
        at = plain.find(sentence, at)
        end = at + len(sentence)
        for reading in _read_sentence(sentence[:SENTENCE_CHARS], discourse):
            yield replace(reading, start=at, end=end)
        at = end


def _blank_quotation(quoted: re.Match[str]) -> str:
    """Blanks for a quotation in the first person, because somebody else may have said it."""
    return " " * len(quoted[0]) if _FIRST_PERSON.search(quoted[1]) else quoted[0]


def _read_sentence(sentence: str, discourse: statements_en.Discourse) -> Iterator[Statement]:
    if not sentence.isascii() and _KANA.search(sentence):
        from aforesaid.text.extract.statements import japanese as statements_ja  # its patterns take a while to compile

        yield from statements_ja.readings(sentence, discourse.speaker)
        return
    if not sentence.endswith("?"):
        yield from settings_in(sentence)
    yield from statements_en.readings(sentence, discourse)


def supersedes(newer: Statement, older: Statement) -> str:
    """The reason why the newer statement replaces the older one, as "same=…; from=…; to=…;"; empty if it does not."""
    if key_of(newer) != key_of(older):
        return ""
    if newer.mood == "ends":
        return _reason(newer, older) if older.mood == "is" and _names_value(newer, older) else ""
    if newer.mood == "cancels":
        if newer.attribute in TIMES:
            same = not conflict("date", newer.value, older.value, False)
        else:
            same = _names_value(newer, older)
        return _reason(newer, older) if older.mood == "plans" and same else ""
    if older.mood in ("ends", "cancels"):
        return _reason(newer, older) if newer.change and _resumed(newer, older) else ""
    if newer.mood != older.mood:
        return ""  # plans replace plans, facts replace facts
    if not newer.value:
        return _reason(newer, older) if older.value else ""  # postponed without a new date
    if not older.value or not conflict(newer.attribute, newer.value, older.value, newer.change):
        return ""
    return _reason(newer, older) if newer.change or not _allows_several(newer) else ""


def _names_value(newer: Statement, older: Statement) -> bool:
    """Whether an ending names the older value, or no value."""
    held = {"", "yes"}
    return newer.value in held or older.value in held or same_value(newer.value, older.value)


def _resumed(newer: Statement, older: Statement) -> bool:
    """Whether something that ended begins again with the same value."""
    return not older.value or newer.mood == "plans" or same_value(newer.value, older.value)


def _allows_several(statement: Statement) -> bool:
    """Whether two values can be true at once. Then only a word such as "now" makes the new one replace the old one."""
    if statement.attribute in TIMES:
        return statement.subject in EVERYDAY
    return statement.attribute in SOFT


def _reason(newer: Statement, older: Statement) -> str:
    about = f"same={newer.subject}'s {newer.attribute}"
    if newer.mood in ("ends", "cancels"):
        return f"{about}; {newer.mood}={older.value or newer.value or newer.attribute};"
    return f"{about}; from={older.value or older.mood}; to={newer.value or 'later'};"
