"""Dates and times that a text names, in English and Japanese, and the spans they mean (spec 5.7).

One rule settles each ambiguity, so the same words said at the same time always mean the same span:
- a month or date without a year is the last one that has begun, or the next if it begins within 62 days;
- "on the 5th" is the nearest 5th; a bare weekday is the latest up to today;
- "last Saturday" is the latest before today; "next" and "this Friday" are those of the next and of this calendar week;
- weeks run from Monday; "three weeks ago" is the seven days around that day, months and years are whole;
- a clock time is of the day named just before it, or of the day it was said;
- "the past year" ends today, "last year" is the calendar's; seasons are those of the north, by whole months;
- 3/4/2023 is March 4 (a first number over 12 is the day), 3.4.2023 is 3 April;
- "a few days ago", "two days later" and "every Friday" count as expressions and have no span.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from aforesaid.errors import InputError
from aforesaid.text.extract.dates import english as dates_en
from aforesaid.text.extract.dates import japanese as dates_ja
from aforesaid.text.extract.dates.calendar import DAY, DateRule, Local, union
from aforesaid.text.extract.spans import lowered


@dataclass(frozen=True, slots=True)
class Expression:
    """A date or time in a text. Kinds: date, day, month, year, period, relative, clock."""

    text: str
    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """The time that an expression means: from `start` up to, not including, `end`, in UTC."""

    start: datetime
    end: datetime
    expression: Expression


class DateReading(NamedTuple):
    """The dates and times of a text: the distinct expressions, and the spans of those that mean one."""

    expressions: tuple[Expression, ...]
    spans: tuple[TimeSpan, ...]


_ENGLISH, _JAPANESE = union(dates_en.GATE, dates_en.RULES), union(dates_ja.GATE, dates_ja.RULES)
_ANY_JAPANESE = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")
_PLAIN = {0xFF10 + digit: str(digit) for digit in range(10)} | {ord("："): ":", ord("／"): "/"}
_JOIN = re.compile(r",?\s?(?:at|around|about|の|、)?\s?", re.ASCII)  # between a day and its clock time

_Found = tuple[int, int, DateRule, re.Match[str]]


def read_dates(text: str, said_at: datetime) -> DateReading:
    """The dates and times that a text names, and what they mean when it is said at that time."""
    return DateReading(time_expressions(text), resolve(text, said_at))


def time_expressions(text: str) -> tuple[Expression, ...]:
    """The distinct date and time expressions of a text, in order."""
    seen: dict[str, Expression] = {}
    for start, end, rule, _ in _found(text):
        seen.setdefault(text[start:end].casefold(), Expression(text[start:end], start, end, rule.kind))
    return tuple(seen.values())


def names_a_time(text: str) -> bool:
    """Whether a text holds a date or time."""
    return next(_found(text), None) is not None


def resolve(text: str, said_at: datetime) -> tuple[TimeSpan, ...]:
    """What the expressions of a text mean when it is said at that time, in the time zone of `said_at`."""
    if said_at.tzinfo is None:
        raise InputError(f"{said_at} has no time zone.", "Give an aware datetime.")
    spans: list[TimeSpan] = []
    known: dict[tuple[str, datetime], Local] = {}  # the same words of the same day are one span
    day: tuple[int, datetime] | None = None  # where the last expression of one day ended, and that day
    for start, end, rule, match in _found(text):
        base = said_at.replace(tzinfo=None)
        if rule.kind == "clock" and day and _JOIN.fullmatch(text, day[0], start):
            base = day[1]
        words = (text[start:end].casefold(), base)
        local = known.get(words)
        if local is None and (local := _local(rule, match, base)):
            known[words] = local
            if utc := _utc(local, said_at):
                spans.append(TimeSpan(*utc, Expression(text[start:end], start, end, rule.kind)))
        if rule.kind != "clock":
            day = (end, local[0]) if local and local[1] - local[0] == DAY else None
    return tuple(spans)


def _utc(local: Local, said_at: datetime) -> Local | None:
    """The span in UTC; None if it is outside the calendar."""
    try:
        start, end = ((m if m.tzinfo else m.replace(tzinfo=said_at.tzinfo)).astimezone(UTC) for m in local)
    except OverflowError:
        return None
    return start, end


def _local(rule: DateRule, match: re.Match[str], base: datetime) -> Local | None:
    """What a match means; None for 30 February or a year outside the calendar."""
    try:
        return rule.resolver(match, base) if rule.resolver else None
    except (ValueError, OverflowError):
        return None


def _found(text: str) -> Iterator[_Found]:
    """Every expression with its rule, in order. Of two that overlap, the one that starts first is kept."""
    low = lowered(text)
    if not low.isascii():
        low = low.translate(_PLAIN)
    found = [*_matches(_ENGLISH, dates_en.RULES, low, text)]
    if not text.isascii() and _ANY_JAPANESE.search(text):
        found = sorted([*found, *_matches(_JAPANESE, dates_ja.RULES, low, text)], key=lambda each: (each[0], -each[1]))
    reached = 0
    for each in found:
        if each[0] >= reached:
            reached = each[1]
            yield each


def _matches(scan: re.Pattern[str], rules: tuple[DateRule, ...], low: str, text: str) -> Iterator[_Found]:
    for hit in scan.finditer(low):
        rule = rules[int((hit.lastgroup or "r0")[1:])]
        match = rule.pattern.match(low, hit.start())
        if match and _capital(match, text) and _exists(rule, match):
            yield hit.start(), match.end(), rule, match


def _capital(match: re.Match[str], text: str) -> bool:
    """Whether "may", "march", "sat" and the like are meant as dates: they need a capital, or "in" before them."""
    groups = match.groupdict()
    name = "month" if groups.get("month") else "weekday"
    word = groups.get(name)
    if not word or word not in dates_en.CAPITAL:
        return True
    return text[match.start(name)].isupper() or match[0].startswith("in ")


def _exists(rule: DateRule, match: re.Match[str]) -> bool:
    """Whether a date exists in the calendar, at least in leap years."""
    return rule.kind != "date" or _local(rule, match, _LEAP) is not None


_LEAP = datetime(2024, 6, 1)  # noqa: DTZ001 - a wall clock, only to ask whether a date can be
