"""What people do, in English: their habits, tools, tastes and possessions, how many they have, and what they change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aforesaid.text.extract.statements import people as statements_people
from aforesaid.text.extract.statements import things as statements_things
from aforesaid.text.extract.statements.phrases import NUMBER, Phrase, Predicate, object_of, value_of
from aforesaid.text.extract.statements.schedule import schedule
from aforesaid.text.extract.statements.table import BE, HAVE, Row, Rule, V, by_verb, stated
from aforesaid.text.extract.statements.values import HELD, UNLIKED, DraftStatement
from aforesaid.text.extract.statements.words import EVERYDAY, MEASURES, RELATIONS, TOOLS

_HABITS = (
    "run|jog|swim|smoke|drink|eat|play|practi[cs]e|do|go|take|use|study|learn|cycle|bike|meditate|volunteer|ride|teach|"
    "train|climb|vape|paint|dance|box|ski|surf|knit|garden|commute|walk|work out|lift|row|attend|read|watch|write|drive"
)
_ING = (
    "running|jogging|swimming|smoking|drinking|eating|playing|practi[cs]ing|doing|going|taking|using|studying|learning|"
    "cycling|biking|meditating|volunteering|riding|teaching|training|climbing|vaping|painting|dancing|boxing|skiing|"
    "surfing|knitting|gardening|commuting|walking|working out|lifting|rowing|attending|reading|watching|"
    "writing|driving|seeing"
)
_ACTIVE_TAIL = re.compile(
    r"\s+(?:this|last|yesterday|today|again|already|finally|now|for good|to (?=[a-z])|on \w+day|because|"
    r"in (?=the \w+$))\b.*"
)
_EXERCISE = re.compile(
    r"\b(?:yoga|pilates|crossfit|karate|judo|ballet|every|twice|daily|weekly|each|times|on \w+days?)\b"
)
_NARROWED = re.compile(  # an end of a part: "stopped playing chess with Tom"
    r" (?:with|from|during|at|on (?:weekends|weekdays|\w+days)|for (?:this|that|one|some|the|alerts|work))\b"
)
_POINTED = re.compile(r"(?:the|those|these|this|that|your|how|when|what)\b")
_VERSION = re.compile(r"(?P<what>[A-Z][\w.+#-]{1,20}(?: [A-Z][\w+#-]{1,20})?) v?(?P<n>[0-9]+(?:\.[0-9x]+){0,3})\b")
_NAMED = re.compile(r"\b(?:named|called) ([A-Z]\w+)")
_OCCASION = re.compile(
    r"\b(?:today|tomorrow|tonight|this (?:week|weekend|morning|afternoon)|next|on \w+day|left|later|by)\b"
)
_SO_FAR = re.compile(r"\b(?:so far|already|in total|total|by now|to date)\b")
_SCOPE = re.compile(r"\b((?:in|on|at|from|for|with|of) (?!total|now|the moment|my )[\w&' ]{2,30})")
_WEEKDAYS = re.compile(r"\b(?:weekdays|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b")
_CANCEL = re.compile(
    f"{HAVE}(?:(?:had|decided|have had) to )?(?:cancel(?:l?ed)?|call(?:ed)? off|scrap(?:ped)?|dropped|"
    rf"called(?= (?:the|my|our) [\w' -]{{2,40}} off))"
    r" (?P<np>(?:my|our|the) [\w' -]{2,60}?)(?: off)?(?=$|[,.!])"
)
_POSTPONE = re.compile(
    rf"{HAVE}(?:(?:had|decided) to )?(?:postponed?|delay(?:ed)?|push(?:ed)? back) "
    r"(?P<np>(?:my|our|the) [\w' -]{2,60}?)(?=$|[,.!])"
)
_DONE_AS = {
    "finished": "done",
    "deployed": "live",
    "turned on": "on",
    "turned off": "off",
}
_NP = r"(?P<np>(?:my|our|the) [\w' -]{2,60}?)"
_HABIT_VERBS = _HABITS.replace("|", " ").replace("[cs]", "c") + " practise goes does"
_HABIT_VERBS += " " + " ".join(f"{verb}s" for verb in _HABITS.split("|"))


def _switched(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    if said.negated or _NARROWED.search(match["v"]):
        return
    groups = match.groupdict()
    target = object_of(match["v"])
    if (
        said.low.startswith(("moved", "have moved", "has moved"))
        and not groups.get("from")
        and target.lower() not in TOOLS
    ):
        return
    if groups.get("from") and (source := object_of(match["from"])):
        kept = "own" if match["from"].lower().startswith(("my ", "our ")) else "habit"
        yield DraftStatement(phrase.subject, f"{kept} {source}".lower(), HELD, "ends", True)
    if target:
        yield DraftStatement(phrase.subject, f"habit {target}", HELD, "is", True)
        if tool := TOOLS.get(target.lower().replace(" ", "-")):
            yield DraftStatement(phrase.subject, tool, target, "is", True)
    if (version := _VERSION.search(match["v"])) and version.start() == 0:
        yield DraftStatement(phrase.subject, f"{version['what']} version", version["n"], "is", True)


def _version(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    if version := _VERSION.match(match["v"]):
        change = bool(match.groupdict().get("new"))
        yield from stated(said, match, phrase.subject, f"{version['what'].lower()} version", version["n"], change)
        if said.low.startswith("use"):
            yield from stated(said, match, phrase.subject, f"habit {version['what'].lower()}", HELD, change)


def _habit(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    groups = match.groupdict()
    thing = object_of(groups.get("o") or "")
    verb = groups.get("h") or ""
    if (
        not thing
        and (groups.get("o") or "").strip()
        and verb in ("go", "going", "do", "doing", "take", "taking", "use", "using")
    ):
        thing = object_of(re.sub(r"^(?:to|for|through) ", "", groups["o"].strip()))
    if re.fullmatch(NUMBER, thing, re.I):
        thing = ""
    if verb in ("go", "going") and not re.match(
        r" (?:to (?:the|a|my|our|\w+ (?:class|lessons|school|practice))|for a|\w+ing)\b", groups["o"]
    ):
        return
    if verb in ("do", "doing") and not _EXERCISE.search(groups["o"]):
        return
    about = thing or verb
    if (
        not about
        or said.negated
        or about.lower().split()[0] in ("it", "that", "this", "up", "out", "me", "you", "them")
    ):
        return
    ended = said.ended or bool(groups.get("off") or groups.get("used"))
    if ended and _NARROWED.search(groups.get("o") or ""):
        return
    change = said.change or bool(groups.get("off") or groups.get("new"))
    yield DraftStatement(phrase.subject, f"habit {about}", HELD, "ends" if ended else "is", change)
    if not ended and (tool := TOOLS.get(about.lower().replace(" ", "-"))) and not said.also:
        yield DraftStatement(phrase.subject, tool, about, "is", change)


def _tool(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    yield from stated(said, match, phrase.subject, match["what"].lower(), value_of(match["v"]), said.change)


def _like(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    thing = "" if _POINTED.match(match["v"]) else object_of(match["v"])
    if not thing or thing.lower() in ("it", "that", "this", "you", "them", "how", "what", "idea"):
        return
    bad = bool(match.groupdict().get("bad"))
    if (bad or said.negated or said.ended) and _NARROWED.search(match["v"]):
        return
    if said.ended or match.groupdict().get("used"):
        yield DraftStatement(phrase.subject, f"like {thing}", UNLIKED if bad else HELD, "ends", True)
    else:
        value = UNLIKED if bad != said.negated else HELD
        yield DraftStatement(phrase.subject, f"like {thing}", value, "is", said.change)


def _own(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    thing = object_of(match["v"]).lower()
    if said.negated or not thing or len(thing.split()) > 3 or thing.split()[-1] in RELATIONS:
        return
    name = _NAMED.search(match["v"])
    value = name[1] if name else HELD
    groups = match.groupdict()
    ended = said.ended or bool(groups.get("off") or groups.get("used"))
    yield DraftStatement(phrase.subject, f"own {thing}", value, "ends" if ended else "is", said.change or ended)


def _count(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    thing = object_of(match["o"]).lower()
    if (
        not thing
        or said.negated
        or said.ended
        or " there" in said.low
        or thing.split()[-1] in MEASURES
        or _OCCASION.search(said.low)
    ):
        return
    if match["done"] and not _SO_FAR.search(said.whole):
        return
    rest = said.low[match.start("o") :]
    if scope := _SCOPE.search(rest):
        thing = f"{thing} {scope[1]}"
    yield DraftStatement(phrase.subject, f"number of {thing}", match["n"].lower(), "is", said.change)


def _active(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    """We moved the launch to May 10: what is done to a thing is said of the thing."""
    if said.negated or said.ended:
        return
    noun = _ACTIVE_TAIL.sub("", match["np"]).split()
    if len(noun) < 2:  # "finished my last one": a tail right behind the article leaves no noun
        return
    owner = "" if noun[0].lower() in ("the", "this") else phrase.owner or phrase.subject
    thing = Phrase.of(noun[1:], owner)
    groups = match.groupdict()
    if groups.get("v"):
        after = f"changed to {match['v']}"
    elif match.re is _CANCEL:
        after = "was cancelled"
    elif match.re is _POSTPONE:
        after = "was postponed"
    else:
        after = f"is {_DONE_AS.get(match['verb'], match['verb'])}"
    if thing.kind == "thing":
        yield from statements_things.readings(thing, Predicate.of(after.split(), True))
    if match.re is _CANCEL and owner and noun[1:]:
        yield DraftStatement(phrase.subject, f"own {object_of(' '.join(noun[1:]))}".lower(), "", "ends", True)


def _have_event(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    """I have an appointment with my physio on Thursday."""
    thing = Phrase.of(match["np"].split(), "")
    if said.negated or said.ended or EVERYDAY.isdisjoint(match["np"].lower().split()):
        return
    yield from schedule(thing, Predicate.of(f"is {match['v']}".split(), said.change))


def _clock(attribute: str) -> Rule:
    def rule(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
        days = _WEEKDAYS.search(said.low)
        scope = f"{phrase.subject} {days[0]}" if days else phrase.subject
        yield from stated(said, match, scope, attribute, f"at {match['v']}")

    return rule


ROWS: tuple[Row, ...] = (
    (
        "had decided changed updated raised lowered increased cut reduced bumped set moved pushed rescheduled "
        "postponed shifted delayed renamed have has brought upgraded extended dropped",
        f"{HAVE}(?:(?:had|decided|have had) to )?(?:changed?|updated?|raised?|lower(?:ed)?|increased?|cut|"
        "reduced?|bump(?:ed)?|set|moved?|push(?:ed)?|rescheduled?|postponed?|shift(?:ed)?|delay(?:ed)?|"
        f"renamed?|brought|bring|upgraded?|extend(?:ed)?|drop(?:ped)?) {_NP}(?: back| up| down| forward| out| "
        f"over)?(?: from .{{1,40}}?)? (?:to|until|till) (?P<v>.{{1,80}})",
        _active,
    ),
    ("cancelled canceled called scrapped dropped have has had decided", _CANCEL, _active),
    ("postponed delayed pushed had decided have has", _POSTPONE, _active),
    (
        "fixed closed merged resolved finished shipped released deployed paid approved rejected reopened enabled "
        "disabled paused repaired have has turned signed completed sold",
        f"{HAVE}(?P<verb>fixed|closed|merged|resolved|finished|shipped|released|deployed|paid|approved|"
        "rejected|reopened|enabled|disabled|paused|repaired|turned on|turned off|signed|completed|sold) "
        rf"(?P<np>(?:my|our|the) [\w' #-]{{2,60}})",
        _active,
    ),
    (
        "upgraded updated bumped have has are am run runs use uses migrated moved switched",
        rf"{HAVE}(?P<new>upgraded|updated|bumped|migrated|moved|switched)(?: [\w ]{{1,20}}?)?(?: from "
        f".{{1,30}}?)? to {V}",
        _version,
    ),
    ("are am is run runs use uses", rf"(?:{BE} (?:on|using|running(?: on)?)|runs?(?: on)?|uses?) {V}", _version),
    (
        "switched migrated changed converted moved have has",
        f"{HAVE}(?:switched|migrated|changed|converted|moved)(?: over)?(?: from (?P<from>.{{1,40}}?))? "
        f"(?:over |back )?to {V}",
        _switched,
    ),
    (
        "replaced ditched swapped traded dropped have has",
        f"{HAVE}(?:replaced|ditched|swapped|dropped|traded)(?: in)? (?P<from>.{{1,40}}?) (?:with|for|in "
        f"favou?r of) {V}",
        _switched,
    ),
    ("have has got", rf"{HAVE}(?:got )?an? (?P<np>[\w' -]{{2,60}}?) (?P<v>(?:on|at) .{{2,60}})", _have_event),
    (
        "use uses am have",
        r"(?:uses?|am using|have) (?P<v>[\w .+-]{1,30}?) as (?:my|our|the) (?:main |primary |default "
        r")?(?P<what>[\w ]{2,30})",
        _tool,
    ),
    (
        "wake wakes get gets have",
        "(?:wakes?|gets?|have been waking|have been getting) up (?:at |around |by )+(?P<v>[0-9][0-9:]* "
        r"?(?:[ap]\.?m\.?)?)",
        _clock("wake up"),
    ),
    (
        "go goes",
        r"go(?:es)? to (?:bed|sleep) (?:at |around |by )+(?P<v>[0-9][0-9:]* ?(?:[ap]\.?m\.?)?)",
        _clock("bedtime"),
    ),
    (
        "stopped quit gave have has am given dropped",
        f"{HAVE}(?P<off>stopped|quit|gave up|given up|am done(?: with)?|dropped)(?: "
        rf"(?P<h>{_ING}))?\b(?P<o>.{{0,80}})",
        _habit,
    ),
    (
        "started took am is are have has picked got began",
        f"{HAVE}(?P<new>started|took up|picked up|began|got back into|{BE} (?:learning|taking|back to|"
        rf"practi[cs]ing))(?: (?P<h>{_ING}))?\b(?P<o>.{{0,80}})",
        _habit,
    ),
    ("used", rf"(?P<used>used) to (?P<h>{_HABITS})\b(?P<o>.{{0,80}})", _habit),
    (
        "have has own owns got run runs manage manages are am reached hit completed finished tried visited "
        "watched collected read keep",
        f"{HAVE}(?:haves?|has|owns?|got|runs?|manages?|keeps?|(?:are|am) (?:at|up to|down to)|reached|hit|"
        "(?P<done>completed|read|finished|tried|visited|watched|collected|attended|bought))?(?: a total of| "
        rf"about| around| over| almost| exactly| up to)* ?(?<!\w)(?P<n>{NUMBER}) (?P<o>[a-z].{{1,80}})",
        _count,
    ),
    (
        "like likes love loves enjoy enjoys adore prefer",
        f"(?:likes?|loves?|enjoys?|adores?|prefers?) (?!to )(?:the taste of )?{V}",
        _like,
    ),
    ("hate hates dislike can", rf"(?P<bad>hates?|dislikes?|can stand) {V}", _like),
    ("used", rf"(?P<used>used) to (?:like|love|enjoy) {V}", _like),
    (
        "have has own owns bought got adopted drive drives purchased subscribe",
        f"{HAVE}(?:have|has|owns?|bought|got|adopted|drives?|purchased|subscribe to)? ?(?:an?|one) {V}",
        _own,
    ),
    (
        "sold lost donated returned gave got rehomed totaled totalled crashed have has",
        f"{HAVE}(?P<off>sold|lost|donated|returned|gave away|got rid of|rehomed|totall?ed) (?:my|our|the) {V}",
        _own,
    ),
    ("used", rf"(?P<used>used) to (?:have|own|drive) (?:an?|one|my) {V}", _own),
    (_HABIT_VERBS, rf"(?P<h>{_HABITS})(?:es|s)?\b(?P<o>.{{0,80}})", _habit),
    ("have has", rf"(?:have|has) been (?P<h>{_ING})\b(?P<o>.{{0,80}})", _habit),
    ("am is are", rf"(?:am|is|are) (?P<h>{_ING})\b(?P<o>.{{0,80}})", _habit),
)
_VERBS = frozenset(verb for row in (*statements_people.ROWS, *ROWS) for verb in row[0].split())


@cache
def _rules(verb: str) -> tuple[tuple[re.Pattern[str], Rule], ...]:
    return by_verb(verb, statements_people.ROWS, ROWS)


def readings(phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    """What a clause states of the speaker or of another person."""
    first = said.low.split(" ", 1)[0]
    for pattern, rule in _rules(first) if first in _VERBS else ():
        if (phrase.subject or rule is _active) and (match := pattern.match(said.text)):
            found = list(rule(match, phrase, said))
            if found:
                yield from found
                return
