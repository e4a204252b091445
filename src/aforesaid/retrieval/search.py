"""Search: clean the query → embed it → rank with a profile → fall back to raw turns when the hits are weak."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib import import_module

from aforesaid.engine.request import Request
from aforesaid.engine.rules import guidance_in_view
from aforesaid.engine.thresholds import with_thresholds
from aforesaid.errors import InputError
from aforesaid.retrieval.confidence import FIRST, with_confidence
from aforesaid.retrieval.fallback import weak_hits_reason, with_raw_turns
from aforesaid.retrieval.ranking.base import Question
from aforesaid.types import Filter, Hit, SearchResult, check_choice, storable

PROFILES = {  # module and function of each ranking profile; imported on first use
    "default": "default.rank",
    "libra": "libra.rank",
    "libra-two-pass": "libra.rank_two_pass",
    "libra-single": "libra.rank_single",
    "pce": "pce.rank",
    "openclaw": "openclaw.rank",
}
DERIVED = frozenset(PROFILES) - {"default", "pce"}  # profiles with cosine thresholds
RELATIVE = frozenset({"default", "openclaw"})  # profiles whose best score is always high
MAX_QUERY_CHARS = 20_000  # longer queries are cut


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of the ranking to return."""

    limit: int
    offset: int = 0

    def __post_init__(self) -> None:
        if self.limit < 1 or self.offset < 0:
            raise InputError(
                f"limit {self.limit}, offset {self.offset}: no such page.", "Use limit ≥ 1 and offset ≥ 0."
            )

    @property
    def end(self) -> int:
        """The number of hits to rank to fill this page."""
        return self.limit + self.offset


def search(
    request: Request,
    query: str,
    where: Filter,
    page: Page,
    now: datetime,
    profile: str = "default",
    active_session: str | None = None,
    min_confidence: float = 0.0,
) -> SearchResult:
    """The best records for a query under a filter, each with its score parts, the reason and a confidence."""
    check_choice(profile, tuple(PROFILES), "profile")
    request = with_thresholds(request.with_ids()) if profile in DERIVED else request.with_ids()
    limit = max(page.end, FIRST) if profile == "default" else page.end  # a confidence needs some hits to compare
    question = question_for(request, query, _without_guidance(request, where), limit, now, active_session)
    rank = _profile(profile)
    hits, below = _ranked(question, profile)
    details = dict(question.details)
    problem = weak_hits_reason(question, hits, profile in RELATIVE)
    final = with_raw_turns(question, hits, rank) if problem else hits
    judged = with_confidence(question, final)
    kept = [hit for hit in judged.hits if hit.confidence >= min_confidence]
    return SearchResult(
        tuple(kept[page.offset : page.end]),
        replace(request.freshness(where), text_off=question.off.get("text", "")),
        question.text,
        profile,
        problem if final != hits else "",
        details,
        **request.ids,
        below_threshold=tuple(below),
        confidence=judged.confidence,
        signals=judged.signals,
    )


def _without_guidance(request: Request, where: Filter) -> Filter:
    """A filter that finds the turns behind guidance, and not their text a second time."""
    if where.kinds is not None or where.keys is not None:
        return where
    return replace(where, exclude=(*where.exclude, *(rule.key for rule in guidance_in_view(request, where))))


def _ranked(question: Question, profile: str) -> tuple[list[Hit], Sequence[Hit]]:
    """The hits of a profile, and for `pce` the candidates under its threshold."""
    if profile != "pce":
        return _profile(profile)(question), ()
    from aforesaid.retrieval.ranking.pce import rank_all

    return rank_all(question)


def question_for(
    request: Request, query: str, where: Filter, limit: int, now: datetime, active_session: str | None = None
) -> Question:
    """Clean and embed a query."""
    text = clean_query(request, query)
    return Question(
        text=text,
        vector=request.arm.embed_query(text),
        where=where,
        limit=limit,
        now=now,
        request=request,
        active_session=active_session,
    )


def clean_query(request: Request, query: str) -> str:
    """Check and cut a query. Redact it like stored texts, so that no secret is sent to a remote embedder."""
    if not isinstance(query, str) or not query.strip():
        raise InputError(f"The query is empty: {query!r}.", "Ask for something, or use `list` to see everything.")
    text = storable(query.strip()[:MAX_QUERY_CHARS])
    return request.guard.clean(text).text if request.arm.remote or request.policy is not None else text


def _profile(name: str) -> Callable[[Question], list[Hit]]:
    module, function = PROFILES[name].split(".")
    rank: Callable[[Question], list[Hit]] = getattr(import_module(f"aforesaid.retrieval.ranking.{module}"), function)
    return rank
