"""`Memory`: one class, about fifteen verbs. Rarer work is on its handles, such as `memory.sessions`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from aforesaid.context import assemble as assembling
from aforesaid.context.rule_room import REMEDY, rule_problems
from aforesaid.embed import open_embedder
from aforesaid.embed.base import Embedder
from aforesaid.engine.door import Door, guarded_store, underlying
from aforesaid.engine.engine import Engine
from aforesaid.engine.request import Request
from aforesaid.engine.token_counter import Tokenizer, token_counter
from aforesaid.engine.vector_arm import EmbedderInUse, check_embedder
from aforesaid.errors import AforesaidError, InputError, StoreError
from aforesaid.ingest import claims
from aforesaid.ingest import pipeline as ingesting
from aforesaid.ingest import supersede as superseding
from aforesaid.math.domain import share
from aforesaid.math.pce import Signal
from aforesaid.memory.handle import public
from aforesaid.memory.lookup import SAFE_CHARS
from aforesaid.memory.visibility import (
    OPEN_BOUNDARIES,
    find_visible,
    optional_id,
    optional_time,
    record_owner,
    time_or_now,
    visible,
)
from aforesaid.policy.intents import IntentName
from aforesaid.retrieval import search as searching
from aforesaid.retrieval import search_log
from aforesaid.settings import Settings
from aforesaid.store.protocols import Store, StoreStats, ValueKind
from aforesaid.text.extract.reader import Readers
from aforesaid.text.globs import check_globs
from aforesaid.types import (
    DEFAULT_TENANT,
    Boundary,
    ClaimType,
    Clock,
    Context,
    Filter,
    IngestReport,
    Kind,
    Progress,
    Record,
    Scope,
    SearchResult,
    TimeLike,
    Turn,
    check_class,
    check_id,
    check_json,
    system_clock,
)

if TYPE_CHECKING:
    from aforesaid.deletion.forget import ForgetReceipt
    from aforesaid.learning.feedback import FeedbackReport
    from aforesaid.maintenance.export import ImportReport
    from aforesaid.maintenance.restore import RestoreReport
    from aforesaid.memory.audit import AuditHandle
    from aforesaid.memory.calibration import CalibrationHandle
    from aforesaid.memory.documents import DocumentsHandle
    from aforesaid.memory.gate import GateHandle
    from aforesaid.memory.governance import GovernanceHandle
    from aforesaid.memory.importers import ImportersHandle
    from aforesaid.memory.maintenance import MaintenanceHandle
    from aforesaid.memory.notes import NotesHandle
    from aforesaid.memory.policy import PolicyHandle
    from aforesaid.memory.sessions import SessionsHandle
    from aforesaid.retrieval.activation import ActiveContext

log = logging.getLogger(__name__)

Records = list[Record]  # the class has a verb `list`, so its methods need another name for the type


@public
class Memory:
    """The memory of one tenant: store messages, search them, and build the context for a prompt.

        with Memory.open("notes.db") as memory:
            memory.remember("My manager is Ines.", user="ana")
            print(memory.assemble("Write to my manager", user="ana").text)

    Verbs: ingest, remember, search, assemble, recall, get, list, history, activate, feedback, forget, export, import_,
    restore, stats, where. Groups for rarer work: sessions, documents, notes, governance, policy, audit, gate,
    calibration, maintenance, importers. Several threads may share one memory.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock = system_clock,
        tenant: str = DEFAULT_TENANT,
        tokenizer: Tokenizer | None = None,
        readers: Readers | None = None,
        change_embedder: bool = False,
        reload: Callable[[], Settings] | None = None,
    ) -> None:
        """Join a store and an embedder. `Memory.open` is the short way.

        Args:
            store: Where records are kept.
            embedder: Turns text into vectors. Without one, search uses keywords only.
            settings: All settings; the defaults if left out.
            readers: Replace some of the functions that find dates, statements and the like in messages.

        Raises:
            EmbedderChangedError: The store's vectors come from another model.
        """
        if not change_embedder:
            check_embedder(store, embedder)
        check_id(tenant, "tenant")
        settings = settings or Settings()
        chosen = (readers or Readers()).switched(settings.readers).keyed(store.key)
        Door(chosen).check_name(tenant, "The tenant")
        in_use = EmbedderInUse(embedder, reload, chosen.without_secrets)
        guarded, counter = guarded_store(store, chosen), token_counter(tokenizer, settings.tokens)
        self._engine = Engine(guarded, in_use, settings, clock, tenant, counter, readers=chosen)
        self._warn_about_rules()
        self._resume_deletions()

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        embedder: Embedder | None = None,
        settings: Settings | None = None,
        clock: Clock = system_clock,
        tenant: str = DEFAULT_TENANT,
        tokenizer: Tokenizer | None = None,
        change_embedder: bool = False,
        reload: Callable[[], Settings] | None = None,
    ) -> Memory:
        """Open or create a memory in one SQLite file, and return it.

        Args:
            path: The file. It is created if it does not exist.
            embedder: Turns text into vectors; by default the one that the settings name.
            settings: All settings; by default those of the configuration file and the environment.

        Raises:
            StoreError: The file cannot be opened, or is not a store.
            EmbedderChangedError: The store's vectors come from another model.
        """
        from aforesaid.store.sqlite import SQLiteStore

        if settings is None and embedder is None and reload is None:
            reload = Settings.load
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
                reload=reload,
            )
        except BaseException:
            store.close()
            raise

    @classmethod
    def restore(
        cls,
        path: str | Path,
        backup: str | Path,
        *,
        settings: Settings | None = None,
        clock: Clock = system_clock,
        dry_run: bool = False,
    ) -> RestoreReport:
        """Replace the store in a file by a backup of it, and return what was done. Nobody may have the store open.

        The backup is checked first. The old store is kept beside the new one. Records that were forgotten since the
        backup was made are deleted from the restored store too. It can be repeated when it was interrupted.

        Args:
            path: The file of the store. It need not exist.
            backup: The backup, made by `maintenance.backup`. It is not changed.
            settings: All settings; from the file and the environment if left out.
            dry_run: Check the backup and report, but replace nothing.

        Raises:
            InputError: The backup, or the file at `path`, is not of aforesaid.
            StoreError: Another program has the store open, or the backup is damaged.
        """
        from aforesaid.maintenance.restore import restore

        return restore(Path(path), Path(backup), settings or Settings.load(), clock, dry_run=dry_run)

    def _resume_deletions(self) -> None:
        """Finish the deletions of a process that was killed. Only `forget` fails when that is not possible now."""
        with suppress(StoreError):
            if self.store.values.items(ValueKind.FORGETTING, self.tenant):
                from aforesaid.deletion.forget import resume

                log.warning("Finishing %s deletion(s) that were interrupted.", resume(self._engine.request()))

    def _warn_about_rules(self) -> None:
        """Log which hard rules do not fit their share of a prompt, because a setting changed since they were loaded."""
        with suppress(AforesaidError):  # a store that cannot be read is reported by the first call
            for owner, problem in rule_problems(self._engine).items():
                log.warning("%s: %s. %s", owner, problem, REMEDY)

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __repr__(self) -> str:
        return f"Memory({self.store!r}, tenant={self.tenant!r})"

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def for_tenant(self, tenant: str) -> Memory:
        """Return a memory for another tenant on the same store. Closing one closes both.

        Args:
            tenant: The other tenant's name.
        """
        self._engine.door.check_name(tenant, "The tenant")
        return self._with(tenant=check_id(tenant, "tenant"))

    def acting(self, purpose: str | None = None, *, request: str | None = None, trace: str | None = None) -> Memory:
        """Return the same memory for one purpose, or with ids for the audit log. Closing one closes both.

        Args:
            purpose: What the records are used for, such as `tool:mail`. A policy may allow or deny it.
            request: An id that is written to every event, so that the audit log shows what belongs together.
            trace: Another such id, for a trace across several requests.
        """
        given = {"purpose": purpose, "request_id": request, "trace_id": trace}
        return self._with(**{name: check_id(value, name) for name, value in given.items() if value is not None})

    def _with(self, **changes: str) -> Memory:
        other = Memory.__new__(Memory)
        other._engine = replace(self._engine, **changes)  # type: ignore[arg-type]
        return other

    @property
    def store(self) -> Store:
        """The store underneath. What is written to it directly passes no redaction."""
        return underlying(self._engine.store)

    @property
    def settings(self) -> Settings:
        """The settings that this memory was opened with."""
        return self._engine.settings

    @property
    def tenant(self) -> str:
        """Whose memory this is. Nothing is shared between tenants."""
        return self._engine.tenant

    @cached_property
    def sessions(self) -> SessionsHandle:
        """The life of a session: begin, store turns, summarise, end."""
        from aforesaid.memory.sessions import SessionsHandle

        return SessionsHandle(self._engine)

    @cached_property
    def documents(self) -> DocumentsHandle:
        """Rules for agents from files such as `AGENTS.md`."""
        from aforesaid.memory.documents import DocumentsHandle

        return DocumentsHandle(self._engine)

    @cached_property
    def notes(self) -> NotesHandle:
        """Folders of Markdown notes: index, watch, search."""
        from aforesaid.memory.notes import NotesHandle

        return NotesHandle(self._engine)

    @cached_property
    def governance(self) -> GovernanceHandle:
        """Reviewed knowledge: observe, distill, promote, roll back."""
        from aforesaid.memory.governance import GovernanceHandle

        return GovernanceHandle(self._engine)

    @cached_property
    def policy(self) -> PolicyHandle:
        """The policy of this tenant: read, change, test."""
        from aforesaid.memory.policy import PolicyHandle

        return PolicyHandle(self._engine)

    @cached_property
    def audit(self) -> AuditHandle:
        """The audit log: read, verify, export, prune."""
        from aforesaid.memory.audit import AuditHandle

        return AuditHandle(self._engine)

    @cached_property
    def gate(self) -> GateHandle:
        """The gate, which marks messages as durable or not: its log, replay and threshold."""
        from aforesaid.memory.gate import GateHandle

        return GateHandle(self._engine)

    @cached_property
    def calibration(self) -> CalibrationHandle:
        """Fitting the scores of the `pce` profile to labels."""
        from aforesaid.memory.calibration import CalibrationHandle

        return CalibrationHandle(self._engine)

    @cached_property
    def maintenance(self) -> MaintenanceHandle:
        """Backup, new embeddings, and checks of the store."""
        from aforesaid.memory.maintenance import MaintenanceHandle

        return MaintenanceHandle(self._engine)

    @cached_property
    def importers(self) -> ImportersHandle:
        """Import from other programs, such as Claude Code or ChatGPT."""
        from aforesaid.memory.importers import ImportersHandle

        return ImportersHandle(self._engine)

    def ingest(
        self,
        turns: Turn | Iterable[Turn],
        *,
        user: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        boundary: Boundary = "internal",
        allow: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Store the messages of a conversation. Return what became of each, in the same order.

        Secrets are removed first. The gate marks each message of a person as durable or not; all are kept. A turn
        that is stored already is skipped, so it is safe to repeat.

        Args:
            turns: The messages, oldest first; one turn alone is fine too.
            user: The user they belong to. Without one, they are saved without a user.
            project: The project that they are about; they still belong to the user.
            progress: Called with (done, total) after each batch; total is None for an iterator.

        Raises:
            ConflictError: A turn with the same id but another text is stored already.
        """
        names = optional_id(user, "user"), optional_id(project, "project"), optional_id(agent, "agent")
        who = ingesting.Speaker(*names, check_class(boundary), check_globs(allow) if allow is not None else None)
        return ingesting.ingest(self._engine, [turns] if isinstance(turns, Turn) else turns, who, progress)

    def remember(
        self,
        text: str,
        *,
        user: str | None = None,
        project: str | None = None,
        scope: Scope | None = None,
        type: ClaimType = "fact",
        boundary: Boundary = "internal",
        time: TimeLike | None = None,
        supersedes: str | None = None,
        allow: Sequence[str] | None = None,
        tainted: bool = False,
        meta: dict[str, Any] | None = None,
    ) -> Record:
        """Store one claim, such as a fact, and return its record. The same text again gives the same record.

        Args:
            text: The claim, in one or two sentences.
            supersedes: The claim that this one replaces: its id, its handle, or at least 8 characters of its id. The
                old one ends at `time`.
            meta: Your own JSON values, kept with the record.

        Raises:
            NotFoundError: No claim has the id given as `supersedes`.
            DeniedError: The policy does not allow this claim.
        """
        claim = claims.Claim(
            text,
            owner=record_owner(user, project, scope),
            type=type,
            boundary=boundary,
            time=time_or_now(self._engine.clock, time, "time"),
            meta=check_json(meta or {}, "meta"),
            allow=check_globs(allow) if allow is not None else None,
            tainted=tainted,
        )

        def work(request: Request) -> Record:
            old = _named(request, supersedes, user, project) if supersedes is not None else None
            return claims.remember(request, claim, old)

        return self._engine.run(work)

    def search(
        self,
        query: str,
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        active_session: str | None = None,
        scope: Scope | Sequence[Scope] | None = None,
        kinds: Sequence[Kind] | None = None,
        boundaries: Sequence[Boundary] = OPEN_BOUNDARIES,
        as_of: TimeLike | None = None,
        since: TimeLike | None = None,
        until: TimeLike | None = None,
        exclude: Sequence[str] = (),
        limit: int | None = None,
        offset: int = 0,
        now: TimeLike | None = None,
        profile: str = "default",
        min_confidence: float = 0.0,
    ) -> SearchResult:
        """Find records by words and by meaning, best first. Searching changes no record.

        Args:
            active_session: The session you are in. It filters nothing; `libra-single` ranks its records as nearest.
            scope: Only records of this scope, or of these.
            boundaries: Only records of these privacy classes.
            as_of: Answer as if it were that date: later records and changes are ignored. A date alone means its end.
            exclude: Ids, keys or handles of records to leave out. A name that means no record excludes nothing.
            limit: How many hits to return; the setting `search.limit` if left out.
            profile: How to rank: `default`, `libra`, `libra-single`, `libra-two-pass`, `pce` or `openclaw`.
            min_confidence: Leave out hits with a lower confidence, in [0, 1]. When nothing is left, the memory probably
                holds no answer.

        Returns:
            The hits with scores, confidences and reasons. Its `confidence` is the probability that this memory holds an
            answer at all; `freshness` says what the search could not see.

        Raises:
            InputError: The query is empty, or a filter has an unknown value.
        """
        request, moment = self._engine.request(), time_or_now(self._engine.clock, now)
        where = visible(
            request, user=user, project=project, session=session, scope=scope, kinds=kinds, boundaries=boundaries,
            as_of=as_of, since=since, until=until, exclude=exclude, now=moment,
        )  # fmt: skip
        page = searching.Page(request.settings.search.limit if limit is None else limit, offset)
        return search_log.logged_search(
            request, query, where, page, moment, profile, optional_id(active_session, "active_session"),
            share(min_confidence, "min_confidence"),
        )  # fmt: skip

    def assemble(
        self,
        query: str,
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        budget_tokens: int | None = None,
        now: TimeLike | None = None,
        messages: Sequence[Mapping[str, str]] = (),
        profile: str = "default",
        min_confidence: float = 0.0,
    ) -> Context:
        """Build the context for a prompt: rules, the session's recent turns, and the best of the past.

        It never exceeds the budget. If the store cannot be read, the context holds your `messages` and says why.

        Args:
            query: What the prompt is about.
            session: The session whose recent turns go in. Later contexts of a session repeat what was shown before,
                so that the model's prompt cache holds.
            budget_tokens: How many tokens the context may have; the setting `assemble.budget_tokens` if left out.
            messages: Messages that are not stored yet, as `{"role": …, "content": …}`. They come last, unchanged.
            profile: How to rank and pack the past, as in `search`. Only `default` keeps what it showed before.
            min_confidence: Leave out what is less likely part of an answer, in [0, 1]. The setting
                `assemble.least_confidence` is the least for `default`.

        Returns:
            The context, with a trace that gives the reason for each record in it and left out of it.
        """
        moment = time_or_now(self._engine.clock, now)
        own = tuple(map(_checked_message, messages))
        try:
            request = self._engine.request()
        except StoreError as error:
            budget = self.settings.assemble.budget_tokens if budget_tokens is None else budget_tokens
            return assembling.without_memory(self._engine.counter, own, budget, error)
        budget = request.settings.assemble.budget_tokens if budget_tokens is None else budget_tokens
        where = visible(request, user=user, project=project, now=moment)
        name = optional_id(session, "session")
        least = share(min_confidence, "min_confidence")
        wanted = assembling.ContextRequest(query, where, name, budget, moment, own, profile, least)
        return _with_budget_warning(assembling.assemble(request, wanted))

    def recall(
        self,
        prompt: str,
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        budget_tokens: int | None = None,
        skip_files: Sequence[str] = (),
    ) -> Context:
        """Return the few memories that help with a prompt, for a program that keeps the conversation itself.

        Unlike `assemble`, it adds nothing when nothing is close enough. It leaves out the turns of this session and
        what the session was already shown (see `sessions.reset_recall`).

        Args:
            prompt: The user's prompt as typed.
            session: The current session. What is added is noted for it, and not added to it again.
            budget_tokens: How many tokens may be added; the setting `hooks.budget_tokens` if left out.
            skip_files: Names of rule files that the agent reads itself, such as `AGENTS.md`; case does not matter.

        Returns:
            A context without recent turns: rules in `system`, memories in `recall`. Empty when nothing fits.
        """
        from aforesaid.context import recall as recalling

        request, moment = self._engine.request(), self._engine.clock()
        where = visible(request, user=user, project=project, now=moment)
        budget = request.settings.hooks.budget_tokens if budget_tokens is None else budget_tokens
        name = optional_id(session, "session")
        wanted = recalling.RecallRequest(prompt, where, name, budget, moment, frozenset(map(str.lower, skip_files)))
        return recalling.recall(request, wanted)

    def get(
        self, id: str, *, user: str | None = None, project: str | None = None, session: str | None = None
    ) -> Record:
        """Return one record, also when it was superseded.

        Args:
            id: Its id, its key, its handle in a context (`[m:8d50c0d7]`), or the start of its id if no other id
                starts so. All verbs that take a record accept these.
            session: Its session; needed when two sessions use the same id.

        Raises:
            NotFoundError: No record that this caller may see has that id.
            InputError: Several records match; the message lists them.
        """
        return find_visible(self._engine.request(), id, user=user, project=project, session=session)

    def list(
        self,
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        scope: Scope | Sequence[Scope] | None = None,
        kinds: Sequence[Kind] | None = None,
        since: TimeLike | None = None,
        until: TimeLike | None = None,
        durable: bool | None = None,
        superseded: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> Records:
        """List records, newest first.

        Args:
            scope: Only records of this scope, or of these.
            durable: Only records that are durable (True) or not (False).
        """
        request = self._engine.request()
        where = visible(
            request, user=user, project=project, session=session, scope=scope, kinds=kinds, since=since, until=until,
            superseded=superseded,
        )  # fmt: skip
        page = searching.Page(limit, offset)
        everything = replace(where, durable=durable, echoes=True)
        return request.view.find(everything, order="newest", limit=page.limit, offset=page.offset)

    def history(
        self, id: str, *, user: str | None = None, project: str | None = None, session: str | None = None
    ) -> Records:
        """List every version of a record, oldest first: those it replaced, and those that replaced it.

        Args:
            id: The id of any version, or another name of it, as in `get`.
            session: Its session; needed when two sessions use the same id.
        """
        request = self._engine.request()
        record = find_visible(request, id, user=user, project=project, session=session)
        keys = tuple(each.key for each in superseding.chain(request.store, record))
        where = visible(request, user=user, project=project, boundaries=None, superseded=True)
        return request.view.find(replace(where, keys=keys, echoes=True))

    def activate(
        self,
        query: str,
        *,
        intent: IntentName = "resume_task",
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        active_session: str | None = None,
        limit: int | None = None,
        ttl_minutes: float | None = None,
        max_uses: int | None = None,
        now: TimeLike | None = None,
    ) -> ActiveContext:
        """Collect memories for a task, save the list for a while, and return it; `governance.active` reads it again.

        Args:
            query: What the task is about.
            intent: `resume_task`, `debug_incident`, `design_decision` or `policy_check`; sets which types come first.
            active_session: The session you are in. It filters nothing; an intent may prefer its records.
            limit: How many records to collect; the setting `search.limit` if left out.
            ttl_minutes: When the list expires; the setting `govern.context_minutes` if left out.
            max_uses: How often it may be read; unlimited if left out.
        """
        from aforesaid.retrieval import activation

        request, moment = self._engine.request(), time_or_now(self._engine.clock, now)
        where = visible(request, user=user, project=project, session=session, now=moment)
        size = request.settings.search.limit if limit is None else limit
        minutes = request.settings.govern.context_minutes if ttl_minutes is None else ttl_minutes
        return activation.activate(
            request, query, where, active_session=optional_id(active_session, "active_session"), intent=intent,
            limit=size, now=moment, ttl_minutes=minutes, max_uses=max_uses,
        )  # fmt: skip

    def feedback(
        self,
        id: str,
        signal: Signal,
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        of: str | None = None,
        query: str | None = None,
        now: TimeLike | None = None,
    ) -> FeedbackReport:
        """Say how useful a record was; the same signal counts once a minute. Return its utility before and after.

        Args:
            signal: `helpful`, `harmful`, `outdated` or `duplicate`.
            session: Its session; needed when two sessions use the same id.
            of: For `duplicate`: the id of the record that it repeats.
            query: The query it was found by. Its scores are kept as a label for `calibration.fit`, the query is not.
            now: When the feedback was given; the clock's time if left out.
        """
        from aforesaid.learning import feedback

        moment = time_or_now(self._engine.clock, now)

        def work(request: Request) -> FeedbackReport:
            key = find_visible(request, id, user=user, project=project, session=session).key
            into = _named(request, of, user, project).key if of is not None else None
            return feedback.feedback(request, key, signal, moment, into=into, query=query)

        return self._engine.run(work)

    def forget(
        self,
        ids: Sequence[str] = (),
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        before: TimeLike | None = None,
        since: TimeLike | None = None,
        until: TimeLike | None = None,
        query: str | None = None,
        everything: bool = False,
        tenant: bool = False,
        dry_run: bool = False,
        reason: str = "",
    ) -> ForgetReceipt:
        """Delete records for good, with everything derived from them, also in our own backups.

        Several conditions narrow each other.

        Args:
            ids: Ids, keys or handles of records. The start of an id must have at least 8 characters here, and match one
                record only.
            user: The user whose records to delete. Without one, only records without a user.
            project: The project they belong to; without `user`, only this project's own records.
            before: Only records before that time; the same as `until`.
            query: Only records that contain all of these words.
            everything: All records of the user, or of the project.
            tenant: All records of the tenant.

        Returns:
            A receipt: how many records were deleted, and proof that no trace is left.

        Raises:
            InputError: No condition was given, or conditions that exclude each other.
            NotFoundError: No record has one of the ids.
        """
        from aforesaid.deletion import forget
        from aforesaid.memory.selection import select_records

        def work(request: Request) -> ForgetReceipt:
            forget.resume(request)
            selection = select_records(
                request, ids=ids, user=user, project=project, session=session, before=before, since=since,
                until=until, query=query, everything=everything, tenant=tenant, reason=reason,
            )  # fmt: skip
            return forget.forget(request, selection, dry_run=dry_run)

        return self._engine.run(work)

    def export(self, *, vectors: bool = True, progress: Progress | None = None) -> Iterator[str]:
        """Return all records of the tenant as JSON lines, one at a time; `import_` reads them again.

        Args:
            vectors: Include the vectors, so that nothing must be embedded again.
        """
        from aforesaid.maintenance.export import export_lines

        return export_lines(self._engine.request(), vectors=vectors, progress=progress)

    def import_(self, lines: Iterable[str], *, progress: Progress | None = None) -> ImportReport:
        """Import the lines of an `export`, or none if one is bad. Return how many records, vectors and events are new.

        Args:
            lines: The lines. Records that are there already stay as they are.

        Raises:
            FormatError: A line is not what `export` writes.
        """
        from aforesaid.maintenance.export import import_lines

        return import_lines(self._engine.request(), lines, progress)

    def stats(self) -> StoreStats:
        """Count this tenant's records by kind, and the size of the store."""
        return self.store.maintenance.stats(self.tenant)

    def where(
        self,
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
        now: TimeLike | None = None,
        superseded: bool = False,
    ) -> Filter:
        """Return the filter of what a caller may see under the policy, for calls to `memory.store`.

        Args:
            scope: Only records of this scope, or of these.
            boundaries: Only records of these privacy classes; None for all that the policy allows.
            as_of: As if it were that date: later records and changes are ignored. A date alone means its end.
            exclude: Ids, keys or handles of records to leave out.
            now: The time at which records must be valid; the clock's if left out.
        """
        return visible(
            self._engine.request(), user=user, project=project, session=session, scope=scope, kinds=kinds,
            boundaries=boundaries, as_of=as_of, since=since, until=until, exclude=exclude,
            now=optional_time(now, "now"), superseded=superseded,
        )  # fmt: skip


def _named(request: Request, name: str, user: str | None, project: str | None) -> Record:
    """A record that will be replaced or merged into: a few letters of its id are not enough."""
    return find_visible(request, name, user=user, project=project, least_chars=SAFE_CHARS)


def _with_budget_warning(context: Context) -> Context:
    """Say when the budget is too small for every record."""
    if context.records or context.degraded or not context.trace:
        return context
    least = min(item.tokens for item in context.trace)
    if least <= context.budget_tokens:
        return context
    return replace(context, degraded=f"the budget is too small for any record: the shortest needs {least} tokens")


def _checked_message(message: Mapping[str, str]) -> dict[str, str]:
    try:
        return {"role": str(message["role"]), "content": str(message["content"])}
    except (KeyError, TypeError, IndexError):
        what = f"A message needs a role and content: {str(message)[:80]}."
        raise InputError(what, "Give {'role': …, 'content': …}.") from None
