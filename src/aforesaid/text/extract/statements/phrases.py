"""The parts of an English clause: its subject (`Phrase`), its predicate, and the value at the start of a text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from aforesaid.text.analyze import STOP_WORDS
from aforesaid.text.extract.statements.values import NUMBER_WORDS
from aforesaid.text.patterns import listed, word_set, words

SPEAKER = "speaker"  # the subject of "I" when the speaker has no name
RELATIONS = listed("statement relations")
ACQUAINTANCES = listed("statement acquaintances")
FAMILY = listed("statement family")
PEOPLE = RELATIONS | ACQUAINTANCES | FAMILY
PLAIN = listed("statement plain nouns")
GAUGES = listed("statement gauges")
DATES = word_set("date day time start schedule slot")
TRADES = listed("statement trades")
NUMBER = rf"(?:[$€£¥]?[0-9][0-9,.]*[km]?|{words(' '.join(NUMBER_WORDS))})"
_PETS = word_set("dog cat puppy kitten hamster parrot rabbit horse bird turtle fish")
TASTES = word_set("favorite favourite preferred default usual go-to")
ADVERBS = listed("statement adverbs")
_CHANGE = re.compile(
    r"\b(?:now|anymore|any more|any longer|no longer|instead|these days|nowadays|from now on|as of|again|after all|new|"
    r"finally|used to|going forward)\b"
)
_TAIL = re.compile(
    r"\s*(?:,(?![0-9]{3})|[;(!]|(?<!Dr)(?<!Mr)(?<!Ms)(?<!Mrs)(?<!St)\.(?:\s|$)|\b(?:now|anymore|any more|"
    "any longer|these days|nowadays|currently|since|as of|starting|"
    "from now on|at the moment|right now|again|already|after all|instead|last (?=week|month|year|night|"
    r"\w+day|spring|summer|"
    "fall|winter)|this (?:week|month|year|morning|summer|spring|fall|winter|past)|yesterday|today|"
    "recently|and|or|because|so|when|"
    r"where|which|that|who|until|btw|by the way|going forward|too|as well|also|rather than|not|though|but|if|unless|"
    r"a (?:few |couple of )?(?:days?|weeks?|months?|years?) ago|\w+ (?:days?|weeks?|months?|years?) ago|"
    r"if|thanks)\b).*",
    re.DOTALL,
)
_TO = re.compile("^(?:have had|had|decided) to ")
_PERFECT = re.compile(  # "have moved" is read as "moved"
    "^(?:have|has|had) (?=(?:\\w+ed|gone|become|got|gotten|left|quit|lost|sold|taken|given|begun|broken|split|cut|"
    "bought|read|brought)\\b)"
)
_BE = re.compile("^(?:am|are|be|(?:have|has) been(?! to )) ")
_ARTICLE = re.compile(r"^(?:(?:a|an|the|my|our|some|any|his|her|their|this|that|to|about|around) )+", re.I)
_OBJECT_END = re.compile(
    r"\b(?:every|on|in|at|for|with|twice|once|daily|weekly|each|since|to|when|because|as|before|after|during|and|or|"
    r"three|from|by|almost|most|named|called|now|so|too|these|this|last|regularly|anymore|any|again|right|until|per|"
    "there|here|a (?:day|week|month|year)|ago|yesterday|today|if|a few|is|are|was|completely|entirely|"
    r"altogether|instead|lot|of)\b.*|(?:[,!]|(?<!Dr)(?<!Mr)(?<!Ms)(?<!Mrs)(?<!St)\.).*",
    re.DOTALL,
)

Kind = Literal["self", "person", "thing", "nobody"]


@dataclass(frozen=True, slots=True)
class Phrase:
    """The subject of a clause: the speaker, a person or a thing."""

    kind: Kind
    subject: str  # "speaker's sister", "Ana"; for a thing, its owner and the words before its noun
    owner: str = ""
    head: str = ""  # for a person the relation, for a thing its noun
    new: bool = False  # "my new manager"

    @property
    def full_name(self) -> str:
        """The full name: for a thing, its owner, adjectives and noun."""
        return f"{self.subject} {self.head}".strip() if self.kind == "thing" else self.subject

    @staticmethod
    def of(noun: list[str], owner: str) -> Phrase:
        """The phrase for a noun and its owner: "my older sister", "the price of the ticket"."""
        new = False
        while len(noun) > 1 and noun[0].lower() in ("new", "current", "latest", "own", "dear"):
            new = new or noun[0].lower() in ("new", "latest")
            noun = noun[1:]
        if owner and (person := person_named(noun, owner)):
            return replace(person, new=new)
        low = [token.lower().strip("\"'“”*_`") for token in noun]
        whose = "" if owner in ("", SPEAKER) else owner
        for i, word in enumerate(low):
            if 0 < i < len(low) - 1 and (
                word == "of" or (word == "for" and low[i - 1] not in ("appointment", "meeting"))
            ):
                count = low[i - 1] in ("number", "amount", "count", "total")
                head = f"number of {' '.join(low[i + 1 :])}" if count else " ".join(low[:i])
                rest = [] if count else [w for w in low[i + 1 :] if w not in ("the", "my", "our", "this", "a", "an")]
                return Phrase("thing", " ".join([whose, *rest]).strip(), owner, head, new)
        if len(noun) > 1 and low[-2] in _PETS and noun[-1][:1].isupper():
            return Phrase("thing", whose, owner, low[-2], new)
        cut = next((i for i, word in enumerate(low) if i and word in TASTES | {"with", "at", "in", "on", "to"}), None)
        at = 0 if low[0] in TASTES else len(low) - 1 if cut is None else 0
        return Phrase("thing", " ".join([whose, *low[:at]]).strip(), owner, " ".join(low[at:]), new)


def person_named(noun: list[str], owner: str) -> Phrase | None:
    """The person that "my sister" or "my friend Rachel" names; None when the words name no person."""
    low = [token.lower() for token in noun]
    at = next((i for i in range(len(low)) if low[i] in PEOPLE and all(w[:1].isupper() for w in noun[i + 1 :])), None)
    if at is None or not owner:
        return None
    name = " ".join(noun[at + 1 :])
    if name and low[at] in ACQUAINTANCES | FAMILY:
        return Phrase("person", name)
    if low[at] in ACQUAINTANCES:
        return Phrase("nobody", "")
    relation = " ".join(low[: at + 1])
    return Phrase("person", f"{owner}'s {relation}", owner, relation if low[at] in RELATIONS else "")


def owner_of(noun: list[str], owner: str) -> str:
    """The owner in "my sister's", "Ana's" or "the project's"; empty when it is unclear."""
    person = person_named(noun, owner)
    if person:
        return person.subject
    if owner and owner != SPEAKER:
        return f"{owner}'s {' '.join(noun).lower()}"
    return " ".join(noun) if noun[0][:1].isupper() else " ".join(noun).lower()


@dataclass(frozen=True, slots=True)
class Predicate:
    """The words of a clause from its verb on. Adverbs become flags, and verbs become simple.

    "have moved" is "moved", "am", "are" and "have been" are "is", "used to live" is "live" and has ended.
    """

    text: str
    low: str
    change: bool
    ended: bool  # "no longer", "not … anymore"
    negated: bool
    also: bool
    all_words: str  # all words, with adverbs, in lower case

    @property
    def verb(self) -> str:
        """The first word, in lower case."""
        return self.low.partition(" ")[0]

    @staticmethod
    def of(rest: list[str], change: bool) -> Predicate:
        """Read the words of a clause after its subject."""
        whole = " ".join(rest).lower()
        head = rest[:6]
        near = [token.lower() for token in head]
        no_longer = "no longer" in " ".join(near)
        negated = "not" in near[:5]
        over = negated and re.search(r"\b(?:anymore|any more|any longer)\b", whole) is not None
        dropped = ADVERBS | ({"no", "longer"} if no_longer else set()) | ({"not"} if negated else set())
        kept = [token for i, token in enumerate(head) if token.lower() not in dropped or (i > 2 and near[i] == "all")]
        text = " ".join([*kept, *rest[6:]])
        if negated:
            text = re.sub("^(?:do|does|did) ", "", text)
        text, used = re.subn("^used to ", "", text)
        text = _TO.sub("", text)
        text = _BE.sub("is ", _PERFECT.sub("", text))
        marked = change or _CHANGE.search(whole) is not None
        also = not {"also", "too"}.isdisjoint(near) or " as well" in whole
        return Predicate(text, text.lower(), marked, no_longer or over or bool(used), negated and not over, also, whole)


def value_of(text: str) -> str:
    """The value at the start of a text, without its article and without words on when or why."""
    cut = _TAIL.sub("", text.strip(), count=1)
    return _ARTICLE.sub("", cut).strip(" \"'“”*_`.!,")


def object_of(text: str) -> str:
    """The noun at the start of a text, at most four words: "piano lessons" in "the piano lessons on Mondays"."""
    found = _OBJECT_END.sub("", _ARTICLE.sub("", text.strip()), count=1).strip(" \"'“”*_`.!,")
    words_of = found.split()
    return found if 0 < len(words_of) <= 4 and any(word.lower() not in STOP_WORDS for word in words_of) else ""


def is_name(text: str) -> bool:
    """Whether a value is a proper name: it begins with a capital, and is short."""
    plain = text.removeprefix("Dr. ").removeprefix("Dr ")
    first = plain.partition(" ")[0]
    capital = first[:1].isupper() or (first.isalpha() and not first.islower())
    return capital and len(plain.split()) <= 4 and first.lower() not in ("i", "so", "not", "on")
