"""`memory.sessions`: a session from start to end: bootstrap → after_turn → compact → end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid.engine.lineage import raw_turns
from aforesaid.engine.writer import log_event
from aforesaid.errors import AforesaidError, InputError
from aforesaid.ingest.pipeline import Speaker, ingest
from aforesaid.memory.handle import Handle
from aforesaid.memory.visibility import find_visible, optional_id, user_owner, user_records, visible
from aforesaid.types import Freshness, IngestReport, Progress, Record, Turn, check_id

if TYPE_CHECKING:
    from aforesaid.compaction.compact import CompactReport
    from aforesaid.documents.loader import LoadReport

WARM_UP = "ready"  # any text: embedding it loads the model


@dataclass(frozen=True, slots=True)
class BootstrapReport:
    """What a session starts with: how many of its turns are stored, which documents were loaded, which failed."""

    session: str
    turns: int
    ingested: IngestReport
    loaded: tuple[LoadReport, ...]
    failed: tuple[str, ...]
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class EndReport:
    """The end of a session: how many turns it has, its last compaction, and how many records were embedded."""

    session: str
    turns: int
    compacted: CompactReport
    embedded: int
    freshness: Freshness


class SessionsHandle(Handle):
    """What happens around the turns of a session."""

    def bootstrap(
        self,
        session: str,
        *,
        turns: Iterable[Turn] = (),
        documents: Sequence[str | Path] = (),
        user: str | None = None,
        project: str | None = None,
        agent: str | None = None,
    ) -> BootstrapReport:
        """Prepare a session: load its documents, store its earlier turns, load the model. Safe to repeat.

        Args:
            session: The session's name.
            turns: Its earlier messages.
            documents: Files of rules, such as `AGENTS.md`.
            project: The project it is about; the documents belong to it.

        Returns:
            What is there now. A document that cannot be loaded is named in `failed`; its earlier rules stay.
        """
        loaded: list[LoadReport] = []
        failed: list[str] = []
        if documents:
            from aforesaid.memory.documents import DocumentsHandle

            library = DocumentsHandle(self._engine)
            for path in documents:
                try:
                    loaded.append(library.load(path, user=user, project=project))
                except AforesaidError as error:
                    failed.append(f"{path}: {error.message} {error.remedy}".strip())
        ingested = self._ingest(turns, user, project, agent)
        self._engine.arm.embed_query(WARM_UP)
        known = self._count_turns(session, user)
        freshness = self._engine.request().freshness(user_records(self._engine.tenant, user))
        return BootstrapReport(session, known, ingested, tuple(loaded), tuple(failed), freshness)

    def after_turn(
        self, turns: Iterable[Turn], *, user: str | None = None, project: str | None = None, agent: str | None = None
    ) -> tuple[IngestReport, tuple[CompactReport, ...]]:
        """Store new turns, and compact the sessions that have grown enough. Return a report of both.

        Args:
            turns: The new messages.
            project: The project that they are about.
        """
        new = list(turns)
        report = self._ingest(new, user, project, agent)
        return report, self.compact_grown(dict.fromkeys(turn.session for turn in new), user=user)

    def compact(self, session: str, *, user: str | None = None, progress: Progress | None = None) -> CompactReport:
        """Summarise the older turns of a session; `expand` returns them. Return the summaries and the tokens saved.

        Args:
            session: The session's name.
        """
        from aforesaid.compaction import compact
        from aforesaid.compaction.summarize import open_summarizer

        request = self._engine.request()
        model = open_summarizer(self._engine.settings, request.count_tokens)
        where, name = user_records(request.tenant, user), check_id(session, "session")
        return compact.compact(request, where, name, abstractive=model, progress=progress)

    def compact_grown(self, sessions: Iterable[str], *, user: str | None = None) -> tuple[CompactReport, ...]:
        """Compact those of these sessions that have enough new tokens. Return a report for each.

        Args:
            sessions: Names of sessions.
        """
        from aforesaid.compaction.compact import due

        where = user_records(self._engine.tenant, user)
        return tuple(self.compact(name, user=user) for name in sessions if due(self._engine.request(), where, name))

    def expand(
        self, id: str, *, user: str | None = None, project: str | None = None, session: str | None = None
    ) -> list[Record]:
        """Return the messages under a summary that this caller may see, exactly as stored, oldest first.

        Args:
            id: The summary's id or key.
            session: Its session; needed when two sessions use the same id.

        Raises:
            NotFoundError: No record that this caller may see has that id.
            InputError: The record is not a summary.
        """
        request = self._engine.request()
        summary = find_visible(request, id, user=user, project=project, session=session)
        if summary.kind != "summary":
            raise InputError(f"{id!r} is a {summary.kind}, not a summary.", "See memory.list(kinds=['summary']).")
        turns = raw_turns(request.store, summary.key)
        where = visible(request, user=user, project=project, boundaries=None, superseded=True)
        seen = {turn.key: turn for turn in request.view.find(replace(where, keys=tuple(turn.key for turn in turns)))}
        return [seen[turn.key] for turn in turns if turn.key in seen]

    def reset_recall(self, session: str, *, user: str | None = None) -> None:
        """Note that the agent's context was shortened, so that `Memory.recall` may add earlier memories again.

        Args:
            session: The session's name.
        """
        from aforesaid.context.recall import note_reset

        owner, name = user_owner(user), check_id(session, "session")
        self._engine.run(lambda request: note_reset(request, owner, name))

    def end(self, session: str, *, user: str | None = None, progress: Progress | None = None) -> EndReport:
        """Finish embedding a session, summarise its older turns and log the end. It may go on later. Return a report.

        Args:
            session: The session's name.
        """
        from aforesaid.maintenance.reindex import embed_pending

        engine, where = self._engine, user_records(self._engine.tenant, user, session)
        embedded = engine.run(lambda request: embed_pending(request, where))
        report = self.compact(session, user=user, progress=progress)
        turns = self._count_turns(session, user)
        body = {"turns": turns, "summaries": len(report.summaries)}
        engine.run(lambda request: log_event(request, "end", session, body))
        return EndReport(session, turns, report, embedded, engine.request().freshness(where))

    def _ingest(self, turns: Iterable[Turn], user: str | None, project: str | None, agent: str | None) -> IngestReport:
        who = Speaker(optional_id(user, "user"), optional_id(project, "project"), optional_id(agent, "agent"))
        return ingest(self._engine, turns, who)

    def _count_turns(self, session: str, user: str | None) -> int:
        where = user_records(self._engine.tenant, user, session)
        return self._engine.store.count(replace(where, kinds=("turn",), echoes=True))
