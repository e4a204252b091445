"""A session from its beginning to its end: bootstrap → ingest → assemble → after_turn → compact → end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid._util.lazy import Lazy
from aforesaid.engine.lineage import raw_turns
from aforesaid.engine.writer import commit
from aforesaid.errors import AforesaidError, InputError
from aforesaid.memory.base import Records
from aforesaid.memory.documents import Documents
from aforesaid.memory.turns import Talk
from aforesaid.types import Freshness, IngestReport, Turn, check_id

if TYPE_CHECKING:
    from aforesaid.compaction import compact as compacting
    from aforesaid.documents.loader import Loaded
    from aforesaid.maintenance import reindex as indexing
else:
    indexing, compacting = Lazy("aforesaid.maintenance.reindex"), Lazy("aforesaid.compaction.compact")

WARM_UP = "ready"  # a text to wake the model with


@dataclass(frozen=True, slots=True)
class Begun:
    """What a session begins with: how many of its turns are known, the rules that were loaded, and what failed."""

    session: str
    turns: int
    taken: IngestReport
    loaded: tuple[Loaded, ...]
    failed: tuple[str, ...]
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class Ended:
    """How a session was left: its turns, the last compaction, and how many vectors were caught up on."""

    session: str
    turns: int
    compacted: compacting.CompactReport
    embedded: int
    freshness: Freshness


class Sessions(Talk, Documents):
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
    ) -> Begun:
        """Get ready for a session: load its documents, take what was said in it before, wake the model.

        Safe to repeat. A document that cannot be loaded is named in `failed`, and the rules it had before stay.
        """
        loaded: list[Loaded] = []
        failed: list[str] = []
        for path in documents:
            try:
                loaded.append(self.load(path, user=user, project=project))
            except AforesaidError as error:
                failed.append(f"{path}: {error.message} {error.remedy}".strip())
        taken = self.ingest(turns, user=user, project=project, agent=agent)
        self._engine.arm.embed_query(WARM_UP)
        where = self._own(user)
        known = self.store.count(replace(where, sessions=(check_id(session, "session"),), kinds=("turn",), echoes=True))
        return Begun(session, known, taken, tuple(loaded), tuple(failed), self._engine.request().freshness(where))

    def end(self, session: str, *, user: str | None = None, progress: compacting.Progress | None = None) -> Ended:
        """Leave a session in order: what lacks a vector gets one, older turns get summaries, and the end is noted.

        The session can go on later; nothing is closed.
        """
        where = replace(self._own(user), sessions=(check_id(session, "session"),))
        embedded = self._engine.run(lambda request: indexing.embed_pending(request, where))
        report = self.compact(session, user=user, progress=progress)
        turns = self.store.count(replace(where, kinds=("turn",), echoes=True))
        body = {"turns": turns, "summaries": len(report.summaries)}
        self._engine.run(lambda request: commit(request, events=[request.event("end", session, body)]))
        return Ended(session, turns, report, embedded, self._engine.request().freshness(where))

    def after_turn(
        self, turns: Iterable[Turn], *, user: str | None = None, project: str | None = None, agent: str | None = None
    ) -> tuple[IngestReport, tuple[compacting.CompactReport, ...]]:
        """Take what was just said, and compact the sessions that have grown enough (compact.trigger_tokens)."""
        said = list(turns)
        report = self.ingest(said, user=user, project=project, agent=agent)
        return report, self.compact_grown(dict.fromkeys(turn.session for turn in said), user=user)

    def compact_grown(
        self, sessions: Iterable[str], *, user: str | None = None
    ) -> tuple[compacting.CompactReport, ...]:
        """Compact those of these sessions that have enough new tokens since the last time."""
        where = self._own(user)
        return tuple(
            self.compact(name, user=user) for name in sessions if compacting.due(self._engine.request(), where, name)
        )

    def compact(
        self, session: str, *, user: str | None = None, progress: compacting.Progress | None = None
    ) -> compacting.CompactReport:
        """Summarise the older turns of a session; the turns stay, and `expand` gives them back."""
        from aforesaid.compaction.summarize import open_summarizer

        where = self._own(user)
        model = open_summarizer(self.settings, self._engine.request().count_tokens)
        return compacting.compact(
            self._engine.request(), where, check_id(session, "session"), abstractive=model, progress=progress
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
            raise InputError(f"{id!r} is a {summary.kind}, not a summary.", "See `aforesaid list --kind summary`.")
        where = self.where(user=user, project=project, boundaries=None, superseded=True)
        turns = raw_turns(self.store, summary.key)
        visible = {
            turn.key: turn
            for turn in self._engine.request().view.find(replace(where, keys=tuple(t.key for t in turns)))
        }
        return [visible[turn.key] for turn in turns if turn.key in visible]
