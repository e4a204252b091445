"""Rules for English clauses about people: home, work, age, relations, habits, possessions, and changes that they make.

A row holds the verbs that a predicate may begin with, the pattern of what follows the verb, and the rule for a match.
`Predicate` has simplified the verbs: "am" is "is", and "have moved" is "moved".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial

from aforesaid.text.extract.statements.phrases import (
    NUMBER,
    RELATIONS,
    TRADES,
    Phrase,
    Predicate,
    is_name,
    object_of,
    value_of,
)
from aforesaid.text.extract.statements.things import read_thing
from aforesaid.text.extract.statements.values import YES, Mood, Statement
from aforesaid.text.patterns import listed, word_groups

Readings = Iterator[Statement]
Rule = Callable[[re.Match[str], Phrase, Predicate], Readings]

MEASURES = listed("statement measures")
TOOLS = word_groups("statement tools")  # "vim" → "editor"
NOT_PLACES = TOOLS.keys() | listed("statement not places")
V = r"(?P<v>.{1,120})"  # the value
VALUE_CHARS = 80
_MINE = r"(?P<np>(?:my|our|the) [\w' #-]{2,60}?)"  # what the speaker changes
_DIETS = "vegetarian|vegan|pescatarian|flexitarian|gluten-free|keto|carnivore|plant-based"
_STATES = "single|married|engaged|divorced|separated|widowed|in a relationship|dating|pregnant"
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_PLACE_END = re.compile(
    rf"\s+(?:in the\b(?! (?:suburbs|countryside))|in (?:early |late )?(?:{_MONTHS}|[0-9]{{4}}|spring|summer|fall)|"
    r"with|for|near|to|on|from|by|because|full-time|permanently|about|just|over|at)\b.*"
)
_EMPLOYER_END = re.compile(r"\s+(?:as|in|on|for|from|with|full-time|part-time|doing|where|to|over|at|after|next)\b.*")
_NO_EMPLOYER = re.compile(
    r"\b(?:club|gym|team|group|league|class|church|band|choir|discord|server|slack|call|meeting|course|program|zoom|home|"
    r"night|noon|school board|channel|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.I,
)
_ROLE_END = re.compile(r"\s+(?:at|in|for|with|on|by|of the|from|who|based)\b.*")
_NARROWED = re.compile(  # ends only a part: "stopped playing chess with Tom"
    r" (?:with|from|during|at|on (?:weekends|weekdays|\w+days)|for (?:this|that|one|some|the|alerts|work))\b"
)
_VERSION = re.compile(r"(?P<what>[A-Z][\w.+#-]{1,20}(?: [A-Z][\w+#-]{1,20})?) v?(?P<n>[0-9]+(?:\.[0-9x]+){0,3})\b")
_GOING = re.compile(r" (?:to (?:the|a|my|our|\w+ (?:class|lessons|school|practice))|for a|\w+ing)\b")
_EXERCISE = re.compile(
    r"\b(?:yoga|pilates|crossfit|karate|judo|ballet|every|twice|daily|weekly|each|times|on \w+days?)\b"
)
_OCCASION = re.compile(r"\b(?:today|tomorrow|tonight|this (?:week|weekend|morning)|next|on \w+day|left|later|by)\b")
_SO_FAR = re.compile(r"\b(?:so far|already|in total|total|by now|to date)\b")
_COUNT_SCOPE = re.compile(r"\b((?:in|on|at|from|for|with|of) (?!total|now|the moment|my )[\w&' ]{2,30})")
_NOUN_END = re.compile(
    r"\s+(?:this|last|yesterday|today|again|already|finally|now|for good|to (?=[a-z])|on \w+day|because)\b.*"
)
_DONE = frozenset("completed read finished tried visited watched collected attended bought".split())  # noqa: SIM905


def _state_of(predicate: Predicate, subject: str, attribute: str, value: str, change: bool = False) -> Readings:
    """A statement that a value holds or ends. A plain denial ("I am not a nurse") states nothing."""
    if value and len(value) <= VALUE_CHARS and not predicate.negated:
        yield Statement(subject, attribute, value, "ends" if predicate.ended else "is", change or predicate.change)


def _place(text: str) -> str:
    """The place at the start of a text ("Porto", "a new flat in Porto"), or an empty string."""
    place = _PLACE_END.sub("", value_of(text))
    if " in " in place and is_name(place.rsplit(" in ", 1)[1]):
        place = place.rsplit(" in ", 1)[1]
    low = [word.strip(",.").lower() for word in place.split()]
    if not place or len(low) > 5 or not NOT_PLACES.isdisjoint(low) or any(c.isdigit() for c in place):
        return ""
    homely = any(word in ("countryside", "suburbs", "coast", "downtown", "village") for word in low)
    return place if homely or is_name(place) else ""


def _home(match: re.Match[str], phrase: Phrase, predicate: Predicate, new: bool = False) -> Readings:
    if not (new and predicate.ended):
        yield from _state_of(predicate, phrase.subject, "home", _place(match["v"]), new)


def _will_move(match: re.Match[str], phrase: Phrase, predicate: Predicate) -> Readings:
    off = predicate.negated or predicate.ended
    place = _place(match["v"] or "")
    if place or (off and not match["v"]):
        yield Statement(phrase.subject, "home", place, "cancels" if off else "plans", predicate.change or not place)


def _works(match: re.Match[str], phrase: Phrase, predicate: Predicate, new: bool = False) -> Readings:
    value = _EMPLOYER_END.sub("", value_of(match["v"]))
    software = value.lower() in NOT_PLACES - {"google", "apple", "netflix"}
    if is_name(value) and not software and not _NO_EMPLOYER.search(value):
        yield from _state_of(predicate, phrase.subject, "employer", value, new)


def _left(match: re.Match[str], phrase: Phrase, predicate: Predicate) -> Readings:
    value = _EMPLOYER_END.sub("", value_of(match["v"] or ""))
    proper = all(word[:1].isupper() or word in ("of", "and", "&") for word in value.split())
    if predicate.negated or (match["v"] and not (is_name(value) and proper and not _NO_EMPLOYER.search(value))):
        return
    yield Statement(phrase.subject, "employer", value, "ends", True)
    if not match["v"]:
        yield Statement(phrase.subject, "role", "", "ends", True)


def _role(match: re.Match[str], phrase: Phrase, predicate: Predicate, new: bool = False) -> Readings:
    value = _ROLE_END.sub("", value_of(match["v"]))
    words = value.lower().split()
    trade = 0 < len(words) <= 5 and (words[-1] in TRADES or words[0] in TRADES) and "to" not in words
    if trade and not predicate.also and not match["v"].startswith(("my ", "our ")):
        yield from _state_of(predicate, phrase.subject, "role", value.lower(), new)


def _simple(attribute: str, change: bool = False, value: str = "") -> Rule:
    def rule(match: re.Match[str], phrase: Phrase, predicate: Predicate) -> Readings:
        yield from _state_of(predicate, phrase.subject, attribute, value or value_of(match["v"]).lower(), change)

    return rule


def _relation(match: re.Match[str], phrase: Phrase, predicate: Predicate) -> Readings:
    """Bo is my manager; Ana is no longer my manager."""
    relation = value_of(match["v"]).lower()
    words = [word for word in relation.split() if word not in ("new", "current")]
    if words and words[-1] in RELATIONS and len(words) <= 3 and phrase.kind == "person" and phrase.head == "":
        owner = match["whose"][:-2] if match["whose"].endswith("'s") else phrase.owner
        yield from _state_of(predicate, owner, " ".join(words), phrase.subject, "new" in relation)


def _switched(match: re.Match[str], phrase: Phrase, predicate: Predicate) -> Readings:
    """I switched from Vim to Emacs; we ditched Jira for Linear."""
    source, target = match["from"], object_of(match["v"])
    moved_house = predicate.low.startswith("moved") and not source and target.lower() not in TOOLS
    if predicate.negated or _NARROWED.search(match["v"]) or moved_house:
        return
    if source and (left := object_of(source)):
        kind = "own" if source.lower().startswith(("my ", "our ")) else "habit"
        yield Statement(phrase.subject, f"{kind} {left}".lower(), YES, "ends", True)
    if target:
        yield from _used(phrase.subject, target, True)


def _used(subject: str, thing: str, change: bool) -> Readings:
    yield Statement(subject, f"habit {thing}", YES, "is", change)
    if tool := TOOLS.get(thing.lower().replace(" ", "-")):
        yield Statement(subject, tool, thing, "is", change)


def _version(match: re.Match[str], phrase: Phrase, predicate: Predicate, new: bool = False) -> Readings:
    if version := _VERSION.match(match["v"]):
        attribute = f"{version['what'].lower()} version"
        yield from _state_of(predicate, phrase.subject, attribute, version["n"], new)
        if predicate.verb in ("use", "uses"):
            yield from _state_of(predicate, phrase.subject, f"habit {version['what'].lower()}", YES)


def _habit(match: re.Match[str], phrase: Phrase, predicate: Predicate, off: bool = False) -> Readings:
    bare = "h" not in match.groupdict()
    verb, rest = predicate.verb if bare else match["h"] or "", match["o"]
    thing = object_of(rest)
    if not thing and verb in ("go", "going", "do", "doing", "take", "taking", "use", "using"):
        thing = object_of(re.sub(r"^(?:to|for|through) ", "", rest.strip()))
    if re.fullmatch(NUMBER, thing, re.I):
        thing = ""
    about = thing or verb
    once = bare and predicate.all_words.startswith(("have ", "has ", "had ", "decided "))  # "I have read it"
    gone = verb in ("go", "going") and not _GOING.match(rest)
    done = verb in ("do", "doing") and not _EXERCISE.search(rest)
    if not about or once or gone or done or predicate.negated or about.lower().split()[0] in _POINTERS:
        return
    ended = predicate.ended or off
    if ended and not _NARROWED.search(rest):
        yield Statement(phrase.subject, f"habit {about}", YES, "ends", True)
    elif not ended and predicate.also:
        yield Statement(phrase.subject, f"habit {about}", YES, "is", predicate.change)
    elif not ended:
        yield from _used(phrase.subject, about, predicate.change)


_POINTERS = frozenset(("it", "that", "this", "up", "out", "me", "you", "them", "how", "what", "idea"))


def _own(match: re.Match[str], phrase: Phrase, predicate: Predicate, off: bool = False) -> Readings:
    thing = object_of(match["v"]).lower()
    if predicate.negated or not thing or len(thing.split()) > 3 or thing.split()[-1] in RELATIONS:
        return
    ended = predicate.ended or off
    mood: Mood = "ends" if ended else "is"
    yield Statement(phrase.subject, f"own {thing}", YES, mood, predicate.change or ended)


def _count(match: re.Match[str], phrase: Phrase, predicate: Predicate) -> Readings:
    thing = object_of(match["o"]).lower()
    once = _OCCASION.search(predicate.low) or (predicate.verb in _DONE and not _SO_FAR.search(predicate.all_words))
    if not thing or once or predicate.ended or " there" in predicate.low or thing.split()[-1] in MEASURES:
        return
    if scope := _COUNT_SCOPE.search(predicate.low[match.start("o") :]):
        thing = f"{thing} {scope[1]}"
    yield from _state_of(predicate, phrase.subject, f"number of {thing}", match["n"].lower())


def _changed(after: str) -> Rule:
    """A rule that reads what people do to a thing as a clause about the thing: "we moved the launch to May 10"."""

    def rule(match: re.Match[str], phrase: Phrase, predicate: Predicate) -> Readings:
        noun = _NOUN_END.sub("", match["np"]).split()
        if predicate.negated or predicate.ended or len(noun) < 2:  # "my last one" has no noun
            return
        owner = "" if noun[0].lower() == "the" else phrase.owner or phrase.subject
        thing = Phrase.of(noun[1:], owner)
        if thing.kind == "thing":
            verb = predicate.low[: match.start("np")].strip()
            what = after.format(v=match.groupdict().get("v"), verb=verb)
            yield from read_thing(thing, Predicate.of(what.split(), True))
        if after == "was cancelled" and owner:
            yield Statement(phrase.subject, f"own {object_of(' '.join(noun[1:]))}".lower(), "", "ends", True)

    return rule


_HABITS = (
    "run jog swim smoke drink eat play practice practise do go take use study learn cycle bike meditate volunteer ride "
    "teach train climb vape paint dance box ski surf knit garden commute walk lift row attend read watch write drive"
)
_ING = (
    "running|jogging|swimming|smoking|drinking|eating|playing|practi[cs]ing|doing|going|taking|using|studying|learning|"
    "cycling|biking|meditating|volunteering|riding|teaching|training|climbing|vaping|painting|dancing|boxing|skiing|"
    "surfing|knitting|gardening|commuting|walking|working out|lifting|rowing|attending|reading|watching|writing|"
    "driving|seeing"
)

ROWS: tuple[tuple[str, str, Rule], ...] = (
    ("is", rf" (?P<whose>my|our|[A-Z]\w+'s) {V}", _relation),
    (
        "moved move relocated",
        rf"(?: back| out| over| down| up)*(?: from [\w .,'-]{{2,40}}?)? (?:in)?to {V}",
        partial(_home, new=True),
    ),
    ("live lives", rf"(?: \w+ly)?(?: alone| together)? in {V}", _home),
    ("is", rf"(?: \w+ly)? (?:living|based|residing)(?: out of)? in {V}", _home),
    (
        "is will plan plans",
        r" (?:be |going to |planning to |to )?(?:moving|relocating|move|relocate)(?: back)?(?: to (?P<v>.{1,80}))?",
        _will_move,
    ),
    ("work works", f" (?:at|for) {V}", _works),
    ("is", f" (?:starting|working|employed) (?:at|for|by) {V}", partial(_works, new=True)),
    ("joined", f" {V}", partial(_works, new=True)),
    ("started began", f"(?: working)? (?:at|with) {V}", partial(_works, new=True)),
    (
        "started accepted took got landed",
        f" (?:an?|the)(?: new)?(?: job| role| position| offer)+ (?:at|with|from) {V}",
        partial(_works, new=True),
    ),
    ("left quit resigned", r"(?: my job)?(?: at| with| from)? (?P<v>[A-Z].{0,60})", _left),
    (
        "left quit lost got was is resigned",
        r" (?:(?:from )?(?:my|his|her|their) job|laid off|let go|fired|made redundant|unemployed|out of work|"
        r"between jobs|retired)(?: (?:at|from|by|with) (?P<v>[A-Z].{0,60}))?",
        _left,
    ),
    ("is", f"(?: an?| the)? {V}", _role),
    ("became", f"(?: an?| the)? {V}", partial(_role, new=True)),
    ("work works", f" as (?:a|an|the) {V}", _role),
    (
        "was got is",
        f" (?:promoted|made|hired as|appointed|moved up)(?: to| as)?(?: an?| the)? {V}",
        partial(_role, new=True),
    ),
    ("is", r" (?P<v>[1-9][0-9]?)(?: years old| yrs old|$|(?=[,.!]| this| next| in| as of| now))", _simple("age")),
    ("turned", rf" (?P<v>{NUMBER}|\w+ty(?:-\w+)?)(?! (?:it|off|out|down))\b", _simple("age", True)),
    ("is went became eat follow gone become", rf"(?: an?)?(?: strict| fully)* (?P<v>{_DIETS})\b", _simple("diet")),
    ("is", rf" (?P<v>{_STATES})\b", _simple("relationship status")),
    ("got gotten", r" (?P<v>married|engaged|divorced|separated)\b", _simple("relationship status", True)),
    ("broke broken split", r" up\b", _simple("relationship status", True, "single")),
    (
        "changed change updated update raised raise lowered increased cut reduced bumped set moved move pushed "
        "rescheduled reschedule postponed shifted delayed renamed brought upgraded extended dropped",
        rf" {_MINE}(?: back| up| down| forward| out| over)?(?: from .{{1,40}}?)? (?:to|until|till) (?P<v>.{{1,80}})",
        _changed("changed to {v}"),
    ),
    (
        "cancelled canceled cancel called call scrapped dropped",
        rf"(?:(?<!call)(?<!called)| off(?= .)|(?=.* off\b)) {_MINE}(?: off)?(?=$|[,.!])",
        _changed("was cancelled"),
    ),
    (
        "fixed closed merged resolved finished shipped released deployed paid approved rejected reopened enabled "
        "disabled paused repaired turned signed completed sold",
        r"(?: on| off)? (?P<np>(?:my|our|the) [\w' #-]{2,60})",
        _changed("is {verb}"),
    ),
    (
        "upgraded updated bumped migrated moved switched",
        rf"(?: [\w ]{{1,20}}?)?(?: from .{{1,30}}?)? to {V}",
        partial(_version, new=True),
    ),
    ("is run runs use uses", f"(?: on| using| running(?: on)?)? {V}", _version),
    (
        "switched migrated changed converted moved",
        f"(?: over)?(?: from (?P<from>.{{1,40}}?))?(?: over| back)? to {V}",
        _switched,
    ),
    (
        "replaced ditched swapped traded dropped",
        rf"(?: in)? (?P<from>.{{1,40}}?) (?:with|for|in favou?r of) {V}",
        _switched,
    ),
    ("stopped quit dropped", rf"(?: (?P<h>{_ING}))?\b(?P<o>.{{0,80}})", partial(_habit, off=True)),
    ("gave given", rf" up(?: (?P<h>{_ING}))?\b(?P<o>.{{0,80}})", partial(_habit, off=True)),
    (
        "have has own owns got run runs manage manages is reached hit keep " + " ".join(sorted(_DONE)),
        rf"(?: at| up to| down to| about| around| over| almost| exactly)* (?P<n>{NUMBER}) (?P<o>[a-z].{{1,80}})",
        _count,
    ),
    ("have has own owns bought got adopted drive drives purchased", f" (?:an?|one) {V}", _own),
    ("got gave", f"(?: away| rid of) (?:my|our|the) {V}", partial(_own, off=True)),
    (f"{_HABITS} {_HABITS.replace(' ', 's ')}s goes does", r"\b(?P<o>.{0,80})", _habit),
)
VERBS = frozenset(verb for verbs, _, _ in ROWS for verb in verbs.split())


@cache
def _rules(verb: str) -> tuple[tuple[re.Pattern[str], Rule], ...]:
    """The rows of one verb, compiled at first use."""
    return tuple((re.compile(rf"{verb}\b{rest}"), rule) for verbs, rest, rule in ROWS if verb in verbs.split())


def read_person(phrase: Phrase, predicate: Predicate) -> Readings:
    """The statements of a clause about the speaker or another person."""
    for pattern, rule in _rules(predicate.verb) if predicate.verb in VERBS else ():
        if match := pattern.match(predicate.text):
            found = [each for each in rule(match, phrase, predicate) if each.subject]
            if found:
                yield from found
                return
