"""In-memory event log and values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from aforesaid.store.hash_chain import Head, chained, erased, mentioning
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import Event, EventFilter


@dataclass
class DictLog:
    """A list of events, and the chain head of each tenant. `EventLog` documents the methods."""

    events: list[Event] = field(default_factory=list)
    heads: dict[str, Head] = field(default_factory=dict)
    key: bytes = b""

    def append(self, events: Iterable[Event]) -> None:
        for event in events:
            head = self.heads.get(event.tenant, Head())
            self.events.append(replace(chained(event, head), number=head.number + 1))
            self._put_head(event.tenant, head.after(self.events[-1].digest))

    def find(self, where: EventFilter) -> list[Event]:
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
        mentions = mentioning(names)
        return self._erase(tenant, lambda event: mentions(event.subject, json.dumps(event.body)))

    def prune(self, tenant: str, before: datetime) -> int:
        mine = self._of(tenant)
        first = next((place for place, event in enumerate(mine) if event.time >= before), len(mine))
        gone, numbers = mine[:first], {event.number for event in mine[:first]}
        self.events = [event for event in self.events if event.tenant != tenant or event.number not in numbers]
        if gone:
            without_content = sum(event.erased for event in gone)
            head = self.heads[tenant].after_pruning(len(gone), without_content, gone[-1].digest, before)
            self._put_head(tenant, head)
        return len(gone) + self._erase(tenant, lambda event: event.time < before)

    def _erase(self, tenant: str, chosen: Callable[[Event], bool]) -> int:
        numbers = {event.number for event in self._of(tenant) if not event.erased and chosen(event)}
        self.events = [
            erased(event) if event.tenant == tenant and event.number in numbers else event for event in self.events
        ]
        if numbers:
            self._put_head(tenant, self.heads[tenant].after_erasing(len(numbers)))
        return len(numbers)

    def head(self, tenant: str) -> Head | None:
        return self.heads.get(tenant)

    def seal(self, tenant: str) -> None:
        self.heads[tenant] = self.heads.get(tenant, Head()).sealed(tenant, self.key)

    def _put_head(self, tenant: str, head: Head) -> None:
        self.heads[tenant] = head.following(self.heads.get(tenant), tenant, self.key)

    def count(self, tenant: str) -> int:
        return len(self._of(tenant))

    def _of(self, tenant: str) -> list[Event]:
        return [event for event in self.events if event.tenant == tenant]


@dataclass
class DictValues:
    """Values by slot. `Values` documents the methods."""

    held: dict[Slot, str] = field(default_factory=dict)

    def get(self, slot: Slot) -> str | None:
        return self.held.get(slot)

    def put(self, slot: Slot, value: str) -> None:
        self.held[slot] = value

    def drop(self, slot: Slot) -> None:
        self.held.pop(slot, None)

    def items(self, kind: ValueKind, tenant: str, owner: str | None = None, prefix: str = "") -> dict[Slot, str]:
        return {
            slot: self.held[slot]
            for slot in sorted(self.held)
            if (slot.kind, slot.tenant) == (kind, tenant)
            and owner in (None, slot.owner)
            and slot.name.startswith(prefix)
        }

    def drop_owner(self, tenant: str, owner: str) -> int:
        gone = [slot for slot in self.held if (slot.tenant, slot.owner) == (tenant, owner)]
        for slot in gone:
            del self.held[slot]
        return len(gone)
