"""The parser of the rule language. It never runs Python.

    rule    = all { "||" all }                       scope == 'global' || durable
    all     = one { "&&" one }                       kind == 'claim' && !tainted
    one     = "!" one | "(" rule ")" | test
    test    = "true" | "false" | name | value sign value | value "in" list
    sign    = "==" | "!=" | "<" | "<=" | ">" | ">="
    value   = name | number | 'text' | "text" | "true" | "false" | "null"
    list    = name | "[" [ literal { "," literal } ] "]"

Names are looked up in a flat table of facts; `meta.team` is one name with a dot in it. Three habits from other
languages are errors, because they would silently mean something else: `a == b == c`, `!a == b`, and a literal alone,
as in `scope == 'user' || 'session'`. `rules` says what a rule means.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from aforesaid.errors import RuleError
from aforesaid.policy.rules import COMPARISONS, Compare, Join, Name, Not, Plain, PolicyRule, Tree, Value

MAX_CHARS = 2000  # a longer rule should be several invariants
MAX_DEPTH = 50  # nested parentheses and !
SHOWN = 60  # characters of a rule that an error shows, so that the caret stays on one line
ESCAPES = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_TOKEN = re.compile(
    r"""(?P<text>'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
    r"|(?P<name>[^\W\d]\w*+(?:\.\w++)*+)"
    r"|(?P<number>-?[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)"
    r"|(?P<sign>==|!=|>=|<=|&&|\|\||[<>!()\[\],])"
    r"|(?P<space>[ \t\r\n]++)"
    r"|(?P<bad>.)",
    re.DOTALL,
)
_SLIPS = {  # what people write out of habit, and what to write instead
    "=": "Write == to compare.",
    "&": "Write && for and.",
    "|": "Write || for or.",
    "and": "Write && for and.",
    "or": "Write || for or.",
    "not": "Write ! for not, as in !(a == b).",
    "is": "Write == to compare.",
    "True": "Write true.",
    "False": "Write false.",
    "None": "Write null.",
    "'": "Close the text with the quote it began with.",
    '"': "Close the text with the quote it began with.",
}
_REMEDY = "A rule is made of names, numbers, 'texts', == != > >= < <= && || ! in, ( ) and [ ]."


class Token(NamedTuple):
    """One word of a rule, its kind and where it starts; for a quoted text, `text` is its content."""

    kind: str
    text: str
    at: int


def parse(text: str) -> PolicyRule:
    """Parse a rule, or raise RuleError with the column, a caret under it and a remedy."""
    if len(text) > MAX_CHARS:
        raise RuleError(f"The rule has {len(text)} characters, over {MAX_CHARS}.", "Split it into several invariants.")
    parser = _Parser(text)
    rule = PolicyRule(parser.rule(0))
    parser.expect_end()
    if len(rule.text) > MAX_CHARS:  # the canonical text adds spaces, and must be readable again
        raise RuleError(f"Written out, the rule has over {MAX_CHARS} characters.", "Split it into several invariants.")
    return rule


class _Parser:
    """Recursive descent over the tokens, one method per line of the grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(_tokens(text))
        self.position = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def take(self) -> Token:
        self.position += 1
        return self.tokens[self.position - 1]

    def sees(self, *signs: str) -> bool:
        return self.token.kind in ("sign", "name") and self.token.text in signs

    def sees_name(self) -> bool:
        return self.token.kind == "name" and self.token.text not in ("in", *WORDS)

    def rule(self, depth: int) -> Tree:
        return self.joined("||", lambda: self.joined("&&", lambda: self.one(depth)))

    def joined(self, sign: str, part: Callable[[], Tree]) -> Tree:
        parts = [part()]
        while self.sees(sign):
            self.take()
            parts.append(part())
        return parts[0] if len(parts) == 1 else Join(sign, tuple(parts))

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
        return Name(self.take().text) if self.sees_name() else Value(self.literal("a name or a value"))

    def items(self) -> Name | Value:
        if self.sees_name():
            return Name(self.take().text)
        if not self.sees("["):
            raise self.error(f"expected a list after 'in', got {self.got()}", "Write name in ['a', 'b'].")
        self.take()
        items: list[Plain] = []
        while not self.sees("]"):
            if items:
                if not self.sees(","):
                    raise self.error(f"expected ',' or ']', got {self.got()}", "Write ['a', 'b'].")
                self.take()
            items.append(self.literal("a value of the list"))
        self.take()
        return Value(tuple(items))

    def literal(self, expected: str) -> Plain:
        kind, text, _ = self.token
        if kind == "number" and not math.isfinite(float(text)):
            raise self.error("this number is too large", "Use a smaller one.")
        if self.sees_name():
            raise self.error(f"expected {expected}, got the name {text}", f"A text has quotes: '{text}'.")
        if kind not in ("text", "number") and not (kind == "name" and text in WORDS):
            raise self.error(f"expected {expected}, got {self.got()}")
        self.take()
        if kind == "number":
            return float(text) if set(text) & set(".eE") else int(text)
        return text if kind == "text" else WORDS[text]

    def expect_end(self) -> None:
        if self.token.kind != "end":
            raise self.error(f"expected '&&', '||' or the end, got {self.got()}", "Join two tests with && or ||.")

    def got(self) -> str:
        return "the end" if self.token.kind == "end" else repr(self.token.text)

    def error(self, what: str, remedy: str = _REMEDY) -> RuleError:
        return _error(self.text, self.token.at, what, remedy)


def _tokens(rule: str) -> Iterator[Token]:
    """The tokens of a rule; the last one has the kind `end`. Raises RuleError at the first bad character."""
    for found in _TOKEN.finditer(rule):
        kind, text, at = str(found.lastgroup), found[0], found.start()
        if kind == "bad":
            what = "the text is not closed" if text in "'\"" else f"{text!r} has no meaning here"
            raise _error(rule, at, what, _SLIPS.get(text, _REMEDY))
        if kind == "name" and text in _SLIPS:
            raise _error(rule, at, f"{text!r} is not a word of the rule language", _SLIPS[text])
        if kind != "space":
            yield Token(kind, _unescaped(rule, found) if kind == "text" else text, at)
    yield Token("end", "", len(rule))


def _unescaped(rule: str, found: re.Match[str]) -> str:
    for escape in _ESCAPE.finditer(rule, found.start(), found.end()):
        if escape[1] not in ESCAPES:
            remedy = r"Use \\ \' \" \n \r \t, or double the backslash."
            raise _error(rule, escape.start(), f"{escape[0]!r} is not an escape", remedy)
    return _ESCAPE.sub(lambda escape: ESCAPES[escape[1]], found[0][1:-1])


def _error(rule: str, at: int, what: str, remedy: str) -> RuleError:
    """An error that names the column and shows the rule with a caret under it."""
    start = max(0, min(at - SHOWN // 2, len(rule) - SHOWN))
    before, after = ("… " if start else ""), (" …" if start + SHOWN < len(rule) else "")
    shown = "".join(char if char.isprintable() else " " for char in rule[start : start + SHOWN])
    caret = " " * (len(before) + at - start) + "^"
    return RuleError(f"Column {at + 1}: {what}.\n    {before}{shown}{after}\n    {caret}", remedy)
