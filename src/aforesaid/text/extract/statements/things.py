"""What is said of a thing, in English: its date, state, number or name; who holds a relation; settings in a line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.statements.phrases import (
    DATES,
    GAUGES,
    NOBODY,
    NUMBER,
    PLAIN,
    RELATIONS,
    TASTES,
    TRADES,
    Phrase,
    Predicate,
    is_name,
    object_of,
    value_of,
)
from aforesaid.text.extract.statements.values import STATUS, Mood, Statement, times
from aforesaid.text.patterns import MONTH, listed, word_set

Readings = Iterator[Statement]

_JOBS = word_set("role job title position profession occupation")
_STRINGS = word_set(  # of these, any one word is a value
    "password passphrase username handle nickname codename pin code branch channel name theme font login id"
)
_PLACES = word_set("venue location room place office hotel")
_NOT_PERSONS = listed("statement not persons")
PROJECT = "settings"  # the subject of settings that a line assigns
_BE = r"(?:is|was|were|has been|will be|got|gets|has|have|will|is being|is going to be)"
AT_TIME = re.compile(
    "(?:on |at |in |for |by |until |till |to |around |from |the |due |early |late |mid-?|next |this |end of )*"
    rf"(?:{MONTH}\b|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\b|tomorrow|today|"
    r"tonight|noon|midnight|next \w+|(?:week|month|year|quarter|spring|summer|fall|autumn|winter|morning|afternoon|"
    r"evening)\b|q[1-4]\b|[0-3]?[0-9](?:st|nd|rd|th)\b|[0-9]{1,2}(?::[0-9]{2})? ?[ap]\.?m|[0-9]{1,2}:[0-9]{2}|"
    rf"(?:19|20)[0-9]{{2}}-[0-9]{{2}}-[0-9]{{2}}\b|(?<=[ib][ny] )(?:19|20)[0-9]{{2}}\b|[0-9]{{1,2}} (?:of )?{MONTH}|"
    r"(?<=at )[0-9]{1,2}\b)",
    re.I,
)
_DATED = re.compile(
    "(?:is|will be|will happen|happens|starts|begins|takes place|will start|will take place|(?P<arrives>lands|arrives)|"
    "departs|leaves|(?P<ends>ends|closes)|was(?= (?:scheduled|due|planned|set)))(?: back)?"
    "(?: (?:scheduled|set|planned|booked|confirmed|happening|taking place|(?P<due>due)|going ahead|starting|on))?"
    "(?: back on)?(?: to (?:start|begin|happen|launch|ship))? (?P<v>.{2,80})",
    re.I,
)
_MOVED = re.compile(
    f"(?:{_BE} (?:been )?)?(?P<verb>moved|rescheduled|postponed|pushed|extended|shifted|delayed|brought|slipped|"
    "changed|bumped|moving|being moved)(?: back| forward| up| out| again)*(?: from .{1,40}?)?"
    "(?: (?:to|until|till|by|for|into) (?P<v>.{1,80}))?$",
    re.I,
)
_CANCELLED = re.compile(
    f"{_BE} (?:been )?(?:cancell?ed(?! for )|called off|scrapped|off(?! (?:to|of|the|on|by|from|work)\\b)|"
    r"off the table|dropped)\b|fell through",
    re.I,
)
_GONE = re.compile(f"(?:{_BE} (?:been )?)?(?:died|passed away|stolen|put down|rehomed|sold|totall?ed)\\b", re.I)
_CHANGED = re.compile(
    rf"(?:{_BE} (?:been )?)?(?:changed|updated|raised|lowered|increased|cut|reduced|bumped|set|went|gone|rose|dropped|"
    r"decreased|fell|grew|jumped|climbed|switched|renamed|upgraded|moved|back|extended|up|down)(?: up| down| back)?"
    r"(?: from .{1,40}?)? to (?P<v>.{1,80})",
    re.I,
)
_IS = re.compile(r"(?P<be>is|will be|became|has become)(?: called| named| set to)? (?P<v>.{1,100})", re.I)
_STATE = re.compile(r"(?P<be>is|was|were|became|got|works|went)(?: been)? (?P<v>.{1,60})", re.I)
_COSTS = re.compile(r"(?:costs?|is priced at|sells for) (?:about |around )?(?P<v>[$€£¥]?[0-9].{0,40})", re.I)
_RUNS = re.compile(
    r"(?:uses|runs(?: on)?|is (?:on|using|running(?: on)?)|(?P<new>(?:is |was )?(?:upgraded|updated|moved|bumped) to)) "
    r"(?P<what>[A-Z][\w.+#-]{1,20}) v?(?P<n>[0-9]+(?:\.[0-9x]+){0,3})\b"
)
_HAS = re.compile(rf"(?:has|have)(?: about| around| over)? (?P<n>{NUMBER}) (?P<o>[a-z].{{1,60}})", re.I)
_DIGITS = re.compile(rf"(?:(?:at|up to|down to|about|around|over|under|only|exactly|v|version) )*{NUMBER}\b", re.I)
_AMOUNT_END = re.compile(r"\s(?:for|in|on|per|during|with|at|after|before|from)\b.*")
_CODE = re.compile(
    r"[`\"']?(?:[#@]\w|v[0-9]|https?://|[\w.+-]+@[\w-]+\.|[/~.][\w./-]+|[\w-]+(?:[._:/-][\w-]+)+|<?\[?[A-Z_]{4,}\]?>?)"
)
_SCOPE = re.compile(
    r"\b((?:for|in|on|per|during|with|at) (?!now\b|the moment|total|good|short|sale|track|top)[\w' ]{2,30})"
)
_WHERE = re.compile(r"\b(staging|prod(?:uction)?|dev(?:elopment)?|local|test|ci)\b", re.I)
_TRAIT = re.compile(
    r"(?i:weak|wrong|right|correct|invalid|valid|long|short|different|same|new|old|fine|ok|good|bad|unknown|missing|empty|"
    r"here|unique|visible|public|private|secret|ready|great|nice|there|yours|mine|too|so|very|still|just|"
    r"\w+(?:ed|ing|ly|ive|able))"
)
_SHORT_STATES = word_set("on off up down free taken due here red green live open done running sold")
_AFTER_STATE = word_set("now again today since until this for at and because so as already still yesterday")
_PASSIVE = word_set(
    """closed resolved finished completed fixed merged shipped released approved rejected signed delivered sold paid
    repaired enabled disabled reopened accepted denied declined deactivated abandoned discontinued suspended paused"""
)
_ASSIGNED = re.compile(
    r"(?<![\w$.-])([A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,6}|[A-Z]{3,30}) ?= ?([^\s,;`\"']{1,120})"
)


def read_thing(phrase: Phrase, said: Predicate) -> Readings:
    """What a clause states of a thing, or of who holds a relation to somebody."""
    if phrase.kind == "person" and phrase.head:
        yield from _holder(phrase, said)
        return
    nameless = phrase.kind == "person" and "'s " in phrase.subject
    if phrase.kind == "nobody" or nameless or not 0 < len(phrase.whole) <= 80:
        return
    for rule in (_plain,) if phrase.head.split(" ")[0] in TASTES else (schedule, _state, _amount, _plain):
        found = list(rule(phrase, said))
        if found:
            yield from found
            return


def schedule(phrase: Phrase, said: Predicate) -> Readings:
    """When a thing is, is moved to, or that it is not to be at all."""
    if said.negated or said.ended:
        return
    subject, attribute = _event(phrase)
    if phrase.owner and phrase.kind == "thing" and _GONE.match(said.text):
        yield Statement(phrase.owner, f"own {phrase.whole}", "", "ends", True)
    elif _CANCELLED.match(said.text):
        yield Statement(subject, attribute, "", "cancels", True)
    elif match := _MOVED.match(said.text):
        value = match["v"] or ""
        if value and not AT_TIME.match(value) and not times(f"to {value}")[1]:
            return  # to a room
        elif value or (match["verb"] not in ("changed", "brought", "pushed", "moving") and phrase.kind != "person"):
            yield Statement(subject, attribute, _when(f"to {value}") if value else "", "plans", True)
    elif (match := _DATED.match(said.text)) and AT_TIME.match(match["v"]) and any(times(match["v"])):
        subject += " arrival" if match["arrives"] else " end" if match["ends"] else ""
        attribute = "deadline" if match["due"] else attribute
        change = said.change or phrase.new or "back on" in said.low
        yield Statement(subject, attribute, _when(match["v"]), "plans", change)


def _event(phrase: Phrase) -> tuple[str, str]:
    """Whose date it is: "the launch date" is the launch's, a deadline has its own."""
    if phrase.head in DATES and phrase.subject:
        return phrase.subject, "date"
    if phrase.head == "due date" or phrase.head.endswith("deadline"):
        return phrase.subject or NOBODY, "deadline"
    return phrase.whole, "date"


