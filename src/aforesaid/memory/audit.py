"""The log of what happened: look into it, check it, carry it elsewhere, let old parts go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aforesaid._util.lazy import Lazy
from aforesaid.errors import InputError
from aforesaid.memory.base import Base, Time
from aforesaid.types import Event, EventFilter, as_time

if TYPE_CHECKING:
    from aforesaid.governance import audit as log
else:
    log = Lazy("aforesaid.governance.audit")

Events = list[Event]  # inside a class with a verb `list`, the type needs another name


class Auditing(Base):
    """The audit log of one tenant."""

    def audit(
        self,
        topic: str | None = None,
        subject: str | None = None,
        request: str | None = None,
        *,
        since: Time | None = None,
        until: Time | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> Events:
        """What happened, newest first: of one topic, about one subject, in one request, in a span of time."""
        if limit < 0 or offset < 0:
            raise InputError(
                f"limit and offset cannot be negative: {limit}, {offset}.", "Leave them out for the newest."
            )
        where = EventFilter(
            self.tenant,
            topic=topic,
            subject=subject,
            request=request,
            since=as_time(since, "since") if since is not None else None,
            until=as_time(until, "until") if until is not None else None,
            limit=limit,
            offset=offset,
        )
        return self.store.log.find(where)

    def verify_audit(self, known: str = "") -> log.AuditReport:
        """Check that nobody changed, added or took away events; a digest `known` from before must still be there."""
        return log.verify(self.store, self.tenant, known)

    def export_audit(self) -> Iterator[str]:
        """The whole log as JSON lines, oldest first. It can be checked without aforesaid (see `governance.audit`)."""
        return log.export_lines(self.store, self.tenant)

    def prune_audit(self, now: Time | None = None) -> int:
        """Let go of events older than the policy's retention; how many, none without a policy."""
        return self._engine.run(
            lambda request: log.prune(request, self._engine.clock() if now is None else as_time(now, "now"))
        )
