"""What a rule means: its tree, how it is written, and whether it holds.

- A name that is not known is false by itself: `!unknown` is true. A comparison that touches one is false whatever the
  sign, so `unknown != 3` is false too; a name that is known and empty is `null`, and `user == null` is then true.
- `==` and `!=` compare any two plain values; values of different types differ, and true is not 1.
- `<`, `<=`, `>` and `>=` order two numbers or two texts. Anything else fails, and so do values that are not plain
  (NaN, a list outside `in`). A failure is not false: no `!` turns it into true, the whole rule fails.
- A name by itself is true unless its value is false, null, 0, the empty text or an empty list.
- `&&` and `||` stop as soon as they know; what stands behind is not looked at and cannot fail.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

Plain = None | bool | int | float | str
LISTS = (list, tuple, set, frozenset)
_UNKNOWN = object()
_ORDERS: dict[str, Callable[[int | float | str, int | float | str], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
COMPARISONS = ("==", "!=", *_ORDERS, "in")
_WRITTEN = str.maketrans({"\\": r"\\", "'": r"\'", "\n": r"\n", "\r": r"\r", "\t": r"\t"})


class FailedError(Exception):
    """The rule cannot be decided for these values; whoever asks denies."""


@dataclass(frozen=True, slots=True)
class Name:
    """A fact that is looked up when the rule is asked."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Value:
    """A number, a text, true, false or null."""

    value: Plain

    def __str__(self) -> str:
        if isinstance(self.value, str):
            return f"'{self.value.translate(_WRITTEN)}'"
        if self.value is None:
            return "null"
        return str(self.value).lower() if isinstance(self.value, bool) else repr(self.value)


@dataclass(frozen=True, slots=True)
class Items:
    """The list to the right of `in`."""

    values: tuple[Value, ...]

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.values))}]"


@dataclass(frozen=True, slots=True)
class Compare:
    """Two values and the sign between them."""

    sign: str
    left: Name | Value
    right: Name | Value | Items

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"


@dataclass(frozen=True, slots=True)
class Not:
    """True when its part is not."""

    part: Tree

    def __str__(self) -> str:
        return f"!({self.part})" if isinstance(self.part, (Compare, And, Or)) else f"!{self.part}"


@dataclass(frozen=True, slots=True)
class And:
    """True when all parts are; flat, so that a long rule is not a deep one."""

    parts: tuple[Tree, ...]

    def __str__(self) -> str:
        return " && ".join(f"({part})" if isinstance(part, (And, Or)) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    """True when one part is; `&&` binds closer and needs no parentheses inside."""

    parts: tuple[Tree, ...]

    def __str__(self) -> str:
        return " || ".join(f"({part})" if isinstance(part, Or) else str(part) for part in self.parts)


Tree = Name | Value | Compare | Not | And | Or


def truth(tree: Tree, facts: Mapping[str, object]) -> bool:
    """Whether the tree is true of the facts; raises FailedError when that cannot be said."""
    match tree:
        case And(parts):
            return all(truth(part, facts) for part in parts)
        case Or(parts):
            return any(truth(part, facts) for part in parts)
        case Not(part):
            return not truth(part, facts)
        case Compare(sign, left, right):
            return _compared(sign, _looked_up(left, facts), _looked_up(right, facts))
        case Name(name):
            return _is_true(facts.get(name, False))
        case Value(value):
            return _is_true(value)


def names_of(tree: Tree | Items) -> Iterator[str]:
    """Every name the tree uses, in the order in which it is written."""
    match tree:
        case Name(name):
            yield name
        case Compare(_, left, right):
            yield from names_of(left)
            yield from names_of(right)
        case Not(part):
            yield from names_of(part)
        case And(parts) | Or(parts):
            for part in parts:
                yield from names_of(part)


def _looked_up(node: Name | Value | Items, facts: Mapping[str, object]) -> object:
    match node:
        case Name(name):
            return facts.get(name, _UNKNOWN)
        case Value(value):
            return value
        case Items(values):
            return [item.value for item in values]


def _compared(sign: str, left: object, right: object) -> bool:
    if left is _UNKNOWN or right is _UNKNOWN:
        return False
    if sign == "in":
        if _type(left) is None or not isinstance(right, LISTS):
            raise FailedError
        return any(_type(left) == _type(item) and left == item for item in right)
    if _type(left) is None or _type(right) is None:
        raise FailedError
    if sign in ("==", "!="):
        return (_type(left) == _type(right) and left == right) == (sign == "==")
    if isinstance(left, str) and isinstance(right, str):
        return _ORDERS[sign](left, right)
    if isinstance(left, (int, float)) and isinstance(right, (int, float)) and _type(left) == _type(right) == "number":
        return _ORDERS[sign](left, right)
    raise FailedError


def _type(value: object) -> str | None:
    """The type of a plain value as the language sees it; None when it is not plain."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, (int, float)):
        return "number" if value == value else None  # NaN is not equal to itself, so nothing can be said of it
    return "text" if isinstance(value, str) else None


def _is_true(value: object) -> bool:
    if _type(value) is None and not isinstance(value, LISTS):
        raise FailedError
    return bool(value)
