"""Reads English statements: splits a sentence into clauses, and a clause into its subject and predicate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from aforesaid.text.extract.statements.people import read_person
from aforesaid.text.extract.statements.phrases import ADVERBS, DATES, GAUGES, PLAIN, Phrase, Predicate, owner_of
from aforesaid.text.extract.statements.things import read_thing
from aforesaid.text.extract.statements.values import Statement
from aforesaid.text.patterns import any_of, listed, word_list, word_set

CLAUSE_TOKENS = 40  # the rest of a longer clause is not read
SUBJECT_TOKENS = 9  # longer phrases before a verb are clauses
HEDGE_TOKENS = 6  # words after the subject that are searched for hedges such as "maybe"
_CONTRACTION = re.compile(r"n't\b|'(m|re|ve|ll|d|s)\b(?: (\w{1,12}))?", re.I)
_CONTRACTIONS = {"m": " am", "re": " are", "ve": " have", "ll": " will", "d": " would"}
_IS_AFTER = word_set("he she it that there here who everything")
_HAS_BEFORE = word_set("been got moved changed left")
_IS_BEFORE = word_set("my our now not no in at on moved been cancelled canceled off a an")
_ASIDE = re.compile(r"\([^()]{0,200}\)")
_SPLIT = re.compile(
    "(?=[ ,;:.—–-])(?:[;—–]|--| - |: |,? (?:but|so(?! far| much| many)|because|although|though|while|"
    r"whereas|which|who|until(?= (?:I|we|my|our|he|she|they|the)\b)|except)\b|, (?:and|then)\b|"
    r" (?:and|since|as|after|when) (?=(?:I|my|we|our|the|she|he|it|they|now|that|his|her)\b)|"
    r", (?=(?:living|working|based|I|my|we|our|he|she|it|they|the|not|now|as|if|when|his|her|since|after|with)\b)|"
    "[,.]? (?=(?:can|could|do|does|what|how|any|which|where|would|should) (?:you|I|we|there|other|good|"
    r"ideas|is|are|do|should|would)\b)|"
    " (?:and|then) (?=(?:moved|switched|quit|left|started|joined|sold|stopped|gave|got|cancelled|"
    r"became|split|broke)\b)|(?= (?:if|when) ))"
)
_OPENER = re.compile(
    r"(?:(?P<change>now|as of (?:today|now|(?:this|last|next) \w+|[A-Z]\w+(?: \d+)?)|from now on|"
    r"(?:quick |small )?update(?: for you)?|correction|these days|nowadays|"
    r"since (?:our|my|the|last|then)(?: \w+){0,2}(?=,? (?:we|I) )|starting (?:today|now|(?:this|next|last) \w+))|"
    r"last (?:week|month|year|night|\w+day|summer|winter|spring|fall)|"
    r"(?:a|two|three|\d+) (?:few )?(?:days?|weeks?|months?|years?) ago|"
    r"(?:back )?in (?:early |late )?(?:[A-Z][a-z]+ ?)?(?:\d{4})?(?=,| I| we| my)|"
    + any_of(*(re.escape(opener.replace("_", " ")) for opener in word_list("statement openers").split()))
    + r")[,:!.]{0,2}(?: -| —| –)?(?: that)? (?=\S)",
    re.I,
)
_ASKS = re.compile(
    r"\W*(?:and |so |but |also )?(?:can|could|do|does|did|what|how|which|where|when|why|who|would|should|is|are)\b",
    re.I,
)
_FICTION = re.compile(
    r"\bin (?:my|our|the|this) (?:\w+ )?(?:novel|story|game|dream|book|screenplay|campaign|example|"
    r"scenario|film|movie)\b|\bfor example\b|\be\.g\.|\blet's say\b|\bcharacter\b",
    re.I,
)
_HEDGES = listed("statement hedges")
_CONDITION = re.compile(
    r"\W*(?:(?:and|but|so|or) )?(?:if|suppose|supposing|imagine|what if|pretend|assuming|in case|say|wish|once|unless|"
    r"when|had|were)\b",
    re.I,
)
_REPORT = re.compile(
    "(?:said|says|told (?:me|us)|tells me|mentioned|announced|confirmed|wrote|texted(?: me)?|emailed(?: me)?)"
    r"(?: that)?,? (?=\w)"
)
_FINITE = listed("statement verbs")
_ELLIPTIC = listed("statement verbs without subject")
_NOT_SUBJECTS = word_set(word_list("not names").lower()) | listed("statement nobody")
_THIRD = {"he": "his", "she": "her", "they": "their"}


@dataclass(slots=True)
class Discourse:
    """The speaker, and the person mentioned last, whom "he", "she" and "they" mean."""

    speaker: str
    person: str = ""


def readings(sentence: str, discourse: Discourse) -> Iterator[Statement]:
    """The statements of the clauses of a sentence, in order."""
    if _CONDITION.match(sentence):
        return
    asked = sentence.endswith("?")
    sentence = _ASIDE.sub("", sentence)
    if "'" in sentence:
        sentence = _CONTRACTION.sub(_expand_contraction, sentence)
        sentence = sentence.replace(" wo not ", " will not ").replace(" ca not ", " can not ")
    sentence, change = _without_opener(sentence)
    clauses = _SPLIT.split(sentence)
    if asked:
        clauses = clauses[:-1] if _ASKS.match(clauses[-1]) else []
    found = [each for clause in clauses for each in _clause(clause.strip(" ,.!\"'“”*_"), discourse, change)]
    if found and not _FICTION.search(sentence):
        yield from found


def _expand_contraction(short: re.Match[str]) -> str:
    """A contraction in full. "'s" after a name is "is" only before words such as "moved" or "not"."""
    if short[1] is None:
        return " not"
    letters, after = short[1].lower(), short[2] or ""
    if letters != "s":
        return _CONTRACTIONS[letters] + (f" {after}" if after else "")
    word = short.string[max(0, short.start() - 12) : short.start()].rpartition(" ")[2].lower()
    if word in _IS_AFTER:
        return (" has " if after in _HAS_BEFORE else " is ") + after
    return f" is {after}" if after in _IS_BEFORE else short[0]


def _without_opener(clause: str) -> tuple[str, bool]:
    """A clause without opening words such as "by the way", and whether these announce a change."""
    change = False
    for _ in range(5):
        if not (opener := _OPENER.match(clause)):
            break
        change = change or bool(opener["change"])
        clause = clause[opener.end() :]
    return clause, change


def _clause(clause: str, discourse: Discourse, change: bool = False, reported: bool = False) -> Iterator[Statement]:
    clause, opened = _without_opener(clause)
    tokens = clause.split()[:CLAUSE_TOKENS]
    found = None if len(tokens) < 2 or _CONDITION.match(clause) else _subject(tokens, discourse)
    if found is None:
        return
    phrase, rest = found
    near = rest[: rest.index("and") if "and" in rest[:HEDGE_TOKENS] else HEDGE_TOKENS]
    if not rest or not _HEDGES.isdisjoint(near) or "if" in rest:
        return
    change = change or opened
    if phrase.kind == "person" and (match := _REPORT.match(" ".join(rest))):
        report = match.string[match.end() :]
        first = report.partition(" ")[0].lower()
        if not reported and (first in _THIRD or first in _THIRD.values()):  # what she says of others is hearsay
            yield from _clause(report, Discourse(discourse.speaker, phrase.subject), change, True)
        return
    predicate = Predicate.of(rest, change)
    of_person = list(read_person(phrase, predicate)) if phrase.kind in ("self", "person") else []
    yield from of_person
    if not of_person and phrase.kind != "self":
        yield from read_thing(phrase, predicate)


def _subject(tokens: list[str], discourse: Discourse) -> tuple[Phrase, list[str]] | None:
    """The subject of a clause, and the words from its verb on."""
    first = tokens[0].lower()
    if first in ("i", "we"):
        return Phrase("self", discourse.speaker, discourse.speaker), tokens[1:]
    if first in _ELLIPTIC:
        return Phrase("self", discourse.speaker, discourse.speaker), tokens
    if first in _THIRD:
        return Phrase("person", discourse.person, discourse.speaker), tokens[1:]
    if first in ("my", "our", "the", "this", "his", "her", "their"):
        owner = discourse.speaker if first in ("my", "our") else discourse.person if first in _THIRD.values() else ""
        return _noun_phrase(tokens, 1, owner, discourse) if owner or first in ("the", "this") else None
    if not tokens[0][:1].isupper() or first.removesuffix("'s") in _NOT_SUBJECTS:
        return None
    return _noun_phrase(tokens, 0, "", discourse)


def _noun_phrase(tokens: list[str], begin: int, owner: str, discourse: Discourse) -> tuple[Phrase, list[str]] | None:
    """The words before the first finite verb, with their owner: "my sister's launch", "Ana's manager", "Bo"."""
    at = next((i for i in range(begin + 1, min(len(tokens), SUBJECT_TOKENS)) if tokens[i].lower() in _FINITE), 0)
    if not at:
        return None
    while at > begin + 1 and tokens[at - 1].lower() in ADVERBS:
        at -= 1
    noun, rest = tokens[begin:at], tokens[at:]
    of = next((i for i, token in enumerate(noun[:-1]) if token.endswith(("'s", "s'"))), None)
    plain = noun[-1].lower() in PLAIN | DATES | GAUGES and not noun[-1][:1].isupper()
    if of is not None:
        owner = owner_of([*noun[:of], noun[of].removesuffix("'s").removesuffix("'")], owner)
        if not owner:  # "my friend's": one of many
            return None
        phrase = Phrase.of(noun[of + 1 :], owner)
    elif begin or plain:
        phrase = Phrase.of(noun, owner)
    elif len(noun) <= 3 and all(token[:1].isupper() or token[:1].isdigit() for token in noun):
        phrase = Phrase("person", " ".join(noun), discourse.speaker)
    else:
        return None
    if phrase.kind == "person":
        discourse.person = phrase.subject
    return phrase, rest
