"""What a text obliges, forbids and permits, and where two rules of one document contradict each other (SPEC 7).

Two rules conflict when they name the same action under the same conditions and in the same scope, one forbidding what
the other obliges or permits. A rule with a condition more than its opposite is an exception and no conflict; so is one
under a heading of another subject ("Python" against "Makefiles", while "Style" and "Rules" name no subject). What
follows "unless" or "except" is the exception that a rule itself makes, and is not compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from aforesaid.documents.deontic import english as deontic_en
from aforesaid.documents.deontic import japanese as deontic_ja
from aforesaid.documents.deontic.rule import DeonticRule, Modality
from aforesaid.documents.imperatives import read_prose
from aforesaid.documents.nodes import PATH_SIGN, Node
from aforesaid.text.analyze import STOP_WORDS, terms

__all__ = ["Conflict", "Modality", "Rule", "conflicts", "rules_of"]

_SILENT = ("code", "table", "html")  # kinds of nodes that rule nothing
_OPPOSITES: dict[Modality, tuple[Modality, ...]] = {
    "obliged": ("forbidden",),
    "permitted": ("forbidden",),
    "forbidden": ("obliged", "permitted"),
}
_HIRAGANA = re.compile("[ぁ-ん]|禁止|厳禁")
_YAML_KEY = re.compile(r"^[ \t]*(?:- )?(?:[\w-]{1,40}:[ \t]+)?[\"']?")
_PROHIBITING = re.compile(
    r"^\W*(?:don[’']?ts?|do not|never|avoid|forbidden|prohibited|not allowed|"
    r"禁止(?:事項)?|(?:し|やっ)てはいけないこと)\W*$",
    re.IGNORECASE,
)
_GENERAL = """rule guideline style convention general code coding format formatting overview principle practice best
policy important note instruction standard expectation guide workflow behaviour behavior constraint requirement always
never must do dos dont don't donts don'ts not avoid forbidden prohibited hard soft critical core key basic summary agent
contributing development project ルール 規約 方針 原則 注意 注意事項 禁止 禁止事項 スタイル 全般 共通 基本
してはいけないこと やってはいけないこと すること"""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two nodes, by index, of which one forbids what the other obliges or permits."""

    first: int
    second: int
    action: str
    why: str


def rules_of(node_text: str) -> tuple[DeonticRule, ...]:
    """The rules that a text states, in order: its commands, prohibitions and permissions with what they are about."""
    prose = read_prose(node_text)
    found: list[DeonticRule] = []
    for sentence in prose.sentences:
        if sentence.rstrip("\"'”’)）」』 ").endswith(("?", "？")):
            continue
        language = deontic_ja if _HIRAGANA.search(sentence) else deontic_en
        found.extend(language.rules_in(sentence, prose))
    return tuple(found)


def conflicts(nodes: Sequence[Node]) -> tuple[Conflict, ...]:
    """The contradictions between the rules of one document's nodes, each rule against the first earlier opposite."""
    shared = _shared_headings(nodes)
    seen: dict[tuple[object, ...], tuple[int, DeonticRule]] = {}
    found: dict[tuple[int, int, str], Conflict] = {}
    for index, node in enumerate(nodes):
        scope = _scope(node.heading, shared)
        for rule in _rules_of_node(node):
            about = (rule.action, rule.conditions, scope)
            for opposite in _OPPOSITES[rule.modality]:
                if (*about, opposite) in seen:
                    first, other = seen[*about, opposite]
                    action = " ".join(rule.action)
                    why = f"{other.modality}: “{other.text}”; {rule.modality}: “{rule.text}”"
                    found.setdefault((first, index, action), Conflict(first, index, action, why))
            seen.setdefault((*about, rule.modality), (index, rule))
    return tuple(found.values())


def _rules_of_node(node: Node) -> tuple[DeonticRule, ...]:
    if node.kind in _SILENT:
        return ()
    if node.kind == "front matter":
        return tuple(rule for line in node.text.split("\n") for rule in rules_of(_YAML_KEY.sub("", line, count=1)))
    rules = rules_of(node.text)
    if node.kind == "list item" and _PROHIBITING.match(node.heading.rpartition(PATH_SIGN)[2]):
        return tuple(replace(rule, modality="forbidden") if rule.modality == "obliged" else rule for rule in rules)
    return rules


def _shared_headings(nodes: Sequence[Node]) -> int:
    """How many headings, from the top, all nodes stand under: the title of a document narrows nothing."""
    paths = [node.heading.split(PATH_SIGN) for node in nodes if node.kind != "front matter" and node.heading]
    shared = 0
    for level in zip(*paths, strict=False):
        if len(set(level)) > 1:
            break
        shared += 1
    return shared


def _scope(heading: str, shared: int) -> tuple[str, ...]:
    """The subjects that the headings above a rule confine it to."""
    subjects = heading.split(PATH_SIGN)[shared:] if heading else []
    return tuple(" ".join(words) for subject in subjects if (words := _subject(subject)))


def _subject(heading: str) -> list[str]:
    if heading.strip() in _GENERAL.split():
        return []
    found = [term for term in terms(heading) if term not in STOP_WORDS]
    return [] if all(term in _general_terms() for term in found) else found


@lru_cache(maxsize=1)
def _general_terms() -> frozenset[str]:
    return frozenset(terms(_GENERAL))
