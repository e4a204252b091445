"""The record tables: records with their owners, states and terms, and the edges between them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from operator import itemgetter
from typing import Any

from aforesaid._util.batches import batched
from aforesaid.settings.rows import StoreRows
from aforesaid.store.codec import from_micros, to_micros
from aforesaid.store.filtering import passes
from aforesaid.store.protocols import Access, Damage, Damaged, Glance, Order, Surroundings, TermMatches
from aforesaid.store.sqlite.checksums import checksum
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.derive import derive_again
from aforesaid.store.sqlite.filters import LISTED, hidden_clause, listed, owners_clause, records_clause
from aforesaid.store.sqlite.postings import PostingWriter
from aforesaid.store.sqlite.rows import (
    CELLS,
    UPSERT,
    DamagedRowError,
    damaged_of,
    is_sound,
    record_of,
    values_of,
    with_access,
)
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
            sound = [self._put(record, index) for record in records]
            index.flush()
            if not all(sound):  # the terms of a damaged record are not known, so they cannot be removed one by one
                derive_again(self._database)

    def _put(self, record: Record, index: PostingWriter) -> bool:
        """Write a record. Return False if it replaced a damaged one: what is derived from that one is left over."""
        owner = self._owner(record)
        old = self._database.one(f"SELECT row, {CELLS} FROM records WHERE key = ?", record.key)
        row = self._database.one(f"{UPSERT} RETURNING row", *values_of(record, owner))[0]
        before = None
        if old is not None:
            before = self._sound(old)
            self._database.quarantine.release(frozenset((row,)))
            if before is None:
                self._drop_vectors([row])
                return False
        self._put_states(row, record.states, before.states if before else ())
        if before is not None:
            if (old[2], searchable(before)) == (owner, searchable(record)):
                return True
            index.remove(old[2], {row: before})
            self._count(old[2], -1)
            self._drop_vectors([row])
        index.add(owner, row, record)
        self._count(owner, 1)
        return True

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
            sql = f"SELECT row, {CELLS} FROM records WHERE key IN {LISTED}"
            found = [row for row in self._database.rows(sql, listed(list(changes))) if self._sound(row)]
            connection.executemany(UPSERT, [with_access(cells, changes[cells[0]]) for _, *cells in found])

    def delete(self, keys: Sequence[str]) -> int:
        with self._database.transaction():
            return self._delete(f"key IN {LISTED}", keys)

    def delete_damaged(self, places: Sequence[int]) -> int:
        with self._database.transaction():
            return self._delete(f"row IN {LISTED}", sorted(self._database.quarantine.rows & set(places)))

    def _delete(self, condition: str, names: Sequence[str] | Sequence[int]) -> int:
        connection = self._database.connection
        sql = f"SELECT row, {CELLS} FROM records WHERE {condition} ORDER BY records.owner, row"
        found = self._database.rows(sql, listed(names))
        if not found:
            return 0
        rows = [row[0] for row in found]
        self._drop_vectors(rows)
        sound = self._remove_terms(found)
        gone = listed(rows)
        connection.execute(f"DELETE FROM edges WHERE source IN {LISTED} OR target IN {LISTED}", (gone, gone))
        connection.execute(f"DELETE FROM records WHERE row IN {LISTED}", (gone,))
        self._database.quarantine.release(frozenset(rows))
        if not sound:
            derive_again(self._database)
        for table in ("segments", "owners"):
            connection.execute(
                f"""DELETE FROM {table} WHERE owner IN {LISTED}
                    AND NOT EXISTS (SELECT 1 FROM records WHERE records.owner = {table}.owner)""",
                (listed(sorted({row[2] for row in found})),),
            )
        self.scrub()
        return len(found)

    def _remove_terms(self, found: Sequence[Sequence[Any]]) -> bool:
        """Remove records from the text index and the counts. Return False, and do nothing, if one is damaged."""
        records = {row[0]: self._sound(row) for row in found}
        if None in records.values():
            return False
        index = PostingWriter(self._database.connection)
        for owner, mine in groupby(found, key=itemgetter(2)):
            gone = {row[0]: record for row in mine if (record := records[row[0]]) is not None}
            self._count(owner, -len(gone))
            if self._database.one("SELECT 1 FROM owners WHERE owner = ? AND records <= 0", owner):
                index.drop_owner(owner)
            else:
                index.remove(owner, gone)
        return True

    def scrub(self) -> None:
        """Empty the write-ahead log after this transaction."""
        with self._database.transaction():
            self._database.scrub_after_commit()

    # Reading

    def _sound(self, row: Sequence[Any]) -> Record | None:
        """Return the record of a row number and its CELLS. A damaged one is None, and left out from now on."""
        try:
            return record_of(row[1:])
        except DamagedRowError as error:
            self._database.quarantine.add_row(row[0], str(error))
            return None

    def _read_sound(self, read: Callable[[frozenset[int]], list[Any]]) -> list[Record]:
        """Return the records of a query. It is repeated without the damaged rows, so that these never fill a page."""
        while True:
            damaged = self._database.quarantine.rows
            rows = read(damaged)
            records = [record for row in rows if (record := self._sound(row)) is not None]
            if len(records) == len(rows) or self._database.quarantine.rows == damaged:
                return records

    def get(self, keys: Sequence[str]) -> list[Record]:
        sql = f"SELECT row, {CELLS} FROM records WHERE key IN {LISTED}"
        found = {row[1]: self._sound(row) for row in self._database.rows(sql, listed(keys))}
        return [record for key in keys if (record := found.get(key)) is not None]

    def glances(self, keys: Sequence[str]) -> dict[str, Glance]:
        """Read the short form. The checksum needs the whole row, so it is compared when a record is returned."""
        sql = f"SELECT row, key, session, role, time, text FROM records WHERE key IN {LISTED}"
        found: dict[str, Glance] = {}
        for row, key, session, role, time, text in self._database.rows(sql, listed(keys)):
            try:
                text.encode()  # damaged text has surrogates
                found[key] = Glance(key, session, role, from_micros(time), text)
            except (UnicodeEncodeError, AttributeError, TypeError, OverflowError) as error:
                self._database.quarantine.add_row(row, f"it cannot be read ({type(error).__name__})")
        return found

    def around(self, keys: Sequence[str], where: Filter, reach: int) -> dict[str, Surroundings]:
        with self._database.snapshot():
            before = self._beside(keys, where, reach, "<", "DESC")
            after = self._beside(keys, where, reach, ">", "ASC")
        return {
            key: Surroundings(tuple(before.get(key, ())), tuple(after.get(key, ())))
            for key in before.keys() | after.keys()
        }

    def _beside(self, keys: Sequence[str], where: Filter, reach: int, side: str, order: str) -> dict[str, list[str]]:
        clause = records_clause(where, self._database.quarantine.rows)
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
        def read(damaged: frozenset[int]) -> list[Any]:
            clause = records_clause(where, damaged)
            sql = f"SELECT row, {CELLS} FROM records WHERE {clause.sql} ORDER BY {ORDERS[order]} LIMIT ? OFFSET ?"
            return self._database.rows(sql, *clause.parameters, -1 if limit is None else limit, offset)

        return self._read_sound(read)

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
        clause = records_clause(where, self._database.quarantine.rows)
        with self._database.errors():
            found = self._database.connection.execute(
                f"SELECT row FROM records WHERE {clause.sql} ORDER BY {ORDERS[order]}", clause.parameters
            )
            rows = array("q", (row for (row,) in found))
        sql = f"SELECT records.row, {CELLS} FROM records WHERE records.row IN {LISTED}"
        for page in batched(rows, PAGE):
            there = {row[0]: self._sound(row) for row in self._database.rows(sql, listed(page))}
            yield from (record for row in page if (record := there.get(row)) is not None)

    def pending(self, where: Filter, limit: int, space: str | None = None) -> list[Record]:
        segments = self._in_space(space)

        def read(damaged: frozenset[int]) -> list[Any]:
            clause = records_clause(where, damaged)
            return self._database.rows(
                f"""SELECT row, {CELLS} FROM records WHERE {clause.sql}
                    AND NOT EXISTS (SELECT 1 FROM slots WHERE slots.space = ? AND slots.row = records.row)
                    ORDER BY row LIMIT ?""",
                *clause.parameters, segments.space if segments else NO_SPACE, limit,
            )  # fmt: skip

        return self._read_sound(read)

    def echoes_of(self, tenant: str, ids: Sequence[str]) -> list[Record]:
        owners = owners_clause(Filter(tenant))
        found = self._database.rows(
            f"""SELECT row, {CELLS} FROM records WHERE echo = 1 AND owner IN ({owners.sql})
                AND CASE WHEN json_valid(fields) THEN json_extract(fields, '$.echo_of') END IN {LISTED} ORDER BY row""",
            *owners.parameters, listed(ids),
        )  # fmt: skip
        return [record for row in found if (record := self._sound(row)) is not None]

    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        return self._terms.search(terms, where, limit)

    def term_matches(self, terms: Sequence[str], keys: Sequence[str], where: Filter) -> TermMatches:
        return self._terms.matches(terms, keys, where)

    def count(self, where: Filter) -> int:
        clause = records_clause(where, self._database.quarantine.rows)
        return int(self._database.one(f"SELECT count(*) FROM records WHERE {clause.sql}", *clause.parameters)[0])

    def count_hidden(self, where: Filter) -> int:
        """Count hidden records through the indexes of the hiding columns; most records are not hidden."""
        owners, hidden = owners_clause(where), hidden_clause(where)
        if hidden is None:
            return 0
        sql = f"SELECT count(*) FROM records WHERE row IN ({hidden.sql}) AND owner IN ({owners.sql})"
        return int(self._database.one(sql, *hidden.parameters, *owners.parameters)[0])

    def fingerprints(self, where: Filter) -> dict[str, int]:
        clause = records_clause(where, self._database.quarantine.rows)
        sql = f"SELECT CAST(key AS BLOB), CAST(text AS BLOB), CAST(fields AS BLOB) FROM records WHERE {clause.sql}"
        with self._database.errors():
            found = self._database.connection.execute(sql, clause.parameters)
            return {key.decode("utf-8", "replace"): hash((text, fields)) for key, text, fields in found}

    def tenants(self) -> list[str]:
        found = self._database.rows("SELECT DISTINCT tenant FROM owners WHERE records > 0 ORDER BY tenant")
        return [row[0] for row in found]

    # Damage

    def damage(self, where: Filter | None) -> Damage:
        with self._database.snapshot():
            found = self._database.quarantine.rows
            return Damage(
                self._damaged(where, found) if found else (),
                self._damaged_vectors(where) if where else 0,
                tuple(sorted(self._database.quarantine.tables)),
            )

    def _damaged(self, where: Filter | None, rows: frozenset[int]) -> tuple[Damaged, ...]:
        """Look at the rows in quarantine again. What is left of a damaged record decides whether it passes."""
        sql = f"SELECT row, {CELLS} FROM records WHERE row IN {LISTED}"
        found = self._database.rows(sql, listed(sorted(rows)))
        records = tuple(damaged_of(row) for row in found if not (is_sound(row[1:]) and damaged_of(row).record))
        self._database.quarantine.release(rows - {each.place for each in records})
        if where is None:
            return records
        clause = records_clause(where)
        sql = f"SELECT row FROM records WHERE row IN {LISTED} AND {clause.sql}"
        passing = {row[0] for row in self._database.rows(sql, listed(sorted(rows)), *clause.parameters)}
        return tuple(
            each
            for each in records
            if each.place in passing or (each.record is not None and passes(each.record, where))
        )

    # Edges

    def link(self, edges: Iterable[Edge]) -> None:
        with self._database.transaction() as connection:
            for edge in edges:
                ends = connection.execute(ENDS, (edge.source, edge.target)).fetchone()
                if ends is not None:
                    cells = (*ends, edge.kind, to_micros(edge.time))
                    connection.execute(LINK, (*cells, checksum(cells)))

    def edges(self, keys: Sequence[str], *, incoming: bool = False) -> list[Edge]:
        """Return the edges of these records. Damaged ones are left out."""
        end = "b.key" if incoming else "a.key"
        found = self._database.rows(
            f"""SELECT a.key, b.key, edges.kind, edges.time, source, target, edges.checksum FROM edges
                JOIN records a ON a.row = source JOIN records b ON b.row = target
                WHERE {end} IN {LISTED} ORDER BY a.key, b.key, edges.kind""",
            listed(keys),
        )
        return [
            Edge(first, second, kind, from_micros(time))
            for first, second, kind, time, source, target, expected in found
            if checksum((source, target, kind, time)) == expected
        ]
