"""What a statement is, and when two values of the same thing cannot both hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from aforesaid.text.analyze import STOP_WORDS, terms
from aforesaid.text.patterns import MONTH, word_set, words

Mood = Literal["is", "ends", "plans", "cancels"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One clause, read: whom or what it is about, which attribute, its value, and whether that holds or ends."""

    subject: str
    attribute: str
    value: str
    mood: Mood = "is"
    change: bool = False  # it says itself that something is new: "now", "moved to", "no longer", 今は
    start: int = 0  # of its sentence in the text
    end: int = 0


TIMES = frozenset(("date", "deadline"))  # attributes whose values are days and hours
# These may have several values at once: only a statement that speaks of a change replaces another.
SOFT = word_set(
    """home role place roommate flatmate housemate neighbor neighbour coach tutor mentor editor shell browser system
    database cloud tracker chat packages formatter"""
)
HELD = "yes"  # the value of a habit or a possession

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
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_DAYS = "mon tue wed thu fri sat sun"
_MONTH = rf"(?={MONTH}\b)({words(_MONTHS)})[a-z]{{0,6}}\.?"
_DAY = r"([0-3]?[0-9])(?:st|nd|rd|th)?(?![0-9:])"
_DAY_PARTS = (
    (
        "month",
        re.compile(rf"\b{_MONTH} (?:the )?{_DAY}|\b{_DAY} (?:of )?{_MONTH}\b|\b[0-9]{{4}}-([0-9]{{2}})-([0-9]{{2}})"),
    ),
    ("number", re.compile(r"\b([0-3]?[0-9])(?:st|nd|rd|th)\b")),
    ("weekday", re.compile(rf"\b({words(_DAYS)})(?:day|sday|nesday|rsday|urday|s|\b)")),
    ("whole month", re.compile(rf"\b{_MONTH}(?=\W|$)")),
    ("quarter", re.compile(r"\b(q[1-4]|h[12]|spring|summer|autumn|fall|winter)\b")),
    ("year", re.compile(r"\b((?:19|20)[0-9]{2})\b")),
    ("near", re.compile(r"\b(today|tonight|tomorrow|next \w{3,9}|this \w{3,9}|later this \w{3,9}|end of \w{3,9})")),
    ("日", re.compile(r"([0-9]{1,2})月([0-9]{1,2})日|([0-9]{1,2})/([0-9]{1,2})(?![0-9])")),
    ("月", re.compile(r"([0-9]{1,2})月")),
    ("日のみ", re.compile(r"([0-9]{1,2})日")),
    ("曜", re.compile(r"([月火水木金土日])曜")),
    (
        "近",
        re.compile(
            "(今日|明日|明後日|今夜|今週|来週|再来週|今月|来月|再来月|来年|来春|来夏|年内|年明け|翌日|翌週|翌月)"
        ),
    ),
)
_CLOCK = re.compile(
    r"\b([0-9]{1,2})(?::([0-9]{2}))?\s?([ap])\.?m\b|\b([0-9]{1,2}):([0-9]{2})\b|\b(noon|midnight)\b|"
    "(?:at|to|until|around|by) ([0-9]{1,2})(?: o'clock)?(?=[.!]?$|,? (?:on|in the|tomorrow|today|tonight|"
    r"next|sharp|now|instead)\b)|(午前|午後)?([0-9]{1,2})時(半|[0-9]{1,2}分)?"
)
_DEICTIC = frozenset(("near", "近"))
# Values of one line exclude each other; what stands before a colon is one value in several wordings.
_STATUS = (
    "open:open,reopened,blocked,unresolved,outstanding|progress:in progress,underway,in review,ongoing|"
    "done:closed,resolved,done,finished,complete,completed,fixed,merged,solved,shipped,released,working,working again,"
    "passing,green,up,back up,online,back online,stable,up and running,running again,repaired,live|"
    "broken:broken,failing,red,down,offline,flaky,unstable,crashing,not working,out of order|"
    "paused:on hold,paused,frozen,suspended|dropped:abandoned,dropped,shelved,discontinued",
    "on:enabled,on,active,switched on,turned on|off:disabled,off,inactive,switched off,turned off,deactivated",
    "paid:paid|unpaid:unpaid,overdue,due",
    "approved:approved,accepted,signed,signed off|rejected:rejected,denied,declined,turned down|"
    "pending:pending,under review,waiting for approval,awaiting approval,awaiting review,not approved yet,unsigned",
    "available:available,in stock,for sale,free|gone:sold out,out of stock,unavailable,sold,taken,backordered",
    "coming:on the way,in transit,in the mail|here:delivered,here",
    "未:未完了,未対応,未解決,対応中,作業中,進行中,レビュー中|"
    "済:完了,解決,解決済み,対応済み,修正済み,マージ済み,クローズ,終了|"
    "壊:壊れている,故障中,停止中,落ちている|動:復旧,復旧済み,稼働中,直った",
    "有効:有効|無効:無効",
    "承認:承認済み,承認|待:承認待ち,保留,保留中|却下:却下",
)
STATUS: dict[str, tuple[int, str]] = {
    word: (line, group.partition(":")[0])
    for line, groups in enumerate(_STATUS)
    for group in groups.split("|")
    for word in group.partition(":")[2].split(",")
}


