"""The type of a statement, and when two values of one attribute contradict each other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Literal

from aforesaid.text.analyze import STOP_WORDS, terms
from aforesaid.text.extract.dates import resolve
from aforesaid.text.patterns import word_groups, word_set, words

Mood = Literal["is", "ends", "plans", "cancels"]


@dataclass(frozen=True, slots=True)
class Statement:
    """The fact that one clause states: a value of an attribute of a subject, which holds, ends, or is planned."""

    subject: str
    attribute: str
    value: str
    mood: Mood = "is"
    change: bool = False  # the clause announces a change: "now", "moved to", "no longer", 今は
    start: int = 0  # of its sentence in the text
    end: int = 0


TIMES = frozenset(("date", "deadline"))  # attributes whose values are days and hours
# They can have several values at once: only a statement that announces a change replaces another.
SOFT = word_set(
    """home role place roommate flatmate housemate neighbor neighbour coach tutor mentor editor shell browser system
    database cloud tracker chat packages formatter"""
)
YES = "yes"  # the value of a habit or a possession

_NAMED_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety hundred"
NUMBER_WORDS = {word: str(i) for i, word in enumerate(_NAMED_NUMBERS.split())}
NUMBER_WORDS |= {word: str(30 + 10 * i) for i, word in enumerate(_TENS.split())} | {"dozen": "12"}
_NAMED_VALUES = word_set("address phone number name id code model car plan version")
_SCALES = {"k": 3, "thousand": 3, "m": 6, "million": 6, "万": 4, "千": 3, "億": 8}
_AMOUNT = re.compile(
    rf"(?<![\w.])(?:([0-9][0-9,]{{0,20}}(?:\.[0-9]{{1,9}}){{0,3}})|({words(' '.join(NUMBER_WORDS))})\b)"
    r"(?:\s?(k|m|thousand|million|万|千|億)(?![a-z]))?"
)
_CURRENCIES = {"$": "dollars", "€": "euros", "£": "pounds", "¥": "yen", "円": "yen", "usd": "dollars", "eur": "euros"}
_CURRENCY = re.compile("[$€£¥円]|\\b(?:usd|eur)\\b")
_TITLE = re.compile(r"(?:Mr|Ms|Mrs|Dr|Prof|Professor)\b")
_MONDAY = datetime(2024, 1, 1, tzinfo=UTC)  # we read both values as if they were said on this day
_NEAR = re.compile("today|tonight|tomorrow|next|this|今|明|来|翌", re.I)
_HOUR = re.compile(
    "(?:at|to|until|around|by) ([0-9]{1,2})(?: o'clock)?(?=[.!]?$|,? (?:on|in the|tomorrow|today|tonight|"
    r"next|sharp|now|instead)\b)"
)
_LEAD = re.compile(r"(?:(?:on|at|in|for|by|until|till|to|around|from|the|due|early|late|mid|end of)[ -])*", re.I)
_DEICTIC = frozenset(("near",))
STATUS = word_groups("statement statuses")  # "reopened" → "work/open"


def key_of(statement: Statement) -> str:
    """The stemmed "subject|attribute" of a statement. A statement can only replace one with the same key."""
    return _key(statement.subject, statement.attribute)


@lru_cache(maxsize=4096)
def _key(subject: str, attribute: str) -> str:
    return f"{' '.join(sorted(_stems(subject).split()))}|{_stems(attribute)}"  # "Ana's meeting", "the meeting with Ana"


def _stems(text: str) -> str:
    return " ".join(t for t in terms(text) if t not in STOP_WORDS) or " ".join(text.casefold().split())


def same_value(one: str, other: str) -> bool:
    """Whether two values name one thing: the words of one are among the words of the other."""
    first, second = set(terms(one)) - STOP_WORDS, set(terms(other)) - STOP_WORDS
    return one.casefold() == other.casefold() or bool(first and second and (first <= second or second <= first))


def conflict(attribute: str, newer: str, older: str, change: bool) -> bool:
    """Whether two values of one attribute contradict each other."""
    if attribute in TIMES:
        return _times_conflict(newer, older, change)
    if attribute == "status":
        one, other = STATUS.get(newer.lower(), ""), STATUS.get(older.lower(), "")
        return bool(one) and one != other and one.partition("/")[0] == other.partition("/")[0]
    one_amount, other_amount = amounts(newer), amounts(older)
    if one_amount and other_amount:
        named = attribute.rpartition(" ")[2] in _NAMED_VALUES
        return one_amount[0] != other_amount[0] and (named or _one_unit(one_amount[1], other_amount[1]))
    if not change and bool(_TITLE.match(newer)) != bool(_TITLE.match(older)):
        return False  # "Ms. Silva" may be Ana
    return not same_value(newer, older)


def _one_unit(one: str, other: str) -> bool:
    return one == other or not one or not other or same_value(one, other)


@lru_cache(maxsize=1024)
def amounts(value: str) -> tuple[tuple[str, ...], str] | None:
    """The numbers of a value in digits, and its other words; None when the value is not a number."""
    low = _CURRENCY.sub(lambda sign: f" {_CURRENCIES[sign[0]]} ", value.lower())
    if not (first := _AMOUNT.search(low)) or len(low[: first.start()].split()) > 2 or "@" in low or "://" in low:
        return None
    found = tuple(_plain(match) for match in _AMOUNT.finditer(low))
    return found, " ".join(
        w for w in terms(_AMOUNT.sub(" ", low)) if w not in STOP_WORDS | {"around", "roughli", "now"}
    )


def _plain(match: re.Match[str]) -> str:
    digits = match[1].replace(",", "").removesuffix(".00") if match[1] else NUMBER_WORDS[match[2]]
    zeros = _SCALES.get(match[3] or "", 0)
    if not zeros or digits.count(".") > 1:
        return digits
    whole, _, rest = digits.partition(".")
    return whole + rest[:zeros].ljust(zeros, "0")


@lru_cache(maxsize=1024)
def times(value: str) -> tuple[dict[str, str], str]:
    """The days that a value names, by the kind of expression, and the clock time."""
    days: dict[str, str] = {}
    clock = ""
    for span in resolve(f"by {value}、", _MONDAY):  # the reader of dates needs the context of "by the 3rd" and 3日、
        kind = span.expression.kind
        if kind == "clock":
            clock = f"{span.start:%H:%M}"
        elif kind == "date":
            days[kind] = f"{span.start:%m-%d}"
        else:
            near = kind in ("period", "relative") or _NEAR.search(span.expression.text)
            days["near" if near else kind] = f"{span.start:%Y-%m-%d}/{span.end:%Y-%m-%d}"
    if not clock and (hour := _HOUR.search(value)):
        clock = f"{int(hour[1]):02}:00"
    return days, clock


def starts_with_time(value: str) -> bool:
    """Whether a value begins with a date or time: "on Friday", not "a picnic on Friday"."""
    first = min((span.expression.start for span in resolve(f"by {value}", _MONDAY)), default=None)
    return _LEAD.fullmatch(value[: max(first - 3, 0)]) is not None if first is not None else bool(_HOUR.match(value))


def _times_conflict(newer: str, older: str, change: bool) -> bool:
    days, clock = times(newer)
    old_days, old_clock = times(older)
    shared = days.keys() & old_days.keys()
    if not change and (_DEICTIC & (days.keys() | old_days.keys())):
        return False  # "today at 3" meant another day
    if any(days[name] != old_days[name] for name in shared):
        return True
    if clock and old_clock and clock != old_clock and (shared or change or not (days and old_days)):
        return True
    return change and not shared and bool(days) and bool(old_days or old_clock)
