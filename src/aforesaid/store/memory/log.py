"""In-memory event log."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from aforesaid.store.hash_chain import CONTENT, Head, content_of, digest_of, mentions
from aforesaid.types import Event, EventFilter


@dataclass
class DictLog:
    """A list of events, and the chain head of each tenant."""

    events: list[Event] = field(default_factory=list)
    heads: dict[str, Head] = field(default_factory=dict)
    numbers: int = 0

    def append(self, events: Iterable[Event]) -> None:
        """Append events. Each is chained to the previous one of its tenant."""
        for event in events:
            head = self.heads.get(event.tenant, Head())
            body = json.loads(json.dumps(dict(event.body)))
            content = content_of(event.subject, body)
            digest = digest_of(head.digest, event.time, event.tenant, event.topic, content)
            self.numbers += 1
            self.events.append(replace(event, body=body, number=self.numbers, digest=digest, erased=False))
            self.heads[event.tenant] = head.after(self.numbers, digest)

    def find(self, where: EventFilter) -> list[Event]:
        """Return the events that pass every condition, sorted by number."""
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
        """Erase subject and body of every event that mentions one of these names."""
        return self._erase(tenant, lambda event: mentions(event.subject, event.body, set(names)))

    def prune(self, tenant: str, before: datetime) -> int:
        """Delete old events at the start, and erase old events that follow a newer one."""
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
        return len(gone) + self._erase(tenant, lambda event: event.time < before)

    def _erase(self, tenant: str, chosen: Callable[[Event], bool]) -> int:
        chosen_numbers = {event.number for event in self._of(tenant) if not event.erased and chosen(event)}
        self.events = [_erased(event) if event.number in chosen_numbers else event for event in self.events]
        if chosen_numbers:
            head = self.heads[tenant]
            self.heads[tenant] = replace(head, erased=head.erased + len(chosen_numbers))
        return len(chosen_numbers)

    def head(self, tenant: str) -> Head | None:
        """Return the chain head of a tenant."""
        return self.heads.get(tenant)

    def count(self, tenant: str) -> int:
        """Count the events of a tenant."""
        return len(self._of(tenant))

    def _of(self, tenant: str) -> list[Event]:
        return [event for event in self.events if event.tenant == tenant]


def _erased(event: Event) -> Event:
    return replace(event, subject=None, body={CONTENT: content_of(event.subject, event.body)}, erased=True)
