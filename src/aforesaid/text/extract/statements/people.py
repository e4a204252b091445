"""What is said of a person, in English: home, work, age, diet, bonds, and who holds a relation to them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.statements.phrases import NUMBER, Phrase, Predicate, is_name, value_of
from aforesaid.text.extract.statements.table import BE, HAVE, Row, Rule, V, stated
from aforesaid.text.extract.statements.values import DraftStatement
from aforesaid.text.extract.statements.words import NO_PLACES, RELATIONS, TEMPORARY, TRADES

_DIETS = "vegetarian|vegan|pescatarian|flexitarian|gluten-free|keto|carnivore|plant-based"
_STATES = "single|married|engaged|divorced|separated|widowed|in a relationship|dating|pregnant"
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_TEMPORARY = re.compile(TEMPORARY, re.I)
_PLACE_TAIL = re.compile(
    rf"\s+(?:in the\b(?! (?:suburbs|countryside))|"
    rf"in (?:[Tt]he )?(?:early |late )?(?:{_MONTHS}|[0-9]{{4}}|spring|summer|fall|autumn|winter)|"
    r"with|for|near|to|on|from|by|because|full-time|permanently|about|just|over|at)\b.*"
)
_EMPLOYER_TAIL = re.compile(
    r"\s+(?:as|in|on|for|from|with|full-time|part-time|doing|where|to|over|at|after|about|next)\b.*"
)
_NO_EMPLOYER = re.compile(
    r"\b(?:club|gym|team|group|league|class|church|band|choir|discord|server|slack|call|meeting|course|program|zoom|"
    r"home|night|noon|school board|channel|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b",
    re.I,
)
_ROLE_TAIL = re.compile(r"\s+(?:at|in|for|with|on|by|of the|from|who|based)\b.*")
_LEFT_NAME = re.compile(
    rf"{HAVE}(?:left|quit|resigned from|departed) (?P<job>my job (?:at|with) )?(?P<v>[A-Z].{{0,60}})"
)


def _place(text: str) -> str:
    """The place at the start of a text, or nothing when it is no place: "Porto", "a new flat in Porto"."""
    place = _PLACE_TAIL.sub("", value_of(text))
    if " in " in place and is_name(place.rsplit(" in ", 1)[1]):
        place = place.rsplit(" in ", 1)[1]
    low = [word.strip(",.").lower() for word in place.split()]
    if not place or len(low) > 5 or not NO_PLACES.isdisjoint(low) or any(c.isdigit() for c in place):
        return ""
    homely = any(word in ("countryside", "suburbs", "coast", "downtown", "village") for word in low)
    return place if homely or is_name(place) else ""


def _moved(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    place = _place(match["v"])
    if place and not said.negated:
        yield DraftStatement(phrase.subject, "home", place, "is", True)


def _lives(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    if not _TEMPORARY.search(match["v"]):
        yield from stated(said, match, phrase.subject, "home", _place(match["v"]))


def _will_move(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    off = said.negated or said.ended or bool(match["off"])
    if place := _place(match["v"] or ""):
        yield DraftStatement(phrase.subject, "home", place, "cancels" if off else "plans", said.change)
    elif off and not match["v"]:
        yield DraftStatement(phrase.subject, "home", "", "cancels", True)


def _works(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    value = _EMPLOYER_TAIL.sub("", value_of(match["v"]))
    if match.groupdict().get("past") and re.search(r"\bsince\b", said.low):
        return
    if (
        is_name(value)
        and not _NO_EMPLOYER.search(value)
        and value.lower() not in NO_PLACES - {"google", "apple", "netflix"}
    ):
        yield from stated(said, match, phrase.subject, "employer", value, bool(match.groupdict().get("new")))


def _no_longer_at(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    """I am no longer with Acme; that I am at a place says nothing."""
    if said.ended:
        yield from _works(match, phrase, said)


def _left(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    value = _EMPLOYER_TAIL.sub("", value_of(match["v"] or ""))
    proper = all(word[:1].isupper() or word in ("of", "and", "&") for word in value.split())
    if said.negated or (match["v"] and not (is_name(value) and proper and not _NO_EMPLOYER.search(value))):
        return
    if not match["v"] or match["job"] or match.re is _LEFT_NAME:
        yield DraftStatement(phrase.subject, "employer", value, "ends", True)
    if not match["v"]:
        yield DraftStatement(phrase.subject, "role", "", "ends", True)


def _role(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    value = _ROLE_TAIL.sub("", value_of(match["v"]))
    words = value.lower().split()
    if match["v"].startswith(("my ", "our ")):
        return
    sure = bool(match.groupdict().get("new"))
    if words and len(words) <= 5 and (words[-1] in TRADES or words[0] in TRADES) and not said.also:
        yield from stated(said, match, phrase.subject, "role", value.lower(), sure)


def _age(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    yield from stated(said, match, phrase.subject, "age", match["v"], bool(match.groupdict().get("new")))


def _simple(attribute: str, change: bool = False) -> Rule:
    def rule(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
        yield from stated(said, match, phrase.subject, attribute, value_of(match["v"]).lower(), change)

    return rule


def _omnivore(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    if not said.negated and not said.ended:
        yield DraftStatement(phrase.subject, "diet", "meat", "is", True)


def _apart(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    if not said.negated:
        yield DraftStatement(phrase.subject, "relationship status", "single", "is", True)


def _relation(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    """Bo is my manager; Ana is no longer my manager."""
    relation = value_of(match["v"]).lower()
    words = [word for word in relation.split() if word not in ("new", "current")]
    if words and words[-1] in RELATIONS and len(words) <= 3 and phrase.kind == "person" and phrase.head == "":
        owner = match["whose"][:-2] if match["whose"].endswith("'s") else phrase.owner
        new = "new" in relation or said.change
        yield from stated(said, match, owner, " ".join(words), phrase.subject, new)


def _reports(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    value = _PLACE_TAIL.sub("", value_of(match["v"]))
    if is_name(value):
        yield from stated(said, match, phrase.subject, "manager", value)


def _new_relation(match: re.Match[str], phrase: Phrase, said: Predicate) -> Iterator[DraftStatement]:
    relation = match["r"].lower()
    if relation.split()[-1] in RELATIONS and is_name(value := value_of(match["v"])) and not said.negated:
        yield DraftStatement(phrase.subject, relation, value, "is", True)


ROWS: tuple[Row, ...] = (
    ("is was", rf"(?:is|(?P<past>was)) (?P<whose>my|our|[A-Z]\w+'s) {V}", _relation),
    ("took has", rf"{HAVE}(?:took|taken) over as (?P<whose>my|our|[A-Z]\w+'s) {V}", _relation),
    ("replaced", rf"replaced [A-Z][\w. ]{{1,30}}? as (?P<whose>my|our|[A-Z]\w+'s) {V}", _relation),
    ("am is are", r"(?:am|is|are) (?:with|at) (?P<v>[A-Z].{1,60})", _no_longer_at),
    (
        "moved relocated have has ended finished",
        f"{HAVE}(?:moved|relocated|ended up moving|finished moving)(?: back| out| over| down| up)*(?: from "
        rf"[\w .,'-]{{2,40}}?)? (?:in)?to {V}",
        _moved,
    ),
    ("moved have has", rf"{HAVE}moved(?: back)? in with .{{1,30}}? in {V}", _moved),
    ("live lives", rf"lives?(?: \w+ly)?(?: alone| together)? in {V}", _lives),
    ("am is are", rf"(?:am|is|are)(?: \w+ly)? (?:living|based|residing)(?: out of)? in {V}", _lives),
    ("have has", rf"(?:have|has)(?: been)? (?:lived|living) in {V}", _lives),
    ("lived was were", rf"(?P<past>lived|was living|were living|was based) in {V}", _lives),
    ("used", rf"(?P<used>used) to live in {V}", _lives),
    (
        "am is are will plan plans decided have",
        "(?:(?:am|is|are) (?:moving|relocating|going to (?:move|relocate)|planning to (?:move|relocate))|"
        "will be moving|will move|plans? to (?:move|relocate)|(?:have )?decided (?P<off>against moving|to "
        "stay put))(?: back)?(?: to (?P<v>.{1,80}))?",
        _will_move,
    ),
    ("work works", rf"works? (?:at|for) {V}", _works),
    ("am is are", rf"{BE} (?:(?P<new>starting|working)|employed) (?:at|for|by) {V}", _works),
    ("worked was", rf"(?P<past>worked|was working) (?:at|for) {V}", _works),
    ("used", rf"(?P<used>used) to work (?:at|for) {V}", _works),
    (
        "started joined accepted took got have has began landed",
        f"{HAVE}(?P<new>started(?: working)?(?: a)?(?: new)?(?: job| role| position)? (?:at|with)|began(?: "
        "working)? at|joined|(?:accepted|took|got|landed|started) (?:a|the|an)(?: new)? (?:job|offer|"
        f"position|role)(?: offer)? (?:at|with|from)) {V}",
        _works,
    ),
    ("left quit resigned departed have has", _LEFT_NAME, _left),
    (
        "left quit lost got was retired resigned have has",
        f"{HAVE}(?P<job>(?:left|quit|lost|resigned from) (?:my|his|her|their) job|(?:got|was|been) (?:laid "
        f"off|let go|fired|made redundant)|retired|resigned)(?: (?:at|from|by|with) (?P<v>[A-Z].{{0,60}}))?",
        _left,
    ),
    ("am is are", r"(?:am|is|are) (?P<job>unemployed|out of work|between jobs|retired)(?P<v>(?!))?", _left),
    ("am is are became", rf"(?:am|is|are|(?P<new>became)) (?:(?:a|an|the) )?{V}", _role),
    ("work works have has", rf"(?:works?|have been working|has been working) as (?:a|an|the) {V}", _role),
    (
        "was got been have has",
        f"{HAVE}(?:was|got|been) (?P<new>promoted|made|hired as|appointed|moved up)(?: to| as)?(?: (?:a|an|the))? {V}",
        _role,
    ),
    ("started", rf"(?P<new>started)(?: working)? as (?:a|an|the) {V}", _role),
    ("was", rf"(?P<past>was) (?:a|an|the) {V}", _role),
    ("used", rf"(?P<used>used) to (?:be|work as) (?:a|an|the) {V}", _role),
    ("am is", r"(?:am|is) (?P<v>[1-9][0-9]?)(?: years old| yrs old|$|(?=[,.!]| this| next| in| as of| now))", _age),
    ("turned have has", rf"{HAVE}(?P<new>turned) (?P<v>{NUMBER}|\w+ty(?:-\w+)?)(?! (?:it|off|out|down))\b", _age),
    (
        "weigh weighs am",
        "(?:weighs?|am down to|am up to)(?: in at)?(?: about| around)? (?P<v>[0-9.]+ ?(?:kg|kgs|kilos|pounds|"
        r"lbs?|stone))\b",
        _simple("weight"),
    ),
    (
        "am is are went became have eat follow",
        f"(?:{BE}|went|became|have (?:gone|become|been)|eat|follow)(?: an?)?(?: strict| fully)* "
        rf"(?P<v>{_DIETS})\b",
        _simple("diet"),
    ),
    ("used", rf"(?P<used>used) to be (?:a )?(?P<v>{_DIETS})\b", _simple("diet")),
    ("was", rf"(?P<past>was) (?:a )?(?P<v>{_DIETS})\b", _simple("diet")),
    ("stopped quit", rf"(?P<used>stopped|quit) being (?:a )?(?P<v>{_DIETS})\b", _simple("diet")),
    (
        "eat am started eats have",
        r"(?:eats?|am eating|started eating|have started eating|am back to eating) "
        r"(?:meat|everything)(?=$|[,.!]| (?:again|now|and|since|on|in|with|every|these)\b)",
        _omnivore,
    ),
    ("am is are", rf"(?:am|is|are) (?P<v>{_STATES})\b", _simple("relationship status")),
    (
        "got have has",
        rf"(?:got|{HAVE}gotten) (?P<v>married|engaged|divorced|separated)\b",
        _simple("relationship status", True),
    ),
    ("was", rf"(?P<past>was) (?P<v>{_STATES})\b", _simple("relationship status")),
    ("broke split have has", rf"{HAVE}(?:broke up|broken up|split up|split)\b", _apart),
    ("report reports am", rf"(?:reports?|am reporting) to {V}", _reports),
    (
        "have got has",
        rf"{HAVE}(?:got )?an? new (?P<r>[\w -]{{2,30}}?)(?:,| named| called|:) (?:(?:his|her) name is )?{V}",
        _new_relation,
    ),
)
