"""What a text states, and which of two statements about one thing is out of date, read without a model (spec 11.9).

A statement is a subject, an attribute and a value. What one can have only one of (a home, a manager, the date of a
launch) is one attribute; what one can have many of (habits, pets, tastes) is an attribute each, "own dog" or "habit
tennis", so that a new one replaces nothing and an ending finds its beginning. Questions, conditions, guesses, fiction,
the past and what somebody says of a third person state nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from aforesaid.text.extract.statements import english as statements_en
from aforesaid.text.extract.statements.phrases import NOBODY
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
SENTENCE_CHARS = 600  # of a longer sentence only the beginning is read
TEXT_CHARS = 20_000  # a longer text is a document; people state facts in its beginning or not at all
_KANA = re.compile("[ぁ-んァ-ヶ一-龥]")
_QUOTED_SELF = re.compile(r"[\"“]([^\"“”\n]{1,300})[\"”]")
_FIRST_PERSON = re.compile(r"\b(?:I|my|we|our|I'm|I've)\b")
_FENCE = re.compile(r"```.{0,20000}?(?:```|\Z)|^>[^\n]{0,2000}$", re.DOTALL | re.MULTILINE)


def statements(text: str, speaker: str = "") -> tuple[Statement, ...]:
    """What a turn or claim states, sentence by sentence; the speaker is named where a name is given."""
    found = dict.fromkeys(_found(text[:TEXT_CHARS], speaker.strip() or NOBODY))
    values: dict[str, set[str]] = {}
    for each in found:
        if each.subject.startswith(PROJECT):
            values.setdefault(each.attribute, set()).add(each.value)
    return tuple(each for each in found if len(values.get(each.attribute, ())) < 2)  # a list of records sets nothing


def _found(text: str, speaker: str) -> Iterator[Statement]:
    plain = _FENCE.sub(lambda fence: " " * len(fence[0]), text) if "```" in text or ">" in text else text
    plain = plain.replace("’", "'")
    if '"' in plain or "“" in plain:
        plain = _QUOTED_SELF.sub(_without_quotation, plain)
    talk = statements_en.Discourse(speaker)
    at = 0
    for sentence in sentences(plain):  # a quotation mark or bracket after its last sign is no part of it
        at = plain.find(sentence, at)
        end = at + len(sentence)
        for reading in _readings(sentence[:SENTENCE_CHARS], talk):
            yield replace(reading, start=at, end=end)
        at = end


def _without_quotation(quoted: re.Match[str]) -> str:
    """Blanks for words that somebody else may have said of themselves."""
    return " " * len(quoted[0]) if _FIRST_PERSON.search(quoted[1]) else quoted[0]


def _readings(sentence: str, talk: statements_en.Discourse) -> Iterator[Statement]:
    if not sentence.isascii() and _KANA.search(sentence):
        from aforesaid.text.extract.statements import japanese as statements_ja  # its patterns take a while to compile

        yield from statements_ja.readings(sentence, talk.speaker)
        return
    if not sentence.endswith("?"):
        yield from settings_in(sentence)
    yield from statements_en.readings(sentence, talk)


def supersedes(newer: Statement, older: Statement) -> str:
    """Why the newer statement makes the older one out of date, as "same=…; from=…; to=…;", or nothing."""
    if key_of(newer) != key_of(older):
        return ""
    if newer.mood == "ends":
        return _reason(newer, older) if older.mood == "is" and _meant(newer, older) else ""
    if newer.mood == "cancels":
        other_day = (
            conflict("date", newer.value, older.value, False) if newer.attribute in TIMES else not _meant(newer, older)
        )
        return _reason(newer, older) if older.mood == "plans" and not other_day else ""
    if older.mood in ("ends", "cancels"):
        return _reason(newer, older) if newer.change and _resumed(newer, older) else ""
    if newer.mood != older.mood:
        return ""  # a plan changes no fact, and a fact no plan
    if not newer.value:
        return _reason(newer, older) if older.value else ""  # postponed, to no day yet
    if not older.value or not conflict(newer.attribute, newer.value, older.value, newer.change):
        return ""
    return _reason(newer, older) if newer.change or not _several(newer) else ""


def _meant(newer: Statement, older: Statement) -> bool:
    """Whether an ending names the value that was held, or none."""
    held = {"", "yes"}
    return newer.value in held or older.value in held or same_value(newer.value, older.value)


def _resumed(newer: Statement, older: Statement) -> bool:
    """Whether something that ended begins again; a new value of something else does not."""
    return not older.value or newer.mood == "plans" or same_value(newer.value, older.value)


def _several(statement: Statement) -> bool:
    """Whether there may be two at once, so that only a word of change makes one the other's successor."""
    if statement.attribute in TIMES:
        return statement.subject in EVERYDAY
    return statement.attribute in SOFT


def _reason(newer: Statement, older: Statement) -> str:
    about = f"same={newer.subject}'s {newer.attribute}"
    if newer.mood in ("ends", "cancels"):
        return f"{about}; {newer.mood}={older.value or newer.value or newer.attribute};"
    return f"{about}; from={older.value or older.mood}; to={newer.value or 'later'};"
