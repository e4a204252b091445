"""The audit log: verify, export and prune it (spec 9).

An export is JSON lines, oldest event first, between a head and a foot:

    {"audit": 1, "tenant": T, "anchor": A, "pruned": N}
    {"number": …, "time": µs since 1970 UTC, "topic": …, "subject": …, "body": {…}, "digest": D, "erased": false}
    {"events": N, "head": D}

To check one without aforesaid, write `json(x)` for JSON with sorted keys, no spaces, only ASCII and numbers as they
stand there (in Python `json.dumps(x, sort_keys=True, separators=(",", ":"))`), and `hex` for the SHA-256 in hexadecimal
digits. Begin with `before = A`. For every event whose `digest` is not empty:

    content = body["content"] if erased else hex(json([subject, body]))
    hex(json([before, time, T, topic, content])) is the event's digest, and the next one's `before`

The last digest is the foot's. An event from before the chain existed has an empty digest and cannot be proved.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from aforesaid.engine.request import Request
from aforesaid.engine.writer import writing
from aforesaid.errors import StoreBusyError, StoreCorruptError
from aforesaid.store.codec import to_micros
from aforesaid.store.hash_chain import CONTENT, Head, content_of, digest_of
from aforesaid.store.protocols import Store
from aforesaid.types import Event, EventFilter

FORMAT = 1  # of the export's lines
PAGE = 1000


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Result of a check: counts, the newest digest (keep a copy elsewhere), and the first problem."""

    events: int
    erased: int = 0
    pruned: int = 0
    digest: str = ""
    problem: str = ""

    @property
    def intact(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problem


def verify(store: Store, tenant: str, known: str = "") -> AuditReport:
    """Check a tenant's chain from the start to the head. It must contain the digest `known`, if given."""
    with store.snapshot():
        try:
            walk = _Walk(_head(store, tenant), known)
        except StoreCorruptError as error:
            return AuditReport(store.maintenance.stats(tenant).events, problem=error.message)
        try:
            for event in _events(store, tenant):
                walk.step(event)
        except StoreCorruptError as error:
            walk.note(error.message)
        return walk.end()


def _head(store: Store, tenant: str) -> Head | None:
    try:
        return store.log.head(tenant)
    except ValueError as error:
        message = f"The head of the log of tenant {tenant!r} cannot be read: {error}."
        raise StoreCorruptError(message, "Restore a backup.") from error


def _events(store: Store, tenant: str, after: int | None = None) -> Iterator[Event]:
    while page := store.log.find(EventFilter(tenant, after=after, order="oldest", limit=PAGE)):
        yield from page
        after = page[-1].number


class _Walk:
    """One pass over a chain. After a break it continues from the next digest, so that all events are counted."""

    def __init__(self, head: Head | None, known: str) -> None:
        self._lost = head is None
        self._head = head or Head()
        self._before = self._head.anchor
        self._known = known in ("", self._head.anchor)
        self._wanted = known
        self._chained = self._erased = 0
        self._last: Event | None = None
        self._problem = ""

    def note(self, problem: str) -> None:
        """Keep the first problem."""
        self._problem = self._problem or problem

    def step(self, event: Event) -> None:
        """Check the next event."""
        content = event.body.get(CONTENT, "") if event.erased else content_of(event.subject, event.body)
        if digest_of(self._before, event.time, event.tenant, event.topic, content) != event.digest:
            self.note(self._broken(event))
        self._before, self._last = event.digest, event
        self._known = self._known or event.digest == self._wanted
        self._chained += 1
        self._erased += event.erased

    def _broken(self, event: Event) -> str:
        if self._last is not None:
            follows, between = f"event {self._last.number}", "between them"
        else:
            follows, between = "what was pruned" if self._head.pruned else "the beginning of the log", "before it"
        return (
            f"{_place(event)} does not follow {follows}: it was changed, or events {between} were taken away, "
            "added or moved."
        )

    def end(self) -> AuditReport:
        """Compare the events with the head of the log."""
        head, there = self._head, self._chained
        last = f"the last one is {_place(self._last, 'event')}" if self._last else "none is left"
        written = head.events - head.pruned
        if self._lost and there:
            self.note(f"The head of the log is gone: {there} events are there; {last}.")
        elif there < written:
            self.note(f"The newest events are gone: {written} should be there, {there} are; {last}.")
        elif there > written:
            self.note(f"Events were added behind the log's back: {written} should be there, {there} are; {last}.")
        elif self._before != head.digest:
            self.note(f"The log does not end as its head says: {last}.")
        if self._erased != head.erased:
            self.note(f"{head.erased} erased events were noted, {self._erased} are there.")
        if not self._known:
            self.note(f"The digest {self._wanted} is not in the chain: it was written anew, or pruned past it.")
        return AuditReport(there, self._erased, head.pruned, self._before, self._problem)


def _place(event: Event, noun: str = "Event") -> str:
    return f"{noun} {event.number} ({event.time:%Y-%m-%d %H:%M:%S} UTC, {event.topic})"


def export_lines(store: Store, tenant: str) -> Iterator[str]:
    """A tenant's log as JSON lines. The module docstring says how to verify them."""
    begun = _head(store, tenant) or Head()
    yield _line({"audit": FORMAT, "tenant": tenant, "anchor": begun.anchor, "pruned": begun.pruned})
    count, last = 0, begun.anchor
    for event in _events(store, tenant):
        yield _line(
            {
                "number": event.number,
                "time": to_micros(event.time),
                "topic": event.topic,
                "subject": event.subject,
                "body": dict(event.body),
                "digest": event.digest,
                "erased": event.erased,
            }
        )
        count, last = count + 1, event.digest or last
    # Pages are read without a lock, so that a slow reader does not block writers. New events only make it longer.
    if (_head(store, tenant) or Head()).pruned != begun.pruned:
        raise StoreBusyError("The log was pruned while it was written out.", "Export it again.")
    yield _line({"events": count, "head": last})


def _line(value: dict[str, object]) -> str:
    return json.dumps(value, separators=(",", ":"))


def prune(request: Request, now: datetime) -> int:
    """Delete events older than the policy's retention and log that; returns how many."""
    days = request.policy.audit_retention_days if request.policy is not None else None
    if days is None:
        return 0
    try:
        before = now - timedelta(days=days)
    except OverflowError:  # the retention is longer than datetime supports
        return 0
    with writing(request, check_policy=False) as writer:
        gone = request.store.log.prune(request.tenant, before)
        if gone:
            body = {"events": gone, "before": before.isoformat()}
            writer.commit(events=[request.event("prune", None, body)])
    return gone
