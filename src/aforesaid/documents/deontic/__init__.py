"""Finds what a text obliges, forbids and permits, and rules of one document that contradict each other (spec 7).

Two rules conflict when they have the same action, conditions and scope, and one forbids what the other obliges or
permits. A rule with an additional condition is an exception, not a conflict. So is a rule under a heading with another
subject ("Python" and "Makefiles"; "Style" and "Rules" are no subjects). What follows "unless" or "except" is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from aforesaid.documents.deontic import english as deontic_en
from aforesaid.documents.deontic import japanese as deontic_ja
from aforesaid.documents.deontic.rule import DeonticRule, Modality
from aforesaid.documents.nodes import PATH_SIGN, Node
from aforesaid.text.analyze import STOP_WORDS, terms
from aforesaid.text.extract.imperatives import read_prose

__all__ = ["Conflict", "DeonticRule", "Modality", "conflicts", "rules_of"]

_WITHOUT_RULES = ("code", "table", "html")  # kinds of nodes
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
    """Two nodes (by index) where one forbids what the other obliges or permits."""

    first: int
    second: int
    action: str
    why: str


def rules_of(node_text: str) -> tuple[DeonticRule, ...]:
    """The commands, prohibitions and permissions in a text, in order."""
    prose = read_prose(node_text)
    found: list[DeonticRule] = []
    for sentence in prose.sentences:
        if sentence.rstrip("\"'”’)）」』 ").endswith(("?", "？")):
            continue
        language = deontic_ja if _HIRAGANA.search(sentence) else deontic_en
        found.extend(language.rules_in(sentence, prose))
    return tuple(found)


def conflicts(nodes: Sequence[Node]) -> tuple[Conflict, ...]:
    """The conflicts in a document. Each rule is compared with the first opposite rule before it."""
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
    if node.kind in _WITHOUT_RULES:
        return ()
    if node.kind == "front matter":
        return tuple(rule for line in node.text.split("\n") for rule in rules_of(_YAML_KEY.sub("", line, count=1)))
    rules = rules_of(node.text)
    if node.kind == "list item" and _PROHIBITING.match(node.heading.rpartition(PATH_SIGN)[2]):
        return tuple(replace(rule, modality="forbidden") if rule.modality == "obliged" else rule for rule in rules)
    return rules


def _shared_headings(nodes: Sequence[Node]) -> int:
    """The number of headings, from the top, that all nodes share. They do not narrow the scope."""
    paths = [node.heading.split(PATH_SIGN) for node in nodes if node.kind != "front matter" and node.heading]
    shared = 0
    for level in zip(*paths, strict=False):
        if len(set(level)) > 1:
            break
        shared += 1
    return shared


def _scope(heading: str, shared: int) -> tuple[str, ...]:
    """The subjects in the headings above a rule."""
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
