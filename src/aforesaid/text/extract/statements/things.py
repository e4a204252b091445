"""Rules for English clauses about things: their date, state, number or name; holders of a relation; settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.statements.phrases import (
    DATES,
    GAUGES,
    NUMBER,
    PLAIN,
    RELATIONS,
    SPEAKER,
    TASTES,
    TRADES,
    Phrase,
    Predicate,
    is_name,
    object_of,
    value_of,
)
from aforesaid.text.extract.statements.values import STATUS, Mood, Statement, starts_with_time, times
from aforesaid.text.patterns import listed, word_set

Readings = Iterator[Statement]

_JOBS = word_set("role job title position profession occupation")
_STRINGS = word_set(  # their value can be any one word
    "password passphrase username handle nickname codename pin code branch channel name theme font login id"
)
_PLACES = word_set("venue location room place office hotel")
_NOT_PERSONS = listed("statement not persons")
PROJECT = "settings"  # the subject of assigned settings
_BE = r"(?:is|was|were|has been|will be|got|gets|has|have|will|is being|is going to be)"
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
_LOST = re.compile(f"(?:{_BE} (?:been )?)?(?:died|passed away|stolen|put down|rehomed|sold|totall?ed)\\b", re.I)
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
_PASSIVE = listed("statement passive states")
_ASSIGNED = re.compile(
    r"(?<![\w$.-])([A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,6}|[A-Z]{3,30}) ?= ?([^\s,;`\"']{1,120})"
)


def read_thing(phrase: Phrase, predicate: Predicate) -> Readings:
    """The statements of a clause about a thing, or about the holder of a relation ("my manager is Bo")."""
    if phrase.kind == "person" and phrase.head:
        yield from _relation_holder(phrase, predicate)
        return
    nameless = phrase.kind == "person" and "'s " in phrase.subject
    if phrase.kind == "nobody" or nameless or not 0 < len(phrase.full_name) <= 80:
        return
    for rule in (_named_value,) if phrase.head.split(" ")[0] in TASTES else (schedule, _state, _amount, _named_value):
        found = list(rule(phrase, predicate))
        if found:
            yield from found
            return


def schedule(phrase: Phrase, predicate: Predicate) -> Readings:
    """The date of a thing, its new date, or its cancellation."""
    if predicate.negated or predicate.ended:
        return
    subject, attribute = _event(phrase)
    if phrase.owner and phrase.kind == "thing" and _LOST.match(predicate.text):
        yield Statement(phrase.owner, f"own {phrase.full_name}", "", "ends", True)
    elif _CANCELLED.match(predicate.text):
        yield Statement(subject, attribute, "", "cancels", True)
    elif match := _MOVED.match(predicate.text):
        value = match["v"] or ""
        if value and not starts_with_time(value) and not times(f"to {value}")[1]:
            return  # moved to a room
        elif value or (match["verb"] not in ("changed", "brought", "pushed", "moving") and phrase.kind != "person"):
            yield Statement(subject, attribute, _when(f"to {value}") if value else "", "plans", True)
    elif (match := _DATED.match(predicate.text)) and starts_with_time(match["v"]):
        subject += " arrival" if match["arrives"] else " end" if match["ends"] else ""
        attribute = "deadline" if match["due"] else attribute
        change = predicate.change or phrase.new or "back on" in predicate.low
        yield Statement(subject, attribute, _when(match["v"]), "plans", change)


def _event(phrase: Phrase) -> tuple[str, str]:
    """Subject and attribute of a date: "the launch date" is the launch's date, "the report deadline" its deadline."""
    if phrase.head in DATES and phrase.subject:
        return phrase.subject, "date"
    if phrase.head == "due date" or phrase.head.endswith("deadline"):
        return phrase.subject or SPEAKER, "deadline"
    return phrase.full_name, "date"


def _when(value: str) -> str:
    plain = re.sub(r"\s*(?:,|\b(?:now|instead|because|so|which|with|and|but|not)\b).*", "", value).strip(" .!")
    return re.sub(r"^(?:on|for|in|until|till|to|by) (?![0-9]{1,2}$)", "", plain)  # an hour alone keeps its "to"


