"""Reads the aim of a question without a model: does it ask about the agent or a person, which person, which time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from aforesaid.text.analyze import PLAIN_ROLES, STOP_WORDS
from aforesaid.text.extract.reader import guarded
from aforesaid.text.patterns import any_of, words
from aforesaid.types import Filter

if TYPE_CHECKING:
    from aforesaid.text.extract.dates import Expression

_SAID = words(
    "said told suggested recommended mentioned gave given provided listed explained wrote written generated created "
    "advised proposed described answered shared"
)
_SAY = words("say tell suggest recommend mention give provide list explain write advise propose describe answer")
OF_AGENT = re.compile(
    any_of(
        r"\b(?:our|the|my) (?:(?:previous|last|earlier|past|prior|recent|other) )+"
        r"(?:chat|conversation|discussion|session|talk)s?\b",
        rf"\b(?:you|you'd|you've) (?:\w+ ){{0,2}}?{_SAID}\b",
        rf"\bdid you (?:\w+ )?{_SAY}\b",
        r"\bremind me\b|\byour (?:\w+ )?(?:suggestion|recommendation|advice|answer|reply|response|explanation)s?\b",
        r"(?:前回|以前|この前|さっき)の(?:会話|チャット|話)|あなた(?:が|の)[^。？?]{0,20}(?:言|勧|すすめ|提案|答|教え)",
        r"(?:教えて|勧めて|すすめて|提案して)くれた",
    ),
    re.IGNORECASE,
)
FIRST_PERSON = re.compile(r"\b(?:i|my|me|mine|myself|we|our|us|ours)\b|私|僕|俺|わたし", re.IGNORECASE)
OF_PAST = re.compile(
    any_of(
        r"\b(?:used to|previous(?:ly)?|former(?:ly)?|before|original(?:ly)?|initial(?:ly)?|back then|in the past|"
        r"earlier|earliest|first|prior|no longer|until|once had)\b",
        r"以前|昔|かつて|当時|最初|前の|元の|之前|从前|原来|过去",
        r"\b(?:früher|vorher|ehemalig\w*|damals|zuerst|antes|anterior\w*|antigu\w+|primero|avant|auparavant|ancien\w*|d'abord)\b",
    ),
    re.IGNORECASE,
)
OF_EVENT = re.compile(r"\b(?:did|was|were)\b|(?:した|だった|でした)(?:か|の)?[？?]?$", re.IGNORECASE)
OF_NOW = re.compile(r"\b(?:recent(?:ly)?|latest|current(?:ly)?|now|last|newest)\b|最近|最新|今|現在", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_MAYBE_DATED = re.compile(
    r"\d|\b(?:yesterday|today|tonight|ago|last|past|this|next|week|weekend|month|year|spring|summer|autumn|fall|winter|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|[昨先今来去日月年週春夏秋冬]",
    re.IGNORECASE,
)
_RANGE_OPENS = re.compile(r"\b(?:from|between)\s(?:the\s)?$|^from\s", re.IGNORECASE)
_RANGE_JOINS = re.compile(r",?\s?(?:to|and|until|till|through|[-–—])\s?(?:the\s)?", re.IGNORECASE)
_NAME_FIRST = re.compile(r"([^\W\d_][\w.'-]{0,40}(?: [^\W\d_][\w.'-]{0,40}){0,2}): ")
_QUESTION_END = re.compile(r"\?+(?=\s|$)|？")
_SENTENCE_ENDS = (". ", "! ", "\n", "。", "！")
ASKING = ("?", "？")
PERSONAL_WORDS = 10  # one first-person word in ten makes a text fully personal
SHARP = timedelta(days=8)  # longer periods count half, because they say only roughly when
READ_CHARS = 2000  # we read only the beginning of a long text


@dataclass(frozen=True, slots=True)
class Period:
    """A time that a question names, plus some days, because people report events later."""

    start: datetime
    end: datetime
    sharpness: float

    def within(self, where: Filter) -> Filter:
        """The filter, narrowed to this period."""
        since, until = where.since or self.start, where.until or self.end
        return replace(where, since=max(since, self.start), until=min(until, self.end))


@dataclass(frozen=True, slots=True)
class Aim:
    """The aim of a question: words of the agent, the asker, or neither; and the times that it names."""

    of_agent: bool
    of_asker: bool
    periods: tuple[Period, ...]
    of_past: bool = False  # what was before, not what holds now
    of_event: bool = False  # what happened once: "what did she …", "where was …"

    @property
    def agent_discount(self) -> float:
        """How much less an agent's messages count: 1 if people ask about themselves, 0 if they ask about the agent."""
        return 0.0 if self.of_agent else 1.0 if self.of_asker else 0.5

    def covers(self, time: datetime) -> float:
        """1 when a time lies in a day or week that the question names, ½ in a month or longer, else 0."""
        return max((period.sharpness for period in self.periods if period.start <= time < period.end), default=0.0)


