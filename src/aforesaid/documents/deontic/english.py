"""Finds rules in English sentences, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.documents.deontic.rule import DeonticRule, Modality
from aforesaid.text.analyze import terms
from aforesaid.text.extract.imperatives import Prose
from aforesaid.text.extract.imperatives.english import CLAUSE, COMMAND, PAST, REPORT
from aforesaid.text.patterns import any_of, words

_SPLIT = re.compile(
    r"\s?[;–—]\s|,? - |, (?:but|so)\b|:\s|"
    r",? (?:and|or|but) (?=(?:you (?:must|should|may)|never|always|do not|don't|avoid)\b)",
    re.IGNORECASE,
)
_LEADING = re.compile(rf"^\W{{0,6}}({CLAUSE})?", re.IGNORECASE)
_FORBID = any_of(
    r"(?:must|should|shall|may|can|do|need) not\b|cannot\b|(?:must|should|shall|may|do)n't\b|can't\b|dont\b|never\b",
    r"(?:is|are) (?:not|never) (?:allowed|permitted) to\b|(?:is|are) (?:\w+ly )?(?:forbidden|prohibited) (?:to|from)\b",
    r"refrain from\b|avoid\b|stop\b|under no circumstances\b|at no time\b|(?:forget|fail|neglect|omit) to\b",
)
_OBLIGE = any_of(
    r"(?:must|should|shall|will)\b|ought to\b|(?:will )?(?:need|needs|have|has) to\b",
    r"(?:is|are) (?:required|expected|obliged) to\b|it is (?:important|essential|mandatory) to\b",
    r"always\b|please\b|make (?:sure|certain)(?: that| to)?\b|ensure(?: that)?\b|be (?:sure|certain) (?:to|that)\b",
    r"remember to\b|take care to\b|prefer(?: to)?\b",
)
_PERMIT = r"(?:may|can|feel free to|(?:is|are) (?:allowed|permitted|free) to)\b"
_PASSED_OVER = any_of(
    r"(?:you|agents?|assistants?|contributors?|developers?|authors?|everyone|anyone|the (?:agent|assistant))\b",
    words("ever also just simply then instead first finally otherwise really still therefore strictly") + r"\b",
)
_STEP = re.compile(
    rf"[\s,]*(?:(?P<no>{_FORBID})|(?P<yes>{_OBLIGE})|(?P<may>{_PERMIT})|(?P<only>only\b)|(?P<skip>{_PASSED_OVER}))[\s,]*",
    re.IGNORECASE,
)
_COMMAND = re.compile(COMMAND, re.IGNORECASE)
_NONE_OF = re.compile(r"no (?!one\b|longer\b|matter\b|doubt\b|need\b)(?=\w)", re.IGNORECASE)
_THING = r"(?P<thing>[^,;]{1,120}?)"
_PASSIVE = re.compile(
    rf"^{_THING} (?:(?P<no>(?:must|should|may|shall|can)(?: not| never)|cannot|mustn't|shouldn't)|"
    r"(?P<yes>(?:must|should|shall)(?: always)?)) be (?P<deed>\w+)(?P<rest>.*)$",
    re.IGNORECASE,
)
_STATUS = re.compile(
    rf"^{_THING} (?:is|are) (?:strictly |absolutely |always )?(?:"
    r"(?P<no>forbidden|prohibited|banned|disallowed|off[- ]limits|(?:not|never) (?:allowed|permitted|acceptable))|"
    r"(?P<yes>mandatory|required|obligatory)|(?P<may>allowed|permitted|fine|ok|okay))\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r",? (?:instead of|rather than|over|(?<=,) ?not) ", re.IGNORECASE)
_NOT_THAT = re.compile(r", not ", re.IGNORECASE)
_MARKER = re.compile(
    r"\b(?:(?P<place>in|inside|within|for|on|at|under)|(?P<time>when|whenever|if|while|during|once)|(?P<exception>unless|except)|"
    r"(?P<own>before|after|until|without|with|from|outside))\b",
    re.IGNORECASE,
)
_FILLER = frozenset(
    terms("a an the your our its their any all every each this these those ever also just please simply that at you")
)
_BASE = {
    "written": "write", "kept": "keep", "sent": "send", "made": "make", "built": "build", "rewritten": "rewrite",
    "shown": "show",
}  # fmt: skip
_USE = "use"


def rules_in(sentence: str, prose: Prose) -> Iterator[DeonticRule]:
    """The rules of one English sentence."""
    scene, text = "", " ".join(prose.unmask(sentence).split())
    for clause in _SPLIT.split(sentence):
        lead = _LEADING.match(clause)
        scene = (lead[1] or scene) if lead else scene
        rest = clause[lead.end() :] if lead else clause
        if found := _read(rest.strip().rstrip(".!")):
            modality, action, only = found
            for each, part in _alternatives(modality, action):
                if rule := _rule(each, prose.unmask(part), prose.unmask(scene.rstrip(", ")), only, text):
                    yield rule
        elif REPORT.search(clause):
            return  # the rest reports what somebody said


def _read(clause: str) -> tuple[Modality, str, bool] | None:
    """The modality of a clause, its action, and whether it says "only"."""
    sign, stated, may, only, at = 1, False, False, False, 0
    while step := _STEP.match(clause, at):
        sign = -sign if step["no"] else sign
        stated |= bool(step["no"] or step["yes"])
        may |= bool(step["may"])
        only |= bool(step["only"])
        at = step.end()
    action = clause[at:]
    passive = re.match(r"be (\w+ed)\b", action)
    if (stated or may) and action and not passive and not action.lower().startswith(("be able", "have been", "see ")):
        return ("forbidden" if sign < 0 else "obliged" if stated else "permitted"), action, only
    if none := _NONE_OF.match(action):
        return "forbidden", action[none.end() :], False
    found = _PASSIVE.match(clause) or _STATUS.match(clause)
    if found and not REPORT.search(found["thing"]) and not PAST.search(found["thing"]):
        deed = found["deed"].lower() if "deed" in found.re.groupindex else _USE
        modality: Modality = "forbidden" if found["no"] else "obliged" if found["yes"] else "permitted"
        return modality, f"{_BASE.get(deed, deed)} {found['thing']}{found['rest']}", False
    return ("obliged", action, only) if _COMMAND.match(action) else None


def _alternatives(modality: Modality, action: str) -> Iterator[tuple[Modality, str]]:
    """The action, and the alternative that the rule forbids: tabs "over", "instead of" or ", not" spaces."""
    chosen = _NOT_THAT.search(action) or _INSTEAD.search(action)
    if modality != "obliged" or not chosen:
        yield modality, action
        return
    left, right = action[: chosen.start()], action[chosen.end() :]
    marker = _MARKER.search(right)
    conditions = right[marker.start() :] if marker else ""
    yield modality, f"{left} {conditions}"
    verb = left.split(" ")[0] if _COMMAND.match(left) and not right.split(" ")[0].endswith("ing") else ""
    yield "forbidden", f"{verb} {right}"


def _rule(modality: Modality, action: str, scene: str, only: bool, text: str) -> DeonticRule | None:
    core, conditions = _split_conditions(action)
    _, before = _split_conditions(scene)
    named = _terms(core)
    kept = tuple(term for term in named if term != _USE) or named
    if not kept:
        return None
    if only and (conditions or before):  # "only X when Y" forbids X otherwise
        return DeonticRule("forbidden", kept, (), text)
    return DeonticRule(modality, kept, tuple(sorted({*conditions, *before})), text)


def _split_conditions(action: str) -> tuple[str, list[str]]:
    """The action without conditions, and the conditions: kind and terms of each. Exceptions are left out."""
    markers = list(_MARKER.finditer(action))
    ends = [marker.start() for marker in markers[1:]] + [len(action)]
    conditions, excepted = [], False
    for marker, end in zip(markers, ends, strict=False):
        found = _terms(action[marker.end() : end])
        if marker["exception"] or excepted:
            excepted = not found
        elif found:
            kind = "in" if marker["place"] else "when" if marker["time"] else marker[0].lower()
            conditions.append(" ".join((kind, *found)))
    return action[: markers[0].start()] if markers else action, conditions


def _terms(text: str) -> tuple[str, ...]:
    return tuple(term for term in terms(text) if term not in _FILLER)
