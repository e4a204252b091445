"""Which records `Memory.forget` selects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aforesaid.deletion.erase import Selection
from aforesaid.engine.request import Request
from aforesaid.errors import InputError, NotFoundError
from aforesaid.memory.lookup import SAFE_CHARS, find_exact
from aforesaid.memory.visibility import find_visible, optional_id, optional_time, owners
from aforesaid.store.protocols import Damaged
from aforesaid.text.analyze import MAX_QUERY_TERMS, query_terms, terms
from aforesaid.types import Filter, Record, TimeLike, check_id, owner_of


def select_records(
    request: Request,
    *,
    ids: Sequence[str],
    user: str | None,
    project: str | None,
    session: str | None,
    before: TimeLike | None,
    since: TimeLike | None,
    until: TimeLike | None,
    query: str | None,
    everything: bool,
    tenant: bool,
    reason: str,
) -> Selection:
    """Turn the arguments of `Memory.forget` into a selection.

    Without a user, a named project means its own records. Raises InputError when there is no condition, or when
    conditions exclude each other.
    """
    conditions = {
        "ids": tuple(ids), "session": session, "query": query, "tenant": tenant,
        "before": before, "since": since, "until": until,
    }  # fmt: skip
    given = [name for name, value in conditions.items() if value not in (None, (), False)]
    if not (everything or given):
        raise InputError("Nothing was selected.", "Give ids, session=NAME, until=TIME, query=WORDS or everything=True.")
    if ids and (everything or tenant):
        raise InputError("Both ids and everything were given.", "Give the ids alone, or everything=True alone.")
    if tenant and (user is not None or project is not None):
        raise InputError("Both a tenant and one of its users or projects were named.", "Name one of them.")
    optional_id(user, "user")
    optional_id(project, "project")
    sessions = (check_id(session, "session"),) if session is not None else None
    ends = [time for time in (optional_time(before, "before"), optional_time(until, "until")) if time is not None]
    owner = owner_of("project" if user is None and project else "user", user, project)
    damaged = frozenset[int]()
    if ids:  # a policy that hides a record does not keep its owner from deleting it
        mine = Filter(request.tenant, owners(user, project), sessions=sessions, echoes=True, withheld=True)

        def find(name: str) -> Record | Damaged:
            try:
                return find_exact(request.store, mine, name) or find_visible(
                    request, name, user=user, project=project, session=session, least_chars=SAFE_CHARS
                )
            except NotFoundError:
                if (found := _damaged(request, mine, name)) is not None:
                    return found
                raise

        named = [find(name) for name in ids]
        where = Filter(request.tenant, keys=tuple(each.key for each in named))
        damaged = frozenset(each.place for each in named if isinstance(each, Damaged))
    else:
        where = Filter(request.tenant, None if tenant else (owner,), sessions=sessions)
    where = replace(where, since=optional_time(since, "since"), until=min(ends, default=None))
    what = {"by": given or ["everything"]} | ({"reason": reason} if reason else {})
    words = _words(query) if query is not None else frozenset()
    return Selection(where, what, words, user if everything and not given else None, damaged)


def _damaged(request: Request, mine: Filter, name: str) -> Damaged | None:
    """The damaged record with this id or key."""
    for where in (replace(mine, ids=(name,)), replace(mine, sessions=None, keys=(name,))):
        if found := request.store.damage(where).records:
            return found[0]
    return None


def _words(query: str) -> frozenset[str]:
    """The terms of a query without stop words. A query that is too long for a search would match too much."""
    if len(set(terms(query))) > MAX_QUERY_TERMS:
        raise InputError(f"The query has more than {MAX_QUERY_TERMS} words.", "Shorten it, or name ids.")
    found = frozenset(query_terms(query))
    if not found:
        raise InputError(f"There is no word in {query!r}.", "Give words that the records contain.")
    return found