def _when(value: str) -> str:
    plain = re.sub(r"\s*(?:,|\b(?:now|instead|because|so|which|with|and|but|not)\b).*", "", value).strip(" .!")
    return re.sub(r"^(?:on|for|in|until|till|to|by) (?![0-9]{1,2}$)", "", plain)  # an hour alone keeps its "to"


def _holder(phrase: Phrase, said: Predicate) -> Readings:
    """My manager is Bo; my new landlord is called Bo; my manager changed to Bo."""
    match = _IS.match(said.text) or _CHANGED.match(said.text)
    if not match or said.negated:
        return
    stranger = re.match(r"(?:a|an|this) (?:guy|woman|man|lady|person|girl)?,? ?(?:named|called) ([A-Z]\w+)", match["v"])
    value = re.sub(r"\s(?:from|at|in|on|with|for|over|of)\b.*", "", stranger[1] if stranger else value_of(match["v"]))
    first = value.partition(" ")[0]
    if is_name(value) and "'s" not in value and not first.isupper() and first.lower() not in _NOT_PERSONS:
        new = phrase.new or said.change or match.groupdict().get("be") in (None, "became")
        yield Statement(phrase.owner, phrase.head, value, "ends" if said.ended else "is", new)


def _state(phrase: Phrase, said: Predicate) -> Readings:
    match = _STATE.match(said.text)
    if not match or said.ended:
        return
    tokens = [token.strip(".,!") for token in match["v"].lower().split()[:4]]
    if tokens[:1] == ["back"] and " ".join(tokens[:2]) not in STATUS:
        tokens = tokens[1:]
    tokens = ["not", *tokens] if said.negated else tokens
    size = next((n for n in (4, 3, 2, 1) if " ".join(tokens[:n]) in STATUS), 0)
    value, rest = " ".join(tokens[:size]), tokens[size:]
    loose = rest and (rest[0] in ("to", "about", "up") or (value in _SHORT_STATES and rest[0] not in _AFTER_STATE))
    past = match["be"].lower() in ("was", "were") and not said.change and value not in _PASSIVE
    if value and not loose and not past and said.negated == value.startswith("not "):
        subject = _scoped(phrase.whole, said.text[match.start("v") + len(value) :])
        yield Statement(subject, "status", value, "is", said.change)


