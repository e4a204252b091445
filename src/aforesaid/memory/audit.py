"""`memory.audit`: the log of everything that changed the memory."""

from __future__ import annotations

from collections.abc import Iterator

from aforesaid.governance import audit as log
from aforesaid.memory.handle import Handle
from aforesaid.memory.visibility import optional_time, time_or_now
from aforesaid.retrieval.search_log import SearchStats, search_stats
from aforesaid.types import Event, EventFilter, TimeLike


class AuditHandle(Handle):
    """The audit log of one tenant: read, verify, export, prune."""

    def events(
        self,
        topic: str | None = None,
        subject: str | None = None,
        request: str | None = None,
        *,
        since: TimeLike | None = None,
        until: TimeLike | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Event]:
        """List events, newest first.

        Args:
            topic: Only events of this topic, such as `forget` or `recall`.
            subject: Only events about this record, session or file.
            request: Only events with this request id (see `Memory.acting`).
        """
        where = EventFilter(
            self._engine.tenant,
            topic=topic,
            subject=subject,
            request=request,
            since=optional_time(since, "since"),
            until=optional_time(until, "until"),
            limit=limit,
            offset=offset,
        )
        return self._engine.store.log.find(where)

    def searches(self) -> SearchStats | None:
        """Count the logged searches, those that fell back, and how long they took; None when `search.log` is off."""
        return search_stats(self._engine.request())

    def verify(self, known: str = "", *, seal: bool = False) -> log.AuditReport:
        """Check that nobody changed, added or removed events. Return what was checked, and the first problem.

        Args:
            known: A digest from an earlier check. The log must still contain it.
            seal: Seal an intact log with the store's key: one from before there was a key, or from another one. From
                then on nobody without the key can rebuild it unseen.
        """
        if seal:
            return log.seal(self._engine.store, self._engine.tenant, known)
        return log.verify(self._engine.store, self._engine.tenant, known)

    def export(self) -> Iterator[str]:
        """Return the whole log as JSON lines, oldest first. It can be verified without this package."""
        return log.export_lines(self._engine.store, self._engine.tenant)

    def prune(self, now: TimeLike | None = None) -> int:
        """Delete events that are older than the policy's retention, and return how many; none without a policy."""
        moment = time_or_now(self._engine.clock, now)
        return self._engine.run(lambda request: log.prune(request, moment))
