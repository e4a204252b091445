"""Japanese time expressions, one rule each, over text with full-width digits replaced by ASCII ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial

from aforesaid.text.extract.dates import calendar
from aforesaid.text.extract.dates.calendar import DateRule, Local, Resolver, rule

_DIGITS = "〇一二三四五六七八九"
_N = r"(?P<count>\d{1,4}|[一二三四五六七八九十]{1,3})"
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_MONTH = r"(?<![\d/.-])(?P<month>1[0-2]|0?[1-9])月"
_WEEKDAYS = "月火水木金土日"
_OF_MONTH = r"(?P<day>3[01]|[12]\d|0?[1-9])日"
_DAYS = {
    "一昨日": -2, "おととい": -2, "昨日": -1, "きのう": -1, "昨夜": -1, "昨晩": -1, "ゆうべ": -1,
    "今日": 0, "きょう": 0, "本日": 0, "今朝": 0,
    "今夜": 0, "今晩": 0, "明日": 1, "あした": 1, "明後日": 2, "あさって": 2,
}  # fmt: skip
_WEEKS = {"先々週": -2, "先週": -1, "今週": 0, "来週": 1, "再来週": 2}
_MONTHS = {"先々月": -2, "先月": -1, "今月": 0, "来月": 1, "再来月": 2}
_YEARS = {"一昨年": -2, "おととし": -2, "去年": -1, "昨年": -1, "今年": 0, "来年": 1, "再来年": 2}
_YEAR = (
    r"(?:(?:(?P<era>令和|平成|昭和)(?P<era_year>\d{1,2}|元)|(?<!\d)(?P<year>\d{4}))年|"
    rf"(?P<when>{'|'.join(_YEARS)}))"
)
_SEASONS = {"春": 0, "夏": 1, "秋": 2, "冬": 3}
_UNITS = {"分": "minute", "時間": "hour", "日": "day", "週": "week", "週間": "week", "年": "year"}
_UNIT = r"(?P<unit>分|時間|日|週間?|[かヶカヵケ箇]月|年)"
_WHEN = {"前の": "last", "この前の": "last", "次の": "coming", "今度の": "coming"}


def number(text: str) -> int:
    """A number in digits or, up to ninety-nine, in kanji."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return int("".join(str(_DIGITS.index(sign)) for sign in text))
    return (number(tens) if tens else 1) * 10 + (number(ones) if ones else 0)


def _year(found: re.Match[str], moment: datetime) -> int | None:
    """The year that an expression names, as a number or by its distance ("last year"); None if it names none."""
    if found["era"]:
        return _ERAS[found["era"]] + (1 if found["era_year"] == "元" else int(found["era_year"]))
    if found["when"]:
        return moment.year + _YEARS[found["when"]]
    return int(found["year"]) if found["year"] else None


def _in_year(make: Callable[[re.Match[str], int], Local]) -> Resolver:
    """A resolver for what `make` returns, in the year that is named, or else in the nearest one that fits."""

    def resolve(found: re.Match[str], moment: datetime) -> Local | None:
        year = _year(found, moment)
        return calendar.yearless(moment, partial(make, found)) if year is None else make(found, year)

    return resolve


def _week(found: re.Match[str], moment: datetime) -> Local | None:
    return (calendar.weekend if found["end"] else calendar.week)(moment, _WEEKS[found["when"]])


def _day_of_week(found: re.Match[str], moment: datetime) -> Local | None:
    start = calendar.monday(moment, _WEEKS[found["when"]]) + _WEEKDAYS.index(found["weekday"]) * calendar.DAY
    return calendar.span(start, start + calendar.DAY)


def _weekday(found: re.Match[str], moment: datetime) -> Local | None:
    if found.string.endswith(("毎週", "毎週の"), 0, found.start()):
        return None  # no one day
    return calendar.weekday(moment, _WEEKDAYS.index(found["weekday"]), _WHEN.get(found["when"] or "", ""))


