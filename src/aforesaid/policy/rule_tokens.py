"""The words of the rule language: a text cut into tokens, and errors that point at a column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from aforesaid.errors import RuleError

MAX_CHARS = 2000  # a rule is a sentence; what is longer wants to be several invariants
SHOWN = 60  # characters of a rule that an error shows, so that the caret stays on one line
ESCAPES = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "r": "\r", "t": "\t"}

Kind = Literal["number", "text", "name", "sign", "end"]

_SPACE = re.compile(r"[ \t\r\n]*+")
_NUMBER = re.compile(r"-?[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+")
_NAME = re.compile(r"[^\W\d]\w*+(?:\.\w++)*+")
_SIGN = re.compile(r"==|!=|>=|<=|&&|\|\||[<>!()\[\],]")
_TEXT = re.compile(r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\"""", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)

_SLIPS = {  # what people write out of habit, and what it is called here
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
    """One word of a rule and where it starts; `text` of a quoted text is what it says."""

    kind: Kind
    text: str
    at: int


def tokens(rule: str) -> Iterator[Token]:
    """The tokens of a rule in order, the last one of the kind `end`; raises RuleError at the first bad character."""
    at = _SPACE.match(rule).end()  # type: ignore[union-attr]  # matches the empty text, so always
    while at < len(rule):
        token, end = _token(rule, at)
        yield token
        at = _SPACE.match(rule, end).end()  # type: ignore[union-attr]
    yield Token("end", "", at)


def _token(rule: str, at: int) -> tuple[Token, int]:
    """The token that starts here, and where it ends in the rule."""
    if found := _TEXT.match(rule, at):
        return Token("text", _unescaped(rule, found), at), found.end()
    if found := _NAME.match(rule, at):
        if found[0] in _SLIPS:
            raise rule_error(rule, at, f"{found[0]!r} is not a word of the rule language", _SLIPS[found[0]])
        return Token("name", found[0], at), found.end()
    if found := _NUMBER.match(rule, at):
        return Token("number", found[0], at), found.end()
    if found := _SIGN.match(rule, at):
        return Token("sign", found[0], at), found.end()
    what = "the text is not closed" if rule[at] in "'\"" else f"{rule[at]!r} has no meaning here"
    raise rule_error(rule, at, what, _SLIPS.get(rule[at], _REMEDY))


def _unescaped(rule: str, found: re.Match[str]) -> str:
    for escape in _ESCAPE.finditer(rule, found.start(), found.end()):
        if escape[1] not in ESCAPES:
            remedy = r"Use \\ \' \" \n \r \t, or double the backslash."
            raise rule_error(rule, escape.start(), f"{escape[0]!r} is not an escape", remedy)
    return _ESCAPE.sub(lambda escape: ESCAPES[escape[1]], found[0][1:-1])


def rule_error(rule: str, at: int, what: str, remedy: str = _REMEDY) -> RuleError:
    """An error that names the column and shows the rule with a caret under it, the remedy beside the caret."""
    start = max(0, min(at - SHOWN // 2, len(rule) - SHOWN))
    before, after = ("… " if start else ""), (" …" if start + SHOWN < len(rule) else "")
    shown = "".join(char if char.isprintable() else " " for char in rule[start : start + SHOWN])
    caret = " " * (len(before) + at - start) + "^"
    return RuleError(f"Column {at + 1}: {what}.\n    {before}{shown}{after}\n    {caret}", remedy)
