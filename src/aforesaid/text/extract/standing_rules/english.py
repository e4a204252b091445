"""Standing rules in English sentences."""

from __future__ import annotations

import re

from aforesaid.text.extract.imperatives import english as imperatives
from aforesaid.text.extract.standing_rules.scope import (
    AHEAD,
    ANYTHING,
    ASIDE,
    BINDS,
    BY_DEFAULT,
    EVERY_TIME,
    EVERY_TIME_PHRASE,
    NEEDS,
    PERMISSION,
    WITH,
)
from aforesaid.text.patterns import after_none, any_of, by_letter, listed, words


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile(any_of(*parts), re.IGNORECASE)


# What stands before the sentence proper
_CALL = words(
    r"hey hi hello ok okay thanks thank\syou great good perfect btw by\sthe\sway also oh and but so well right alright "
    r"actually listen look one\smore\sthing one\sthing fyi just\sso\syou\sknow for\sthe\srecord note remember reminder "
    r"important keep\sin\smind bear\sin\smind please"
)
_CALLS = _pattern(rf"(?:{_CALL}(?:[,:!]| [-–—]| that\b)? )")
_CASE_FRONT = _pattern(
    r"(?:(?:every|each)(?: single)? time|whenever|any ?time|if|when|"
    rf"{WITH} (?:every|each|all|any)\b)[^,;.!?]{{1,120}}, "
)
_FRONT = _pattern(rf"(?:{AHEAD}|{BY_DEFAULT}|always|never),? (?=\w+ you\b|i\b|we\b)", rf"(?:{AHEAD}|{BY_DEFAULT}),? ")
_BACK = re.compile(rf",? (?:{AHEAD}|{ASIDE}|{EVERY_TIME}|by default|as a rule|please)(?=[.!?]*$)", re.IGNORECASE)

# Scope
_DEFINITE = words("this that these those the it")
_NOT_NOW = rf"(?!(?: [\w'/.-]+){{0,8}}? {_DEFINITE}\b)"
_SPEECH = words("ask send paste share give mention write type request post upload report hand show forward")
_CASE = any_of(
    rf"(?:when|if) (?:i|we) (?:say|tell)\b|(?:when|if) (?:i|we) {_SPEECH}\b{_NOT_NOW}|if (?:i|you|we) ever\b",
    rf"when you {imperatives.VERB}\b(?! (?:a chance|back)\b)(?= [\w'/.-]+){_NOT_NOW}",
    rf"^when \w+ing\b{_NOT_NOW}",
    rf"^{WITH} (?:every|each|all|any)\b{_NOT_NOW}",
)
_REPLY = words(
    r"answers? repl(?:y|ies) responses? messages? summar(?:y|ies) e-?mails? commits? prs? (?:pull|merge)\srequests?"
)
_CLASS = any_of(  # "in every reply", "all dates must …", "before deleting anything"
    rf"(?:in|to|with|on|of|for|after|before) (?:every|each|all)(?: (?:my|your|our))?(?: \w+)? {_REPLY}",
    rf"^(?:all|every|each|any|no(?! one))(?: [\w'/-]+){{1,5}} {BINDS}",
    r"before (?:\w+ing|you \w+) any\w*",
)
_FORBIDDING = rf"(?:not|n't|no|nobody|stop|forbidden)\b[^.;]{{0,160}}? (?:{ANYTHING}|{PERMISSION})"
_OTHERS_BEFORE = "i he she it they who that which people had have has was were i'd he'd she'd they'd i've you've"
_EVERY_TIME = any_of(after_none("always never", _OTHERS_BEFORE), EVERY_TIME_PHRASE)
_SCOPE = _pattern(rf"\b(?:{_EVERY_TIME}|{BY_DEFAULT}|{_CASE}|{_CLASS})\b", rf"{_FORBIDDING}\b", rf"\b{ASIDE}[.!]*$")
_AHEAD = _pattern(rf"\b{AHEAD}\b")
_LATER = re.compile(r".+ in (?:the )?future\b", re.IGNORECASE)  # asks about the future, unless it opens the sentence
_ONCE = _pattern(  # said of the task at hand
    r"\b(?:this|that) (?:time|once|one|task|file|function|line|morning|afternoon|evening|week|weekend)\b",
    r"\b(?:just once|only once|for now|for the moment|right now|at the moment|today|tonight|tomorrow|yet)\b",
)

