"""Memory: what a user holds in the hand. Every method is one verb; the work is in the path of that name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from recollect import assemble as assembling
from recollect import author as authoring
from recollect import care
from recollect import compact as compacting
from recollect import ingest as ingesting
from recollect import remember as claiming
from recollect import search as searching
from recollect.embed import open_embedder
from recollect.embed.base import Embedder
from recollect.engine import Engine, VectorArm, check_embedder
from recollect.errors import InputError, NotFoundError
from recollect.lineage import raw_turns
from recollect.settings import Settings
from recollect.store.base import Problem, Store, StoreStats
from recollect.types import (
    BOUNDARIES,
    DEFAULT_TENANT,
    GLOBAL_OWNER,
    KINDS,
    SCOPES,
    Boundary,
    ClaimType,
    Clock,
    Context,
    Filter,
    IngestReport,
    Kind,
    Record,
    Scope,
    SearchResult,
    Turn,
    as_time,
    check_choice,
    check_id,
    system_clock,
)

Time = datetime | float | int | str
Records = list[Record]  # inside the class, `list` is the verb
Problems = list[Problem]
OPEN_BOUNDARIES: tuple[Boundary, ...] = ("public", "internal", "pii")  # what a caller sees without asking for more


class Memory:
    """A memory of one tenant: hand it turns, ask it questions. Also a context manager."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock = system_clock,
        tenant: str = DEFAULT_TENANT,
        tokenizer: Callable[[str], int] | None = None,
        change_embedder: bool = False,
    ) -> None:
        """Join a store and an embedder; `change_embedder` is for `reindex`, which alone may mix models.

        A `tokenizer` counts a text's tokens for budgets; without one they are estimated by script.
        """
        if not change_embedder:
            check_embedder(store, embedder)
        check_id(tenant, "tenant")
        self._engine = Engine(store, VectorArm(embedder), settings or Settings(), clock, tenant, tokenizer)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        embedder: Embedder | None = None,
        settings: Settings | None = None,
        clock: Clock = system_clock,
        tenant: str = DEFAULT_TENANT,
        tokenizer: Callable[[str], int] | None = None,
        change_embedder: bool = False,
    ) -> Memory:
        """Open or create a store in one SQLite file, with the embedder the settings name unless one is handed in."""
        from recollect.store.sqlite import SQLiteStore

        settings = settings or Settings.load()
        store = SQLiteStore(path, settings.store)
        try:
            return cls(
                store,
                embedder or open_embedder(settings),
                settings=settings,
                clock=clock,
                tenant=tenant,
                tokenizer=tokenizer,
                change_embedder=change_embedder,
            )
        except BaseException:
            store.close()
            raise

    def for_tenant(self, tenant: str) -> Memory:
        """The same store and embedder, seen by another tenant."""
        other = object.__new__(Memory)
        other._engine = replace(self._engine, tenant=check_id(tenant, "tenant"))
        return other

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

    def ingest(
        self,
        turns: Iterable[Turn],
        *,
        user: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        progress: ingesting.Progress | None = None,
    ) -> IngestReport:
        """Take turns: each is stored once, cleaned of secrets and of our own echoes, and weighed by the gate."""
        who = ingesting.Speaker(_name(user, "user"), _name(project, "project"), _name(agent, "agent"))
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
        meta: dict[str, Any] | None = None,
    ) -> Record:
        """Store a claim on purpose. The same words in the same scope are the same claim; `supersedes` ends another."""
        claim = claiming.Claim(
            text,
            owner=claiming.Owner(scope, _name(user, "user"), _name(project, "project")),
            type=type,
            boundary=boundary,
            time=as_time(time) if time is not None else self._engine.clock(),
            meta=meta or {},
        )
        old = self.get(supersedes, user=user, project=project) if supersedes is not None else None
        return claiming.remember(self._engine, claim, old)

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
        page = searching.Page(self.settings.search.limit if limit is None else limit, offset)
        return searching.search(self._engine, query, where, page, moment, profile)

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
        """What a caller may see, as the filter that stores apply before they rank."""
        scopes = (scope,) if isinstance(scope, str) else scope
        for values, choices, name in (
            (scopes, SCOPES, "scope"),
            (kinds, KINDS, "kind"),
            (boundaries, BOUNDARIES, "boundary"),
        ):
            for value in values or ():
                check_choice(value, choices, name)
        owners = [f"user:{_name(user, 'user') or ''}"]
        if _name(project, "project") is not None:
            owners.append(f"project:{project}")
        known_by = as_time(as_of, "as_of") if as_of is not None else None
        ends = [as_time(until, "until")] if until is not None else []
        if known_by is not None:
            ends.append(known_by)
        return Filter(
            tenant=self.tenant,
            owners=(*owners, GLOBAL_OWNER),
            scopes=tuple(scopes) if scopes is not None else None,
            kinds=tuple(kinds) if kinds is not None else None,
            sessions=(session,) if _name(session, "session") is not None else None,  # type: ignore[arg-type]
            boundaries=tuple(boundaries) if boundaries is not None else None,
            valid_at=None if superseded else known_by or now or self._engine.clock(),
            since=as_time(since, "since") if since is not None else None,
            until=min(ends) if ends else None,
            exclude=tuple(exclude),
        )

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
        where = self.where(user=user, project=project, now=moment)
        budget = self.settings.assemble.budget_tokens if budget_tokens is None else budget_tokens
        own = tuple(map(_message, messages))
        request = assembling.Request(query, where, _name(session, "session"), budget, moment, own)
        return assembling.assemble(self._engine, request)

    def load(
        self,
        path: str | Path,
        *,
        text: str | None = None,
        user: str | None = None,
        project: str | None = None,
        scope: Scope | None = None,
    ) -> authoring.Loaded:
        """Load a document of rules; again after an edit, to replace what changed. `text` instead of the file's own.

        Hard rules that outgrow their share of a prompt are refused, with the numbers, and nothing changes.
        """
        words = authoring.read(path) if text is None else text
        return authoring.load(self._engine, str(path), words, self._owner(user, project, scope))

    def unload(
        self, path: str | Path, *, user: str | None = None, project: str | None = None, scope: Scope | None = None
    ) -> authoring.Loaded:
        """Take a document out again."""
        return authoring.unload(self._engine, str(path), self._owner(user, project, scope))

    def lint(self, path: str | Path, *, text: str | None = None) -> authoring.Authored:
        """What a document's lines would be to an agent: tiers, tokens, and rules that disagree; nothing is stored."""
        return authoring.parsed(self._engine, str(path), authoring.read(path) if text is None else text)

    def _owner(self, user: str | None, project: str | None, scope: Scope | None) -> claiming.Owner:
        chosen: Scope = scope or ("project" if project is not None else "user")
        check_choice(chosen, ("user", "project", "global"), "scope")
        return claiming.Owner(chosen, _name(user, "user"), _name(project, "project"))

    def after_turn(
        self, turns: Iterable[Turn], *, user: str | None = None, project: str | None = None, agent: str | None = None
    ) -> tuple[IngestReport, tuple[compacting.CompactReport, ...]]:
        """Take what was just said, and compact the sessions that have grown enough (compact.trigger_tokens)."""
        said = list(turns)
        report = self.ingest(said, user=user, project=project, agent=agent)
        where = self._own(user)
        grown = [
            name for name in dict.fromkeys(turn.session for turn in said) if compacting.due(self._engine, where, name)
        ]
        return report, tuple(self.compact(name, user=user) for name in grown)

    def compact(
        self, session: str, *, user: str | None = None, progress: compacting.Progress | None = None
    ) -> compacting.CompactReport:
        """Summarise the older turns of a session; the turns stay, and `expand` gives them back."""
        from recollect.summarize import open_summarizer

        where = self._own(user)
        model = open_summarizer(self.settings, self._engine.count_tokens)
        return compacting.compact(
            self._engine, where, check_id(session, "session"), abstractive=model, progress=progress
        )

    def expand(
        self,
        id: str,  # noqa: A002 - the word people use
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
    ) -> Records:
        """The raw turns under a summary, exactly as they were stored, oldest first."""
        summary = self.get(id, user=user, project=project, session=session)
        if summary.kind != "summary":
            raise InputError(f"{id!r} is a {summary.kind}, not a summary.", "See `recollect list --kind summary`.")
        return raw_turns(self.store, summary.key)

    def _own(self, user: str | None) -> Filter:
        return Filter(self.tenant, (f"user:{_name(user, 'user') or ''}",))

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
        found = self.store.find(replace(everything, ids=(check_id(id),), echoes=True), limit=3)
        if not found:
            visible = set(everything.owners or ())
            found = [r for r in self.store.get([id]) if r.tenant == self.tenant and r.owner in visible]
        if not found:
            raise NotFoundError(
                f"Nothing here is called {id!r}.", "See `recollect list`; a user's records need that user."
            )
        if len(found) > 1:
            sessions = ", ".join(str(record.session) for record in found)
            raise InputError(f"{id!r} is the name of several records (sessions {sessions}).", "Name the session too.")
        return found[0]

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
        return self.store.find(everything, order="newest", limit=page.limit, offset=page.offset)

    def forget(
        self,
        ids: Sequence[str] = (),
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        before: Time | None = None,
        everything: bool = False,
    ) -> care.Receipt:
        """Delete by id, session or time, or everything of a user; deleted text leaves every file, a receipt stays."""
        if not (ids or session is not None or before is not None or everything):
            raise InputError("Forget what?", "Name ids, a session or a time, or ask for everything of this user.")
        until = as_time(before, "before") if before is not None else None
        what = {"ids": len(ids), "session": session, "before": str(until) if until else None}
        if ids:
            named = [self.get(name, user=user, project=project, session=session) for name in ids]
            return care.forget(self._engine, [r.key for r in named if until is None or r.time <= until], what)
        owner = f"project:{project}" if project is not None and user is None else f"user:{_name(user, 'user') or ''}"
        sessions = (session,) if session is not None else None
        return care.forget(self._engine, Filter(self.tenant, (owner,), sessions=sessions, until=until), what)

    def export(self, *, vectors: bool = True, progress: care.Progress | None = None) -> Iterator[str]:
        """The tenant's whole memory as JSON lines."""
        return care.export_lines(self._engine, vectors=vectors, progress=progress)

    def import_(self, lines: Iterable[str], progress: care.Progress | None = None) -> care.ImportReport:
        """Take the lines of an export: all of them or, when one is bad, none."""
        return care.import_lines(self._engine, lines, progress)

    def reindex(self, progress: care.Progress | None = None) -> int:
        """Embed what has no vector of this embedder yet, then search by those vectors."""
        return care.reindex(self._engine, progress)

    def stats(self) -> StoreStats:
        """What this tenant's memory holds."""
        return self.store.stats(self.tenant)

    def verify(self, *, repair: bool = False) -> Problems:
        """Everything wrong with the store that can be found; derived parts are rebuilt if asked."""
        return self.store.verify(repair=repair)

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _name(value: str | None, name: str) -> str | None:
    return None if value is None else check_id(value, name)


def _message(said: Mapping[str, str]) -> dict[str, str]:
    try:
        return {"role": str(said["role"]), "content": str(said["content"])}
    except (KeyError, TypeError, IndexError):
        what = f"A message needs a role and content: {str(said)[:80]}."
        raise InputError(what, "Give {'role': …, 'content': …}.") from None
