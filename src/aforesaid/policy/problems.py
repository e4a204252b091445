"""What is wrong with a policy file: every problem with its line, told in one error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol

from aforesaid.errors import PolicyError, RuleError

SHOWN = 5  # problems that the message spells out; `problems` holds all of them
MAX_PROBLEMS = 50  # then reading stops: such a file was not meant to be a policy
MAX_WORD = 60  # characters of a wrong word that are shown, and compared with the right ones
REMEDY = "Mend the file and apply it again; until then the policy in force stays."


@dataclass(frozen=True, slots=True, order=True)
class PolicyProblem:
    """One thing that is wrong, and where; `rule` marks a rule or pattern that cannot be read."""

    line: int
    column: int
    path: str
    message: str
    rule: bool = False


class PolicyFileError(PolicyError):
    """A policy file cannot be used; `problems` tells all that was found, in order of lines."""

    def __init__(self, source: str, problems: Sequence[PolicyProblem]) -> None:
        self.source = source
        self.problems = tuple(sorted(problems))
        more = len(self.problems) - SHOWN
        lines = [_line(source, problem) for problem in self.problems[:SHOWN]]
        super().__init__("\n".join([*lines, f"… and {more} more."] if more > 0 else lines), REMEDY)


class PolicyRuleError(PolicyFileError, RuleError):
    """The same, and at least one of the problems is a rule or pattern."""


class HasLine(Protocol):
    """Anything that knows where it stands in the file."""

    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


class Problems:
    """Gathers problems while a file is read."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[PolicyProblem] = []

    def add(self, place: HasLine, path: str, message: str, rule: bool = False) -> None:
        """Remember one more; too many stop the reading."""
        self.found.append(PolicyProblem(place.line, place.column, path, message, rule))
        if len(self.found) >= MAX_PROBLEMS:
            self.check()

    def stop(self, place: HasLine, path: str, message: str) -> NoReturn:
        """Remember one after which nothing more can be read."""
        raise PolicyFileError(self.source, [*self.found, PolicyProblem(place.line, place.column, path, message)])

    def check(self) -> None:
        """Raise if there are any."""
        if self.found:
            kind = PolicyRuleError if any(problem.rule for problem in self.found) else PolicyFileError
            raise kind(self.source, self.found)


def shortened(word: str) -> str:
    """A word of the file as an error shows it."""
    return repr(word if len(word) <= MAX_WORD else word[: MAX_WORD - 1] + "…")


def suggestion(word: str, choices: Iterable[str]) -> str:
    """`Did you mean …?` when a choice is close, else all choices if they are few."""
    from difflib import get_close_matches

    known = sorted(choices)
    if close := get_close_matches(word[:MAX_WORD], known, n=1, cutoff=0.6):
        return f"Did you mean {close[0]!r}?"
    return f"Use one of: {', '.join(known)}." if len(known) <= 15 else "`aforesaid settings` lists them all."


def _line(source: str, problem: PolicyProblem) -> str:
    where = f"{source}:{problem.line}: "
    return where + (f"{problem.path}: {problem.message}" if problem.path else problem.message)