# Mood: besides commands and duties of "you"
_ADVERBS = r"(?:(?:always|never|really|also|just|please|kindly|still|only|strongly|not|do|would|'d|explicitly) ){0,3}"
_WISHED = r"(?:want|need|like|love|prefer|expect|ask|require|trust|beg)"
_WISH = _pattern(
    rf"\bi(?: would|'d)? {_ADVERBS}{_WISHED} (?:for )?you to\b",
    r"\bi(?: would|'d) (?:really |much )?(?:prefer|like|love|appreciate|be (?:happy|glad))(?: it)?,? (?:if|that) you\b",
    r"\bi(?: would|'d) (?:really |much )?rather you\b",
)
_WISH_ALWAYS = _pattern(rf"\bi (?:always|never) {_WISHED} you to\b")
_WISH_AHEAD = _pattern(r"^i(?: would|'d)? (?:really |much )?(?:want|like|prefer|expect)(?! to\b)(?: [\w'/-]+)")
_ASKED = _pattern(
    rf"^(?:could|would|will) you {_ADVERBS}(?!mind\b)\w+",
    rf"^can you (?:please|kindly|stop|not) ?{_ADVERBS}\w+",
    rf"^would you mind {_ADVERBS}\w+ing\b",
)
_ASKED_AHEAD = _pattern(rf"^can you {_ADVERBS}\w+")
_TOGETHER = _pattern(r"^let(?:'s| us) (?:please )?(?:always|never|only|not|\w+)\b")
_HABIT = _pattern(r"(?:^|[,;] )you (?:always|never)\b")  # in a conversation, this describes the listener
_PHATIC = _pattern(r"^(?:always|never) (?:here|there|happy|glad|welcome|good|nice|great|fun|an?|the|my|too)\b")
_ENDED = _pattern(r"^(?:please |just )?(?:stop|quit|cease) (?:\w+ ){0,2}?\w+ing\b", r"^no more (?!of\b|than\b)[\w'-]+")

# Customs of the speaker's group
_EVERYDAY = listed("verbs of daily life")  # "we always go there" is no rule
_PLAIN = re.compile(r"[a-z-]+$")
_DONE_AT_WORK = by_letter(
    " ".join(verb for verb in imperatives.VERB_WORDS if _PLAIN.match(verb) and verb not in _EVERYDAY)
)
_PLACE = any_of(
    r"(?:around )?here",
    r"(?:in|on|at|for|with|within) (?:our|this (?!time|week|month|year|morning|evening|case|way))(?: ?[\w'-]+)",
)
_CUSTOM = _pattern(
    rf"\bwe (?:always|never) (?:\w+ly )?{_DONE_AT_WORK}\b",
    rf"\b{_PLACE}\b,? we (?:only|just|don't|do not|strictly|exclusively) {_DONE_AT_WORK}\b",
    rf"\bwe (?:only|just|don't|do not|strictly|exclusively) {_DONE_AT_WORK}\b[^.;]{{0,160}} {_PLACE}\b",
    rf"\bwe {_DONE_AT_WORK}\b[^,.;]{{1,120}}, (?:and )?(?:never|always|not) ",
    rf"\b{imperatives.WORK_NOUN}(?: \w+){{0,3}}? (?:is|are) (?:always|never|only) {imperatives.PARTICIPLE}\b",
    rf"^(?:every|each|all)(?: [\w'-]+){{0,2}}? {imperatives.WORK_NOUN} {NEEDS}\b",
)
_STATED = _pattern(
    r"\b(?:our|my|the (?:team|project|house|company)'?s?)(?: \w+)? (?:conventions?|rules?|polic(?:y|ies)|standards?|"
    r"guidelines?)\b(?: (?:for|in|on|about) \w+(?: \w+)?| here)? (?:is|are)\b(?! (?:about to|that old|so|very|too)\b)",
    r"^(?:\w+ ){0,2}(?:rules?|conventions?|policy|guidelines?)(?: for you| here| from now on)?: \w",
)
_OTHERS = _pattern(
    r"\baccording to\b",
    r"\b(?:when|while|as) (?:i|we|he|she|they) (?:was|were|had|did|lived|worked)\b",
    r"\b(?:told|asked|wants?|expects?|advised|taught) (?:me|us|him|her|them|people|everyone) (?:to|that|not|never)\b",
)


def is_rule(sentence: str) -> bool:
    """Whether an English sentence lays down a rule for the agent."""
    text = sentence.strip().replace("you're", "you are").replace("You're", "You are")
    ahead, scoped = bool(_AHEAD.search(text)), bool(_SCOPE.search(text))
    if _OTHERS.search(text) or imperatives.REPORT.search(text) or imperatives.PAST.search(text):
        return False
    if not ahead and _ONCE.search(text):
        return False
    core = _core(text)
    if text.endswith("?"):
        return _asks(core, ahead and not _LATER.match(text), scoped)
    if _STATED.search(text) or _CUSTOM.search(core) or _ENDED.match(core):
        return True
    return (ahead or scoped or bool(_WISH_ALWAYS.search(text))) and _directs(text, core, ahead)


def _core(text: str) -> str:
    """The sentence without calls ("By the way,") and without the words that give its scope at its ends."""
    text = text.lstrip(" -*•")
    for _ in range(4):  # they come in any order, and no more than a few
        front = _CALLS.match(text) or _FRONT.match(text)
        if front is None:
            break
        text = text[front.end() :]
    return _BACK.sub("", text)


def _asks(core: str, ahead: bool, scoped: bool) -> bool:
    if ahead:
        return bool(_ASKED.match(core) or _ASKED_AHEAD.match(core))
    return scoped and bool(_ASKED.match(core))


def _directs(text: str, core: str, ahead: bool) -> bool:
    if _WISH.search(core) or _TOGETHER.match(core) or (ahead and _WISH_AHEAD.match(core)):
        return True
    if _HABIT.search(core) or _PHATIC.match(core):
        return False
    case = _CASE_FRONT.match(core)
    return any(map(imperatives.is_directive, (text, core, core[case.end() :] if case else core)))