def key_of(statement: Statement) -> str:
    """The stemmed "subject|attribute" of a statement; only those of equal keys can supersede each other."""
    return _key(statement.subject, statement.attribute)


@lru_cache(maxsize=4096)
def _key(subject: str, attribute: str) -> str:
    return f"{' '.join(sorted(_stems(subject).split()))}|{_stems(attribute)}"  # "Ana's meeting", "the meeting with Ana"


def _stems(text: str) -> str:
    return " ".join(t for t in terms(text) if t not in STOP_WORDS) or " ".join(text.casefold().split())


def same_value(one: str, other: str) -> bool:
    """Whether two values name one thing: the same words, or those of one within the other's."""
    first, second = set(terms(one)) - STOP_WORDS, set(terms(other)) - STOP_WORDS
    return one.casefold() == other.casefold() or bool(first and second and (first <= second or second <= first))


def conflict(attribute: str, newer: str, older: str, change: bool) -> bool:
    """Whether two values of one attribute cannot both hold."""
    if attribute in TIMES:
        return _times_conflict(newer, older, change)
    if attribute == "status":
        one, other = STATUS.get(newer.lower()), STATUS.get(older.lower())
        return bool(one and other and one[0] == other[0] and one[1] != other[1])
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
    """The numbers of a value that is one, plainly written, and the words left over; None when it is none."""
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
    """The days that a value names, by how it names them, and the hour."""
    low = value.lower()
    clock = ""
    if found := _CLOCK.search(low):
        clock = _hour(found)
        low = low[: found.start()] + " " + low[found.end() :]
    days: dict[str, str] = {}
    for name, pattern in _DAY_PARTS:
        if match := pattern.search(low):
            days[name] = "-".join(sorted(part.lstrip("0") for part in match.groups() if part))
            low = low[: match.start()] + " " + low[match.end() :]
    return days, clock


def _hour(found: re.Match[str]) -> str:
    twelve, minutes, half, hour, past, word, bare, part, kanji, more = found.groups()
    if word:
        return "12:0" if word == "noon" else "0:0"
    number = int(twelve or hour or bare or kanji)
    late = half == "p" or part == "午後"
    minute = 30 if more == "半" else int((minutes or past or (more or "").rstrip("分")) or 0)
    return f"{number + 12 if late and number < 12 else number}:{minute}"


def _times_conflict(newer: str, older: str, change: bool) -> bool:
    days, clock = times(newer)
    old_days, old_clock = times(older)
    shared = days.keys() & old_days.keys()
    if not change and (_DEICTIC & (days.keys() | old_days.keys())):
        return False  # "today at 3" was said of another day
    if any(days[name] != old_days[name] for name in shared):
        return True
    if clock and old_clock and clock != old_clock and (shared or change or not (days and old_days)):
        return True
    return change and not shared and bool(days) and bool(old_days or old_clock)
