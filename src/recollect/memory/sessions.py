"""A session from its beginning to its end."""

from __future__ import annotations

from collections.abc import Iterable

from recollect import compact as compacting
from recollect.errors import InputError
from recollect.lineage import raw_turns
from recollect.memory.base import Records
from recollect.memory.talk import Talk
from recollect.types import IngestReport, Turn, check_id


class Sessions(Talk):
    """What happens around the turns of a session."""

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
