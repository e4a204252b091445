"""Whose records a caller may see or write: names and times are checked here, once, for every verb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from aforesaid.engine.request import Request
from aforesaid.ingest.claims import Owner
from aforesaid.memory.lookup import excluded_keys, find_one
from aforesaid.types import (
    GLOBAL_OWNER,
    KINDS,
    SCOPES,
    Boundary,
    Clock,
    Filter,
    Kind,
    Record,
    Scope,
    TimeLike,
    as_time,
    check_choice,
    check_class,
    check_id,
    owner_of,
)

OPEN_BOUNDARIES: tuple[Boundary, ...] = ("public", "internal", "pii")  # what a caller sees without asking for more
SHARED_SCOPES: tuple[Scope, ...] = ("user", "project", "global")  # files belong to no session


def visible(
    request: Request,
    *,
    user: str | None = None,
    project: str | None = None,
    session: str | None = None,
    scope: Scope | Sequence[Scope] | None = None,
    kinds: Sequence[Kind] | None = None,
    boundaries: Sequence[Boundary] | None = OPEN_BOUNDARIES,
    as_of: TimeLike | None = None,
    since: TimeLike | None = None,
    until: TimeLike | None = None,
    exclude: Sequence[str] = (),
    now: datetime | None = None,
    superseded: bool = False,
) -> Filter:
    """Build the filter of what a caller may see, narrowed by the policy; see `Memory.where`."""
    scopes = (scope,) if isinstance(scope, str) else scope
    for value in scopes or ():
        check_choice(value, SCOPES, "scope")
    for kind in kinds or ():
        check_choice(kind, KINDS, "kind")
    for boundary in boundaries or ():
        check_class(boundary)
    moment = now or request.clock()
    known_by = optional_time(as_of, "as_of")
    ends = [time for time in (optional_time(until, "until"), known_by) if time is not None]
    where = Filter(
        tenant=request.tenant,
        owners=owners(user, project),
        scopes=tuple(scopes) if scopes is not None else None,
        kinds=tuple(kinds) if kinds is not None else None,
        sessions=(check_id(session, "session"),) if session is not None else None,
        boundaries=tuple(boundaries) if boundaries is not None else None,
        valid_at=None if superseded else known_by or moment,
        since=optional_time(since, "since"),
        until=min(ends, default=None),
    )
    where = request.guard.narrow_filter(where, moment)
    if not exclude:
        return where
    anywhere = replace(
        where, scopes=None, kinds=None, sessions=None, valid_at=None, since=None, until=None, echoes=True
    )  # fmt: skip
    return replace(where, exclude=excluded_keys(request.view, anywhere, exclude))


def owners(user: str | None, project: str | None) -> tuple[str, ...]:
    """Return the owners whose records a caller sees: the user, the project if one is named, and everybody."""
    shared = [owner_of("project", None, project)] if optional_id(project, "project") is not None else []
    return (user_owner(user), *shared, GLOBAL_OWNER)


def user_owner(user: str | None) -> str:
    """Return the owner string of a user; without a name, that of the anonymous user."""
    return owner_of("user", optional_id(user, "user"), None)


def user_records(tenant: str, user: str | None, session: str | None = None) -> Filter:
    """Build the filter of a user's own records, or of those in one session. No policy narrows it."""
    sessions = (check_id(session, "session"),) if session is not None else None
    return Filter(tenant, (user_owner(user),), sessions=sessions)


def find_visible(
    request: Request,
    name: str,
    *,
    user: str | None = None,
    project: str | None = None,
    session: str | None = None,
    least_chars: int | None = 1,
) -> Record:
    """Return the record that a name means (see `lookup`) and the caller may see, also when it was superseded."""
    where = visible(request, user=user, project=project, session=session, boundaries=None, superseded=True)
    return find_one(request.view, replace(where, echoes=True), name, least_chars)


def record_owner(
    user: str | None, project: str | None, scope: Scope | None, allowed: Sequence[Scope] = SCOPES
) -> Owner:
    """Return who owns a new record: the project if one is named, else the user, unless `scope` says otherwise."""
    chosen: Scope = scope or ("project" if project is not None else "user")
    check_choice(chosen, allowed, "scope")
    return Owner(chosen, optional_id(user, "user"), optional_id(project, "project"))


def optional_id(value: str | None, name: str) -> str | None:
    """Check a name if there is one."""
    return None if value is None else check_id(value, name)


def optional_time(value: TimeLike | None, name: str) -> datetime | None:
    """Read a time if there is one."""
    return None if value is None else as_time(value, name)


def time_or_now(clock: Clock, value: TimeLike | None, name: str = "now") -> datetime:
    """Read a time; without one, ask the clock."""
    return clock() if value is None else as_time(value, name)
