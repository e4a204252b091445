"""Finds the temporal patterns in a question and the events that it names (spec 5.7)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from aforesaid.errors import InputError
from aforesaid.text.extract.reader import guarded
from aforesaid.text.patterns import Row, listed, word_row

MAX_SLOTS = 4  # time.max_slots
QUERY_CHARACTERS = 2_000  # we search this much of a query for events
_STOPS = listed("event stop")
_STOPS_JAPANESE = listed("event stop japanese")
_VERBS = listed("event verbs")
_JOINS = frozenset(("of", "to", "in", "at", "with", "for", "from"))  # inside a phrase that begins with an article
_OPENERS = frozenset(("the", "my", "our", "his", "her", "their", "your", "a", "an"))
_LENGTH = r"の(?!期間|間|時間|日数)"  # どのくらいの値段 asks for something else

ENGLISH_ROWS: tuple[Row, ...] = (
    word_row("how_many_days", r"how\smany\s(?:more\s|whole\s|full\s)?(?:minute|hour|day|night|week|month|year)s\b"),
    word_row("how_long", r"how\s(?:long|much\stime)\b"),
    word_row("before_after", r"before\b|after(?:wards?)?\b(?!\sall\b)|prior\sto\b"),
    word_row(
        "first",
        r"first\b(?!\s(?:name|class|aid|person|floor|grade|language|lady)\b)|earli(?:er|est)\b|came\s(?:first|last)\b",
        r"(?:in\s)?(?:what|which)\sorder\b|sooner\b",
    ),
    word_row("since_between", r"since\b|between\b"),
    word_row(
        "when_did",
        r"when\s(?:did|was|were|is|are|will|do|does|have|has|had)\b",
        r"(?:what|which)\s(?:date|day|month|year)\b|what\stime\b",
    ),
)
JAPANESE_ROWS: tuple[Row, ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("how_many_days", r"何(?:日(?!に|付)|週間|[かヶカヵケ箇]月|年(?:間|前|後|ぶり|経|た)|時間|分)|日数"),
        ("how_long", rf"ど(?:の|れ)(?:[くぐ]らい|ほど)(?!{_LENGTH})|期間"),
        (
            "before_after",
            r"(?<![名午人当お手目駅])(?<!当たり)前(?![提向半面進歩例払置職者述])"
            r"|(?<![午最背今老産前])後(?![輩悔半任ろ継者方援述])|(?<=[たの])あと(?=に|で|、|は|何|ど|から|$)",
        ),
        ("first", r"最初|初めて|はじめて|先に|(?:どちら|どっち)が(?:先|早)|一番(?:早|古)|より(?:早|前)"),
        ("since_between", r"以来|以降|から[^。？?\n]{1,30}まで|の間(?!違)|てから"),
        ("when_did", r"いつ(?!も|か(?!ら)|の間)|何(?:日に|年に|月(?!間)|曜日|時(?!間))|日付"),
    )
)
_ROWS = (*ENGLISH_ROWS, *JAPANESE_ROWS)
_JAPANESE = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")
_QUOTED = re.compile(
    r"[\"“]([^\"“”\n]{2,80})[\"”]|(?<!\w)['‘]([^'‘’\n]{2,80})['’](?!\w)|[「『]([^「」『』\n]{1,80})[」』]"
)
_TOKEN = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ0-9][A-Za-zÀ-ÖØ-öø-ÿ0-9.+#&/-]*(?:['’][A-Za-z]+)?|[^\sA-Za-zÀ-ÖØ-öø-ÿ0-9]")
_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ0-9]")
_NOUN = (
    r"[A-Za-z0-9]{2,30}|[ァ-ヶー]{2,30}(?:・[ァ-ヶー]{2,30})*[一-龥々]{0,10}"
    r"|[一-龥々][っちりきみい][一-龥々]{1,4}(?:わせ|[しりみえ])?|[一-龥々]{2,12}[ァ-ヶー]{0,20}|[一-龥々]"
)
_PHRASE_JA = re.compile(rf"(?:{_NOUN})(?:の(?:{_NOUN})){{0,2}}")
_INNER = re.compile(_NOUN)


@dataclass(frozen=True, slots=True)
class _Slot:
    start: int
    end: int
    rank: int  # 0 beside a temporal word, 1 a name or a quotation, 2 any other phrase


def temporal_patterns(query: str) -> frozenset[str]:
    """The temporal patterns in a query, by the names of their weights in the settings."""
    low = query.lower()
    return frozenset(name for name, pattern in _ROWS if pattern.search(low))


def event_slots(query: str, limit: int = MAX_SLOTS) -> tuple[str, ...]:
    """E(q): at most `limit` events of a query, in order. Phrases next to temporal words come first, then names."""
    if limit < 0:
        raise InputError(f"{limit} slots cannot be taken.", "Give 0 or more.")
    return guarded("temporal", lambda: _events(query[:QUERY_CHARACTERS], limit), ())


def _events(text: str, limit: int) -> tuple[str, ...]:
    quoted = [_Slot(*found.span(found.lastindex or 0), 1) for found in _QUOTED.finditer(text)]
    masked = _masked(text, quoted)
    phrases = [*_english(masked), *(_japanese(masked) if _JAPANESE.search(masked) else ())]
    ranked = _beside(masked, sorted([*quoted, *phrases], key=lambda slot: slot.start))
    chosen: dict[str, _Slot] = {}
    for slot in sorted(ranked, key=lambda slot: (slot.rank, slot.start)):
        key = text[slot.start : slot.end].casefold()
        if len(chosen) < limit and not any(key in other for other in chosen):
            chosen[key] = slot
    return tuple(text[slot.start : slot.end] for slot in sorted(chosen.values(), key=lambda slot: slot.start))


def _masked(text: str, quoted: list[_Slot]) -> str:
    """The text with its quotations blanked, so that no phrase reaches into one."""
    for slot in quoted:
        text = text[: slot.start] + "\n" * (slot.end - slot.start) + text[slot.end :]
    return text


def _beside(text: str, slots: list[_Slot]) -> list[_Slot]:
    """The slots, with rank 0 for those right before or after a temporal word."""
    low = text.lower()
    starts, ends = [slot.start for slot in slots], sorted(slot.end for slot in slots)
    near: set[int] = set()
    for _, pattern in _ROWS:
        for found in pattern.finditer(low):
            near |= {bisect_right(ends, found.start()) - 1, bisect_left(starts, found.end())}
    return [_Slot(slot.start, slot.end, 0) if i in near else slot for i, slot in enumerate(slots)]


def _english(text: str) -> Iterator[_Slot]:
    """Runs of content words. Behind an article a run may continue over "of", "to" and the like."""
    run: list[re.Match[str]] = []
    joins: list[re.Match[str]] = []
    opened = False
    for token in _TOKEN.finditer(text):
        word = token[0].lower()
        if _content(token, word, opened or bool(run and token[0][0].isupper())):
            run += [*joins, token]
            joins = []
            continue
        if run and opened and (word in _JOINS or (joins and word in _OPENERS)):
            joins.append(token)
            continue
        yield from _slot(run)
        run, joins, opened = [], [], word in _OPENERS
    yield from _slot(run)


def _content(token: re.Match[str], word: str, noun: bool) -> bool:
    """Whether a token belongs to a phrase: no stop word, and no verb unless it must be a noun ("the move")."""
    if not _WORD.match(token[0]):
        return False
    plain = word.split("'")[0].split("’")[0].rstrip(".")
    if plain in _STOPS:
        return False
    return noun or plain not in _VERBS


def _slot(run: list[re.Match[str]]) -> Iterator[_Slot]:
    if all(token[0].isdigit() for token in run):
        return  # nothing, or only numbers
    end = run[-1].end() - (1 if run[-1][0].endswith(".") else 0)
    named = any(token[0][0].isupper() for token in run)
    yield _Slot(run[0].start(), end, 1 if named else 2)


def _japanese(text: str) -> Iterator[_Slot]:
    """Runs of kanji and katakana, joined by の; words of time and single signs are cut off their ends."""
    for found in _PHRASE_JA.finditer(text):
        if not _JAPANESE.search(found[0]):
            continue  # an English word: the other reader has it
        nouns = [noun for noun in _INNER.finditer(text, found.start(), found.end()) if noun[0] not in _STOPS_JAPANESE]
        if nouns and (len(nouns) > 1 or len(nouns[0][0]) > 1):
            yield _Slot(nouns[0].start(), nouns[-1].end(), 1)
