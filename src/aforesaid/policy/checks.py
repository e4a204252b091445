"""One check a kind of value: each gives the value, or notes a problem with its line and gives None.

A node that is None was left out: no problem, and no value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from aforesaid.policy.nodes import Leaf, ListNode, Node, Table
from aforesaid.policy.problems import Problems, shortened, suggestion

MAX_TEXT = 200  # characters of a name, a tag or a version
MAX_DAYS = 1_000_000  # as far as the settings go

Word = TypeVar("Word", bound=str)


@dataclass(frozen=True, slots=True)
class Checks:
    """Reads nodes of a policy file as values."""

    problems: Problems

    def table(self, node: Node | None, path: str, keys: Collection[str] | None) -> Mapping[str, Node]:
        """The entries of a table; keys that are not known are problems, unless any will do (None)."""
        if node is None:
            return {}
        if not isinstance(node, Table):
            self.wrong(node, path, "a table of keys and values")
            return {}
        if keys is None:
            return node.entries
        for key in (key for key in node.entries if key not in keys):
            message = f"unknown key {shortened(key)}. {suggestion(key, keys)}"
            self.problems.add(node.keys[key], path, message)
        return {key: value for key, value in node.entries.items() if key in keys}

    def items(self, node: Node | None, path: str, what: str) -> Iterator[tuple[Node, str]]:
        """Each item of a list with its path."""
        if node is None:
            return
        if not isinstance(node, ListNode):
            self.wrong(node, path, f"a list of {what}")
            return
        for index, item in enumerate(node.items):
            yield item, f"{path}[{index}]"

    def text(self, node: Node | None, path: str, what: str = "text", limit: int = MAX_TEXT) -> str | None:
        """A text that is not empty."""
        if node is None:
            return None
        if not isinstance(node, Leaf) or not isinstance(node.value, str):
            number = isinstance(node, Leaf) and node.value is not None
            self.wrong(node, path, what, " Put it in quotes." if number else "")
            return None
        if not node.value.strip() or len(node.value) > limit:
            self.problems.add(node, path, f"expected {what} of 1 to {limit} characters, got {shortened(node.value)}.")
            return None
        return node.value

    def choice(self, node: Node | None, path: str, choices: Collection[Word], what: str) -> Word | None:
        """One of a few words."""
        word = self.text(node, path, what)
        if node is None or word is None:
            return None
        for known in choices:
            if word == known:
                return known
        self.problems.add(node, path, f"unknown {what} {shortened(word)}. {suggestion(word, choices)}")
        return None

    def choices(self, node: Node | None, path: str, choices: Collection[Word], what: str) -> tuple[Word, ...]:
        """A list of such words, each once."""
        found = [self.choice(item, place, choices, what) for item, place in self.items(node, path, f"{what}s")]
        return tuple(dict.fromkeys(word for word in found if word is not None))

    def days(self, node: Node | None, path: str) -> float | None:
        """A number of days, more than 0."""
        what = f"a number of days over 0 and up to {MAX_DAYS}"
        return self.number(node, path, what, lambda days: 0 < days <= MAX_DAYS)

    def whole(self, node: Node | None, path: str, low: int, high: int) -> int | None:
        """A whole number in [low, high]."""
        what = f"a whole number from {low} to {high}"
        value = self.number(node, path, what, lambda value: value.is_integer() and low <= value <= high)
        return None if value is None else int(value)

    def number(self, node: Node | None, path: str, what: str, fits: Callable[[float], bool]) -> float | None:
        """A number that fits; true and false are none."""
        if node is None:
            return None
        value = node.value if isinstance(node, Leaf) else None
        if isinstance(value, (int, float)) and not isinstance(value, bool) and fits(float(value)):
            return float(value)
        self.wrong(node, path, what)
        return None

    def wrong(self, node: Node, path: str, expected: str, remedy: str = "") -> None:
        """Note that something else was expected here."""
        self.problems.add(node, path, f"expected {expected}, got {_shown(node)}.{remedy}")


def _shown(node: Node) -> str:
    """A node as an error shows it."""
    if not isinstance(node, Leaf):
        return "a list" if isinstance(node, ListNode) else "a table"
    if isinstance(node.value, str):
        return shortened(node.value)
    if node.value is None:
        return "nothing"
    return str(node.value).lower() if isinstance(node.value, bool) else str(node.value)
