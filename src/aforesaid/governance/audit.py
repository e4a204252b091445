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
from dataclasses import dataclass, replace
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
OTHER_SEAL = "The seal of the log does not fit: it was changed without the store's key, or the key is another one."


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Result of a check: counts, the newest digest (keep a copy elsewhere), and the first problem."""

    events: int
    erased: int = 0
    pruned: int = 0
    digest: str = ""
    problem: str = ""
    sealed: bool = False  # someone with the store's key vouches for it

    @property
    def intact(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problem


def verify(store: Store, tenant: str, known: str = "") -> AuditReport:
    """Check a tenant's chain from the start to the head. It must contain the digest `known`, if given."""
    with store.snapshot():
        try:
            stored_head = _head(store, tenant)
        except StoreCorruptError as error:
            return AuditReport(store.maintenance.stats(tenant).events, problem=error.message)
        head = stored_head or Head()
        problems: list[str] = []
        digest, count, erased, last = head.anchor, 0, 0, None
        is_known = known in ("", head.anchor)
        try:
            for event in _events(store, tenant):
                content = event.body.get(CONTENT, "") if event.erased else content_of(event.subject, event.body)
                if digest_of(digest, event.time, event.tenant, event.topic, content) != event.digest:
                    problems.append(_mismatch(event, last, head))
                digest, last = event.digest, event  # after a mismatch, go on: all events are counted
                count, erased = count + 1, erased + event.erased
                is_known = is_known or event.digest == known
        except StoreCorruptError as error:
            problems.append(error.message)
    end = f"the last is {_describe(last, 'event')}" if last else "no event is left"
    expected = head.events - head.pruned
    if stored_head is None and count:
        problems.append(f"The head of the log is missing, but {count} events are stored; {end}.")
    elif count != expected:
        what = "The newest events are missing" if count < expected else "There are more events than were logged"
        problems.append(f"{what}: {expected} expected, {count} found; {end}.")
    elif digest != head.digest:
        problems.append(f"The newest digest differs from the one in the head of the log; {end}.")
    if erased != head.erased:
        problems.append(f"The head of the log counts {head.erased} erased events, {erased} found.")
    if not is_known:
        problems.append(f"The digest {known} is not in the log. The log was rewritten, or that event was pruned.")
    sealed = head.is_sealed(tenant, store.key)
    if head.seal and not sealed:
        problems.append(OTHER_SEAL)
    return AuditReport(count, erased, head.pruned, digest, problems[0] if problems else "", sealed)


def seal(store: Store, tenant: str, known: str = "") -> AuditReport:
    """Seal an intact log with the store's key, and check it again. A log with a problem stays as it is."""
    with store.transaction():
        report = verify(store, tenant, known)
        unsealed = replace(report, problem="") if report.problem == OTHER_SEAL else report
        if not unsealed.intact:
            return report
        store.log.seal(tenant)
        return verify(store, tenant, known)


def _head(store: Store, tenant: str) -> Head | None:
    try:
        return store.log.head(tenant)
    except ValueError as error:
        message = f"The head of the log of tenant {tenant!r} cannot be read: {error}."
        raise StoreCorruptError(message, "Restore a backup.") from error


def _events(store: Store, tenant: str, after: int | None = None) -> Iterator[Event]:
    while page := store.log.find(EventFilter(tenant, after=after, order="oldest", limit=PAGE, strict=True)):
        yield from page
        after = page[-1].number


def _mismatch(event: Event, last: Event | None, head: Head) -> str:
    if last is not None:
        before, which = f"the digest of event {last.number}", "between them"
    else:
        before, which = "the last pruned digest" if head.pruned else "the start of the log", "before it"
    return (
        f"{_describe(event)} does not match {before}. It was changed, or events {which} were removed, added or moved."
    )


def _describe(event: Event, noun: str = "Event") -> str:
    return f"{noun} {event.number} ({event.time:%Y-%m-%d %H:%M:%S} UTC, {event.topic})"


def export_lines(store: Store, tenant: str) -> Iterator[str]:
    """A tenant's log as JSON lines. The module docstring says how to verify them."""
    begun = _head(store, tenant) or Head()
    yield _line({"audit": FORMAT, "tenant": tenant, "anchor": begun.anchor, "pruned": begun.pruned})
    count, last = 0, begun.anchor
    for event in _events(store, tenant):
        yield _line({
            "number": event.number, "time": to_micros(event.time), "topic": event.topic, "subject": event.subject,
            "body": dict(event.body), "digest": event.digest, "erased": event.erased,
        })  # fmt: skip
        count, last = count + 1, event.digest or last
    # Pages are read without a lock, so that a slow reader does not block writers. New events only make it longer.
    if (_head(store, tenant) or Head()).pruned != begun.pruned:
        raise StoreBusyError("The log was pruned during the export.", "Export it again.")
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
        pruned = request.store.log.prune(request.tenant, before)
        if pruned:
            body = {"events": pruned, "before": before.isoformat()}
            writer.commit(events=[request.event("prune", None, body)])
    return pruned
