"""The log of events in its plainest form: a list, and beside it the head of each tenant's chain."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from aforesaid.store.hash_chain import CONTENT, Head, content_of, digest_of, mentions
from aforesaid.types import Event, EventFilter


@dataclass
class DictLog:
    """Events by number, and the head of each tenant's chain."""

    events: list[Event] = field(default_factory=list)
    heads: dict[str, Head] = field(default_factory=dict)
    numbers: int = 0

    def append(self, events: Iterable[Event]) -> None:
        """Add events, each chained to the one before it in its tenant."""
        for event in events:
            head = self.heads.get(event.tenant, Head())
            body = json.loads(json.dumps(dict(event.body)))
            content = content_of(event.subject, body)
            digest = digest_of(head.digest, event.time, event.tenant, event.topic, content)
            self.numbers += 1
            self.events.append(replace(event, body=body, number=self.numbers, digest=digest, erased=False))
            self.heads[event.tenant] = head.grown(self.numbers, digest)

    def find(self, where: EventFilter) -> list[Event]:
        """Events that pass every condition given, by number."""
        found = [
            event
            for event in self._of(where.tenant)
            if where.topic in (None, event.topic)
            and where.subject in (None, event.subject)
            and where.request in (None, event.body.get("request"))
            and (where.since is None or where.since <= event.time)
            and (where.until is None or event.time <= where.until)
            and (where.after is None or event.number > where.after)
        ]
        if where.order == "newest":
            found.reverse()
        return found[where.offset :][: where.limit]

    def erase(self, tenant: str, names: Sequence[str]) -> int:
        """Take subject and body out of every event that names any of these."""
        return self._blank(tenant, lambda event: mentions(event.subject, event.body, set(names)))

    def prune(self, tenant: str, before: datetime) -> int:
        """Delete what is older at the beginning, and blank what is older behind a younger event."""
        mine = self._of(tenant)
        first = next((place for place, event in enumerate(mine) if event.time >= before), len(mine))
        gone, numbers = mine[:first], {event.number for event in mine[:first]}
        self.events = [event for event in self.events if event.number not in numbers]
        if gone:
            head = self.heads[tenant]
            self.heads[tenant] = replace(
                head,
                pruned=head.pruned + len(gone),
                anchor=gone[-1].digest,
                erased=head.erased - sum(event.erased for event in gone),
                pruned_to=before.isoformat(),
            )
        return len(gone) + self._blank(tenant, lambda event: event.time < before)

    def _blank(self, tenant: str, chosen: Callable[[Event], bool]) -> int:
        there = {event.number for event in self._of(tenant) if not event.erased and chosen(event)}
        self.events = [_blanked(event) if event.number in there else event for event in self.events]
        if there:
            head = self.heads[tenant]
            self.heads[tenant] = replace(head, erased=head.erased + len(there))
        return len(there)

    def head(self, tenant: str) -> Head | None:
        """What the log should look like at its two ends."""
        return self.heads.get(tenant)

    def count(self, tenant: str) -> int:
        """How many events there are."""
        return len(self._of(tenant))

    def _of(self, tenant: str) -> list[Event]:
        return [event for event in self.events if event.tenant == tenant]


def _blanked(event: Event) -> Event:
    return replace(event, subject=None, body={CONTENT: content_of(event.subject, event.body)}, erased=True)
