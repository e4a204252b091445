"""Query → hits. The filter works inside the store; a profile finds, weighs, selects and explains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module

from aforesaid.engine.request import Request
from aforesaid.errors import InputError
from aforesaid.retrieval.fallback import failure, recovered
from aforesaid.retrieval.ranking.base import Question
from aforesaid.types import Filter, Hit, SearchResult, check_choice, storable

PROFILES = {  # where each way of ranking is; imported when it is asked for
    "default": "default.rank",
    "libra": "libra.rank",
    "libra-two-pass": "libra.rank_two_pass",
    "libra-single": "libra.rank_single",
    "pce": "pce.rank",
    "openclaw": "openclaw.rank",
}
RELATIVE = frozenset({"default", "openclaw"})  # profiles whose best score is high whatever it found
MAX_QUERY_CHARS = 20_000  # more than any question; a pasted file is searched by its beginning


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of the order the caller wants."""

    limit: int
    offset: int = 0

    def __post_init__(self) -> None:
        if self.limit < 1 or self.offset < 0:
            raise InputError(
                f"limit {self.limit}, offset {self.offset}: no such page.", "Use limit ≥ 1 and offset ≥ 0."
            )

    @property
    def end(self) -> int:
        """How many records the page reaches down to."""
        return self.limit + self.offset


def search(
    request: Request, query: str, where: Filter, page: Page, now: datetime, profile: str = "default"
) -> SearchResult:
    """The best records for a query under a filter, each with its parts and its reason."""
    check_choice(profile, tuple(PROFILES), "profile")
    question = question_for(request, query, where, page.end, now)
    rank = _profile(profile)
    hits = rank(question)
    failed = failure(question, hits, profile in RELATIVE)
    better = recovered(question, hits, rank) if failed else hits
    return SearchResult(
        tuple(better[page.offset : page.end]),
        request.freshness(where),
        question.text,
        profile,
        failed if better != hits else "",
    )


def question_for(request: Request, query: str, where: Filter, limit: int, now: datetime) -> Question:
    """A query with all that a profile needs to answer it."""
    asked = _clean(request, _checked(query))
    return Question(
        text=asked,
        vector=request.arm.embed_query(asked),
        where=where,
        limit=limit,
        now=now,
        request=request,
    )


def _clean(request: Request, query: str) -> str:
    """The query as records are stored; nothing that is hidden leaves the machine to be embedded."""
    guard = request.guard
    return guard.clean(query).text if request.arm.remote or guard.policy is not None else query


def _profile(name: str) -> Callable[[Question], list[Hit]]:
    module, function = PROFILES[name].split(".")
    found: Callable[[Question], list[Hit]] = getattr(import_module(f"aforesaid.retrieval.ranking.{module}"), function)
    return found


def _checked(query: str) -> str:
    if not isinstance(query, str) or not query.strip():
        raise InputError(f"The query is empty: {query!r}.", "Ask for something, or use `list` to see everything.")
    return storable(query.strip()[:MAX_QUERY_CHARS])
