"""English time expressions, one rule each, over lower-cased text. Words in `CAPITAL` need a capital in the text."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from aforesaid.text.extract.dates import calendar
from aforesaid.text.extract.dates.calendar import DateRule, Local, rule
from aforesaid.text.patterns import by_letter, words

CAPITAL = {"may", "march", "mar", "mon", "wed", "sat", "sun"}  # also verbs, names and words

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_SHORT = "jan feb mar apr jun jul aug sept? oct nov dec"
_LONG = "january february march april may june july august september october november december"
_MONTH = rf"(?P<month>{words(_LONG)}|{words(_SHORT)}\.?)"
_SURE = words("january february july september october november december")  # never a verb and hardly a name
_WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_WEEKDAY = r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b"
_WEEKDAY_SHORT = r"(?P<weekday>mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b"
_PART = r"(?:\s(?:morning|afternoon|evening|night)\b)?"
_ONE_TO_TWELVE = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: i for i, word in enumerate(_ONE_TO_TWELVE.split(), 1)}
_NUMBERS |= {"a": 1, "an": 1, "couple": 2, "fifteen": 15, "twenty": 20, "thirty": 30}
_COUNT = (
    rf"(?:(?P<count>\d{{1,3}}|an?|{words(_ONE_TO_TWELVE)}|fifteen|twenty|thirty)"
    r"|a?\s?(?P<couple>couple)(?:\sof)?|(?:a\s)?(?:few|several))"
)
_UNIT = r"(?P<unit>minute|min|hour|day|week|month|year)s?"
_TH = r"(?:st|nd|rd|th)"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?![\d:%]|[.,/-]\d)"
_D = r"(?P<day>3[01]|[12]\d|0?[1-9])"
_TO = r"(?:\s?[-–—]\s?|\s(?:to|and|until|till|through)\s)(?:the\s)?(?P<last>3[01]|[12]\d|0?[1-9])"
_OPEN = r"(?<![\w/\\.:@#=+-])"  # not inside a path, a version, a phone number or a name
_SHUT = r"(?![\w/\\@-]|\.\w)"
_NO_COUNT = r"(?!\s[a-z]{3,15}s\b)"  # "March 3 steps" is an order
_NO_DAY = words("century floor grade time place row street avenue attempt edition option item step birthday one")
_NO_HOLIDAY = r"(?!\s(?:tree|card|party|gift|present|movie|song)s?\b)"
_DATED = re.compile(rf"[.,]?\s(?:the\s)?(?:\d\d?{_TH}?\s(?:of\s)?{words(_LONG)}|{_MONTH}\s\d|\d{{4}}-)", re.ASCII)
_HABIT = re.compile(r"(?<=days)|\s(?:morning|afternoon|evening|night)s\b")
_DIRECTION = {"past": "last", "previous": "last", "following": "next", "upcoming": "coming"}
_OFFSETS = {"last": -1, "this": 0, "next": 1, "coming": 1}
_SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
_WORDS = {"the day before": -2, "the day after": 2, "last": -1, "yesterday": -1, "tomorrow": 1}
_WEEKS_OF = {"first": 0, "second": 1, "third": 2, "fourth": 3}
_HOLIDAYS = {
    "christmas eve": (12, 24), "christmas": (12, 25), "xmas": (12, 25), "new year's eve": (12, 31),
    "new year's day": (1, 1), "new year's": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14),
}  # fmt: skip


def _iso(found: re.Match[str], moment: datetime) -> Local | None:
    start, end = calendar.of_day(int(found["year"]), int(found["month"]), int(found["day"]))
    if not found["hour"]:
        return start, end
    exact = calendar.clock(start, int(found["hour"]), int(found["minute"]))
    if exact is None or not found["zone"]:
        return exact
    zone = found["zone"].replace(":", "")
    minutes = 0 if zone == "z" else (1 if zone[0] == "+" else -1) * (int(zone[1:3]) * 60 + int(zone[3:]))
    written_in = timezone(timedelta(minutes=minutes))
    return exact[0].replace(tzinfo=written_in), exact[1].replace(tzinfo=written_in)


def _slashed(found: re.Match[str], moment: datetime) -> Local | None:
    first, second = int(found["one"]), int(found["two"])
    month, day = (second, first) if first > 12 or "." in found[0] else (first, second)
    return calendar.of_day(calendar.full_year(found["year"], moment), month, day)


def _named_day(found: re.Match[str], moment: datetime) -> Local | None:
    month, day = _month(found), int(found["day"])
    if found["year"]:
        return calendar.of_day(int(found["year"]), month, day)
    return calendar.yearless(moment, lambda year: calendar.of_day(year, month, day))


def _named_month(found: re.Match[str], moment: datetime) -> Local | None:
    month, year, when = _month(found), _part(found, "year"), _when(found)
    if year:
        return calendar.of_month(int(year), month)
    if when == "this":
        return calendar.of_month(moment.year, month)
    if when == "last":
        return calendar.of_month(moment.year - (month >= moment.month), month)
    if when in ("next", "coming"):
        return calendar.of_month(moment.year + (month <= moment.month), month)
    return calendar.yearless(moment, lambda year: calendar.of_month(year, month))


def _week_of_month(found: re.Match[str], moment: datetime) -> Local | None:
    """The first week of a month is its days 1 to 7, the last one its last seven days."""
    within = _named_month(found, moment)
    if within is None:
        return None
    if found["part"] == "last":
        return within[1] - 7 * calendar.DAY, within[1]
    start = within[0] + 7 * _WEEKS_OF[found["part"]] * calendar.DAY
    return start, start + 7 * calendar.DAY


def _days(found: re.Match[str], moment: datetime) -> Local | None:
    """From one day of a month to another, both included; None if they are the wrong way round."""
    first, last = _named_day(found, moment), int(found["last"]) - int(found["day"])
    return (first[0], first[1] + last * calendar.DAY) if first and last > 0 else None


def _month(found: re.Match[str]) -> int:
    return _MONTHS.index(found["month"][:3]) + 1


def _day_word(found: re.Match[str], moment: datetime) -> Local | None:
    return calendar.day(moment, next((offset for word, offset in _WORDS.items() if found[0].startswith(word)), 0))


def _weekday(found: re.Match[str], moment: datetime) -> Local | None:
    if _DATED.match(found.string, found.end()):
        return None  # "Friday, May 5": the date says which
    if _HABIT.match(found.string, found.end()) or found.string.endswith("every ", 0, found.start()):
        return None  # "every Friday", "Fridays" and "Friday nights" are not one day
    return calendar.weekday(moment, _WEEKDAYS.index(found["weekday"][:3]), _when(found))


def _away(found: re.Match[str], moment: datetime) -> Local | None:
    count, way = _count(found), _part(found, "way")
    if count is None or way in ("earlier", "later"):
        return None  # "a few" is no number, and "two days later" counts from something else
    return calendar.away(moment, -count if way in ("ago", "back") else count, _unit(found))


def _stretch(found: re.Match[str], moment: datetime) -> Local | None:
    count = _count(found)
    if count is None:
        return None
    return calendar.stretch(moment, count if found["when"] in ("next", "coming") else -count, _unit(found))


def _count(found: re.Match[str]) -> int | None:
    text = found["count"] or found["couple"]
    return None if not text else int(text) if text.isdigit() else _NUMBERS[text]


def _unit(found: re.Match[str]) -> str:
    return "minute" if found["unit"] == "min" else found["unit"]


def _period(found: re.Match[str], moment: datetime) -> Local | None:
    offset, unit = _OFFSETS[_when(found)], found["unit"]
    if found["when"] == "past" and unit in ("week", "month", "year"):
        return calendar.stretch(moment, -1, unit)
    if unit in _SEASONS:
        return _season(moment, offset, _SEASONS[unit])
    if unit == "quarter":
        first = (moment.month - 1) // 3 * 3 + 1 + 3 * offset
        return calendar.of_month(moment.year, first)[0], calendar.of_month(moment.year, first + 2)[1]
    if unit == "year":
        return calendar.of_year(moment.year + offset)
    return {"week": calendar.week, "weekend": calendar.weekend, "month": calendar.month}[unit](moment, offset)


def _season(moment: datetime, offset: int, number: int) -> Local:
    """`last` is the latest season that is over, `next` the first that has not begun, `this` the one of this year."""
    around = [calendar.season(moment.year + years, number) for years in (-2, -1, 0, 1)]
    if offset < 0:
        return [each for each in around if each[1] <= moment][-1]
    return next(each for each in around if each[0] > moment) if offset else around[2]


def _clock(found: re.Match[str], moment: datetime) -> Local | None:
    minute = int(found["minute"]) if found["minute"] else None
    return calendar.clock(moment, int(found["hour"]), minute, _part(found, "half").replace(".", ""))


def _holiday(found: re.Match[str], moment: datetime) -> Local | None:
    month, day = _HOLIDAYS[found["name"]]
    if found["year"]:
        return calendar.of_day(int(found["year"]), month, day)
    when, same = _when(found), calendar.of_day(moment.year, month, day)
    if not when:
        return calendar.yearless(moment, lambda year: calendar.of_day(year, month, day))
    if when == "this" or (same[1] <= moment if when == "last" else same[0] > moment):
        return same
    return calendar.of_day(moment.year + _OFFSETS[when], month, day)


def _when(found: re.Match[str]) -> str:
    word = _part(found, "when")
    return _DIRECTION.get(word, word)


def _part(found: re.Match[str], name: str) -> str:
    """A named group of the match; empty if the rule has no such group or it did not match."""
    return found.groupdict().get(name) or ""


_WHEN = r"(?:this\s(?=past|coming))?(?P<when>last|past|previous|this|next|coming|upcoming|following)"
_AT = r"(?:[t ](?P<hour>[012]\d):(?P<minute>[0-5]\d)(?::[0-5]\d(?:\.\d{1,9})?)?(?P<zone>z|[+-]\d\d:?\d\d)?)?"
_TIME = r"(?:(?P<half>[ap]m\b|[ap]\.m\.)|o'clock\b)"

_STARTS = (
    "jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun today tonight tomorrow yesterday "
    "last past previous this next coming upcoming following the\\s[del12m] an?\\s[a-z] one\\s two\\s three\\s four\\s "
    "five\\s six\\s seven\\s eight\\s nine\\s ten\\s eleven\\s twelve\\s fifteen\\s twenty\\s thirty\\s couple few "
    "several in\\s[a-z\\d] within since until till by\\s[a-z\\d] during early late mid of\\s[a-z\\d] before after "
    "around circa from\\s year\\s on\\s spring summer autumn fall winter noon midnight christmas xmas new\\syear "
    "halloween valentine thanksgiving easter first\\sweek second\\sweek third\\sweek fourth\\sweek"
)
GATE = rf"(?<!\w)(?<!\w-)(?=\d|{by_letter(_STARTS)})"

RULES: tuple[DateRule, ...] = (
    rule("date", rf"{_OPEN}(?P<year>\d{{4}})[-/](?P<month>\d\d?)[-/](?P<day>\d\d?){_AT}{_SHUT}", _iso),
    rule("date", rf"{_OPEN}(?P<one>\d\d?)[/.](?P<two>\d\d?)[/.](?P<year>(?:19|20)\d\d|(?<=/)\d\d){_SHUT}", _slashed),
    rule("period", rf"{_OPEN}{_D}{_TH}?{_TO}{_TH}?\s(?:of\s)?{_MONTH}(?:,?\s{_YEAR}|(?![\w-]))", _days),
    rule("date", rf"{_OPEN}{_D}{_TH}?\s(?:of\s)?{_MONTH}(?:,?\s{_YEAR}|(?![\w-]))", _named_day),
    rule("period", rf"{_MONTH}\s{_D}{_TH}?{_TO}{_TH}?(?:,?\s{_YEAR}|(?![\w:%]|[.,/-]\d){_NO_COUNT})", _days),
    rule("date", rf"{_MONTH}\s(?:the\s)?{_D}{_TH}?(?:,?\s{_YEAR}|(?![\w:%]|[.,/-]\d){_NO_COUNT})", _named_day),
    rule(
        "period",
        rf"(?P<part>first|second|third|fourth|last)\sweek\s(?:of|in)\s{_MONTH}(?:,?\s{_YEAR}|(?!\w))",
        _week_of_month,
    ),
    rule("month", rf"{_MONTH},?\s(?:of\s)?{_YEAR}", _named_month),
    rule(
        "month",
        rf"(?:in|since|until|till|by|during|early|late|mid|of|before|after|around|{_WHEN})[\s-](?:early\s|late\s|mid-)?"
        rf"{_MONTH}(?!\w|,?\s(?:the\s)?\d)",
        _named_month,
    ),
    rule("month", rf"(?P<month>{_SURE})\b", _named_month),
    rule("day", r"(?:the\sday\sbefore\syesterday|the\sday\safter\stomorrow)\b", _day_word),
    rule("day", rf"(?:today|tonight|yesterday|tomorrow)\b{_PART}", _day_word),
    rule("day", r"(?:this\s(?:morning|afternoon|evening)|last\s(?:night|evening))\b", _day_word),
    rule("day", rf"(?:{_WHEN}\s)?{_WEEKDAY}(?!-){_PART}", _weekday),
    rule("day", rf"(?:on|{_WHEN})\s{_WEEKDAY_SHORT}(?![\w-])", _weekday),
    rule("day", rf"{_WEEKDAY_SHORT}(?=[.,]?\s(?:\d|{words(' '.join(_MONTHS))}))", _weekday),
    rule("relative", rf"{_COUNT}\s{_UNIT}\s(?P<way>ago|back|from\snow|earlier|later)\b", _away),
    rule("relative", rf"(?:in|within)\s{_COUNT}\s{_UNIT}\b(?!')(?!\s(?:of|or)\b)", _away),
    rule("period", rf"{_WHEN}\s{_COUNT}\s{_UNIT}\b", _stretch),
    rule("period", rf"{_WHEN}\s(?P<unit>weekend|week|month|year|quarter|{'|'.join(_SEASONS)})\b", _period),
    rule(
        "period",
        rf"(?P<season>{'|'.join(_SEASONS)})\s(?:of\s)?{_YEAR}",
        lambda found, moment: calendar.season(int(found["year"]), _SEASONS[found["season"]]),
    ),
    rule(
        "day",
        rf"(?:on|by|since|until|before|after|from)\sthe\s{_D}{_TH}\b(?!\s(?:{_NO_DAY}|of)\b)",
        lambda found, moment: calendar.day_of_month(moment, int(found["day"])),
    ),
    rule(
        "year",
        r"(?:in\s)?(?:the\s)?(?:early\s|late\s|mid-)?(?P<decade>(?:19|20)\d0)'?s\b",
        lambda found, moment: calendar.of_year(int(found["decade"]), 10),
    ),
    rule(
        "year",
        rf"(?:in|since|until|till|by|from|of|before|after|during|year|early|late|mid|around|circa)[\s-]{_YEAR}"
        r"(?!\s(?!was\b|is\b|has\b|this\b|his\b|as\b)[a-z]{3,15}s\b|\speople|\w)",
        lambda found, moment: calendar.of_year(int(found["year"])),
    ),
    rule("clock", rf"{_OPEN}(?P<hour>1[0-2]|0?[1-9])(?::(?P<minute>[0-5]\d))?\s?{_TIME}", _clock),
    rule(
        "clock",
        rf"{_OPEN}(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\w:/]|\.\d|-(?!\d\d?:))",
        _clock,
    ),
    rule(
        "clock",
        r"(?:noon|midnight)\b",
        lambda found, moment: calendar.clock(moment, 12 if found[0] == "noon" else 0, 0),
    ),
    rule(
        "day",
        rf"(?:{_WHEN}\s)?(?P<name>{'|'.join(_HOLIDAYS)})\b{_NO_HOLIDAY}"
        rf"(?:,?\s{_YEAR})?",
        _holiday,
    ),
    rule("day", r"(?:thanksgiving|easter)\b"),
)
