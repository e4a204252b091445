"""Which records `Memory.forget` selects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from aforesaid.deletion.erase import Selection
from aforesaid.engine.request import Request
from aforesaid.errors import InputError
from aforesaid.memory.visibility import find_one, owners
from aforesaid.text.analyze import MAX_QUERY_TERMS, query_terms, terms
from aforesaid.types import Filter, owner_of


@dataclass(frozen=True, slots=True)
class Conditions:
    """The arguments of `Memory.forget`, with names and times checked."""

    ids: tuple[str, ...]
    user: str | None
    project: str | None
    session: str | None
    before: datetime | None
    since: datetime | None
    until: datetime | None
    query: str | None
    everything: bool
    tenant: bool
    reason: str

    @property
    def given(self) -> list[str]:
        """The names of the conditions that were given, besides the owner."""
        named = ("ids", "session", "query", "tenant", "before", "since", "until")
        return [name for name in named if getattr(self, name) not in (None, (), False)]

    @property
    def owner(self) -> str:
        """Whose records: the user's; without a user, the project's if one is named."""
        return owner_of("project" if self.user is None and self.project else "user", self.user, self.project)


def selected(request: Request, conditions: Conditions) -> Selection:
    """Turn the conditions into a selection. Raise InputError when there are none, or when they exclude each other."""
    _check(conditions)
    ends = [time for time in (conditions.before, conditions.until) if time is not None]
    where = Filter(
        request.tenant,
        None if conditions.tenant else (conditions.owner,),
        sessions=(conditions.session,) if conditions.session is not None else None,
        since=conditions.since,
        until=min(ends, default=None),
    )
    if conditions.ids:
        where = replace(where, owners=None, sessions=None, keys=_keys(request, conditions))
    whole_user = conditions.user if conditions.everything and not conditions.given else None
    what = {"by": conditions.given or ["everything"]} | ({"reason": conditions.reason} if conditions.reason else {})
    words = _words(conditions.query) if conditions.query is not None else frozenset()
    return Selection(where, what, words, whole_user)


def _check(conditions: Conditions) -> None:
    if not (conditions.everything or conditions.given):
        raise InputError("Nothing was selected.", "Name ids, a session, a time or a query, or ask for everything.")
    if conditions.ids and (conditions.everything or conditions.tenant):
        raise InputError("Both ids and everything were asked for.", "Name the records, or ask for everything.")
    if conditions.tenant and (conditions.user is not None or conditions.project is not None):
        raise InputError("Both a tenant and one of its users or projects were named.", "Name one of them.")


def _keys(request: Request, conditions: Conditions) -> tuple[str, ...]:
    """The keys of the named records. A policy that hides a record does not keep its owner from deleting it."""
    sessions = (conditions.session,) if conditions.session is not None else None
    mine = Filter(
        request.tenant, owners(conditions.user, conditions.project), sessions=sessions, echoes=True, withheld=True
    )
    return tuple(find_one(request.store, mine, name).key for name in conditions.ids)


def _words(query: str) -> frozenset[str]:
    """The terms of a query without stop words. A query that is too long for a search would match too much."""
    if len(set(terms(query))) > MAX_QUERY_TERMS:
        raise InputError(f"The query has more than {MAX_QUERY_TERMS} words.", "Shorten it, or name ids.")
    found = frozenset(query_terms(query))
    if not found:
        raise InputError(f"There is no word in {query!r}.", "Give words that the records hold.")
    return found
