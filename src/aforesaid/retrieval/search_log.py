"""The events of searches, and what they tell (spec 9, P9). Off by default: `search.log` switches them on."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from aforesaid.engine.request import Request
from aforesaid.engine.writer import writing
from aforesaid.errors import StoreBusyError, StoreFullError, StoreReadOnlyError
from aforesaid.math.statistics import DIGITS, spread
from aforesaid.retrieval.search import Page, search
from aforesaid.types import Event, EventFilter, Filter, SearchResult

OFF, WITH_QUERY = "off", "query"  # values of `search.log`; the third is "on"
SEARCH, FALLBACK = "search", "search_fallback"  # topics
QUERY = "query"  # the part of an event that holds the words of the query
PAGE = 1000
FOUND = 20  # leading hits that an event names, by key


@dataclass(frozen=True, slots=True)
class SearchStats:
    """What the events of the log say about searches."""

    searches: int
    fallbacks: int  # of them, something was off or summaries were replaced by their turns
    fallback_ratio: float
    ms_p90: float
    best_score_p90: float
    modes: Mapping[str, int]  # searches of `openclaw` and of notes, by mode
    stopped_early: int  # of them, the first hits were enough
    variants: int  # other wordings that they searched


def logged_search(
    request: Request,
    query: str,
    where: Filter,
    page: Page,
    now: datetime,
    profile: str,
    active_session: str | None = None,
    min_confidence: float = 0.0,
) -> SearchResult:
    """Search, and write events about it if `search.log` is on. A store that cannot be written is still searched."""
    if request.settings.search.log == OFF:
        return search(request, query, where, page, now, profile, active_session, min_confidence)
    request = request.with_ids()
    began = time.perf_counter()
    result = search(request, query, where, page, now, profile, active_session, min_confidence)
    ms = (time.perf_counter() - began) * 1000
    with suppress(StoreReadOnlyError, StoreBusyError, StoreFullError), writing(request, check_policy=False) as writer:
        writer.commit(events=_events(request, result, where, ms))
    return result


def fallback_reasons(result: SearchResult) -> list[str]:
    """Why a search was not an ordinary one: an arm or the model for variants was off, or summaries were too weak."""
    fresh = result.freshness
    reasons = {"vector": fresh.vector_off, "text": fresh.text_off, "recovery": result.recovered}
    reasons["variants"] = result.details.get("degraded", "")
    return [name for name, found in reasons.items() if found]


def _events(request: Request, result: SearchResult, where: Filter, ms: float) -> list[Event]:
    """The event of a search, and another one when it fell back."""
    owner = where.owners[0] if where.owners else ""
    subject = owner if owner.partition(":")[2] else None  # so that forgetting the user erases the event
    body: dict[str, object] = {
        "profile": result.profile,
        "hits": len(result),
        "best": round(max((hit.score for hit in result), default=0.0), DIGITS),
        "ms": round(ms, 3),
        "found": [[hit.record.key, round(hit.score, DIGITS)] for hit in result[:FOUND]],  # in the order of their ranks
        **{name: _measure(name, value) for name, value in result.details.items()},
    }
    if request.settings.search.log == WITH_QUERY:
        body[QUERY] = request.guard.clean(result.query).text
    events = [request.event(SEARCH, subject, body)]
    if reasons := fallback_reasons(result):
        events.append(request.event(FALLBACK, subject, {"profile": result.profile, "why": reasons}))
    return events


def _measure(name: str, value: object) -> object:
    """A detail of a search without words of queries or names of files: numbers, the mode, how many, whether."""
    if isinstance(value, int | float) or name == "mode":
        return value
    return len(value) if isinstance(value, list) else bool(value)


def search_stats(request: Request) -> SearchStats | None:
    """What the log says about searches; None when `search.log` is off."""
    if request.settings.search.log == OFF:
        return None
    events = list(_logged(request, SEARCH))
    fallbacks = sum(1 for _ in _logged(request, FALLBACK))
    p90 = {name: spread([event.body[name] for event in events]).get("p90", 0.0) for name in ("ms", "best")}
    return SearchStats(
        len(events),
        fallbacks,
        fallbacks / max(len(events), 1),
        p90["ms"],
        p90["best"],
        modes=Counter(sorted(str(event.body["mode"]) for event in events if "mode" in event.body)),
        stopped_early=sum(bool(event.body.get("stopped")) for event in events),
        variants=sum(int(event.body.get("variants", 0)) for event in events),
    )


def logged_queries(request: Request) -> set[str]:
    """The words of all queries in the log."""
    return {str(event.body[QUERY]) for event in _logged(request, SEARCH) if QUERY in event.body}


def _logged(request: Request, topic: str) -> Iterator[Event]:
    """The events of a topic that are not erased."""
    after = None
    while page := request.store.log.find(
        EventFilter(request.tenant, topic=topic, after=after, order="oldest", limit=PAGE)
    ):
        yield from (event for event in page if not event.erased)
        after = page[-1].number
