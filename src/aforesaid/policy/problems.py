"""What is wrong with a policy file: every problem with its line, reported in one error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol

from aforesaid.errors import PolicyError, RuleError

SHOWN = 5  # problems in the message; `problems` holds all of them
MAX_PROBLEMS = 50  # then reading stops: this file was not meant to be a policy
MAX_WORD = 60  # characters of a wrong word that are shown and compared with the right ones
REMEDY = "Correct the file and apply it again. Until then the active policy stays in force."


@dataclass(frozen=True, slots=True, order=True)
class PolicyProblem:
    """One problem and its place; `rule` marks a rule or pattern that cannot be read."""

    line: int
    column: int
    path: str
    message: str
    rule: bool = False


class PolicyFileError(PolicyError):
    """A policy file cannot be used; `problems` lists everything that was found, ordered by line."""

    def __init__(self, source: str, problems: Sequence[PolicyProblem]) -> None:
        self.source = source
        self.problems = tuple(sorted(problems))
        shown = [
            f"{source}:{each.line}: {each.path}{': ' if each.path else ''}{each.message}"
            for each in self.problems[:SHOWN]
        ]
        more = len(self.problems) - SHOWN
        super().__init__("\n".join([*shown, f"… and {more} more."] if more > 0 else shown), REMEDY)


class PolicyRuleError(PolicyFileError, RuleError):
    """A policy file cannot be used, and at least one of the problems is a rule or pattern."""


class HasLine(Protocol):
    """Anything with a place in the file."""

    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


class Problems:
    """Collects problems while a file is read."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[PolicyProblem] = []

    def add(self, place: HasLine, path: str, message: str, rule: bool = False) -> None:
        """Record a problem; too many stop the reading."""
        self.found.append(PolicyProblem(place.line, place.column, path, message, rule))
        if len(self.found) >= MAX_PROBLEMS:
            self.check()

    def stop(self, place: HasLine, path: str, message: str) -> NoReturn:
        """Record a problem after which reading cannot continue, and raise."""
        raise PolicyFileError(self.source, [*self.found, PolicyProblem(place.line, place.column, path, message)])

    def check(self) -> None:
        """Raise if there are any problems."""
        if self.found:
            kind = PolicyRuleError if any(problem.rule for problem in self.found) else PolicyFileError
            raise kind(self.source, self.found)


def quoted(word: str) -> str:
    """A word of the file as an error shows it: quoted, and cut if long."""
    return repr(word if len(word) <= MAX_WORD else word[: MAX_WORD - 1] + "…")


def suggestion(word: str, choices: Iterable[str]) -> str:
    """`Did you mean …?` if a choice is close, else all choices if they are few."""
    from difflib import get_close_matches

    known = sorted(choices)
    if close := get_close_matches(word[:MAX_WORD], known, n=1, cutoff=0.6):
        return f"Did you mean {close[0]!r}?"
    return f"Use one of: {', '.join(known)}." if len(known) <= 15 else "`aforesaid settings` lists them all."