def read_aim(query: str, now: datetime, grace: timedelta) -> Aim:
    """The aim of a question that is asked at that time."""
    of_agent = OF_AGENT.search(query) is not None
    of_asker = not of_agent and FIRST_PERSON.search(query) is not None
    past = OF_PAST.search(query) is not None
    event = OF_EVENT.search(query) is not None and not OF_NOW.search(query)
    return Aim(of_agent, of_asker, _periods(query, now, grace), past, event)


def _periods(query: str, now: datetime, grace: timedelta) -> tuple[Period, ...]:
    if not _MAYBE_DATED.search(query):
        return ()
    from aforesaid.text.extract.dates import resolve  # its patterns take a tenth of a second to compile

    spans = [
        (span.start, span.end, span.expression)
        for span in guarded("dates", lambda: resolve(query, now), ())
        if span.start <= now and span.expression.text.lower() != "tonight"  # a plan: no message is from that time
    ]
    if len(spans) == 2 and _is_range(query, spans[0][2], spans[1][2]) and spans[0][0] < spans[1][1]:
        spans = [(spans[0][0], spans[1][1], spans[0][2])]
    return tuple(Period(start, end + grace, 1.0 if end - start <= SHARP else 0.5) for start, end, _ in spans)


def _is_range(query: str, first: Expression, second: Expression) -> bool:
    """Whether two dates are the ends of one time: "from 3 May to 5 May", "between Monday and Wednesday"."""
    opened = _RANGE_OPENS.search(query, 0, first.start) is not None or _RANGE_OPENS.match(first.text) is not None
    return opened and _RANGE_JOINS.fullmatch(query, first.end, second.start) is not None


def speaker_of(role: str | None, text: str) -> str | None:
    """The speaker's name: the role if that is a name, else a name and a colon at the start of the text."""
    if role is not None and role.lower() not in PLAIN_ROLES:
        return role
    found = _NAME_FIRST.match(text)
    names = found[1].split() if found else []
    if not names or names[0].lower() in STOP_WORDS or any(name[0].islower() for name in names):
        return None  # "The plan: …" is nobody's name
    return " ".join(names)


def named_speaker(query: str, speakers: Iterable[str | None]) -> str | None:
    """The speaker that a question names in full or by first name; None when it names none or several."""
    asked = _spaced(query)
    named = {speaker for speaker in speakers if speaker is not None and _mentioned(speaker, asked)}
    return named.pop() if len(named) == 1 else None


def _mentioned(name: str, asked: str) -> bool:
    spaced = _spaced(name)
    return bool(spaced.strip()) and (spaced in asked or f" {spaced.split()[0]} " in asked)


def _spaced(text: str) -> str:
    return " " + " ".join(re.findall(r"[^\W_]+", text.casefold())) + " "


def asking_share(text: str) -> float:
    """The share of a text's characters that belong to questions; of a long text, its beginning counts."""
    text = text[:READ_CHARS]
    if not any(mark in text for mark in ASKING):
        return 0.0
    asked = done = 0
    for mark in _QUESTION_END.finditer(text):
        begin = max(done, *(text.rfind(end, done, mark.start()) + 1 for end in _SENTENCE_ENDS))
        asked += len(text[begin : mark.end()].strip())
        done = mark.end()
    return asked / len(text.strip())


def ends_asking(text: str) -> bool:
    """Whether a text ends in a question, which the next speaker then answers."""
    return text.rstrip().endswith(ASKING)


def personal_share(text: str) -> float:
    """How much a text is about its speaker: the share of first-person words, scaled so that one in ten is 1."""
    start = text[:READ_CHARS]
    own = len(FIRST_PERSON.findall(start))
    return min(PERSONAL_WORDS * own / len(_WORD.findall(start)), 1.0) if own else 0.0
