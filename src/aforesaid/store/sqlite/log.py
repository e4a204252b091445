"""The log of events: it only grows at its end, each event chained to the one before it in its tenant."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from aforesaid.errors import StoreCorruptError
from aforesaid.store.codec import from_micros, to_micros
from aforesaid.store.hash_chain import CONTENT, Head, content_of, digest_of, subject_names
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed
from aforesaid.types import Event, EventFilter

INSERT = "INSERT INTO events (time, tenant, topic, subject, body, digest) VALUES (?, ?, ?, ?, ?, ?)"
COLUMNS = "event, time, tenant, topic, subject, body, digest, erased"
REQUEST = "CASE WHEN json_valid(body) THEN json_extract(body, '$.request') END"
THERE = "FROM events NOT INDEXED WHERE tenant = ? AND erased = 0"
STRINGS = re.compile(r'"((?:[^"\\]++|\\.)*+)"')  # in JSON, as they are written: far quicker than to parse it
PAGE = 1000
LARGEST = (1 << 63) - 1  # row number


class SQLiteLog:
    """The events of a database, and beside them the head of each tenant's chain."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, events: Iterable[Event]) -> None:
        """Add events at the end, each with the digest that chains it to the one before."""
        with self._database.transaction():
            heads: dict[str, Head] = {}
            for event in events:
                head = heads.get(event.tenant) or self.head(event.tenant) or Head()
                heads[event.tenant] = self._append(event, head)
            for tenant, head in heads.items():
                self._put_head(tenant, head)

    def _append(self, event: Event, head: Head) -> Head:
        body = json.dumps(dict(event.body))
        content = content_of(event.subject, json.loads(body))  # as it will be read: keys that are numbers become text
        digest = digest_of(head.digest, event.time, event.tenant, event.topic, content)
        row = (to_micros(event.time), event.tenant, event.topic, event.subject, body, digest)
        number = self._database.connection.execute(INSERT, row).lastrowid
        assert number is not None  # it is, after an INSERT
        return head.grown(number, digest)

    def head(self, tenant: str) -> Head | None:
        """What the log should look like at its two ends; StoreCorruptError when that cannot be read."""
        found = self._database.one("SELECT head FROM log_heads WHERE tenant = ?", tenant)
        try:
            return Head.read(found[0]) if found else None
        except ValueError as error:
            raise StoreCorruptError(
                f"The head of the log of tenant {tenant!r} cannot be read: {error}.", "Restore a backup."
            ) from error

    def _put_head(self, tenant: str, head: Head) -> None:
        sql = "INSERT OR REPLACE INTO log_heads (tenant, head) VALUES (?, ?)"
        self._database.connection.execute(sql, (tenant, head.write()))

    def find(self, where: EventFilter) -> list[Event]:
        """Events that pass every condition given, by number."""
        conditions = {
            "tenant = ?": where.tenant,
            "topic = ?": where.topic,
            "subject = ?": where.subject,
            f"{REQUEST} = ?": where.request,
            "time >= ?": to_micros(where.since),
            "time <= ?": to_micros(where.until),
            "event > ?": where.after,
        }
        given = {sql: value for sql, value in conditions.items() if value is not None}
        # By row the order comes for free; the index of topics would have to sort all events of a tenant for a page.
        table = "events NOT INDEXED" if where.topic is None else "events"
        found = self._database.rows(
            f"""SELECT {COLUMNS} FROM {table} WHERE {" AND ".join(given)}
                ORDER BY event {"DESC" if where.order == "newest" else "ASC"} LIMIT ? OFFSET ?""",
            *given.values(), where.limit, where.offset,
        )  # fmt: skip
        return [_event(*row) for row in found]

    def erase(self, tenant: str, names: Sequence[str]) -> int:
        """Take subject and body out of every event that names any of these."""
        wanted, written = frozenset(names), frozenset(json.dumps(name)[1:-1] for name in names)
        with self._database.transaction() as connection:
            rows = connection.execute(f"SELECT event, subject, CAST(body AS TEXT) {THERE}", (tenant,))
            found = [
                number
                for number, subject, body in rows
                if not (written.isdisjoint(STRINGS.findall(body)) and wanted.isdisjoint(subject_names(subject)))
            ]
            return self._blank(tenant, found)

    def _blank(self, tenant: str, numbers: Sequence[int]) -> int:
        """The hash of what an event said stays in its place: by it the chain can still be followed."""
        if not numbers:
            return 0
        for start in range(0, len(numbers), PAGE):
            sql = f"SELECT {COLUMNS} FROM events WHERE event IN {LISTED}"
            events = [_event(*row) for row in self._database.rows(sql, listed(numbers[start : start + PAGE]))]
            self._database.connection.executemany(
                "UPDATE events SET subject = NULL, body = ?, erased = 1 WHERE event = ?",
                [(json.dumps({CONTENT: content_of(e.subject, e.body)}), e.number) for e in events],
            )
        head = self.head(tenant) or Head()
        self._put_head(tenant, replace(head, erased=head.erased + len(numbers)))
        self._database.scrub_after_commit()
        return len(numbers)

    def prune(self, tenant: str, before: datetime) -> int:
        """Delete what is older at the beginning of the log, and blank what is older behind a younger event."""
        micros = to_micros(before)
        with self._database.transaction() as connection:
            sql = "SELECT min(event) FROM events WHERE tenant = ? AND time >= ?"
            first = self._database.one(sql, tenant, micros)[0]
            gone = (tenant, LARGEST if first is None else first - 1)
            deleted, erased = self._database.one(
                "SELECT count(*), ifnull(sum(erased), 0) FROM events WHERE tenant = ? AND event <= ?", *gone
            )
            if deleted:
                last = "SELECT digest FROM events WHERE tenant = ? AND event <= ? ORDER BY event DESC LIMIT 1"
                head = self.head(tenant) or Head()
                pruned = replace(
                    head,
                    pruned=head.pruned + deleted,
                    anchor=self._database.one(last, *gone)[0],
                    erased=head.erased - erased,
                    pruned_to=before.isoformat(),
                )
                self._put_head(tenant, pruned)
                connection.execute("DELETE FROM events WHERE tenant = ? AND event <= ?", gone)
                self._database.scrub_after_commit()
            behind = self._database.rows(f"SELECT event {THERE} AND time < ?", tenant, micros)
            return int(deleted) + self._blank(tenant, [row[0] for row in behind])

    def count(self, tenant: str) -> int:
        """How many events there are."""
        return int(self._database.one("SELECT count(*) FROM events WHERE tenant = ?", tenant)[0])


def _event(
    number: int, micros: int, tenant: str, topic: str, subject: str, body: str, digest: str, erased: int
) -> Event:
    try:
        said: Any = json.loads(body)
        if not isinstance(said, dict) or not all(isinstance(part, str) for part in (topic, subject or "", digest)):
            raise TypeError("a part of it is of another type")
        return Event(from_micros(micros), tenant, topic, subject, said, number, digest, bool(erased))
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise StoreCorruptError(
            f"Event {number} cannot be read: {error}.", "`aforesaid verify --audit` says whether others were touched."
        ) from error
