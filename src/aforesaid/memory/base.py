"""What every verb of a Memory stands on: the engine, what a caller may see, and a record by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from aforesaid.embed.base import Embedder
from aforesaid.engine.engine import Engine
from aforesaid.engine.vector_arm import VectorArm, check_embedder
from aforesaid.errors import InputError, NotFoundError
from aforesaid.ingest import claims as claiming
from aforesaid.settings import Settings
from aforesaid.store.protocols import Store
from aforesaid.text.extract.reader import Readers
from aforesaid.types import (
    DEFAULT_TENANT,
    GLOBAL_OWNER,
    KINDS,
    SCOPES,
    Boundary,
    Clock,
    Filter,
    Kind,
    Record,
    Scope,
    as_time,
    check_choice,
    check_class,
    check_id,
    system_clock,
)

Time = datetime | float | int | str
Records = list[Record]  # inside a class with a verb `list`, the type needs another name
OPEN_BOUNDARIES: tuple[Boundary, ...] = ("public", "internal", "pii")  # what a caller sees without asking for more


class Base:
    """The engine of one tenant, seen by its callers."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock = system_clock,
        tenant: str = DEFAULT_TENANT,
        tokenizer: Callable[[str], int] | None = None,
        readers: Readers | None = None,
        change_embedder: bool = False,
    ) -> None:
        """Join a store and an embedder; `change_embedder` is for `reindex`, which alone may mix models.

        A `tokenizer` counts a text's tokens for budgets; without one they are estimated by script. `readers` replace
        some of the functions that find dates, statements and the like in messages.
        """
        if not change_embedder:
            check_embedder(store, embedder)
        check_id(tenant, "tenant")
        settings = settings or Settings()
        chosen = (readers or Readers()).switched(settings.readers)
        self._engine = Engine(store, VectorArm(embedder), settings, clock, tenant, tokenizer, readers=chosen)

    @property
    def store(self) -> Store:
        """The store underneath."""
        return self._engine.store

    @property
    def settings(self) -> Settings:
        """The settings this memory was opened with."""
        return self._engine.settings

    @property
    def tenant(self) -> str:
        """Whose memory this is; nothing crosses it."""
        return self._engine.tenant

    def where(
        self,
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        scope: Scope | Sequence[Scope] | None = None,
        kinds: Sequence[Kind] | None = None,
        boundaries: Sequence[Boundary] | None = OPEN_BOUNDARIES,
        as_of: Time | None = None,
        since: Time | None = None,
        until: Time | None = None,
        exclude: Sequence[str] = (),
        now: datetime | None = None,
        superseded: bool = False,
    ) -> Filter:
        """What a caller may see for this memory's purpose, as the filter that stores apply before they rank."""
        scopes = (scope,) if isinstance(scope, str) else scope
        for values, choices, name in (
            (scopes, SCOPES, "scope"),
            (kinds, KINDS, "kind"),
        ):
            for value in values or ():
                check_choice(value, choices, name)
        for boundary in boundaries or ():
            check_class(boundary)
        owners = [f"user:{as_name(user, 'user') or ''}"]
        if as_name(project, "project") is not None:
            owners.append(f"project:{project}")
        known_by = as_time(as_of, "as_of") if as_of is not None else None
        ends = [as_time(until, "until")] if until is not None else []
        if known_by is not None:
            ends.append(known_by)
        where = Filter(
            tenant=self.tenant,
            owners=(*owners, GLOBAL_OWNER),
            scopes=tuple(scopes) if scopes is not None else None,
            kinds=tuple(kinds) if kinds is not None else None,
            sessions=(session,) if as_name(session, "session") is not None else None,  # type: ignore[arg-type]
            boundaries=tuple(boundaries) if boundaries is not None else None,
            valid_at=None if superseded else known_by or now or self._engine.clock(),
            since=as_time(since, "since") if since is not None else None,
            until=min(ends) if ends else None,
            exclude=tuple(exclude),
        )
        return self._engine.request().guard.narrow_filter(where, now or self._engine.clock())

    def get(
        self,
        id: str,  # noqa: A002 - the word people use
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
    ) -> Record:
        """The record that a caller called by this id (or by its key); superseded ones too."""
        everything = self.where(user=user, project=project, session=session, boundaries=None, superseded=True)
        everything = replace(everything, echoes=True)
        view = self._engine.request().view
        found = view.find(replace(everything, ids=(check_id(id),)), limit=3)
        if not found:
            found = view.find(replace(everything, keys=(id,)), limit=1)
        if not found:
            raise NotFoundError(
                f"Nothing here is called {id!r}.", "See `aforesaid list`; a user's records need that user."
            )
        if len(found) > 1:
            sessions = ", ".join(str(record.session) for record in found)
            raise InputError(f"{id!r} is the name of several records (sessions {sessions}).", "Name the session too.")
        return found[0]

    def _owner(self, user: str | None, project: str | None, scope: Scope | None) -> claiming.Owner:
        chosen: Scope = scope or ("project" if project is not None else "user")
        check_choice(chosen, ("user", "project", "global"), "scope")
        return claiming.Owner(chosen, as_name(user, "user"), as_name(project, "project"))

    def _own(self, user: str | None) -> Filter:
        return Filter(self.tenant, (f"user:{as_name(user, 'user') or ''}",))


def as_name(value: str | None, name: str) -> str | None:
    """The name as it is, if there is one and it can be used."""
    return None if value is None else check_id(value, name)
