"""The rule language of a policy: read by a parser of its own, never by Python.

    rule    = all { "||" all }                       scope == 'global' || durable
    all     = one { "&&" one }                       kind == 'claim' && !tainted
    one     = "!" one | "(" rule ")" | test
    test    = "true" | "false" | name | value sign value | value "in" list
    sign    = "==" | "!=" | "<" | "<=" | ">" | ">="
    value   = name | number | 'text' | "text" | "true" | "false" | "null"
    list    = name | "[" [ literal { "," literal } ] "]"

A name is looked up among flat facts; `meta.team` is one name with a dot in it. Three habits of other languages are
refused because they would quietly mean something else: `a == b == c`, `!a == b`, and a literal that stands alone as in
`scope == 'user' || 'session'`. What a rule means is told in `rule_tree`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from aforesaid.errors import RuleError
from aforesaid.policy.rule_tokens import MAX_CHARS, Token, rule_error, tokens
from aforesaid.policy.rule_tree import (
    COMPARISONS,
    And,
    Compare,
    FailedError,
    Items,
    Name,
    Not,
    Or,
    Tree,
    Value,
    names_of,
    truth,
)

__all__ = ["MAX_CHARS", "MAX_DEPTH", "PolicyRule", "parse"]

MAX_DEPTH = 50  # parentheses and ! within each other; people get lost long before
WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """A rule that was understood. Two rules are equal when they are written the same in canonical form."""

    tree: Tree = field(compare=False, repr=False)
    text: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", str(self.tree))

    @property
    def names(self) -> tuple[str, ...]:
        """The facts it asks for, each once, in order of appearance."""
        return tuple(dict.fromkeys(names_of(self.tree)))

    def holds(self, names: Mapping[str, object]) -> bool:
        """Whether it is true of these facts; a rule that fails does not hold."""
        try:
            return truth(self.tree, names)
        except FailedError:
            return False

    def __str__(self) -> str:
        return self.text


def parse(text: str) -> PolicyRule:
    """Read a rule, or raise RuleError with the column, a caret under it and a remedy."""
    if len(text) > MAX_CHARS:
        raise RuleError(f"The rule has {len(text)} characters, over {MAX_CHARS}.", "Split it into several invariants.")
    parser = _Parser(text)
    rule = PolicyRule(parser.rule(0))
    parser.expect_end()
    if len(rule.text) > MAX_CHARS:  # its canonical form, with spaces around signs, has to be readable again
        raise RuleError(f"Written out, the rule has over {MAX_CHARS} characters.", "Split it into several invariants.")
    return rule


class _Parser:
    """Recursive descent over the tokens, one method a line of the grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(tokens(text))
        self.position = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def take(self) -> Token:
        taken = self.token
        self.position += 1
        return taken

    def sees(self, *signs: str) -> bool:
        return self.token.kind in ("sign", "name") and self.token.text in signs

    def rule(self, depth: int) -> Tree:
        parts = [self.all_of(depth)]
        while self.sees("||"):
            self.take()
            parts.append(self.all_of(depth))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def all_of(self, depth: int) -> Tree:
        parts = [self.one(depth)]
        while self.sees("&&"):
            self.take()
            parts.append(self.one(depth))
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def one(self, depth: int) -> Tree:
        if not self.sees("!", "("):
            return self.test()
        if depth == MAX_DEPTH:
            raise self.error(f"this is nested over {MAX_DEPTH} deep", "Split the rule into several invariants.")
        if self.sees("("):
            return self.group(depth)
        self.take()
        before = self.position
        part = self.one(depth + 1)
        if isinstance(part, Compare) and self.tokens[before].text != "(":
            self.position = before
            raise self.error("'!' in front of a comparison can be read in two ways", f"Write !({part}).")
        return Not(part)

    def group(self, depth: int) -> Tree:
        opened = self.take()
        inner = self.rule(depth + 1)
        if not self.sees(")"):
            raise self.error(f"expected ')' for the '(' in column {opened.at + 1}, got {self.got()}", "Close it.")
        self.take()
        if self.sees(*COMPARISONS):
            raise self.error(f"{self.token.text!r} compares two values, not a group", "Combine groups with && or ||.")
        return inner

    def test(self) -> Tree:
        start = self.position
        left = self.value()
        if not self.sees(*COMPARISONS):
            if isinstance(left, Value) and not isinstance(left.value, bool):
                self.position = start
                raise self.error(f"{left} alone is neither true nor false", f"Compare it, as in name == {left}.")
            return left
        sign = self.take().text
        right = self.items() if sign == "in" else self.value()
        if self.sees(*COMPARISONS):
            raise self.error("comparisons do not form chains", "Write a < b && b < c.")
        return Compare(sign, left, right)

    def value(self) -> Name | Value:
        token = self.token
        if token.kind == "name" and token.text not in ("in", *WORDS):
            self.take()
            return Name(token.text)
        return self.literal("a name or a value")

    def items(self) -> Name | Items:
        if self.token.kind == "name" and self.token.text not in ("in", *WORDS):
            return Name(self.take().text)
        if not self.sees("["):
            raise self.error(f"expected a list after 'in', got {self.got()}", "Write name in ['a', 'b'].")
        self.take()
        items: list[Value] = []
        while not self.sees("]"):
            if items:
                if not self.sees(","):
                    raise self.error(f"expected ',' or ']', got {self.got()}", "Write ['a', 'b'].")
                self.take()
            items.append(self.literal("a value of the list"))
        self.take()
        return Items(tuple(items))

    def literal(self, expected: str) -> Value:
        token = self.token
        if token.kind == "text":
            self.take()
            return Value(token.text)
        if token.kind == "number":
            if not math.isfinite(float(token.text)):
                raise self.error("this number is too large", "Use a smaller one.")
            self.take()
            return Value(float(token.text) if set(token.text) & set(".eE") else int(token.text))
        if token.kind == "name" and token.text in WORDS:
            self.take()
            return Value(WORDS[token.text])
        if token.kind == "name" and token.text != "in":
            raise self.error(f"expected {expected}, got the name {token.text}", f"A text has quotes: '{token.text}'.")
        raise self.error(f"expected {expected}, got {self.got()}")

    def expect_end(self) -> None:
        if self.token.kind != "end":
            raise self.error(f"expected '&&', '||' or the end, got {self.got()}", "Join two tests with && or ||.")

    def got(self) -> str:
        return "the end" if self.token.kind == "end" else repr(self.token.text)

    def error(self, what: str, remedy: str | None = None) -> RuleError:
        at = self.token.at
        return rule_error(self.text, at, what) if remedy is None else rule_error(self.text, at, what, remedy)
