"""Turns in, hits and contexts out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from aforesaid.context import assemble as assembling
from aforesaid.errors import InputError, StoreError
from aforesaid.ingest import claims as claiming
from aforesaid.ingest import pipeline as ingesting
from aforesaid.ingest import supersede as superseding
from aforesaid.memory.base import OPEN_BOUNDARIES, Base, Records, Time, as_name
from aforesaid.retrieval import search as searching
from aforesaid.text.globs import check_globs
from aforesaid.types import (
    Boundary,
    ClaimType,
    Context,
    IngestReport,
    Kind,
    Record,
    Scope,
    SearchResult,
    Turn,
    as_time,
    check_class,
)


class Talk(Base):
    """Taking what is said, and finding it again."""

    def ingest(
        self,
        turns: Iterable[Turn],
        *,
        user: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        boundary: Boundary = "internal",
        allow: Sequence[str] | None = None,
        progress: ingesting.Progress | None = None,
    ) -> IngestReport:
        """Take turns: each is stored once, cleaned of secrets and of our own echoes, and weighed by the gate.

        `boundary` is their class, `allow` the purposes that may see them if the class lets them (globs).
        """
        names = as_name(user, "user"), as_name(project, "project"), as_name(agent, "agent")
        who = ingesting.Speaker(*names, check_class(boundary), check_globs(allow) if allow is not None else None)
        return ingesting.ingest(self._engine, [turns] if isinstance(turns, Turn) else turns, who, progress)

    def remember(
        self,
        text: str,
        *,
        user: str | None = None,
        project: str | None = None,
        scope: Scope = "user",
        type: ClaimType = "fact",  # noqa: A002 - the word people use
        boundary: Boundary = "internal",
        time: Time | None = None,
        supersedes: str | None = None,
        allow: Sequence[str] | None = None,
        tainted: bool = False,
        meta: dict[str, Any] | None = None,
    ) -> Record:
        """Store a claim on purpose. The same words in the same scope are the same claim; `supersedes` ends another."""
        claim = claiming.Claim(
            text,
            owner=claiming.Owner(scope, as_name(user, "user"), as_name(project, "project")),
            type=type,
            boundary=boundary,
            time=as_time(time) if time is not None else self._engine.clock(),
            meta=meta or {},
            allow=check_globs(allow) if allow is not None else None,
            tainted=tainted,
        )
        old = self.get(supersedes, user=user, project=project) if supersedes is not None else None
        return self._engine.run(lambda request: claiming.remember(request, claim, old))

    def search(
        self,
        query: str,
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        scope: Scope | Sequence[Scope] | None = None,
        kinds: Sequence[Kind] | None = None,
        boundaries: Sequence[Boundary] = OPEN_BOUNDARIES,
        as_of: Time | None = None,
        since: Time | None = None,
        until: Time | None = None,
        exclude: Sequence[str] = (),
        limit: int | None = None,
        offset: int = 0,
        now: Time | None = None,
        profile: str = "default",
    ) -> SearchResult:
        """Hits with reasons, best first; nothing is changed by asking."""
        moment = as_time(now, "now") if now is not None else self._engine.clock()
        where = self.where(
            user=user, project=project, session=session, scope=scope, kinds=kinds, boundaries=boundaries,
            as_of=as_of, since=since, until=until, exclude=exclude, now=moment,
        )  # fmt: skip
        engine = self._engine.request()
        page = searching.Page(engine.settings.search.limit if limit is None else limit, offset)
        return searching.search(engine, query, where, page, moment, profile)

    def assemble(
        self,
        query: str,
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        budget_tokens: int | None = None,
        now: Time | None = None,
        messages: Sequence[Mapping[str, str]] = (),
    ) -> Context:
        """The context for a prompt: rules, the session's recent turns and the best of the past, inside the budget.

        `messages` are the caller's own, not stored yet: they follow the tail as they are, whatever else fails.
        """
        moment = as_time(now, "now") if now is not None else self._engine.clock()
        own = tuple(map(_message, messages))
        budget = self.settings.assemble.budget_tokens if budget_tokens is None else budget_tokens
        try:
            where, engine = self.where(user=user, project=project, now=moment), self._engine.request()
        except StoreError as error:
            return assembling.without_memory(self._engine.count_tokens, own, budget, error)
        budget = engine.settings.assemble.budget_tokens if budget_tokens is None else budget_tokens
        request = assembling.ContextRequest(query, where, as_name(session, "session"), budget, moment, own)
        return assembling.assemble(engine, request)

    def list(
        self,
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        scope: Scope | Sequence[Scope] | None = None,
        kinds: Sequence[Kind] | None = None,
        since: Time | None = None,
        until: Time | None = None,
        durable: bool | None = None,
        superseded: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> Records:
        """A caller's records, newest first."""
        where = self.where(
            user=user, project=project, session=session, scope=scope, kinds=kinds, since=since, until=until,
            superseded=superseded,
        )  # fmt: skip
        page = searching.Page(limit, offset)
        everything = replace(where, durable=durable, echoes=True)
        return self._engine.request().view.find(everything, order="newest", limit=page.limit, offset=page.offset)

    def history(
        self,
        id: str,  # noqa: A002 - the word people use
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
    ) -> Records:
        """Every version of what a record says that the caller may see, oldest first."""
        record = self.get(id, user=user, project=project, session=session)
        keys = tuple(each.key for each in superseding.chain(self.store, record))
        where = self.where(user=user, project=project, boundaries=None, superseded=True)
        return self._engine.request().view.find(replace(where, keys=keys, echoes=True))


def _message(said: Mapping[str, str]) -> dict[str, str]:
    try:
        return {"role": str(said["role"]), "content": str(said["content"])}
    except (KeyError, TypeError, IndexError):
        what = f"A message needs a role and content: {str(said)[:80]}."
        raise InputError(what, "Give {'role': …, 'content': …}.") from None
