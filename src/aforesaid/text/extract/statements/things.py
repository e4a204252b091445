"""What is said of a thing, in English: its date, its state, its number, its name; and who holds a relation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.statements.phrases import (
    NOBODY,
    NUMBER,
    TASTES,
    Phrase,
    Predicate,
    is_name,
    object_of,
    value_of,
)
from aforesaid.text.extract.statements.schedule import AT_TIME, BE, schedule
from aforesaid.text.extract.statements.values import STATUS, DraftStatement, Mood, times
from aforesaid.text.extract.statements.words import (
    GAUGES,
    JOBS,
    NO_PERSONS,
    PLACES,
    PLAIN,
    RELATIONS,
    STRINGS,
    TRADES,
    word_set,
)

_CHANGED = re.compile(
    rf"(?:{BE} (?:been )?)?(?:changed|updated|raised|lowered|increased|cut|reduced|bumped|set|went|gone|rose|dropped|"
    r"decreased|fell|grew|jumped|climbed|switched|renamed|upgraded|moved|back|extended|up|down)(?: up| down| back)?"
    r"(?: from .{1,40}?)? to (?P<v>.{1,80})",
    re.I,
)
_IS = re.compile(
    r"(?P<be>is|are|was|were|will be|has been|became|used to be)(?: called| named| set to)? (?P<v>.{1,100})", re.I
)
_COSTS = re.compile(r"(?P<be>costs?|cost|is priced at|sells for) (?:about |around )?(?P<v>[$€£¥]?[0-9].{0,40})", re.I)
_RUNS = re.compile(
    "(?:(?:uses|runs(?: on)?|is (?:on|using|running(?: on)?)|(?P<new>(?:was |has been )?(?:upgraded|"
    "updated|moved|bumped|migrated) to))) "
    r"(?P<what>[A-Z][\w.+#-]{1,20}) v?(?P<n>[0-9]+(?:\.[0-9x]+){0,3})\b"
)
_HAS = re.compile(rf"(?:has|have)(?: about| around| over)? (?P<n>{NUMBER}) (?P<o>[a-z].{{1,60}})", re.I)
_DIGITS = re.compile(
    rf"^(?:(?:about|around|roughly|over|under|only|approximately|exactly|v|version) )?{NUMBER}\b", re.I
)
_CODE = re.compile(
    r"^[`\"']?(?:[#@]\w|v[0-9]|https?://|[\w.+-]+@[\w-]+\.|[/~.][\w./-]+|[\w-]+(?:[._:/-][\w-]+)+|<?\[?[A-Z_]{4,}\]?>?)"
)
_SCOPE = re.compile(
    r"\b((?:for|in|on|per|during|with|at) (?!now\b|the moment|total|good|short|sale|track|top)[\w' ]{2,30})"
)
_RESTRICT = re.compile(r"\b(?:staging|prod|production|dev|local|test)\b", re.I)
_RELATIVE_MEN = re.compile(r"(?:a|an|this) (?:guy|woman|man|lady|person|girl)?,? ?(?:named|called) ([A-Z]\w+)")


def readings(phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    """What a clause states of a thing, or of who holds a relation to somebody."""
    if phrase.kind == "nobody" or (phrase.kind == "person" and not phrase.head and "'s " in phrase.subject):
        return
    if phrase.kind == "person" and phrase.head:
        yield from _holder(phrase, said)
        return
    if not phrase.whole or len(phrase.whole) > 80:
        return
    for rule in (_plain,) if phrase.head.split(" ")[0] in TASTES else (schedule, _state, _amount, _plain):
        found = list(rule(phrase, said))
        if found:
            yield from found
            return


def _holder(phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    """My manager is Bo; my new landlord is called Bo; my manager changed to Bo."""
    match = _IS.match(said.text) or _CHANGED.match(said.text)
    if not match or said.negated:
        return
    stranger = _RELATIVE_MEN.match(match["v"])
    value = stranger[1] if stranger else value_of(match["v"])
    value = re.sub(r"\s(?:from|at|in|on|with|for|over|of)\b.*", "", value)
    if not is_name(value) or "'s" in value or value.split()[0].isupper() or value.split()[0].lower() in NO_PERSONS:
        return
    be = match.groupdict().get("be", "").lower()
    mood: Mood = "ends" if said.ended or be == "used to be" else "was" if be in ("was", "were") else "is"
    new = phrase.new or said.change or not be or be == "became"
    yield DraftStatement(phrase.owner, phrase.head, value, mood, new)


def _state(phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    match = _IS.match(said.text) or re.match(
        r"(?P<be>got|have been|works|went)(?: been)? (?P<v>.{1,60})", said.text, re.I
    )
    if not match or said.ended:
        return
    words_of = [w.strip(".,!") for w in match["v"].lower().split()[:4]]
    if words_of[:1] == ["back"] and " ".join(words_of[:2]) not in STATUS:
        words_of = words_of[1:]
    low = ("not " if said.negated else "") + " ".join(words_of)
    value = next((" ".join(low.split()[:n]) for n in (4, 3, 2, 1) if " ".join(low.split()[:n]) in STATUS), "")
    if not value or (said.negated and not value.startswith("not ")):
        return
    rest = low[len(value) :].strip()
    if rest.startswith(("to ", "about ", "up ")) or (
        value in _SHORT_STATES and rest and rest.split()[0] not in _AFTER_STATE
    ):
        return
    past = match["be"].lower() in ("was", "were") and not said.change and not _PASSIVE.match(value)
    yield DraftStatement(
        _scoped(phrase.whole, said.text[match.start("v") + len(value) :]),
        "status",
        value,
        "was" if past else "is",
        said.change,
    )


_SHORT_STATES = word_set("on off up down free taken due here red green live open done running sold")
_AFTER_STATE = word_set("now again today since until this for at and because so as already still yesterday")
_PASSIVE = re.compile(
    "(?:closed|resolved|finished|completed|fixed|merged|shipped|released|approved|rejected|signed|"
    "delivered|sold|paid|repaired|"
    r"enabled|disabled|reopened|accepted|denied|declined|deactivated|abandoned|discontinued|suspended|paused)$"
)


def _scoped(subject: str, rest: str) -> str:
    """The subject with what narrows it: a price for students is not the one for adults."""
    scope = _SCOPE.search(rest)
    if scope and times(scope[1])[0] and not scope[1].endswith("days"):
        return subject
    return f"{subject} {scope[1].lower()}".strip() if scope else subject


def _amount(phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    if said.negated or said.ended:
        return
    if match := _RUNS.match(said.text):
        yield DraftStatement(
            phrase.whole, f"{match['what'].lower()} version", match["n"], "is", said.change or bool(match["new"])
        )
        return
    if match := _COSTS.match(said.text):
        value = value_of(match["v"])
        yield DraftStatement(_scoped(phrase.whole, match["v"]), "price", value, "is", said.change)
        return
    if match := _HAS.match(said.text):
        if thing := object_of(match["o"]).lower():
            yield DraftStatement(phrase.whole, f"number of {thing}", match["n"].lower(), "is", said.change)
        return
    changed = _CHANGED.match(said.text)
    match = changed or _IS.match(said.text)
    if not match or not _DIGITS.match(match["v"].removeprefix("at ").removeprefix("up to ").removeprefix("down to ")):
        return
    be = (match.groupdict().get("be") or "").lower()
    tail = match["v"]
    value = re.sub(r"\s(?:for|in|on|per|during|with|at|after|before|from)\b.*", "", value_of(tail))
    if not 0 < len(value.split()) <= 4:
        return
    mood: Mood = "ends" if be == "used to be" else "was" if be in ("was", "were") else "is"
    subject, attribute = (
        (phrase.subject or phrase.owner or NOBODY, phrase.head) if phrase.head else (phrase.subject, "amount")
    )
    if value[0] in "$€£¥" and attribute not in GAUGES:
        attribute, subject = "price", phrase.whole
    if attribute == "age" or re.search(r"years? old|months? old", value):
        attribute, subject = "age", phrase.whole if attribute != "age" else subject
    yield DraftStatement(
        _scoped(subject, tail), attribute or "amount", value, mood, said.change or bool(changed) or phrase.new
    )


def _plain(phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    """A name, a string or a taste: what a noun that has one value is said to be."""
    changed = _CHANGED.match(said.text)
    match = changed or _IS.match(said.text)
    if not match or said.negated or not phrase.head:
        return
    be = (match.groupdict().get("be") or "").lower()
    value = value_of(match["v"])
    head = phrase.head.split()
    taste = head[0] in TASTES
    noun = head[-1]
    if taste:
        good = 0 < len(value.split()) <= 6 and not value.lower().startswith(("when ", "how ", "so ", "very ", "also "))
        attribute = phrase.head.replace("favorite", "favourite")
    elif noun in PLAIN or noun in JOBS or noun in RELATIONS or changed:
        attribute = phrase.head
        good = is_name(value) or bool(_CODE.match(value)) or (noun in PLAIN and bool(changed)) or "`" in match["v"]
        good = good or (noun in STRINGS and value.isascii() and " " not in value and _TRAIT.fullmatch(value) is None)
        if len(value.split()) > 5 or (noun in RELATIONS and not phrase.subject):
            good = False
    else:
        return
    if noun in JOBS and not phrase.subject:
        attribute, good = "role", not TRADES.isdisjoint(value.lower().split()) and len(value.split()) <= 5
        value = value.lower()
    if noun in PLACES and phrase.subject:
        attribute = "place"
    if not good or said.also:
        return
    mood: Mood = "ends" if said.ended or be == "used to be" else "was" if be in ("was", "were") else "is"
    subject = phrase.subject or phrase.owner or NOBODY
    if (place := _RESTRICT.search(match["v"])) and noun != "branch":
        subject = f"{subject} {place[0].lower()}"
    yield DraftStatement(subject, attribute, value, mood, said.change or phrase.new or bool(changed))


_TRAIT = re.compile(
    "(?i:weak|wrong|right|correct|invalid|valid|long|short|different|same|new|old|fine|ok|good|bad|"
    "unknown|missing|empty|here|"
    "unique|visible|public|private|secret|ready|great|nice|there|yours|mine|too|so|very|still|just|"
    r"\w+(?:ed|ing|ly|ive|able))"
)


def plain_value(said: Predicate) -> str:
    """The value of "it is Bo", when it is one that a statement can have."""
    match = re.match(r"(?:is|has become|will be|became) (?P<v>.{1,60})", said.text)
    if not match or said.negated:
        return ""
    value = value_of(match["v"])
    short = 0 < len(value.split()) <= 4
    fits = is_name(value) or _DIGITS.match(value) or AT_TIME.match(match["v"]) or _CODE.match(value)
    return value if short and fits else ""
