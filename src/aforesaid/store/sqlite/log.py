"""The tables `events` and `log_heads`: the event log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from aforesaid._util.batches import batched
from aforesaid.errors import StoreCorruptError
from aforesaid.store.codec import from_micros, to_micros
from aforesaid.store.hash_chain import CONTENT, START, Head, chained, erased, mentioning
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed
from aforesaid.store.sqlite.quarantine import logger
from aforesaid.types import Event, EventFilter

INSERT = "INSERT INTO events (number, time, tenant, topic, subject, body, digest) VALUES (?, ?, ?, ?, ?, ?, ?)"
COLUMNS = "number, time, tenant, topic, subject, body, digest, erased"
REQUEST = "CASE WHEN json_valid(body) THEN json_extract(body, '$.request') END"
NOT_ERASED = "FROM events NOT INDEXED WHERE tenant = ? AND erased = 0"
PAGE = 1000
LAST_ROW = (1 << 63) - 1


class SQLiteLog:
    """Reads and writes events, and the chain head of each tenant. `EventLog` documents the methods."""

    def __init__(self, database: Database, key: bytes) -> None:
        self._database, self._key = database, key

    def append(self, events: Iterable[Event]) -> None:
        with self._database.transaction():
            heads: dict[str, Head] = {}
            for given in events:
                if given.tenant not in heads:
                    heads[given.tenant] = self._head_to_continue(given)
                event = chained(given, heads[given.tenant])
                heads[event.tenant] = self._insert(event, heads[event.tenant])
            for tenant, head in heads.items():
                self._put_head(tenant, head)

    def head(self, tenant: str) -> Head | None:
        found = self._database.one("SELECT head FROM log_heads WHERE tenant = ?", tenant)
        try:
            return Head.read(found[0]) if found else None
        except ValueError as error:
            raise StoreCorruptError(
                f"The head of the log of tenant {tenant!r} cannot be read: {error}.", "Restore a backup."
            ) from error

    def _insert(self, event: Event, head: Head) -> Head:
        """Store a chained event, and return the head after it."""
        row = (to_micros(event.time), event.tenant, event.topic, event.subject, json.dumps(event.body))
        self._database.connection.execute(INSERT, (head.number + 1, *row, event.digest))
        return head.after(event.digest)

    def _head_to_continue(self, event: Event) -> Head:
        """Return the head before an event. A damaged one does not stop writers: it is made again and that is logged."""
        try:
            return self.head(event.tenant) or Head()
        except StoreCorruptError as error:
            logger.warning("%s It is made again.", error.message)
        head = self._head_from_events(event.tenant)
        notice = replace(event, topic="damage", subject=None, body={"what": "the head of the log was made again"})
        return self._insert(chained(notice, head), head)

    def _head_from_events(self, tenant: str) -> Head:
        sql = "SELECT number, digest FROM events WHERE tenant = ? ORDER BY number DESC LIMIT 1"
        number, digest = self._database.one(sql, tenant) or (0, START)
        events, without_content = self._database.one(
            "SELECT count(*), ifnull(sum(erased), 0) FROM events WHERE tenant = ?", tenant
        )
        return Head(events, number, digest, without_content)

    def _sound_head(self, tenant: str) -> Head:
        try:
            return self.head(tenant) or Head()
        except StoreCorruptError:
            return self._head_from_events(tenant)

    def seal(self, tenant: str) -> None:
        with self._database.transaction():
            self._write_head(tenant, (self.head(tenant) or Head()).sealed(tenant, self._key))

    def _put_head(self, tenant: str, head: Head) -> None:
        try:
            before = self.head(tenant)
        except StoreCorruptError:
            before = Head()  # nobody vouches for what comes after a damaged head
        self._write_head(tenant, head.following(before, tenant, self._key))

    def _write_head(self, tenant: str, head: Head) -> None:
        sql = "INSERT OR REPLACE INTO log_heads (tenant, head) VALUES (?, ?)"
        self._database.connection.execute(sql, (tenant, head.write()))

    def find(self, where: EventFilter) -> list[Event]:
        conditions = {
            "tenant = ?": where.tenant,
            "topic = ?": where.topic,
            "subject = ?": where.subject,
            f"{REQUEST} = ?": where.request,
            "time >= ?": to_micros(where.since),
            "time <= ?": to_micros(where.until),
            "number > ?": where.after,
        }
        given = {sql: value for sql, value in conditions.items() if value is not None}
        # In the order of their numbers no sorting is needed. With the topic index SQLite would sort all events.
        table = "events INDEXED BY events_by_number" if where.topic is None else "events"
        found = self._database.rows(
            f"""SELECT {COLUMNS} FROM {table} WHERE {" AND ".join(given)}
                ORDER BY number {"DESC" if where.order == "newest" else "ASC"} LIMIT ? OFFSET ?""",
            *given.values(), where.limit, where.offset,
        )  # fmt: skip
        if where.strict:
            return [_event(*row) for row in found]
        return [event for row in found if (event := _sound_event(row)) is not None]

    def erase(self, tenant: str, names: Sequence[str]) -> int:
        mentions = mentioning(names)
        with self._database.transaction() as connection:
            rows = connection.execute(
                f"SELECT event, CAST(subject AS BLOB), CAST(body AS BLOB) {NOT_ERASED}", (tenant,)
            )  # as bytes: damaged text may be no UTF-8
            found = ((number, subject and _readable(subject), _readable(body)) for number, subject, body in rows)
            return self._erase(tenant, [number for number, subject, body in found if mentions(subject, body)])

    def _erase(self, tenant: str, rows: Sequence[int]) -> int:
        """Replace the content of events by its hash, which keeps the chain verifiable."""
        if not rows:
            return 0
        for page in batched(rows, PAGE):
            sql = f"SELECT event, {COLUMNS} FROM events WHERE event IN {LISTED}"
            found = {row: _sound_event(cells) for row, *cells in self._database.rows(sql, listed(page))}
            self._database.connection.executemany(
                "UPDATE events SET subject = NULL, body = ?, erased = 1 WHERE event = ?",
                [(json.dumps(erased(event).body if event else {CONTENT: ""}), row) for row, event in found.items()],
            )
        self._put_head(tenant, self._sound_head(tenant).after_erasing(len(rows)))
        self._database.scrub_after_commit()
        return len(rows)

    def prune(self, tenant: str, before: datetime) -> int:
        micros = to_micros(before)
        with self._database.transaction() as connection:
            sql = "SELECT min(event) FROM events WHERE tenant = ? AND time >= ?"
            first = self._database.one(sql, tenant, micros)[0]
            gone = (tenant, LAST_ROW if first is None else first - 1)
            deleted, without_content = self._database.one(
                "SELECT count(*), ifnull(sum(erased), 0) FROM events WHERE tenant = ? AND event <= ?", *gone
            )
            if deleted:
                last = "SELECT digest FROM events WHERE tenant = ? AND event <= ? ORDER BY event DESC LIMIT 1"
                anchor = self._database.one(last, *gone)[0]
                head = self._sound_head(tenant)
                self._put_head(tenant, head.after_pruning(deleted, without_content, anchor, before))
                connection.execute("DELETE FROM events WHERE tenant = ? AND event <= ?", gone)
                self._database.scrub_after_commit()
            later = self._database.rows(f"SELECT event {NOT_ERASED} AND time < ?", tenant, micros)
            return int(deleted) + self._erase(tenant, [row[0] for row in later])

    def count(self, tenant: str) -> int:
        return int(self._database.one("SELECT count(*) FROM events WHERE tenant = ?", tenant)[0])


def _readable(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _sound_event(row: Sequence[Any]) -> Event | None:
    """Return the event of a row; None if it cannot be read. `verify --audit` names it."""
    try:
        return _event(*row)
    except StoreCorruptError as error:
        logger.warning("%s It is left out. %s", error.message, error.remedy)
        return None


def _event(
    number: int, micros: int, tenant: str, topic: str, subject: str, body: str, digest: str, is_erased: int
) -> Event:
    try:
        content: Any = json.loads(body)
        if not isinstance(content, dict) or not all(isinstance(part, str) for part in (topic, subject or "", digest)):
            raise TypeError("a field has the wrong type")
        return Event(from_micros(micros), tenant, topic, subject, content, number, digest, bool(is_erased))
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise StoreCorruptError(
            f"Event {number} cannot be read: {error}.", "Run `aforesaid verify --audit` to check the other events."
        ) from error
