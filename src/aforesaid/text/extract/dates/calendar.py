"""Calendar arithmetic for dates. Spans are half-open pairs of local times; `moment` is the time of the message."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TypeAlias

from aforesaid.text.patterns import any_of

Local: TypeAlias = tuple[datetime, datetime]  # naive: the wall clock of whoever spoke
Resolver: TypeAlias = Callable[[re.Match[str], datetime], Local | None]

DAY = timedelta(days=1)
WEEKS = {"this": 0, "next": 1}
SOON = timedelta(days=62)  # a month or date without a year is the last one begun, or the next if it is this near


@dataclass(frozen=True, slots=True)
class DateRule:
    """One form of a time expression: its kind, pattern and meaning (None: an expression without a span)."""

    kind: str
    pattern: re.Pattern[str]
    resolver: Resolver | None = None


def rule(kind: str, pattern: str, resolver: Resolver | None = None) -> DateRule:
    """A rule from the text of its pattern. Word boundaries are those of ASCII, because Japanese has no spaces."""
    return DateRule(kind, re.compile(pattern, re.ASCII), resolver)


def union(gate: str, rules: tuple[DateRule, ...]) -> re.Pattern[str]:
    """All rules as one pattern, rule i as group `r{i}`. Where two rules match at one place, the earlier one wins.

    `gate` is a lookahead for the first characters of every rule. It rejects most places quickly.
    """
    plain = (re.sub(r"\(\?P<\w+>", "(?:", each.pattern.pattern) for each in rules)
    return re.compile(gate + any_of(*(f"(?P<r{i}>{text})" for i, text in enumerate(plain))), re.ASCII)


def span(first: date, last: date) -> Local:
    """From the start of the first day to the start of `last`, which is not included."""
    return datetime.combine(first, time()), datetime.combine(last, time())


def day(moment: datetime, offset: int = 0) -> Local:
    """The day of the moment, or one that many days away."""
    start = moment.date() + offset * DAY
    return span(start, start + DAY)


def of_day(year: int, month: int, number: int) -> Local:
    """One day of the calendar; ValueError if there is none."""
    start = date(year, month, number)
    return span(start, start + DAY)


def week(moment: datetime, offset: int = 0) -> Local:
    """The week, Monday to Sunday."""
    start = monday(moment, offset)
    return span(start, start + 7 * DAY)


def monday(moment: datetime, offset: int = 0) -> date:
    """Monday of the week of the moment, or that many weeks away."""
    return moment.date() + (7 * offset - moment.weekday()) * DAY


def weekend(moment: datetime, offset: int = 0) -> Local:
    """Saturday and Sunday of the week."""
    start = monday(moment, offset) + 5 * DAY
    return span(start, start + 2 * DAY)


def of_month(year: int, month: int) -> Local:
    """A month; numbers past 12 or under 1 run into the neighbouring years."""
    first, after = (date(year + (m - 1) // 12, (m - 1) % 12 + 1, 1) for m in (month, month + 1))
    return span(first, after)


def month(moment: datetime, offset: int = 0) -> Local:
    """The month of the moment, or one that many months away."""
    return of_month(moment.year, moment.month + offset)


def of_year(year: int, count: int = 1) -> Local:
    """`count` years, starting with this one."""
    return span(date(year, 1, 1), date(year + count, 1, 1))


def season(year: int, number: int) -> Local:
    """Spring 0 to winter 3 of the north, from March on by three months; winter is named after the year it begins in."""
    return of_month(year, 3 + 3 * number)[0], of_month(year, 5 + 3 * number)[1]


def weekday(moment: datetime, number: int, when: str) -> Local:
    """A weekday, Monday 0: `last` is the latest before today, `coming` the first after it, `this` and `next` are those
    of this calendar week and the next, and a bare one ("") is the latest up to today."""
    ahead = (number - moment.weekday()) % 7
    offsets = {"last": ahead - 7, "coming": ahead or 7, "": ahead - 7 if ahead else 0}
    if when in offsets:
        return day(moment, offsets[when])
    start = monday(moment, WEEKS[when]) + number * DAY
    return span(start, start + DAY)


def yearless(moment: datetime, make: Callable[[int], Local]) -> Local | None:
    """A date without a year: the last one that has begun, or the next one if it begins within 62 days."""
    for year in range(moment.year + 1, moment.year - 9, -1):  # 29 February may be eight years back
        with suppress(ValueError):  # not in this year
            found = make(year)
            if found[0] - moment <= SOON:
                return found
    return None


def day_of_month(moment: datetime, number: int) -> Local | None:
    """The nearest day with that number, in this or a neighbouring month; the earlier one if two are equally near."""
    found = []
    for offset in (-1, 0, 1):
        first = month(moment, offset)[0]
        if 1 <= number <= monthrange(first.year, first.month)[1]:
            found.append(of_day(first.year, first.month, number))
    today = day(moment)[0]
    return min(found, key=lambda each: abs(each[0] - today), default=None)


def away(moment: datetime, count: int, unit: str) -> Local | None:
    """`count` units from the moment: a minute, hour or day is that one, a week the seven days around that day, a month
    or year the whole of it."""
    if unit in ("minute", "hour"):
        start = (moment + timedelta(**{f"{unit}s": count})).replace(second=0, microsecond=0)
        return start, start + timedelta(**{f"{unit}s": 1})
    if unit == "day":
        return day(moment, count)
    if unit == "week":
        middle = moment.date() + 7 * count * DAY
        return span(middle - 3 * DAY, middle + 4 * DAY)
    return month(moment, count) if unit == "month" else of_year(moment.year + count)


def stretch(moment: datetime, count: int, unit: str) -> Local:
    """From the moment `count` minutes or hours on (or back, when negative), or from its day on, that day included."""
    if unit in ("minute", "hour"):
        reached = moment + timedelta(**{f"{unit}s": count})
        return min(moment, reached), max(moment, reached)
    today = moment.date()
    if unit in ("month", "year"):
        months = count * (12 if unit == "year" else 1)
        first = month(moment, months)[0]
        far = date(first.year, first.month, min(today.day, monthrange(first.year, first.month)[1]))
    else:
        far = today + count * (7 if unit == "week" else 1) * DAY
    return span(min(far, today), max(far, today) + DAY)


def clock(moment: datetime, hour: int, minute: int | None, half: str = "") -> Local | None:
    """A clock time of the moment's day: a minute, or the hour when the text gives no minutes. None if there is none."""
    if half:
        if not 0 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    if not (0 <= hour < 24 and 0 <= (minute or 0) < 60):
        return None
    start = datetime.combine(moment.date(), time(hour, minute or 0))
    return start, start + (timedelta(hours=1) if minute is None else timedelta(minutes=1))


def full_year(text: str, moment: datetime) -> int:
    """A year of four digits, or of two in the century that puts it nearest to the moment."""
    year = int(text)
    if len(text) > 2:
        return year
    return min(
        (c * 100 + year for c in range(moment.year // 100 - 1, moment.year // 100 + 2)),
        key=lambda y: abs(y - moment.year),
    )
