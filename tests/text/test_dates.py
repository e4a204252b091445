"""Dates in text: a table of what is read and what it means, what must not be read, and how fast."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.errors import InputError
from aforesaid.text.extract import dates
from support.growth import is_linear

SAID = datetime(2023, 5, 25, 12, 0, tzinfo=UTC)  # a Thursday


def spans(text: str, said_at: datetime = SAID) -> list[str]:
    """The spans as `start..end`; a time of day is left out where it is midnight."""
    return [f"{_short(span.start)}..{_short(span.end)}" for span in dates.resolve(text, said_at)]


def _short(moment: datetime) -> str:
    text = moment.strftime("%Y-%m-%d %H:%M:%S")
    return text.removesuffix(":00").removesuffix(" 00:00")


def words(text: str) -> list[str]:
    return [expression.text for expression in dates.time_expressions(text)]


def one_day(text: str) -> str:
    day = datetime.fromisoformat(text)
    return f"{text}..{day + timedelta(days=1):%Y-%m-%d}"


DAYS = [  # (what is said on Thursday 2023-05-25, the expression in it, the day it means)
    ("released on 2026-05-03.", "2026-05-03", "2026-05-03"),
    ("2024-02-29 it was", "2024-02-29", "2024-02-29"),
    ("(2026/5/3)", "2026/5/3", "2026-05-03"),
    ("due 3/14/2023", "3/14/2023", "2023-03-14"),
    ("due 31/12/2022", "31/12/2022", "2022-12-31"),
    ("due 3/14/22", "3/14/22", "2022-03-14"),
    ("am 14.3.2023 war", "14.3.2023", "2023-03-14"),
    ("on 3 May 2026 we", "3 May 2026", "2026-05-03"),
    ("the 3rd of May, 2021", "3rd of May, 2021", "2021-05-03"),
    ("on the 5th of May", "5th of May", "2023-05-05"),
    ("May 3rd", "May 3rd", "2023-05-03"),
    ("May 3, 2021, we", "May 3, 2021", "2021-05-03"),
    ("since May 5th", "May 5th", "2023-05-05"),
    ("before June 10, 2022", "June 10, 2022", "2022-06-10"),
    ("on June 10", "June 10", "2023-06-10"),  # within 62 days ahead
    ("on october 10th", "october 10th", "2022-10-10"),  # further ahead: the last one
    ("Dec 31", "Dec 31", "2022-12-31"),
    ("Feb 29", "Feb 29", "2020-02-29"),  # the last there was
    ("Sept. 9, 2020", "Sept. 9, 2020", "2020-09-09"),
    ("last Saturday we hiked", "last Saturday", "2023-05-20"),
    ("this past Saturday", "this past Saturday", "2023-05-20"),
    ("last Thursday", "last Thursday", "2023-05-18"),
    ("on Saturday", "Saturday", "2023-05-20"),
    ("it's thursday", "thursday", "2023-05-25"),
    ("on Fri we", "on Fri", "2023-05-19"),
    ("Wednesday night", "Wednesday night", "2023-05-24"),
    ("next Friday", "next Friday", "2023-06-02"),
    ("this Friday", "this Friday", "2023-05-26"),
    ("this coming Friday", "this coming Friday", "2023-05-26"),
    ("today", "today", "2023-05-25"),
    ("tonight?", "tonight", "2023-05-25"),
    ("this morning", "this morning", "2023-05-25"),
    ("yesterday", "yesterday", "2023-05-24"),
    ("last night", "last night", "2023-05-24"),
    ("Yesterday evening", "Yesterday evening", "2023-05-24"),
    ("tomorrow", "tomorrow", "2023-05-26"),
    ("the day before yesterday", "the day before yesterday", "2023-05-23"),
    ("the day after tomorrow", "the day after tomorrow", "2023-05-27"),
    ("two days ago", "two days ago", "2023-05-23"),
    ("25 days ago", "25 days ago", "2023-04-30"),
    ("a couple of days ago", "a couple of days ago", "2023-05-23"),
    ("ten days from now", "ten days from now", "2023-06-04"),
    ("in 3 days", "in 3 days", "2023-05-28"),
    ("on the 20th", "on the 20th", "2023-05-20"),
    ("by the 31st", "by the 31st", "2023-05-31"),
    ("on the 2nd", "on the 2nd", "2023-06-02"),
    ("at Christmas", "Christmas", "2022-12-25"),
    ("Christmas 2019", "Christmas 2019", "2019-12-25"),
    ("last Halloween", "last Halloween", "2022-10-31"),
    ("next New Year's Eve", "next New Year's Eve", "2023-12-31"),
    ("昨日", "昨日", "2023-05-24"),
    ("おとといの夜", "おととい", "2023-05-23"),
    ("一昨日", "一昨日", "2023-05-23"),
    ("今日は", "今日", "2023-05-25"),
    ("昨夜", "昨夜", "2023-05-24"),
    ("明日から", "明日", "2023-05-26"),
    ("明後日", "明後日", "2023-05-27"),
    ("先週の土曜日に", "先週の土曜日", "2023-05-20"),
    ("先週の月曜", "先週の月曜", "2023-05-15"),
    ("再来週の月曜日", "再来週の月曜日", "2023-06-05"),
    ("土曜日に会った", "土曜日", "2023-05-20"),
    ("次の金曜日", "次の金曜日", "2023-05-26"),
    ("前の木曜日", "前の木曜日", "2023-05-18"),
    ("2026年5月3日", "2026年5月3日", "2026-05-03"),
    ("２０２４年２月２９日", "２０２４年２月２９日", "2024-02-29"),
    ("令和5年5月3日", "令和5年5月3日", "2023-05-03"),
    ("平成元年1月8日", "平成元年1月8日", "1989-01-08"),
    ("12月25日", "12月25日", "2022-12-25"),
    ("去年の12月31日", "去年の12月31日", "2022-12-31"),
    ("3日前", "3日前", "2023-05-22"),
    ("十二日前", "十二日前", "2023-05-13"),
    ("三日後", "三日後", "2023-05-28"),
    ("20日に会った", "20日", "2023-05-20"),
]

SPANS = [  # (what is said, the expression, from, up to)
    ("last week", "last week", "2023-05-15", "2023-05-22"),
    ("this week", "this week", "2023-05-22", "2023-05-29"),
    ("next week", "next week", "2023-05-29", "2023-06-05"),
    ("this weekend", "this weekend", "2023-05-27", "2023-05-29"),
    ("last weekend", "last weekend", "2023-05-20", "2023-05-22"),
    ("last month", "last month", "2023-04-01", "2023-05-01"),
    ("next month", "next month", "2023-06-01", "2023-07-01"),
    ("last year", "last year", "2022-01-01", "2023-01-01"),
    ("over the past year", "past year", "2022-05-25", "2023-05-26"),
    ("the last 24 hours", "last 24 hours", "2023-05-24 12:00", "2023-05-25 12:00"),
    ("10:30-11:00", "10:30", "2023-05-25 10:30", "2023-05-25 10:31"),
    ("last quarter", "last quarter", "2023-01-01", "2023-04-01"),
    ("last summer", "last summer", "2022-06-01", "2022-09-01"),
    ("this spring", "this spring", "2023-03-01", "2023-06-01"),
    ("last winter", "last winter", "2022-12-01", "2023-03-01"),
    ("next fall", "next fall", "2023-09-01", "2023-12-01"),
    ("summer of 2020", "summer of 2020", "2020-06-01", "2020-09-01"),
    ("in March", "in March", "2023-03-01", "2023-04-01"),
    ("in june we go", "in june", "2023-06-01", "2023-07-01"),
    ("in may i went", "in may", "2023-05-01", "2023-06-01"),
    ("in September", "in September", "2022-09-01", "2022-10-01"),
    ("September was hot", "September", "2022-09-01", "2022-10-01"),
    ("last May", "last May", "2022-05-01", "2022-06-01"),
    ("this May", "this May", "2023-05-01", "2023-06-01"),
    ("next May", "next May", "2024-05-01", "2024-06-01"),
    ("the first week of May", "first week of May", "2023-05-01", "2023-05-08"),
    ("in the last week of February 2024", "last week of February 2024", "2024-02-23", "2024-03-01"),
    ("the second week of the trip in March", "in March", "2023-03-01", "2023-04-01"),
    ("between 3 and 5 May", "3 and 5 May", "2023-05-03", "2023-05-06"),
    ("May 3–5, 2022", "May 3–5, 2022", "2022-05-03", "2022-05-06"),
    ("in February 2024", "February 2024", "2024-02-01", "2024-03-01"),
    ("May of 2020", "May of 2020", "2020-05-01", "2020-06-01"),
    ("in 2019", "in 2019", "2019-01-01", "2020-01-01"),
    ("since 1999.", "since 1999", "1999-01-01", "2000-01-01"),
    ("in the 1990s", "in the 1990s", "1990-01-01", "2000-01-01"),
    ("3 weeks ago", "3 weeks ago", "2023-05-01", "2023-05-08"),
    ("in two weeks", "in two weeks", "2023-06-05", "2023-06-12"),
    ("six months ago", "six months ago", "2022-11-01", "2022-12-01"),
    ("two years ago", "two years ago", "2021-01-01", "2022-01-01"),
    ("the past two weeks", "past two weeks", "2023-05-11", "2023-05-26"),
    ("the last 3 months", "last 3 months", "2023-02-25", "2023-05-26"),
    ("next 10 days", "next 10 days", "2023-05-25", "2023-06-05"),
    ("an hour ago", "an hour ago", "2023-05-25 11:00", "2023-05-25 12:00"),
    ("in 5 minutes", "in 5 minutes", "2023-05-25 12:05", "2023-05-25 12:06"),
    ("at 10:30 am", "10:30 am", "2023-05-25 10:30", "2023-05-25 10:31"),
    ("3 p.m. then", "3 p.m.", "2023-05-25 15:00", "2023-05-25 16:00"),
    ("12 am", "12 am", "2023-05-25", "2023-05-25 01:00"),
    ("12pm", "12pm", "2023-05-25 12:00", "2023-05-25 13:00"),
    ("at 15:45", "15:45", "2023-05-25 15:45", "2023-05-25 15:46"),
    ("5 o'clock", "5 o'clock", "2023-05-25 05:00", "2023-05-25 06:00"),
    ("at noon", "noon", "2023-05-25 12:00", "2023-05-25 12:01"),
    ("2026-05-03T10:30:00Z", "2026-05-03T10:30:00Z", "2026-05-03 10:30", "2026-05-03 10:31"),
    ("2026-05-03 10:30+09:00", "2026-05-03 10:30+09:00", "2026-05-03 01:30", "2026-05-03 01:31"),
    ("先週", "先週", "2023-05-15", "2023-05-22"),
    ("今週末", "今週末", "2023-05-27", "2023-05-29"),
    ("先月", "先月", "2023-04-01", "2023-05-01"),
    ("来月", "来月", "2023-06-01", "2023-07-01"),
    ("去年", "去年", "2022-01-01", "2023-01-01"),
    ("おととし", "おととし", "2021-01-01", "2022-01-01"),
    ("去年の夏", "去年の夏", "2022-06-01", "2022-09-01"),
    ("去年の3月", "去年の3月", "2022-03-01", "2022-04-01"),
    ("2023年4月", "2023年4月", "2023-04-01", "2023-05-01"),
    ("2019年に", "2019年", "2019-01-01", "2020-01-01"),
    ("6月に", "6月", "2023-06-01", "2023-07-01"),
    ("三週間前", "三週間前", "2023-05-01", "2023-05-08"),
    ("2か月前", "2か月前", "2023-03-01", "2023-04-01"),
    ("半年前", "半年前", "2022-11-01", "2022-12-01"),
    ("5年前", "5年前", "2018-01-01", "2019-01-01"),
    ("1時間前", "1時間前", "2023-05-25 11:00", "2023-05-25 12:00"),
    ("午後3時", "午後3時", "2023-05-25 15:00", "2023-05-25 16:00"),
    ("午前10時30分", "午前10時30分", "2023-05-25 10:30", "2023-05-25 10:31"),
    ("午後10:30", "午後10:30", "2023-05-25 22:30", "2023-05-25 22:31"),
    ("10時半に", "10時半", "2023-05-25 10:30", "2023-05-25 10:31"),
    ("会議は10:30に", "10:30", "2023-05-25 10:30", "2023-05-25 10:31"),
    ("正午", "正午", "2023-05-25 12:00", "2023-05-25 12:01"),
]

NOTHING = [
    "", "You may go.", "May I go?", "May told me", "this may be wrong", "the last may be", "March on!", "They march",
    "the order of march", "March 3 steps", "April said hi", "June is my friend", "the sun is out", "Sun is out",
    "he sat down", "Sat down", "we wed", "version 1.2.3", "v2026.05.03", "python 3.11.4", "10.0.0.1", "192.168.1.10",
    "/logs/2026-05-03/app.log", "logs/2026-05-03", "notes_2026-05-03.md", "backup-2026-05-03", "2026-05-03.log",
    "https://x.io/2026/05/03/post", "call 555-1234", "090-1234-5678", "+81 3-2026-0503", "2026-0503", "(212) 555-0199",
    "ratio 3:1", "John 3:16:4:5", "1/2 cup", "25:00", "10:75", "within 3 days of", "quarterly",
    "on the 5th floor", "a Christmas tree", "the first time", "名前", "3日間", "2年間", "毎週末",
    "1時間かかる", "13月", "当たり前", "明日香", "twenty-five days ago", "午後", "月額", "500円",
]  # fmt: skip

UNRESOLVED = ["a few days ago", "several weeks ago", "two days later", "Thanksgiving", "数日前"]


@pytest.mark.parametrize(("text", "expression", "day"), DAYS)
def test_days(text: str, expression: str, day: str) -> None:
    assert words(text) == [expression]
    assert spans(text) == [one_day(day)]


@pytest.mark.parametrize(("text", "expression", "start", "end"), SPANS)
def test_spans(text: str, expression: str, start: str, end: str) -> None:
    assert words(text) == [expression]
    assert spans(text) == [f"{start}..{end}"]


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_date(text: str) -> None:
    assert words(text) == []
    assert spans(text) == []


@pytest.mark.parametrize("text", UNRESOLVED)
def test_what_counts_but_means_no_span(text: str) -> None:
    assert words(text) == [text]
    assert spans(text) == []


def test_the_tables_are_thorough() -> None:
    assert len(DAYS) + len(SPANS) + len(NOTHING) + len(UNRESOLVED) >= 90


YEAR_ENDS = [
    ("2023-01-01", "yesterday", "2022-12-31..2023-01-01"),
    ("2022-12-31", "tomorrow", "2023-01-01..2023-01-02"),
    ("2022-12-31", "next month", "2023-01-01..2023-02-01"),
    ("2023-01-15", "last month", "2022-12-01..2023-01-01"),
    ("2023-01-01", "last week", "2022-12-19..2022-12-26"),  # a Sunday: its week began in December
    ("2023-01-02", "last weekend", "2022-12-31..2023-01-02"),
    ("2023-12-28", "January 5", "2024-01-05..2024-01-06"),
    ("2023-01-03", "on the 31st", "2022-12-31..2023-01-01"),
    ("2023-01-03", "in December", "2022-12-01..2023-01-01"),
    ("2024-03-01", "yesterday", "2024-02-29..2024-03-01"),
    ("2023-03-01", "yesterday", "2023-02-28..2023-03-01"),
    ("2024-03-31", "last month", "2024-02-01..2024-03-01"),
    ("2024-02-29", "two years ago", "2022-01-01..2023-01-01"),
    ("2024-03-31", "the last month", "2024-02-01..2024-03-01"),
    ("2024-03-31", "the past 1 month", "2024-02-29..2024-04-01"),
    ("1900-06-01", "Feb 29", "1896-02-29..1896-03-01"),  # 1900 was no leap year
    ("2023-01-01", "昨日", "2022-12-31..2023-01-01"),
    ("2023-01-15", "先月", "2022-12-01..2023-01-01"),
    ("2022-12-20", "1月5日", "2023-01-05..2023-01-06"),
    ("2024-03-01", "1日前", "2024-02-29..2024-03-01"),
]


@pytest.mark.parametrize(("said", "text", "expected"), YEAR_ENDS)
def test_ends_of_years_and_leap_years(said: str, text: str, expected: str) -> None:
    assert spans(text, datetime.fromisoformat(said).replace(hour=9, tzinfo=UTC)) == [expected]


def test_a_clock_time_is_of_the_day_named_before_it() -> None:
    assert spans("yesterday at 10:30 am") == [one_day("2023-05-24"), "2023-05-24 10:30..2023-05-24 10:31"]
    assert spans("Oct 5th, 2022, 5pm") == [one_day("2022-10-05"), "2022-10-05 17:00..2022-10-05 18:00"]
    assert spans("5月3日の午後3時") == [one_day("2023-05-03"), "2023-05-03 15:00..2023-05-03 16:00"]
    assert spans("yesterday was long. The call is at 10:30 am")[1] == "2023-05-25 10:30..2023-05-25 10:31"


def test_a_weekday_beside_its_date_means_no_other_day() -> None:
    assert spans("Friday, May 5") == spans("Fri, May 5") == [one_day("2023-05-05")]
    assert spans("every Friday, so on Friday") == [one_day("2023-05-19")]
    assert spans("every Friday") == spans("Friday nights") == spans("毎週金曜日") == []
    assert spans("Friday the 5th of May") == [one_day("2023-05-05")]


def test_days_are_those_of_the_speaker() -> None:
    tokyo = timezone(timedelta(hours=9))
    late = datetime(2023, 5, 25, 1, 0, tzinfo=tokyo)  # still the 24th in UTC
    assert spans("yesterday", late) == ["2023-05-23 15:00..2023-05-24 15:00"]
    assert spans("午前9時", late) == ["2023-05-25..2023-05-25 01:00"]
    assert all(span.start.tzinfo is UTC for span in dates.resolve("yesterday", late))
    with pytest.raises(InputError):
        dates.resolve("yesterday", datetime(2023, 5, 25))  # noqa: DTZ001 - that is the point


def test_expressions_are_distinct_and_say_where_they_stand() -> None:
    text = "Yesterday, yesterday and on 2023-05-03; then May 3rd."
    assert words(text) == ["Yesterday", "2023-05-03", "May 3rd"]
    assert [(e.start, e.end, e.kind) for e in dates.time_expressions(text)] == [
        (0, 9, "day"), (28, 38, "date"), (45, 52, "date"),
    ]  # fmt: skip
    assert words("İstanbul'da May 3rd") == ["May 3rd"]  # a capital whose small form is two letters


def test_the_ends_of_the_calendar() -> None:
    assert spans("9999-12-30") == ["9999-12-30..9999-12-31"]
    assert spans("9999-12-31") == spans("0000-01-01") == []
    last, first = datetime(9999, 12, 31, 12, tzinfo=UTC), datetime(1, 1, 1, 12, tzinfo=UTC)
    for text in ("tomorrow", "next year", "next week", "in 5 years", "来年", "next month"):
        assert dates.resolve(text, last) == (), text
    for text in ("yesterday", "last year", "last week", "last summer", "昨日", "3か月前", "last Friday"):
        assert dates.resolve(text, first) == (), text


PIECES = [text for text, *_ in (*DAYS, *SPANS)] + NOTHING + [" ", ",", "at", "the", "İ", "１", "前", "-", "2026"]
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join))
moments = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=9)), timezone(timedelta(hours=-11))]))


@given(texts, moments)
def test_whatever_the_text_spans_are_in_order_and_expressions_apart(text: str, said_at: datetime) -> None:
    found = dates.time_expressions(text)
    reached = 0
    for expression in found:
        assert reached <= expression.start < expression.end
        assert text[expression.start : expression.end] == expression.text
        reached = expression.end
    for span in dates.resolve(text, said_at):
        assert span.start < span.end
        assert span.start.utcoffset() == timedelta(0)
        assert span.expression.text.casefold() in {expression.text.casefold() for expression in found}
    assert dates.resolve(text, said_at) == dates.resolve(text, said_at)


@given(st.dates(), st.sampled_from(["%Y-%m-%d", "%Y/%m/%d"]))
def test_every_iso_date_is_itself(day: object, form: str) -> None:
    text = re.sub(r"^\d+", lambda year: year[0].zfill(4), day.strftime(form))  # type: ignore[attr-defined]
    assert [str(span.start.date()) for span in dates.resolve(f"on {text}.", SAID)] in ([str(day)], [])
    assert words(f"on {text}.") == ([text] if text[:10] != "9999-12-31" and text != "9999/12/31" else [])


@given(st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_weekdays_keep_their_promise(said_at: datetime) -> None:
    today = said_at.date()
    for number, name in enumerate(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]):
        last, bare, coming, following = (
            dates.resolve(f"{word}{name}", said_at)[0].start.date() for word in ("last ", "", "coming ", "next ")
        )
        assert {day.weekday() for day in (last, bare, coming, following)} == {number}
        assert 1 <= (today - last).days <= 7 and 0 <= (today - bare).days <= 6 and 1 <= (coming - today).days <= 7
        assert following.isocalendar()[:2] == (today + timedelta(days=7)).isocalendar()[:2]


TURN = (
    "I went hiking with my friend Laura last Saturday and we had so much fun at the lake. On May 3rd I started a new job "
    "at a small company downtown, and the meeting yesterday at 10:30 am went really well. In two weeks I am going to "
    "visit my parents in Oregon before the summer starts, so wish me luck"
)


def test_a_turn_of_several_dates() -> None:
    assert words(TURN) == ["last Saturday", "May 3rd", "yesterday", "10:30 am", "In two weeks"]


HOSTILE = [
    "last ",
    "1",
    "1 ",
    "may ",
    "2026-",
    "一",
    "十",
    "10:",
    "a few ",
    "in the early ",
    "May 3 ",
    "先週の",
    "3日前",
    "the day ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_is_read_in_linear_time(piece: str) -> None:
    assert is_linear(lambda chars: dates.resolve(piece * (chars // len(piece)), SAID), 2_000, 16_000)