def _scoped(subject: str, rest: str) -> str:
    """The subject with what narrows it: a price for students is not the one for adults."""
    scope = _SCOPE.search(rest)
    if not scope or (times(scope[1])[0] and not scope[1].endswith("days")):
        return subject
    return f"{subject} {scope[1].lower()}".strip()


def _amount(phrase: Phrase, said: Predicate) -> Readings:
    if said.negated:
        return
    if match := _RUNS.match(said.text):
        change = said.change or bool(match["new"])
        yield Statement(phrase.whole, f"{match['what'].lower()} version", match["n"], "is", change)
    elif match := _COSTS.match(said.text):
        yield Statement(_scoped(phrase.whole, match["v"]), "price", value_of(match["v"]), "is", said.change)
    elif match := _HAS.match(said.text):
        if thing := object_of(match["o"]).lower():
            yield Statement(phrase.whole, f"number of {thing}", match["n"].lower(), "is", said.change)
    elif (match := (changed := _CHANGED.match(said.text)) or _IS.match(said.text)) and _DIGITS.match(match["v"]):
        value = _AMOUNT_END.sub("", value_of(match["v"]))
        if not 0 < len(value.split()) <= 4:
            return
        subject, attribute = (
            (phrase.subject or phrase.owner or NOBODY, phrase.head) if phrase.head else (phrase.subject, "")
        )
        if value[0] in "$€£¥" and attribute not in GAUGES:
            subject, attribute = phrase.whole, "price"
        if re.search("(?:year|month)s? old", value):
            subject, attribute = phrase.whole, "age"
        change = said.change or bool(changed) or phrase.new
        mood: Mood = "ends" if said.ended else "is"
        yield Statement(_scoped(subject, match["v"]), attribute or "amount", value, mood, change)


def _plain(phrase: Phrase, said: Predicate) -> Readings:
    """A name, a string or a taste: what a noun that has one value is said to be."""
    changed = _CHANGED.match(said.text)
    match = changed or _IS.match(said.text)
    if not match or said.negated or said.also or not phrase.head:
        return
    value, attribute, noun = value_of(match["v"]), phrase.head, phrase.head.split()[-1]
    size = len(value.split())
    if phrase.head.split()[0] in TASTES:
        good = 0 < size <= 6 and not value.lower().startswith(("when ", "how ", "so ", "very ", "also "))
        attribute = phrase.head.replace("favorite", "favourite")
    elif noun in _JOBS and not phrase.subject:
        value = value.lower()
        attribute, good = "role", size <= 5 and not TRADES.isdisjoint(value.split())
    else:
        plain, one_word = noun in PLAIN | RELATIONS, " " not in value and value.isascii()
        string = noun in _STRINGS and one_word and not _TRAIT.fullmatch(value)
        named = is_name(value) or _CODE.match(value) or string or "`" in match["v"] or (noun in PLAIN and changed)
        good = (plain or bool(changed)) and bool(named) and size <= 5
    if noun in _PLACES and phrase.subject:
        attribute = "place"
    if good:
        subject = phrase.subject or phrase.owner or NOBODY
        if (where := _WHERE.search(match["v"])) and noun != "branch":
            subject = f"{subject} {where[0].lower()}"
        change = said.change or phrase.new or bool(changed)
        yield Statement(subject, attribute, value, "ends" if said.ended else "is", change)


def settings_in(sentence: str) -> Readings:
    """The settings that a sentence assigns by name: "DB_HOST=db1"."""
    if "=" in sentence:
        where = _WHERE.search(sentence)
        subject = f"{PROJECT} {where[1].lower()[:4]}" if where else PROJECT
        for found in _ASSIGNED.finditer(sentence):
            yield Statement(subject, found[1].lower(), found[2].rstrip("."), "is", False)
