"""How rules for what is said of people are put together: by the verb they begin with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from aforesaid.text.extract.statements.phrases import Phrase, Predicate
from aforesaid.text.extract.statements.values import DraftStatement, Mood

Rule = Callable[[re.Match[str], Phrase, Predicate], Iterator[DraftStatement]]
Row = tuple[str, str | re.Pattern[str], Rule]  # the verbs it may begin with, the pattern, what it states

BE = "(?:am|is|are|was|were|have been|has been)"
HAVE = "(?:(?:have|has|had) )?"
V = r"(?P<v>.{1,120})"  # the value; long enough for any, short enough for hostile text
VALUE_CHARS = 80


def by_verb(verb: str, *tables: tuple[Row, ...]) -> tuple[tuple[re.Pattern[str], Rule], ...]:
    """The rows of one verb in order, compiled: a clause meets only a handful of patterns, and most verbs never come."""
    rows = (row for table in tables for row in table if verb in row[0].split())
    return tuple((re.compile(pattern) if isinstance(pattern, str) else pattern, rule) for _, pattern, rule in rows)


def _mood(said: Predicate, match: re.Match[str]) -> Mood | None:
    """Of a state: it holds, held or ends; None when it is denied, which may only correct a belief."""
    if said.ended:
        return "ends"
    if said.negated:
        return None
    groups = match.groupdict()
    return "ends" if groups.get("used") else "was" if groups.get("past") else "is"


def stated(
    said: Predicate, match: re.Match[str], subject: str, attribute: str, value: str, change: bool = False
) -> Iterator[DraftStatement]:
    """The reading of a state, if it has a value and is not merely denied."""
    if value and len(value) <= VALUE_CHARS and (mood := _mood(said, match)):
        yield DraftStatement(subject, attribute, value, mood, change or said.change)
