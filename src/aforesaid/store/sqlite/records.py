"""The table `records`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aforesaid.store.codec import from_micros, to_micros
from aforesaid.store.protocols import Access, Glance, Order, Surroundings
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, hidden_clause, listed, owners_clause, records_clause
from aforesaid.store.sqlite.owners import Owners
from aforesaid.store.sqlite.rows import UPSERT, record_of, values_of, with_access
from aforesaid.store.sqlite.spaces import Spaces
from aforesaid.store.sqlite.terms import TermIndex
from aforesaid.text.analyze import searchable
from aforesaid.types import Filter, Record

ORDERS = {"oldest": "time, row", "newest": "time DESC, row DESC"}


class Records:
    """Reads and writes records, and updates their terms, vectors and counts."""

    def __init__(self, database: Database, owners: Owners, terms: TermIndex, spaces: Spaces) -> None:
        self._database = database
        self._owners = owners
        self._terms = terms
        self._spaces = spaces

    # Writing

    def put(self, records: Iterable[Record]) -> None:
        """Insert or replace by key."""
        with self._database.transaction():
            for record in records:
                self._put(record)

    def _put(self, record: Record) -> None:
        owner = self._owners.number(record)
        old = self._database.one("SELECT row, owner, text, fields FROM records WHERE key = ?", record.key)
        row = self._database.one(UPSERT, *values_of(record, owner))[0]
        before = None if old is None else record_of(old[2], old[3])
        self._put_states(row, record.states, before.states if before is not None else ())
        if old is not None and before is not None:
            if (old[1], searchable(before)) == (owner, searchable(record)):
                return
            self._terms.remove(row, old[1], before)
            self._owners.count(old[1], -1)
            for segments in self._spaces.segments():
                segments.remove([row])
            self._database.connection.execute("DELETE FROM passages WHERE row = ?", (row,))
        self._terms.add(row, owner, record)
        self._owners.count(owner, 1)

    def _put_states(self, row: int, states: Sequence[str], before: Sequence[str]) -> None:
        if tuple(states) == tuple(before):
            return
        connection = self._database.connection
        connection.execute("DELETE FROM states WHERE row = ?", (row,))
        connection.executemany("INSERT OR IGNORE INTO states (state, row) VALUES (?, ?)", [(s, row) for s in states])

    def update_access(self, changes: Mapping[str, Access]) -> None:
        """Update three columns and the JSON fields. Text index and vectors stay as they are."""
        with self._database.transaction() as connection:
            sql = f"SELECT key, fields FROM records WHERE key IN {LISTED}"
            connection.executemany(
                "UPDATE records SET boundary = ?, withheld = ?, expires = ?, fields = ? WHERE key = ?",
                [
                    (now.boundary, bool(now.withheld), to_micros(now.expires), with_access(fields, now), key)
                    for key, fields in self._database.rows(sql, listed(list(changes)))
                    for now in [changes[key]]
                ],
            )

    def delete(self, keys: Sequence[str]) -> int:
        """Delete records everywhere, and leave no trace in the file or its write-ahead log."""
        with self._database.transaction() as connection:
            sql = f"SELECT row, owner, text, fields FROM records WHERE key IN {LISTED}"
            found = self._database.rows(sql, listed(keys))
            if not found:
                return 0
            rows = [row[0] for row in found]
            for segments in self._spaces.segments():
                segments.remove(rows)
            for row, owner, text, fields in found:
                self._terms.remove(row, owner, record_of(text, fields))
                self._owners.count(owner, -1)
            connection.execute(f"DELETE FROM passages WHERE row IN {LISTED}", (listed(rows),))
            ends = (listed(rows), listed(rows))
            connection.execute(f"DELETE FROM edges WHERE source IN {LISTED} OR target IN {LISTED}", ends)
            connection.execute(f"DELETE FROM records WHERE row IN {LISTED}", ends[:1])
            self._owners.drop_empty({row[1] for row in found})
            self.scrub()
        return len(found)

    def scrub(self) -> None:
        """Merge the text index, and empty the write-ahead log after this transaction."""
        with self._database.transaction():
            self._terms.purge()
            self._database.scrub_after_commit()

    # Reading

    def get(self, keys: Sequence[str]) -> list[Record]:
        """Return the records with these keys, in this order."""
        sql = f"SELECT key, text, fields FROM records WHERE key IN {LISTED}"
        found = {key: record_of(text, fields) for key, text, fields in self._database.rows(sql, listed(keys))}
        return [found[key] for key in keys if key in found]

    def glances(self, keys: Sequence[str]) -> dict[str, Glance]:
        """Read a few columns of these records."""
        sql = f"SELECT key, session, role, time, text FROM records WHERE key IN {LISTED}"
        return {
            key: Glance(key, session, role, from_micros(time), text)
            for key, session, role, time, text in self._database.rows(sql, listed(keys))
        }

    def around(self, keys: Sequence[str], where: Filter, reach: int) -> dict[str, Surroundings]:
        """Return the neighbours of each record in its session."""
        with self._database.snapshot():
            before = self._beside(keys, where, reach, "<", "DESC")
            after = self._beside(keys, where, reach, ">", "ASC")
        return {
            key: Surroundings(tuple(before.get(key, ())), tuple(after.get(key, ())))
            for key in before.keys() | after.keys()
        }

    def _beside(self, keys: Sequence[str], where: Filter, reach: int, side: str, order: str) -> dict[str, list[str]]:
        clause = records_clause(where)
        found = self._database.rows(
            f"""SELECT asked.key, beside.key FROM records AS asked JOIN records AS beside ON beside.row IN
                  (SELECT records.row FROM records INDEXED BY records_by_session
                   WHERE records.owner = asked.owner AND records.session = asked.session AND records.kind = asked.kind
                   AND (records.time, records.row) {side} (asked.time, asked.row) AND {clause.sql}
                   ORDER BY records.time {order}, records.row {order} LIMIT ?)
                WHERE asked.key IN {LISTED} ORDER BY asked.row, beside.time {order}, beside.row {order}""",
            *clause.parameters, reach, listed(keys),
        )  # fmt: skip
        sides: dict[str, list[str]] = {}
        for key, beside in found:
            sides.setdefault(key, []).append(beside)
        return sides

    def find(
        self, where: Filter, *, order: Order = "oldest", limit: int | None = None, offset: int = 0
    ) -> list[Record]:
        """Return the records that pass, sorted by (time, insertion order)."""
        clause = records_clause(where)
        sql = f"SELECT text, fields FROM records WHERE {clause.sql} ORDER BY {ORDERS[order]} LIMIT ? OFFSET ?"
        found = self._database.rows(sql, *clause.parameters, -1 if limit is None else limit, offset)
        return [record_of(*row) for row in found]

    def echoes_of(self, tenant: str, ids: Sequence[str]) -> list[Record]:
        """Return the records that repeat one of these."""
        owners = owners_clause(Filter(tenant))
        found = self._database.rows(
            f"""SELECT text, fields FROM records WHERE echo = 1 AND owner IN ({owners.sql})
                AND json_extract(fields, '$.echo_of') IN {LISTED} ORDER BY row""",
            *owners.parameters, listed(ids),
        )  # fmt: skip
        return [record_of(*row) for row in found]

    def count(self, where: Filter) -> int:
        """Count the records that pass."""
        clause = records_clause(where)
        return int(self._database.one(f"SELECT count(*) FROM records WHERE {clause.sql}", *clause.parameters)[0])

    def kinds(self, tenant: str) -> dict[str, int]:
        """Count the records of each kind."""
        owners = owners_clause(Filter(tenant))
        sql = f"SELECT kind, count(*) FROM records WHERE owner IN ({owners.sql}) GROUP BY kind ORDER BY kind"
        return dict(self._database.rows(sql, *owners.parameters))

    def count_hidden(self, where: Filter) -> int:
        """Count hidden records through the indexes of the hiding columns; most records are not hidden."""
        owners = owners_clause(where)
        hidden = hidden_clause(where)
        if hidden is None:
            return 0
        sql = f"SELECT count(*) FROM records WHERE row IN ({hidden.sql}) AND owner IN ({owners.sql})"
        return int(self._database.one(sql, *hidden.parameters, *owners.parameters)[0])

    def fingerprints(self, where: Filter) -> dict[str, int]:
        """Hash each row as it is stored."""
        clause = records_clause(where)
        sql = f"SELECT key, text, fields FROM records WHERE {clause.sql}"
        with self._database.errors():
            found = self._database.connection.execute(sql, clause.parameters)
            return {key: hash((text, fields)) for key, text, fields in found}
