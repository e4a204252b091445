"""What a policy rule means: its tree, its canonical text, and whether it holds. `rule_parser` reads it from text.

- An unknown name is false by itself: `!unknown` is true. Every comparison with an unknown name is false, so
  `unknown != 3` is false too. A name that is known but empty is `null`: then `user == null` is true.
- `==` and `!=` compare any two plain values. Values of different types are different, and true is not 1.
- `<`, `<=`, `>` and `>=` order two numbers or two texts. Everything else fails, and so does a value that is not plain
  (NaN, a list outside `in`). A failure is not false: `!` does not turn it into true, the whole rule fails.
- A name alone is true unless its value is false, null, 0, an empty text or an empty list.
- `&&` and `||` stop as soon as the result is known. The parts after that are not evaluated and cannot fail.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

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
_ESCAPES = str.maketrans({"\\": r"\\", "'": r"\'", "\n": r"\n", "\r": r"\r", "\t": r"\t"})


class FailedError(Exception):
    """The rule cannot be evaluated for these facts; the action is then denied."""


@dataclass(frozen=True, slots=True)
class Name:
    """A fact that is looked up when the rule is evaluated."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Value:
    """A number, a text, true, false or null, or the list to the right of `in`."""

    value: Plain | tuple[Plain, ...]

    def __str__(self) -> str:
        if isinstance(self.value, tuple):
            return f"[{', '.join(str(Value(item)) for item in self.value)}]"
        if isinstance(self.value, str):
            return f"'{self.value.translate(_ESCAPES)}'"
        if self.value is None:
            return "null"
        return str(self.value).lower() if isinstance(self.value, bool) else repr(self.value)


@dataclass(frozen=True, slots=True)
class Compare:
    """Two values and the comparison between them."""

    sign: str
    left: Name | Value
    right: Name | Value

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"


@dataclass(frozen=True, slots=True)
class Not:
    """True when its part is not."""

    part: Tree

    def __str__(self) -> str:
        return f"!({self.part})" if isinstance(self.part, (Compare, Join)) else f"!{self.part}"


@dataclass(frozen=True, slots=True)
class Join:
    """Parts joined by `&&` or `||`. One flat list, so that a long rule is not a deep tree."""

    sign: str
    parts: tuple[Tree, ...]

    def __str__(self) -> str:
        return f" {self.sign} ".join(f"({part})" if self._needs_group(part) else str(part) for part in self.parts)

    def _needs_group(self, part: Tree) -> bool:
        """An `&&` inside an `||` needs no parentheses, because it binds tighter."""
        return isinstance(part, Join) and (self.sign == "&&" or part.sign == "||")


Tree = Name | Value | Compare | Not | Join


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """A parsed rule. Two rules are equal when their canonical texts are equal."""

    tree: Tree = field(compare=False, repr=False)
    text: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", str(self.tree))

    @property
    def names(self) -> tuple[str, ...]:
        """The facts that it uses, each once, in order of appearance."""
        return tuple(dict.fromkeys(_names(self.tree)))

    def holds(self, facts: Mapping[str, object]) -> bool:
        """Whether the rule is true for these facts; a rule that fails does not hold."""
        try:
            return _is_true(self.tree, facts)
        except FailedError:
            return False

    def __str__(self) -> str:
        return self.text


def _is_true(tree: Tree, facts: Mapping[str, object]) -> bool:
    match tree:
        case Join(sign, parts):
            return (all if sign == "&&" else any)(_is_true(part, facts) for part in parts)
        case Not(part):
            return not _is_true(part, facts)
        case Compare(sign, left, right):
            return _compare(sign, _value(left, facts), _value(right, facts))
        case Name(name):
            return _as_bool(facts.get(name, False))
        case Value(value):
            return _as_bool(value)


def _names(tree: Tree) -> Iterator[str]:
    match tree:
        case Name(name):
            yield name
        case Compare(_, left, right):
            yield from _names(left)
            yield from _names(right)
        case Not(part):
            yield from _names(part)
        case Join(_, parts):
            for part in parts:
                yield from _names(part)


def _value(node: Name | Value, facts: Mapping[str, object]) -> object:
    return facts.get(node.name, _UNKNOWN) if isinstance(node, Name) else node.value


def _compare(sign: str, left: object, right: object) -> bool:
    if left is _UNKNOWN or right is _UNKNOWN:
        return False
    kind = _type(left)
    if kind is None:
        raise FailedError
    if sign == "in":
        if not isinstance(right, LISTS):
            raise FailedError
        return any(kind == _type(item) and left == item for item in right)
    if _type(right) is None:
        raise FailedError
    if sign in ("==", "!="):
        return (kind == _type(right) and left == right) == (sign == "==")
    if kind != _type(right) or kind not in ("number", "text"):
        raise FailedError
    return _ORDERS[sign](left, right)  # type: ignore[arg-type]  # both are numbers or both are texts


def _type(value: object) -> str | None:
    """The rule language's type of a plain value; None when it is not plain."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number" if value == value else None  # NaN cannot be compared
    return "text" if isinstance(value, str) else None


def _as_bool(value: object) -> bool:
    if _type(value) is None and not isinstance(value, LISTS):
        raise FailedError
    return bool(value)