def _away(found: re.Match[str], moment: datetime) -> Local | None:
    if found["some"]:
        return None  # 数日 is no number
    count, unit = (6, "month") if found["half"] else (number(found["count"]), _UNITS.get(found["unit"], "month"))
    return calendar.away(moment, -count if found["way"] == "前" else count, unit)


def _clock(found: re.Match[str], moment: datetime) -> Local | None:
    half = {"午前": "am", "朝": "am", "午後": "pm", "夜": "pm", "夕方": "pm"}.get(
        found.groupdict().get("half") or "", ""
    )
    hour = int(found["hour"])
    minute = 30 if found["thirty"] else int(found["minute"]) if found["minute"] else None
    return calendar.clock(moment, hour, minute, half if hour <= 12 else "")


GATE = r"(?=[\d一二三四五六七八九十数半令平昭おきゆあこ昨今本明先来再去月火水木金土日週午朝夜夕正前次])"

RULES: tuple[DateRule, ...] = (
    rule("date", rf"(?:{_YEAR}の?)?{_MONTH}の?{_OF_MONTH}(?!間)",
         _in_year(lambda found, year: calendar.of_day(year, int(found["month"]), int(found["day"])))),
    rule("month", rf"(?:{_YEAR}の?)?{_MONTH}(?![間額収給\d])",
         _in_year(lambda found, year: calendar.of_month(year, int(found["month"])))),
    rule("period", rf"{_YEAR}の(?P<season>[春夏秋冬])",
         _in_year(lambda found, year: calendar.season(year, _SEASONS[found["season"]]))),
    rule("period", rf"(?P<when>{'|'.join(_YEARS)})",
         lambda found, moment: calendar.of_year(moment.year + _YEARS[found["when"]])),
    rule("year", rf"{_YEAR}(?![間前後生目以])", _in_year(lambda found, year: calendar.of_year(year))),
    rule("day", rf"(?P<when>{'|'.join(_WEEKS)})の?(?P<weekday>[月火水木金土日])曜日?", _day_of_week),
    rule("period", rf"(?P<when>{'|'.join(_WEEKS)})(?P<end>の?週?末)?", _week),
    rule("period", rf"(?P<when>{'|'.join(_MONTHS)})",
         lambda found, moment: calendar.month(moment, _MONTHS[found["when"]])),
    rule("day", rf"(?P<word>{'|'.join(_DAYS)})(?![香菜])",
         lambda found, moment: calendar.day(moment, _DAYS[found["word"]])),
    rule("day", r"(?P<when>この前の|前の|次の|今度の)?(?P<weekday>[月火水木金土日])曜(?!大工)日?", _weekday),
    rule("period", r"(?<!毎)週末", lambda found, moment: calendar.weekend(moment)),
    rule(
        "relative",
        rf"(?:(?<![\d.]){_N}{_UNIT}|(?P<some>数(?:日|週間|[かヶカヵケ箇]月|年|時間|分))|(?P<half>半年))(?P<way>前|後)(?![半者述])",
        _away,
    ),
    rule("day", r"(?<![\d月.])(?P<day>3[01]|[12]\d|[1-9])日(?=に|の|は|から|まで|、)(?!の間)",
         lambda found, moment: calendar.day_of_month(moment, int(found["day"]))),
    rule(
        "clock",
        r"(?P<half>午前|午後|朝|夜|夕方)の?(?P<hour>2[0-4]|1\d|\d)(?:時(?!間)|(?=:))(?:(?P<thirty>半)|:?(?P<minute>[0-5]?\d)分?)?",
        _clock,
    ),
    rule(
        "clock",
        r"(?<![\d.])(?P<hour>2[0-4]|1\d|\d)時(?!間|代)(?:(?P<thirty>半)|(?P<minute>[0-5]?\d)分)?",
        _clock,
    ),
    rule("clock", r"正午", lambda found, moment: calendar.clock(moment, 12, 0)),
)  # fmt: skip
