"""The only way to write records: one transaction, which fails when the policy changed since validation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from aforesaid.engine.request import PolicyChanged, Request
from aforesaid.engine.vector_arm import Embedded
from aforesaid.policy.repository import active_number
from aforesaid.store.protocols import Store
from aforesaid.types import Edge, Event, Record


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes inside the open transaction of `writing`."""

    request: Request

    @property
    def store(self) -> Store:
        """The store, for reads inside the transaction and for deletions."""
        return self.request.store

    def commit(
        self,
        records: Sequence[Record] = (),
        embedded: Embedded | None = None,
        edges: Iterable[Edge] = (),
        events: Sequence[Event] = (),
    ) -> None:
        """Write records with their vectors, edges and events. Counts the dates in every text, also of a new version.

        Args:
            records: New records, or new versions of stored ones.
            embedded: One vector for each record, in the same order; None leaves them for a later `reindex`.
            edges: Links between records.
            events: Entries for the audit log.
        """
        store = self.store
        if records:
            count_dates = self.request.readers.count_dates
            store.put([replace(record, dates=count_dates(record.text, record.time)) for record in records])
        if embedded is not None:
            self.put_vectors([record.key for record in records], embedded)
        if links := list(edges):
            store.link(links)
        if events:
            store.log.append(events)

    def put_vectors(self, keys: Sequence[str], embedded: Embedded, space: str | None = None) -> None:
        """Write vectors of stored records; creates the embedder's vector space on first use.

        When the store switched to another model since they were made, nothing is written: they cannot be compared.
        """
        if not keys:
            return
        embedder = self.request.arm.embedder
        if embedder is not None and space is None:
            space, spaces = embedder.name, [each.name for each in self.store.spaces()]
            if not spaces:
                self.store.add_space(embedder.name, embedder.dimensions)
            elif space not in spaces:
                return
        self.store.put_vectors(keys, embedded.vectors, space, passages=embedded.passages)


@contextmanager
def writing(request: Request, *, check_policy: bool = True) -> Iterator[Writer]:
    """Open a transaction for writes that were validated under the request's policy.

    Raises PolicyChanged when another policy was adopted since; `Engine.run` then repeats the step.
    Use `check_policy=False` for writes that depend on no policy, such as counting a use.
    """
    with request.store.transaction():
        if check_policy and active_number(request.store, request.tenant) != request.policy_number:
            raise PolicyChanged
        yield Writer(request)


def log_event(request: Request, topic: str, subject: str | None, body: Mapping[str, Any]) -> None:
    """Write one audit event in its own transaction."""
    with writing(request) as writer:
        writer.commit(events=[request.event(topic, subject, body)])
