"""When things are, in English: a date, a move to another one, or that it is off."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.statements.phrases import NOBODY, Phrase, Predicate, value_of
from aforesaid.text.extract.statements.values import DraftStatement, times
from aforesaid.text.extract.statements.words import DATES
from aforesaid.text.patterns import words

_MONTHS = words("jan feb mar apr may jun jul aug sep oct nov dec")
AT_TIME = re.compile(
    "(?:on |at |in |for |by |until |till |to |around |from |the |due |early |late |mid-?|next |this |end "
    "of |first thing )*"
    rf"(?:{_MONTHS}[a-z]{{0,6}}\b|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\b|"
    "tomorrow|today|tonight|noon|"
    r"midnight|next \w+|(?:week|month|year|quarter|spring|summer|fall|autumn|winter|morning|afternoon|"
    r"evening)\b|q[1-4]\b|"
    r"[0-3]?[0-9](?:st|nd|rd|th)\b|[0-9]{1,2}(?::[0-9]{2})? ?[ap]\.?m|[0-9]{1,2}:[0-9]{2}|(?:19|"
    r"20)[0-9]{2}-[0-9]{2}-[0-9]{2}\b|(?<=in )(?:19|20)[0-9]{2}\b|(?<=by )(?:19|20)[0-9]{2}\b|"
    rf"[0-9]{{1,2}} (?:of )?{_MONTHS}|(?<=at )[0-9]{{1,2}}\b)",
    re.I,
)
BE = r"(?:is|are|was|were|has been|have been|will be|got|gets|has|have|will|were|is being|is going to be)"
_SCHEDULED = (
    r"(?:scheduled|set|planned|booked|confirmed|happening|taking place|due|slated|going ahead|fixed|starting|on)"
)
_DATED = re.compile(
    "(?P<be>is|are|was|were|will be|will happen|happens|starts|begins|takes place|will start|will take "
    "place|(?P<arrives>lands|arrives)|departs|leaves|(?P<ends>ends|closes))"
    rf"(?: back)?(?: {_SCHEDULED})?(?: back on)?(?: to (?:start|begin|happen|launch|ship))? (?P<v>.{{2,80}})",
    re.I,
)
_MOVED = re.compile(
    f"(?:{BE} (?:been )?)?(?:moved|rescheduled|postponed|pushed|extended|shifted|delayed|brought|slipped|changed|"
    "bumped|moving|"
    "being moved)(?: back| forward| up| out| again)*(?: from (?P<from>.{1,40}?))?(?: (?:to|until|till|by|"
    "for|into) (?P<v>.{1,80}))?$",
    re.I,
)
_CANCELLED = re.compile(
    f"{BE} (?:been )?(?:getting )?(?:cancell?ed(?! for )|called off|scrapped|off(?! (?:to|of|the|on|by|from|"
    r"work)\b)|off the table|not happening|dropped)\b"
    r"|fell through|(?:is|are) not going to happen|will not (?:happen|take place)",
    re.I,
)
_NOT_HAPPENING = re.compile(
    r"(?:is|are|will|am) (?:going to )?(?:happen(?:ing)?|tak(?:e|ing) place|going ahead)\b", re.I
)
_ENDED = re.compile(
    f"(?:{BE} )?(?:died|passed away|stolen|been stolen|put down|rehomed|sold|totall?ed|broke down for "
    r"good|run away)\b",
    re.I,
)
_ON_DAY = re.compile(
    rf" (?:on|at|in) (?:the )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|{_MONTHS}|tomorrow|[0-9]).{{0,20}}$", re.I
)
_RECURS = re.compile(r"\b(?:every|each|always|usually|sometimes|often)\b", re.I)


def schedule(phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    """When a thing is, is moved to, or that it is not to be at all."""
    subject, attribute, day = *_event(phrase), ""
    if on_day := _ON_DAY.search(subject):
        subject, day = subject[: on_day.start()], on_day[0].strip()
    pet = f"own {phrase.head}".strip()
    if phrase.kind == "thing" and phrase.owner and _ENDED.match(said.text) and not said.negated:
        yield DraftStatement(
            phrase.owner,
            f"own {phrase.subject} {phrase.head}".strip() if phrase.subject else pet,
            phrase.name,
            "ends",
            True,
        )
        return
    if (_CANCELLED.match(said.text) and not said.negated) or (
        (said.negated or said.ended) and _NOT_HAPPENING.match(said.text)
    ):
        yield DraftStatement(subject, attribute, day, "cancels", True)
        return
    if said.negated or said.ended:
        return
    if match := _MOVED.match(said.text):
        value = match["v"] or ""
        if value and not (AT_TIME.match(value) or _at_hour(value)):
            if _room(value):
                yield DraftStatement(phrase.whole, "place", value_of(value), "is", True)
            return
        moved = re.match(rf"(?:{BE} (?:been )?)?(?:changed|brought|pushed|moving)", said.low) is None
        if value or (moved and phrase.kind != "person"):
            yield DraftStatement(subject, attribute, _when(f"to {value}") if value else "", "plans", True)
        return
    if match := _DATED.match(said.text):
        value = match["v"]
        due = re.match(r"(?:is|are|was) due\b", said.low)
        if not (AT_TIME.match(value) or (value.lower().startswith("at ") and _at_hour(value))) or _RECURS.match(value):
            return
        if not any(times(value)[0]) and not times(value)[1]:
            return
        change = said.change or phrase.new or "back on" in said.low
        past = match["be"].lower() in ("was", "were") and not re.match(r"\w+ (?:scheduled|due|planned|set)", said.low)
        subject += " arrival" if match["arrives"] else " end" if match["ends"] else ""
        yield DraftStatement(
            subject, "deadline" if due else attribute, _when(value), "was" if past else "plans", change
        )


def _event(phrase: Phrase) -> tuple[str, str]:
    """Whose date it is: "the launch date" is the launch's, a deadline has its own."""
    if phrase.head in DATES and phrase.subject:
        return phrase.subject, "date"
    if phrase.head in ("deadline", "due date") or phrase.head.endswith(" deadline"):
        return phrase.subject or NOBODY, "deadline"
    return phrase.whole, "date"


def _at_hour(value: str) -> bool:
    return bool(times(f"to {value}" if not value.startswith("at ") else value)[1])


def _when(value: str) -> str:
    plain = re.sub(r"\s*(?:,|\b(?:now|instead|because|so|which|with|and|but|not)\b).*", "", value).strip(" .!")
    return re.sub(r"^(?:on|for|in|until|till|to|by) (?![0-9]{1,2}$)", "", plain)  # an hour alone keeps its "to"


def _room(value: str) -> bool:
    return bool(
        re.match(r"(?:room|the \w+ (?:room|office|building|hall)|[A-Z]\w+ (?:room|hall)|zoom|teams)\b", value, re.I)
    )