def _relation_holder(phrase: Phrase, predicate: Predicate) -> Readings:
    """My manager is Bo; my new landlord is called Bo; my manager changed to Bo."""
    match = _IS.match(predicate.text) or _CHANGED.match(predicate.text)
    if not match or predicate.negated:
        return
    stranger = re.match(r"(?:a|an|this) (?:guy|woman|man|lady|person|girl)?,? ?(?:named|called) ([A-Z]\w+)", match["v"])
    value = re.sub(r"\s(?:from|at|in|on|with|for|over|of)\b.*", "", stranger[1] if stranger else value_of(match["v"]))
    first = value.partition(" ")[0]
    if is_name(value) and "'s" not in value and not first.isupper() and first.lower() not in _NOT_PERSONS:
        new = phrase.new or predicate.change or match.groupdict().get("be") in (None, "became")
        yield Statement(phrase.owner, phrase.head, value, "ends" if predicate.ended else "is", new)


def _state(phrase: Phrase, predicate: Predicate) -> Readings:
    match = _STATE.match(predicate.text)
    if not match or predicate.ended:
        return
    tokens = [token.strip(".,!") for token in match["v"].lower().split()[:4]]
    if tokens[:1] == ["back"] and " ".join(tokens[:2]) not in STATUS:
        tokens = tokens[1:]
    tokens = ["not", *tokens] if predicate.negated else tokens
    size = next((n for n in (4, 3, 2, 1) if " ".join(tokens[:n]) in STATUS), 0)
    value, rest = " ".join(tokens[:size]), tokens[size:]
    loose = rest and (rest[0] in ("to", "about", "up") or (value in _SHORT_STATES and rest[0] not in _AFTER_STATE))
    past = match["be"].lower() in ("was", "were") and not predicate.change and value not in _PASSIVE
    if value and not loose and not past and predicate.negated == value.startswith("not "):
        subject = _scoped(phrase.full_name, predicate.text[match.start("v") + len(value) :])
        yield Statement(subject, "status", value, "is", predicate.change)


def _scoped(subject: str, rest: str) -> str:
    """The subject with words that narrow it: "the price for students" is not "the price for adults"."""
    scope = _SCOPE.search(rest)
    if not scope or (times(scope[1])[0] and not scope[1].endswith("days")):
        return subject
    return f"{subject} {scope[1].lower()}".strip()


def _amount(phrase: Phrase, predicate: Predicate) -> Readings:
    if predicate.negated:
        return
    changed = _CHANGED.match(predicate.text)
    if match := _RUNS.match(predicate.text):
        change = predicate.change or bool(match["new"])
        yield Statement(phrase.full_name, f"{match['what'].lower()} version", match["n"], "is", change)
    elif match := _COSTS.match(predicate.text):
        yield Statement(_scoped(phrase.full_name, match["v"]), "price", value_of(match["v"]), "is", predicate.change)
    elif match := _HAS.match(predicate.text):
        if thing := object_of(match["o"]).lower():
            yield Statement(phrase.full_name, f"number of {thing}", match["n"].lower(), "is", predicate.change)
    elif (match := changed or _IS.match(predicate.text)) and _DIGITS.match(match["v"]):
        value = _AMOUNT_END.sub("", value_of(match["v"]))
        if not 0 < len(value.split()) <= 4:
            return
        subject = (phrase.subject or phrase.owner or SPEAKER) if phrase.head else phrase.subject
        attribute = phrase.head
        if value[0] in "$€£¥" and attribute not in GAUGES:
            subject, attribute = phrase.full_name, "price"
        if re.search("(?:year|month)s? old", value):
            subject, attribute = phrase.full_name, "age"
        change = predicate.change or bool(changed) or phrase.new
        mood: Mood = "ends" if predicate.ended else "is"
        yield Statement(_scoped(subject, match["v"]), attribute or "amount", value, mood, change)


def _named_value(phrase: Phrase, predicate: Predicate) -> Readings:
    """The value of a noun that has one value: a name, a string or a favourite."""
    changed = _CHANGED.match(predicate.text)
    match = changed or _IS.match(predicate.text)
    if not match or predicate.negated or predicate.also or not phrase.head:
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
        subject = phrase.subject or phrase.owner or SPEAKER
        if (where := _WHERE.search(match["v"])) and noun != "branch":
            subject = f"{subject} {where[0].lower()}"
        change = predicate.change or phrase.new or bool(changed)
        yield Statement(subject, attribute, value, "ends" if predicate.ended else "is", change)


def settings_in(sentence: str) -> Readings:
    """The settings that a sentence assigns by name: "DB_HOST=db1"."""
    if "=" in sentence:
        where = _WHERE.search(sentence)
        subject = f"{PROJECT} {where[1].lower()[:4]}" if where else PROJECT
        for found in _ASSIGNED.finditer(sentence):
            yield Statement(subject, found[1].lower(), found[2].rstrip("."), "is", False)
