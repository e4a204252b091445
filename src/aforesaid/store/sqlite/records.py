"""The record tables: records with their owners, states and terms, and the edges between them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from operator import itemgetter

from aforesaid._util.batches import batched
from aforesaid.settings.rows import StoreRows
from aforesaid.store.codec import from_micros, to_micros
from aforesaid.store.protocols import Access, Glance, Order, Surroundings
from aforesaid.store.sqlite.checksums import checksum
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, hidden_clause, listed, owners_clause, records_clause
from aforesaid.store.sqlite.postings import PostingWriter
from aforesaid.store.sqlite.rows import CELLS, UPSERT, record_of, values_of, with_access
from aforesaid.store.sqlite.terms import TermIndex
from aforesaid.store.sqlite.vectors import NO_SPACE, VectorTables
from aforesaid.text.analyze import searchable
from aforesaid.types import Edge, Filter, Record, Scored

ENDS = "SELECT a.row, b.row FROM records a, records b WHERE a.key = ? AND b.key = ?"
LINK = "INSERT OR IGNORE INTO edges (source, target, kind, time, checksum) VALUES (?, ?, ?, ?, ?)"
ORDERS = {"oldest": "time, row", "newest": "time DESC, row DESC"}
PAGE = 500  # records that a scan reads at once


class RecordTables(VectorTables):
    """The methods of `SQLiteStore` that read, write and search records and edges."""

    def __init__(self, database: Database, settings: StoreRows) -> None:
        super().__init__(database, settings)
        self._terms = TermIndex(database)

    # Writing

    def put(self, records: Iterable[Record]) -> None:
        with self._database.transaction():
            index = PostingWriter(self._database.connection)
            for record in records:
                self._put(record, index)
            index.flush()

    def _put(self, record: Record, index: PostingWriter) -> None:
        owner = self._owner(record)
        old = self._database.one(f"SELECT owner, {CELLS} FROM records WHERE key = ?", record.key)
        row = self._database.one(f"{UPSERT} RETURNING row", *values_of(record, owner))[0]
        before = None if old is None else record_of(old[1:])
        self._put_states(row, record.states, before.states if before else ())
        if before is not None:
            if (old[0], searchable(before)) == (owner, searchable(record)):
                return
            index.remove(old[0], {row: before})
            self._count(old[0], -1)
            self._drop_vectors([row])
        index.add(owner, row, record)
        self._count(owner, 1)

    def _put_states(self, row: int, states: Sequence[str], before: Sequence[str]) -> None:
        if tuple(states) == tuple(before):
            return
        connection = self._database.connection
        connection.execute("DELETE FROM states WHERE row = ?", (row,))
        connection.executemany("INSERT OR IGNORE INTO states (state, row) VALUES (?, ?)", [(s, row) for s in states])

    def _owner(self, record: Record) -> int:
        """Return the number of the record's owner; add the owner if it is new."""
        name = (record.tenant, record.owner)
        found = self._database.one("SELECT owner FROM owners WHERE tenant = ? AND name = ?", *name)
        if found is None:
            found = self._database.one("INSERT INTO owners (tenant, name) VALUES (?, ?) RETURNING owner", *name)
        return int(found[0])

    def _count(self, owner: int, change: int) -> None:
        """Add `change` to the record count of an owner."""
        sql = "UPDATE owners SET records = records + ? WHERE owner = ?"
        self._database.connection.execute(sql, (change, owner))

    def update_access(self, changes: Mapping[str, Access]) -> None:
        """Update three columns and the JSON fields. Text index and vectors stay as they are."""
        with self._database.transaction() as connection:
            found = self._database.rows(f"SELECT {CELLS} FROM records WHERE key IN {LISTED}", listed(list(changes)))
            connection.executemany(UPSERT, [with_access(cells, changes[cells[0]]) for cells in found])

    def delete(self, keys: Sequence[str]) -> int:
        with self._database.transaction() as connection:
            sql = f"SELECT row, records.owner, {CELLS} FROM records WHERE key IN {LISTED} ORDER BY records.owner, row"
            found = self._database.rows(sql, listed(keys))
            if not found:
                return 0
            rows = [row[0] for row in found]
            self._drop_vectors(rows)
            index = PostingWriter(connection)
            for owner, mine in groupby(found, key=itemgetter(1)):
                cells = {row: cells for row, _, *cells in mine}
                self._count(owner, -len(cells))
                if self._database.one("SELECT 1 FROM owners WHERE owner = ? AND records <= 0", owner):
                    index.drop_owner(owner)
                else:
                    index.remove(owner, {row: record_of(each) for row, each in cells.items()})
            gone = listed(rows)
            connection.execute(f"DELETE FROM edges WHERE source IN {LISTED} OR target IN {LISTED}", (gone, gone))
            connection.execute(f"DELETE FROM records WHERE row IN {LISTED}", (gone,))
            for table in ("segments", "owners"):
                connection.execute(
                    f"""DELETE FROM {table} WHERE owner IN {LISTED}
                        AND NOT EXISTS (SELECT 1 FROM records WHERE records.owner = {table}.owner)""",
                    (listed(sorted({row[1] for row in found})),),
                )
            self.scrub()
        return len(found)

    def scrub(self) -> None:
        """Empty the write-ahead log after this transaction."""
        with self._database.transaction():
            self._database.scrub_after_commit()

    # Reading

    def get(self, keys: Sequence[str]) -> list[Record]:
        sql = f"SELECT {CELLS} FROM records WHERE key IN {LISTED}"
        found = {cells[0]: record_of(cells) for cells in self._database.rows(sql, listed(keys))}
        return [found[key] for key in keys if key in found]

    def glances(self, keys: Sequence[str]) -> dict[str, Glance]:
        sql = f"SELECT key, session, role, time, text FROM records WHERE key IN {LISTED}"
        return {
            key: Glance(key, session, role, from_micros(time), text)
            for key, session, role, time, text in self._database.rows(sql, listed(keys))
        }

    def around(self, keys: Sequence[str], where: Filter, reach: int) -> dict[str, Surroundings]:
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
        clause = records_clause(where)
        sql = f"SELECT {CELLS} FROM records WHERE {clause.sql} ORDER BY {ORDERS[order]} LIMIT ? OFFSET ?"
        found = self._database.rows(sql, *clause.parameters, -1 if limit is None else limit, offset)
        return [record_of(row) for row in found]

    def scan(self, where: Filter, *, order: Order = "oldest") -> Iterator[Record]:
        if self._database.connection.in_transaction:
            yield from self._scanned(where, order)
            return
        with self.frozen() as still:
            yield from still._scanned(where, order)

    def frozen(self) -> AbstractContextManager[RecordTables]:
        raise NotImplementedError  # needs the parts that SQLiteStore adds

    def _scanned(self, where: Filter, order: Order) -> Iterator[Record]:
        """Sort the row numbers, which an index holds, and read the records page by page: eight bytes a record."""
        clause = records_clause(where)
        with self._database.errors():
            found = self._database.connection.execute(
                f"SELECT row FROM records WHERE {clause.sql} ORDER BY {ORDERS[order]}", clause.parameters
            )
            rows = array("q", (row for (row,) in found))
        sql = f"SELECT records.row, {CELLS} FROM records WHERE records.row IN {LISTED}"
        for page in batched(rows, PAGE):
            there = {row: cells for row, *cells in self._database.rows(sql, listed(page))}
            yield from (record_of(there[row]) for row in page if row in there)

    def pending(self, where: Filter, limit: int, space: str | None = None) -> list[Record]:
        segments = self._in_space(space)
        clause = records_clause(where)
        found = self._database.rows(
            f"""SELECT {CELLS} FROM records WHERE {clause.sql}
                AND NOT EXISTS (SELECT 1 FROM slots WHERE slots.space = ? AND slots.row = records.row)
                ORDER BY row LIMIT ?""",
            *clause.parameters, segments.space if segments else NO_SPACE, limit,
        )  # fmt: skip
        return [record_of(row) for row in found]

    def echoes_of(self, tenant: str, ids: Sequence[str]) -> list[Record]:
        owners = owners_clause(Filter(tenant))
        found = self._database.rows(
            f"""SELECT {CELLS} FROM records WHERE echo = 1 AND owner IN ({owners.sql})
                AND json_extract(fields, '$.echo_of') IN {LISTED} ORDER BY row""",
            *owners.parameters, listed(ids),
        )  # fmt: skip
        return [record_of(row) for row in found]

    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        return self._terms.search(terms, where, limit)

    def count(self, where: Filter) -> int:
        clause = records_clause(where)
        return int(self._database.one(f"SELECT count(*) FROM records WHERE {clause.sql}", *clause.parameters)[0])

    def count_hidden(self, where: Filter) -> int:
        """Count hidden records through the indexes of the hiding columns; most records are not hidden."""
        owners, hidden = owners_clause(where), hidden_clause(where)
        if hidden is None:
            return 0
        sql = f"SELECT count(*) FROM records WHERE row IN ({hidden.sql}) AND owner IN ({owners.sql})"
        return int(self._database.one(sql, *hidden.parameters, *owners.parameters)[0])

    def fingerprints(self, where: Filter) -> dict[str, int]:
        clause = records_clause(where)
        sql = f"SELECT key, text, fields FROM records WHERE {clause.sql}"
        with self._database.errors():
            found = self._database.connection.execute(sql, clause.parameters)
            return {key: hash((text, fields)) for key, text, fields in found}

    def tenants(self) -> list[str]:
        found = self._database.rows("SELECT DISTINCT tenant FROM owners WHERE records > 0 ORDER BY tenant")
        return [row[0] for row in found]

    # Edges

    def link(self, edges: Iterable[Edge]) -> None:
        with self._database.transaction() as connection:
            for edge in edges:
                ends = connection.execute(ENDS, (edge.source, edge.target)).fetchone()
                if ends is not None:
                    cells = (*ends, edge.kind, to_micros(edge.time))
                    connection.execute(LINK, (*cells, checksum(cells)))

    def edges(self, keys: Sequence[str], *, incoming: bool = False) -> list[Edge]:
        end = "b.key" if incoming else "a.key"
        found = self._database.rows(
            f"""SELECT a.key, b.key, edges.kind, edges.time FROM edges
                JOIN records a ON a.row = source JOIN records b ON b.row = target
                WHERE {end} IN {LISTED} ORDER BY a.key, b.key, edges.kind""",
            listed(keys),
        )
        return [Edge(source, target, kind, from_micros(time)) for source, target, kind, time in found]
