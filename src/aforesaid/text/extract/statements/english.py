"""English statements: a sentence becomes clauses, a clause its subject and what is said of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from aforesaid.text.extract.people import NOT_NAMES
from aforesaid.text.extract.statements import deeds as statements_deeds
from aforesaid.text.extract.statements import things as statements_things
from aforesaid.text.extract.statements.phrases import ADVERBS, Phrase, Predicate, owner_of
from aforesaid.text.extract.statements.schedule import schedule
from aforesaid.text.extract.statements.values import DraftStatement, times
from aforesaid.text.extract.statements.words import DATES, FICTION, GAUGES, HEDGES, PLAIN, word_set

CLAUSE_TOKENS = 40  # a statement says what it says within so many words
SUBJECT_TOKENS = 9  # longer phrases before a verb are clauses themselves
HEDGE_TOKENS = 6  # a guess shows near its verb
_SHORT = re.compile(r"n't\b|'(m|re|ve|ll|d|s)\b(?: (\w{1,12}))?", re.I)
_LONG = {"m": " am", "re": " are", "ve": " have", "ll": " will", "d": " would"}
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
    r"(?:(?P<change>now|as of (?:today|now|(?:this|last|next) \w+|[A-Z]\w+(?: \d+)?)|from now on|(?:quick "
    "|small )?update(?: for you)?|"
    r"correction|these days|nowadays|"
    r"since (?:our|my|the|last|then)(?: \w+){0,2}(?=,? (?:we|I) )|starting (?:today|now|(?:this|next|last) \w+))|"
    "by the way|btw|fyi|oh|"
    "ok(?:ay)?|so|well|also|"
    "and|but|actually|anyway|heads up|(?:good|bad|sad|great|big) news|just so you know|for the record|"
    "(?:please )?(?:note|remember)|"
    r"currently|right now|at the moment|recently|lately|today|yesterday|this (?:morning|week|month|year|afternoon)|"
    r"last (?:week|month|year|night|\w+day|summer|winter|spring|fall)|(?:a|two|three|\d+) (?:few "
    ")?(?:days?|weeks?|months?|years?) ago|"
    r"(?:back )?in (?:early |late )?(?:[A-Z][a-z]+ ?)?(?:\d{4})?(?=,| I| we| my)|it turns out|turns out|"
    "apparently|unfortunately|sadly|luckily|"
    "hi|hey|hello|thanks|thank you|sorry|no|yes|yeah|nope|sure|great|perfect|however|then|finally|"
    "speaking of which|in fact|"
    r"one more thing|fortunately|happily|i (?:just )?wanted to (?:say|mention|let you know)|(?:just )?letting you know|"
    r"i should (?:mention|say)|i just (?:found out|heard)|we (?:decided|agreed)|it looks like|looks like|good to know|"
    r"for context|context|ps|p\.s\.|in other news|as you know|you know|hmm|ah|ugh|wow|yay)"
    r"[,:!.]{0,2}(?: -| —| –)?(?: that)? (?=\S)",
    re.I,
)
_OPENER_WORDS = word_set(
    """now as from quick small update correction these nowadays starting by btw fyi oh ok okay so well also and but
    actually anyway heads good bad sad great big just for please note remember currently right at recently lately
    today yesterday since this last a two three back in it turns apparently unfortunately sadly luckily hi hey hello
    thanks thank sorry no yes yeah nope sure perfect however then finally speaking one fortunately happily i letting
    we looks context ps p.s as you hmm ah ugh wow yay"""
) | {str(number) for number in range(100)}
_ASKS = re.compile(
    r"\W*(?:and |so |but |also )?(?:can|could|do|does|did|what|how|which|where|when|why|who|would|will|"
    r"should|is|are|any)\b",
    re.I,
)
_FICTION = re.compile(FICTION, re.I)
_CONDITION = re.compile(
    r"^(?:\W*)(?:(?:and|but|so|or) )?(?:if|suppose|supposing|imagine|what if|pretend|assuming|in case|say|"
    r"wish|once|unless|had|were)\b",
    re.I,
)
_REPORT = re.compile(
    "^(?:said|says|told (?:me|us)|tells me|mentioned|announced|confirmed|wrote|texted(?: me)?|emailed(?: "
    r"me)?)(?: that)?,? (?=\w)"
)
_OWN_REPORT = re.compile(
    r"^(?:(?:have )?(?:said|told (?:you|them|him|her)|mentioned)|can confirm|just learned)(?: that)? (?=\w)"
)
_FINITE = word_set(
    """is are was were has have had got gets will moved lives live works work used starts started begins joined left
    quit turned became took switched changed died passed broke went goes costs cost runs uses stopped gave weighs
    plays retired graduated relocated said says told mentioned announced confirmed wrote texted emailed rose dropped
    increased decreased fell grew jumped climbed expired ended ships shipped opens closes resigned hates likes loves
    speaks raised lowered pushed cancelled canceled rescheduled postponed extended reduced lands departs leaves
    arrives prefers eats drinks drives no does did do not needs"""
)
_ELLIPTIC = word_set(
    """moved switched quit sold stopped gave turned cancelled canceled relocated upgraded migrated rescheduled joined
    changed got became"""
)
_NOBODY = frozenset(word.lower() for word in NOT_NAMES.split()) | word_set(
    """i my our me us your you his her their its if when while since after before because although though let here
    everything nothing something can do does did is are was were have has had will would could should to for with
    from by about dr mr mrs ms congrats note update reminder fyi btw good bad any every"""
)
_SCOPE = re.compile(
    r"(?:at|on|in|for|with|from|under) ((?!fact|general|short|addition|moment|example|now|total)[\w' &-]{2,40})", re.I
)
_PERSONAL = word_set("home employer role age diet relationship weight habit own like manager")
_THIRD = {"he": "his", "she": "her", "they": "their"}


@dataclass(slots=True)
class Discourse:
    """Who speaks, and whom and what the text spoke of last: pronouns mean those."""

    speaker: str
    person: str = ""
    thing: str = ""
    last: DraftStatement | None = None
    own: bool = False  # whether the sentence spoke of the speaker


def readings(sentence: str, talk: Discourse) -> Iterator[DraftStatement]:
    """What the clauses of a sentence state, in order."""
    if _CONDITION.match(sentence):
        return
    asked = sentence.endswith("?")
    if asked and ", " not in sentence and " - " not in sentence:
        return
    if "(" in sentence:
        sentence = _ASIDE.sub("", sentence)
    if "'" in sentence:
        sentence = _SHORT.sub(_lengthened, sentence).replace(" wo not ", " will not ").replace(" ca not ", " can not ")
    sentence, change = _opened(sentence)
    clauses = _SPLIT.split(sentence)
    if asked:
        clauses = clauses[:-1] if _ASKS.match(clauses[-1]) else []
    talk.last, talk.own = None, False
    scope = ""
    for clause in clauses:
        clause = clause.strip(" ,.!\"'“”*_")
        if not scope and (place := _SCOPE.fullmatch(clause)) and not times(clause)[0]:
            scope = place[1]
        for reading in _clause(clause, talk, change):
            if talk.last is None and _FICTION.search(sentence):
                return
            talk.last = reading
            narrowed = scope and _scoped(reading, talk)
            yield replace(reading, subject=f"{reading.subject} {scope}") if narrowed else reading


def _scoped(reading: DraftStatement, talk: Discourse) -> bool:
    """Whether what opens a sentence narrows a reading: "At the Osaka office, the budget is …"."""
    if reading.subject == talk.speaker:
        return reading.attribute.startswith("number of ") or reading.attribute in GAUGES
    return reading.attribute.partition(" ")[0] not in _PERSONAL


def _lengthened(short: re.Match[str]) -> str:
    """A contraction in full; an "s" after a name is a verb only before what follows verbs."""
    if short[1] is None:
        return " not"
    letters, after = short[1].lower(), short[2] or ""
    if letters != "s":
        return _LONG[letters] + (f" {after}" if after else "")
    word = short.string[max(0, short.start() - 12) : short.start()].rpartition(" ")[2].lower()
    if word in _IS_AFTER:
        return (" has " if after in _HAS_BEFORE else " is ") + after
    return f" is {after}" if after in _IS_BEFORE else short[0]


def _clause(clause: str, talk: Discourse, change: bool = False, depth: int = 0) -> Iterator[DraftStatement]:
    clause, opened = _opened(clause)
    change = change or opened
    tokens = clause.split()[:CLAUSE_TOKENS]
    if len(tokens) < 2 or tokens[0].lower() in ("if", "suppose", "when", "once", "unless", "imagine"):
        return
    found = _subject(tokens, talk)
    if found is None:
        return
    phrase, rest = found
    near = rest[: rest.index("and") if "and" in rest[:HEDGE_TOKENS] else HEDGE_TOKENS]
    if not rest or not HEDGES.isdisjoint(near) or "if" in rest:
        return
    said = " ".join(rest)
    reported = _OWN_REPORT if phrase.kind == "self" else _REPORT if phrase.kind == "person" else None
    if reported and (match := reported.match(said)):
        if depth == 0:
            yield from _reported(said[match.end() :], phrase, talk, change)
        return
    yield from _stated(phrase, Predicate.of(rest, change), talk)


def _opened(clause: str) -> tuple[str, bool]:
    """A clause without the words that only open it, and whether these speak of a change."""
    change = False
    for _ in range(5):
        if clause.split(" ", 1)[0].rstrip(",:!.").lower() not in _OPENER_WORDS or not (opener := _OPENER.match(clause)):
            break
        change = change or bool(opener["change"])
        clause = clause[opener.end() :]
    return clause, change


def _stated(phrase: Phrase, said: Predicate, talk: Discourse) -> Iterator[DraftStatement]:
    if phrase.kind == "same":
        if talk.last and (value := statements_things.plain_value(said)):
            yield replace(talk.last, value=value, mood="is" if talk.last.mood == "was" else talk.last.mood, change=True)
            return
        if talk.thing:
            yield from schedule(Phrase("thing", talk.thing), said)
        return
    found = list(statements_deeds.readings(phrase, said)) if phrase.kind in ("self", "person") else []
    yield from found
    if not found and phrase.kind != "self":
        yield from statements_things.readings(phrase, said)


def _reported(clause: str, phrase: Phrase, talk: Discourse, change: bool) -> Iterator[DraftStatement]:
    """What somebody says of themselves is theirs; what they say of others is hearsay."""
    first = clause.split(" ", 1)[0].lower()
    if phrase.kind == "self":
        yield from _clause(clause, talk, change, 1)
    elif first in _THIRD or first in _THIRD.values():
        yield from _clause(clause, Discourse(talk.speaker, phrase.subject), change, 1)


def _subject(tokens: list[str], talk: Discourse) -> tuple[Phrase, list[str]] | None:
    """The phrase that a clause begins with, and the words after it from its verb on."""
    first = tokens[0].lower()
    if first in ("i", "we"):
        talk.own = True
        return Phrase("self", talk.speaker, talk.speaker), tokens[1:]
    if first in ("it", "that", "this") and len(tokens) > 1 and tokens[1].lower() in _FINITE:
        return Phrase("same", ""), tokens[1:]
    if first in _THIRD:
        return Phrase("person", talk.person, talk.speaker), tokens[1:]
    if first in ("living", "working", "based") and talk.own:
        return Phrase("self", talk.speaker, talk.speaker), ["am", *tokens]
    if first in _ELLIPTIC or (first in ("left", "split", "broke") and talk.own):
        return Phrase("self", talk.speaker, talk.speaker), tokens
    if first in ("my", "our", "the", "this", "his", "her", "their"):
        owner = talk.speaker if first in ("my", "our") else talk.person if first in _THIRD.values() else ""
        return _possessed(tokens, 1, owner, talk) if owner or first in ("the", "this") else None
    if not tokens[0][:1].isupper() or first.removesuffix("'s") in _NOBODY:
        return None
    return _possessed(tokens, 0, "", talk)


def _possessed(tokens: list[str], begin: int, owner: str, talk: Discourse) -> tuple[Phrase, list[str]] | None:
    for at in range(begin + 1, min(len(tokens), SUBJECT_TOKENS)):
        if tokens[at].lower() in _FINITE:
            break
    else:
        return None
    while at > begin + 1 and tokens[at - 1].lower() in ADVERBS:
        at -= 1
    noun = tokens[begin:at]
    for i, token in enumerate(noun):
        if token.endswith(("'s", "s'")) and i + 1 < len(noun):
            inner = noun[: i + 1]
            inner[-1] = token[:-2] if token.endswith("'s") else token[:-1]
            whose = owner_of(inner, owner)
            return (_known(Phrase.of(noun[i + 1 :], whose), talk), tokens[at:]) if whose else None
    if begin == 0:
        if noun[-1].lower() in PLAIN | DATES | GAUGES and not noun[-1][:1].isupper():
            return _known(Phrase.of(noun, ""), talk), tokens[at:]
        if len(noun) > 3 or not all(token[:1].isupper() or token[:1].isdigit() for token in noun):
            return None
        name = " ".join(noun)
        return _known(Phrase("person", name, talk.speaker), talk), tokens[at:]
    return _known(Phrase.of(noun, owner), talk), tokens[at:]


def _known(phrase: Phrase, talk: Discourse) -> Phrase:
    if phrase.kind == "person":
        talk.person = phrase.subject
    elif phrase.kind == "thing":
        talk.thing = phrase.whole
    return phrase
