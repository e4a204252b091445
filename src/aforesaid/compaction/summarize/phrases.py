"""Edits sentences for a summary: removes fillers, adds dates, joins by speaker, shortens."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial

from aforesaid.compaction.summarize import SummarySource
from aforesaid.text.extract.reader import guarded
from aforesaid.text.sentences import sentences

_BULLET = re.compile(r"(?:[-*•>]|#{1,6}|\d{1,2}[.)])\s+")
_BOLD = re.compile(r"\*\*|(?<!\w)__|__(?!\w)")
_OPENING = re.compile(
    r"(?:(?:yeah|yep|yup|wow|whoa|woah|woohoo|oops|aw+|oh|well|hey|hi|haha|anyway|so|btw|by the way|"
    r"thanks|thank you|and)"
    r"(?: [A-Z][a-z]+)?[,!] )+(?=\S)",
    re.IGNORECASE,
)
_CALLED = re.compile(r"([A-Z]\w{1,30})[,!] (?=\S)")
_ENDED = re.compile(r"[.!?…。！？:;,、][\"'”’)\]」』]{0,3}$|[^\w\s)\]\"'”’]$")
_WIDE_END = re.compile(r"[。！？」』）]$")


def without_fillers(sentence: str, speakers: frozenset[str] = frozenset()) -> str:
    """The sentence without bullet, bold type, and an opening like "Yeah," or "Wow, Ana,"."""
    plain = sentence[match.end() :] if (match := _BULLET.match(sentence)) else sentence
    plain = _BOLD.sub("", plain).strip() if "**" in plain else plain
    bare = plain[match.end() :] if (match := _OPENING.match(plain)) else plain
    called = _CALLED.match(bare)
    if called and called[1].casefold() in speakers:
        bare = bare[called.end() :]
    return (bare[0].upper() + bare[1:] if bare != plain else plain).strip()


_WEEKDAY = re.compile(r"(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?|[月火水木金土日]曜日?", re.IGNORECASE)
_RELATIVE = ("day", "period", "relative")


def with_dates(sentence: str, source: SummarySource) -> str:
    """The sentence with "(2026-03-05)" after words like "yesterday", where the date is certain."""
    if source.time.tzinfo is None:
        return sentence
    from aforesaid.text.extract.dates import resolve  # compiling its patterns takes a tenth of a second

    spans = guarded("dates", partial(resolve, sentence, source.time), ())
    for span in reversed(spans):
        words = span.expression.text
        if span.expression.kind not in _RELATIVE or _WEEKDAY.fullmatch(words) or re.search(r"\d{4}", words):
            continue
        first = span.start.astimezone(source.time.tzinfo)
        last = span.end.astimezone(source.time.tzinfo) - timedelta(seconds=1)
        if words.lower() in ("tonight", "now") or last - first < timedelta(hours=20):
            continue
        end = span.expression.end
        space = " " if words[-1].isascii() else ""
        sentence = (
            f"{sentence[:end]}{space}({_span(first.date().isoformat(), last.date().isoformat())}){sentence[end:]}"
        )
    return sentence


def _span(first: str, last: str) -> str:
    """Two dates as one: 2026-03-05, 2026-03-02/08, 2026-03, 2026-06/08, 2026."""
    if first == last:
        return first
    if first[:4] == last[:4] and first[5:] == "01-01" and last[5:] == "12-31":
        return first[:4]
    if first[:7] == last[:7]:
        whole = first[8:] == "01" and int(last[8:]) >= 28
        return first[:7] if whole else f"{first}/{last[8:]}"
    if first[8:] == "01" and int(last[8:]) >= 28:
        return f"{first[:7]}/{last[5:7] if first[:4] == last[:4] else last[:7]}"
    return f"{first}/{last}"


def render(spoken: Iterable[tuple[str | None, str]]) -> str:
    """The sentences in order: a new line with the speaker's name for each change of speaker."""
    lines: list[str] = []
    speaker: str | None = None
    for role, text in spoken:
        if not lines or role != speaker:
            lines.append(f"{_label(role)}{text}")
        else:
            joint = "" if _WIDE_END.search(lines[-1]) else " " if _ENDED.search(lines[-1]) else ". "
            lines[-1] += joint + text
        speaker = role
    return "\n".join(lines)


def _label(role: str | None) -> str:
    return f"{role[0].upper()}{role[1:]}: " if role else ""


def _cut(text: str, chars: int) -> str:
    """The first characters of a text, ended at a word, with “…” if something is missing."""
    if chars >= len(text):
        return text
    start = text[:chars]
    if not text[chars].isspace() and (space := start.rfind(" ")) > chars // 2:
        start = start[:space]
    return f"{start.rstrip(' ,;:、')}…" if start.strip() else ""


def shorten(text: str, room: int, count: Callable[[str], int]) -> str:
    """The longest beginning of a text that fits with its “…”; empty when nothing fits."""
    chars = bisect_right(range(1, len(text) + 1), room, key=lambda size: count(_cut(text, size)))
    while chars and count(_cut(text, chars)) > room:  # a token count need not grow with the text
        chars -= 1
    return _cut(text, chars)


def fit(text: str, room: int, count: Callable[[str], int]) -> str:
    """The text if it fits, else its first sentences, else the beginning of the first one."""
    if count(text) <= room:
        return text
    end = 0
    for sentence in sentences(text):
        reached = text.index(sentence, end) + len(sentence)
        if count(text[:reached]) > room:
            break
        end = reached
    return text[:end] if end else shorten(text, room, count)
