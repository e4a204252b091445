"""SQLiteStore: the default. One file that any number of processes read and write at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from recollect.errors import DimensionError, InputError
from recollect.math.vectors import Vectors, from_halves, known_passages, unit_rows
from recollect.settings.rows import StoreRows
from recollect.store.base import Copy, Glance, Order, Problem, Scan, Space, Standing, StoreStats, Surroundings
from recollect.store.codec import from_micros, record_to_json, to_micros, trusted_record
from recollect.store.sqlite.backups import Backups, state_of
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.filters import LISTED, hidden_clause, listed, owners_clause, records_clause
from recollect.store.sqlite.log import EventLog
from recollect.store.sqlite.nearest import Nearest
from recollect.store.sqlite.scan import scan_store
from recollect.store.sqlite.segments import Segments
from recollect.store.sqlite.terms import TermIndex
from recollect.store.sqlite.verify import find_problems
from recollect.text.analyze import searchable
from recollect.types import Edge, Event, Filter, Record, Scored

COLUMNS = (
    "key", "owner", "id", "kind", "scope", "session", "role", "boundary", "namespace",
    "durable", "echo", "time", "valid_from", "valid_to", "allow", "withheld", "expires", "text", "fields",
)  # fmt: skip
UPSERT = f"""INSERT INTO records ({", ".join(COLUMNS)}) VALUES ({", ".join("?" * len(COLUMNS))})
    ON CONFLICT (key) DO UPDATE SET {", ".join(f"{column} = excluded.{column}" for column in COLUMNS[1:])}
    RETURNING row"""
AS_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # `dumps` would make one a record
ORDERS = {"oldest": "time, row", "newest": "time DESC, row DESC"}


class SQLiteStore:
    """Records, terms and vectors in one SQLite file."""

    def __init__(self, path: str | Path, rows: StoreRows | None = None, *, max_pages: int | None = None) -> None:
        self._rows = rows or StoreRows()
        self._database = Database(Path(path), self._rows, max_pages=max_pages)
        self._terms = TermIndex(self._database)
        self._log = EventLog(self._database)
        self._indexes: dict[int, Segments] = {}
        self._backups = Backups(self._database)
        if self._database.left_behind is not None:
            self._backups.note(self._database.left_behind)

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._database.path

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write alone, all or nothing."""
        with self._database.transaction():
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read one state of the file."""
        with self._database.snapshot():
            yield

    # Records

    def put(self, records: Iterable[Record]) -> None:
        """Insert or replace by key."""
        with self._database.transaction():
            for record in records:
                self._put(record)

    def _put(self, record: Record) -> None:
        owner = self._owner(record)
        old = self._database.one("SELECT row, owner, text, fields FROM records WHERE key = ?", record.key)
        row = self._database.one(UPSERT, *_values(record, owner))[0]
        before = None if old is None else _record(old[2], old[3])
        self._put_states(row, record.states, before.states if before is not None else ())
        if old is not None and before is not None:
            if (old[1], searchable(before)) == (owner, searchable(record)):
                return
            self._terms.remove(row, old[1], before)
            self._count(old[1], -1)
            for index in self._all_indexes():
                index.remove([row])
        self._terms.add(row, owner, record)
        self._count(owner, 1)

    def _put_states(self, row: int, states: Sequence[str], before: Sequence[str]) -> None:
        if tuple(states) == tuple(before):
            return
        connection = self._database.connection
        connection.execute("DELETE FROM states WHERE row = ?", (row,))
        connection.executemany("INSERT OR IGNORE INTO states (state, row) VALUES (?, ?)", [(s, row) for s in states])

    def _owner(self, record: Record) -> int:
        name = (record.tenant, record.owner)
        found = self._database.one("SELECT owner FROM owners WHERE tenant = ? AND name = ?", *name)
        if found is None:
            found = self._database.one("INSERT INTO owners (tenant, name) VALUES (?, ?) RETURNING owner", *name)
        return int(found[0])

    def _count(self, owner: int, change: int) -> None:
        sql = "UPDATE owners SET records = records + ? WHERE owner = ?"
        self._database.connection.execute(sql, (change, owner))

    def get(self, keys: Sequence[str]) -> list[Record]:
        """The records with these keys, in the order asked."""
        sql = f"SELECT key, text, fields FROM records WHERE key IN {LISTED}"
        found = {key: _record(text, fields) for key, text, fields in self._database.rows(sql, listed(keys))}
        return [found[key] for key in keys if key in found]

    def glances(self, keys: Sequence[str]) -> dict[str, Glance]:
        """A glance at each of these records, from the columns alone."""
        sql = f"SELECT key, session, role, time, text FROM records WHERE key IN {LISTED}"
        return {
            key: Glance(key, session, role, from_micros(time), text)
            for key, session, role, time, text in self._database.rows(sql, listed(keys))
        }

    def around(self, keys: Sequence[str], where: Filter, reach: int) -> dict[str, Surroundings]:
        """The neighbours of each record in its session, by the index of sessions."""
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
        """Records that pass, by (time, arrival)."""
        clause = records_clause(where)
        sql = f"SELECT text, fields FROM records WHERE {clause.sql} ORDER BY {ORDERS[order]} LIMIT ? OFFSET ?"
        found = self._database.rows(sql, *clause.parameters, -1 if limit is None else limit, offset)
        return [_record(*row) for row in found]

    def count(self, where: Filter) -> int:
        """How many pass."""
        clause = records_clause(where)
        return int(self._database.one(f"SELECT count(*) FROM records WHERE {clause.sql}", *clause.parameters)[0])

    def marks(self, where: Filter) -> dict[str, int]:
        """A hash of each row as it is written."""
        clause = records_clause(where)
        sql = f"SELECT key, text, fields FROM records WHERE {clause.sql}"
        with self._database.errors():
            found = self._database.connection.execute(sql, clause.parameters)
            return {key: hash((text, fields)) for key, text, fields in found}

    def restand(self, standings: Mapping[str, Standing]) -> None:
        """Rewrite three columns and the same in the fields: nothing that is indexed by word or vector changes."""
        with self._database.transaction() as connection:
            sql = f"SELECT key, fields FROM records WHERE key IN {LISTED}"
            connection.executemany(
                "UPDATE records SET boundary = ?, withheld = ?, expires = ?, fields = ? WHERE key = ?",
                [
                    (now.boundary, bool(now.withheld), to_micros(now.expires), _restood(fields, now), key)
                    for key, fields in self._database.rows(sql, listed(list(standings)))
                    for now in [standings[key]]
                ],
            )

    def delete(self, keys: Sequence[str]) -> int:
        """Delete records everywhere, and leave nothing of them in the file or its log."""
        with self._database.transaction() as connection:
            sql = f"SELECT row, owner, text, fields FROM records WHERE key IN {LISTED}"
            found = self._database.rows(sql, listed(keys))
            if not found:
                return 0
            rows = [row[0] for row in found]
            for index in self._all_indexes():
                index.remove(rows)
            for row, owner, text, fields in found:
                self._terms.remove(row, owner, _record(text, fields))
                self._count(owner, -1)
            connection.execute(f"DELETE FROM passages WHERE row IN {LISTED}", (listed(rows),))
            ends = (listed(rows), listed(rows))
            connection.execute(f"DELETE FROM edges WHERE source IN {LISTED} OR target IN {LISTED}", ends)
            connection.execute(f"DELETE FROM records WHERE row IN {LISTED}", ends[:1])
            self._drop_owners({row[1] for row in found})
            self._terms.purge()
            self._database.scrub_after_commit()
        return len(found)

    def _drop_owners(self, owners: Iterable[int]) -> None:
        """The names of those who have no record left go too."""
        for table in ("segments", "owners"):
            self._database.connection.execute(
                f"""DELETE FROM {table} WHERE owner IN {LISTED}
                    AND NOT EXISTS (SELECT 1 FROM records WHERE records.owner = {table}.owner)""",
                (listed(sorted(owners)),),
            )

    def echoes_of(self, tenant: str, ids: Sequence[str]) -> list[Record]:
        """The records that repeat one of these."""
        owners = owners_clause(Filter(tenant))
        found = self._database.rows(
            f"""SELECT text, fields FROM records WHERE echo = 1 AND owner IN ({owners.sql})
                AND json_extract(fields, '$.echo_of') IN {LISTED} ORDER BY row""",
            *owners.parameters, listed(ids),
        )  # fmt: skip
        return [_record(*row) for row in found]

    def scrub(self) -> None:
        """Merge the text index, and empty the log once this transaction is through."""
        with self._database.transaction():
            self._terms.purge()
            self._database.scrub_after_commit()

    # Search

    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        """The best records that hold any of the terms, by BM25."""
        with self._database.errors():
            return self._terms.search(terms, where, limit)

    def vector_search(self, vector: Vectors, where: Filter, limit: int, *, prefix: int | None = None) -> list[Scored]:
        """The nearest records of the active space by cosine, of all dimensions or of the leading ones."""
        with self._database.snapshot():
            space = self._space(None)
            if space is None:
                return []
            query = unit_rows(np.reshape(vector, (1, -1)), 1, space[1], "The query")[0]
            return self._nearest(*space).search(query, where, limit, prefix)

    def vector_search_many(self, matrix: Vectors, where: Filter, limit: int) -> list[list[Scored]]:
        """`vector_search` for every row of a matrix, in one pass over the vectors."""
        with self._database.snapshot():
            space = self._space(None)
            if space is None:
                return [[] for _ in matrix]
            queries = unit_rows(matrix, len(matrix), space[1], "The query")
            return self._nearest(*space).search_many(queries, where, limit)

    # Vectors

    def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of these records in the active space."""
        with self._database.snapshot():
            space = self._space(None)
            if space is None:
                return {}
            numbers = self._numbers(keys)
            rows, matrix = self._index(*space).read(np.fromiter(numbers.values(), dtype=np.int64, count=len(numbers)))
        names = {row: key for key, row in numbers.items()}
        return {names[int(row)]: vector for row, vector in zip(rows, matrix, strict=True)}

    def _numbers(self, keys: Sequence[str]) -> dict[str, int]:
        return dict(self._database.rows(f"SELECT key, row FROM records WHERE key IN {LISTED}", listed(keys)))

    def passages(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of the sentences of these records in the active space."""
        with self._database.snapshot():
            space = self._space(None)
            if space is None:
                return {}
            found = self._database.rows(
                f"""SELECT key, data FROM records CROSS JOIN passages USING (row)
                    WHERE key IN {LISTED} AND passages.space = ?""",
                listed(keys), space[0],
            )  # fmt: skip
        return {key: from_halves(data, space[1]) for key, data in found}

    def put_vectors(
        self,
        keys: Sequence[str],
        matrix: Vectors,
        space: str | None = None,
        *,
        passages: Mapping[str, Vectors] | None = None,
    ) -> None:
        """Store one unit vector a record and those of its sentences, replacing older ones."""
        with self._database.transaction() as connection:
            target = self._space(space)
            if target is None:
                raise DimensionError("The store has no vector space yet.", "Call add_space first.")
            units = unit_rows(matrix, len(keys), target[1], space or "The embedder")
            index = self._index(*target)
            places = self._database.rows(f"SELECT key, row, owner FROM records WHERE key IN {LISTED}", listed(keys))
            newest = {key: position for position, key in enumerate(keys)}
            sql = f"SELECT row FROM slots WHERE space = ? AND row IN {LISTED}"
            old = self._database.rows(sql, target[0], listed([row for _, row, _ in places]))
            if old:
                index.remove([row[0] for row in old])
            connection.execute(
                f"DELETE FROM passages WHERE space = ? AND row IN {LISTED}",
                (target[0], listed([row for _, row, _ in places])),
            )
            parts = known_passages(passages, set(keys), target[1], space or "The embedder")
            connection.executemany(
                "INSERT INTO passages (space, row, data) VALUES (?, ?, ?)",
                [(target[0], row, parts[key].tobytes()) for key, row, _ in places if key in parts],
            )
            by_owner: dict[int, list[tuple[int, int]]] = {}
            for key, row, owner in sorted(places, key=lambda place: int(place[1])):
                by_owner.setdefault(owner, []).append((row, newest[key]))
            for owner, pairs in by_owner.items():
                index.add(owner, [row for row, _ in pairs], units[[position for _, position in pairs]])

    def pending(self, where: Filter, limit: int, space: str | None = None) -> list[Record]:
        """Records without a vector in a space, by arrival."""
        target = self._space(space)
        clause = records_clause(where)
        found = self._database.rows(
            f"""SELECT text, fields FROM records WHERE {clause.sql}
                AND NOT EXISTS (SELECT 1 FROM slots WHERE slots.space = ? AND slots.row = records.row)
                ORDER BY row LIMIT ?""",
            *clause.parameters, target[0] if target else 0, limit,
        )  # fmt: skip
        return [_record(*row) for row in found]

    def coverage(self, where: Filter) -> tuple[int, int]:
        """(records, those without a vector) among the filter's tenant and owners."""
        owners = owners_clause(where)
        with self._database.snapshot():
            target = self._space(None)
            sql = f"SELECT ifnull(sum(records), 0) FROM owners WHERE owner IN ({owners.sql})"
            records = self._database.one(sql, *owners.parameters)[0]
            sql = f"SELECT ifnull(sum(used), 0) FROM segments WHERE space = ? AND owner IN ({owners.sql})"
            held = self._database.one(sql, target[0] if target else 0, *owners.parameters)[0]
        return records, records - held

    def unseen(self, where: Filter) -> int:
        """Counted through what hides them, which is indexed: most records are hidden by nothing."""
        owners = owners_clause(where)
        hidden = hidden_clause(where)
        if hidden is None:
            return 0
        sql = f"SELECT count(*) FROM records WHERE row IN ({hidden.sql}) AND owner IN ({owners.sql})"
        return int(self._database.one(sql, *hidden.parameters, *owners.parameters)[0])

    def spaces(self) -> list[Space]:
        """Every vector space, the active one first."""
        found = self._database.rows("SELECT name, dimensions, active FROM spaces ORDER BY active DESC, name")
        return [Space(name, dimensions, bool(active)) for name, dimensions, active in found]

    def add_space(self, name: str, dimensions: int) -> None:
        """Make a space if it is not there; the first one becomes active."""
        with self._database.transaction() as connection:
            old = self._database.one("SELECT dimensions FROM spaces WHERE name = ?", name)
            if old is not None and old[0] != dimensions:
                raise DimensionError(f"Space {name!r} has {old[0]} dimensions, not {dimensions}.", "Use another name.")
            first = self._database.one("SELECT 1 FROM spaces") is None
            sql = "INSERT OR IGNORE INTO spaces (name, dimensions, active) VALUES (?, ?, ?)"
            connection.execute(sql, (name, dimensions, first))

    def activate_space(self, name: str) -> None:
        """Search this space from now on, and drop every other."""
        with self._database.transaction() as connection:
            target = self._space(name)
            assert target is not None
            others = "SELECT segment FROM segments WHERE space != ?"
            for sql in (
                f"DELETE FROM segment_vectors WHERE segment IN ({others})",
                f"DELETE FROM segment_sketches WHERE segment IN ({others})",
                "DELETE FROM segments WHERE space != ?",
                "DELETE FROM slots WHERE space != ?",
                "DELETE FROM passages WHERE space != ?",
                "DELETE FROM spaces WHERE space != ?",
                "UPDATE spaces SET active = 1 WHERE space = ?",
            ):
                connection.execute(sql, target[:1])

    def _space(self, name: str | None) -> tuple[int, int] | None:
        """(number, dimensions) of the named space, or of the active one if there is any."""
        if name is None:
            return self._database.one("SELECT space, dimensions FROM spaces WHERE active = 1")  # type: ignore[no-any-return]
        found = self._database.one("SELECT space, dimensions FROM spaces WHERE name = ?", name)
        if found is None:
            raise InputError(f"There is no vector space {name!r}.", "Call add_space first.")
        return found  # type: ignore[no-any-return]

    def _index(self, space: int, dimensions: int) -> Segments:
        if space not in self._indexes:
            self._indexes[space] = Segments(self._database, self._rows, space, dimensions)
        return self._indexes[space]

    def _nearest(self, space: int, dimensions: int) -> Nearest:
        return Nearest(self._database, self._rows, self._index(space, dimensions))

    def _all_indexes(self) -> list[Segments]:
        return [self._index(*row) for row in self._database.rows("SELECT space, dimensions FROM spaces")]

    # Edges, events, settings

    def link(self, edges: Iterable[Edge]) -> None:
        """Add edges between records that are here."""
        with self._database.transaction() as connection:
            connection.executemany(
                """INSERT OR IGNORE INTO edges (source, target, kind, time)
                   SELECT a.row, b.row, ?, ? FROM records a, records b WHERE a.key = ? AND b.key = ?""",
                [(edge.kind, to_micros(edge.time), edge.source, edge.target) for edge in edges],
            )

    def edges(self, keys: Sequence[str], *, incoming: bool = False) -> list[Edge]:
        """Edges that leave these records, or that reach them."""
        end = "b.key" if incoming else "a.key"
        found = self._database.rows(
            f"""SELECT a.key, b.key, edges.kind, edges.time FROM edges
                JOIN records a ON a.row = source JOIN records b ON b.row = target
                WHERE {end} IN {LISTED} ORDER BY a.key, b.key, edges.kind""",
            listed(keys),
        )
        return [Edge(source, target, kind, _time(time)) for source, target, kind, time in found]

    def append(self, events: Iterable[Event]) -> None:
        """Add events at the end of the log."""
        self._log.append(events)

    def events(
        self,
        tenant: str,
        *,
        topic: str | None = None,
        subject: str | None = None,
        request: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        after: int | None = None,
        order: Order = "newest",
        limit: int = 100,
        offset: int = 0,
    ) -> list[Event]:
        """Events that pass, by number."""
        return self._log.find(
            tenant, topic=topic, subject=subject, request=request, since=since, until=until, after=after, order=order,
            limit=limit, offset=offset,
        )  # fmt: skip

    def erase_events(self, tenant: str, names: Sequence[str]) -> int:
        """Take subject and body out of the events that name these."""
        return self._log.erase(tenant, names)

    def prune_events(self, tenant: str, before: datetime) -> int:
        """Delete the events from before a time."""
        return self._log.prune(tenant, before)

    def setting(self, name: str) -> str | None:
        """A value kept with the store."""
        found = self._database.one("SELECT value FROM settings WHERE name = ?", name)
        return found[0] if found else None

    def put_setting(self, name: str, value: str) -> None:
        """Keep a value with the store."""
        with self._database.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", (name, value))

    def drop_setting(self, name: str) -> None:
        """Keep that value no longer."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM settings WHERE name = ?", (name,))
            self._database.scrub_after_commit()

    def settings(self) -> dict[str, str]:
        """Every value kept with the store."""
        return dict(self._database.rows("SELECT name, value FROM settings ORDER BY name"))

    # Care

    def tenants(self) -> list[str]:
        """Every tenant that has records."""
        return [
            row[0] for row in self._database.rows("SELECT DISTINCT tenant FROM owners WHERE records > 0 ORDER BY 1")
        ]

    def stats(self, tenant: str) -> StoreStats:
        """Sizes, for people."""
        with self._database.snapshot():
            records, pending = self.coverage(Filter(tenant=tenant))
            owned = "SELECT owner FROM owners WHERE tenant = ?"
            kinds = self._database.rows(
                f"SELECT kind, count(*) FROM records WHERE owner IN ({owned}) GROUP BY kind ORDER BY kind", tenant
            )
            edges = self._database.one(
                f"SELECT count(*) FROM edges JOIN records ON row = source WHERE owner IN ({owned})", tenant
            )[0]
            events = self._log.count(tenant)
            schema = self._database.one("PRAGMA user_version")[0]
        size = self._database.size()
        return StoreStats(records, dict(kinds), records - pending, pending, edges, events, size, schema)

    def verify(self, *, repair: bool = False) -> list[Problem]:
        """Check the file, the records and everything derived from them; rebuild the derived parts if asked."""
        return find_problems(self._database, self._terms, self._all_indexes(), repair=repair)

    def backup(self, target: str | Path, *, overwrite: bool = False) -> Path:
        """Copy the store to another file while others go on; what is forgotten later is forgotten there too."""
        return self._backups.make(Path(target), overwrite=overwrite)

    def copies(self) -> list[Copy]:
        """The copies that were made of this file and are known."""
        return [self._copy(path) for path in self._backups.registered()]

    def _copy(self, path: Path) -> Copy:
        return Copy(
            str(path),
            state_of(path),
            lambda: SQLiteStore(path, self._rows),
            lambda delete: self._backups.drop(path, delete=delete),
        )

    def scan(self, needles: Mapping[bytes, str], others: Sequence[str] = ()) -> Scan:
        """Look for byte strings in every file of the store."""
        with self._database.errors():
            return scan_store(self._database, self._all_indexes(), needles, map(Path, others))

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()


def _values(record: Record, owner: int) -> tuple[Any, ...]:
    """A record as a row: columns that filters need, its text, and every field as JSON."""
    fields = record_to_json(record)
    del fields["text"]
    return (
        record.key, owner, record.id, record.kind, record.scope, record.session, record.role, record.boundary,
        record.namespace, record.durable, record.echo_of is not None, to_micros(record.time),
        to_micros(record.valid_from), to_micros(record.valid_to),
        None if record.allow is None else json.dumps(record.allow), bool(record.withheld), to_micros(record.expires),
        record.text, AS_JSON(fields),
    )  # fmt: skip


def _restood(fields: str, now: Standing) -> str:
    values = {**json.loads(fields), "boundary": now.boundary, "withheld": now.withheld}
    values["expires"] = now.expires.isoformat() if now.expires else None
    return AS_JSON({name: value for name, value in values.items() if value is not None})


def _record(text: str, fields: str) -> Record:
    return trusted_record(text, json.loads(fields))


def _time(micros: int) -> Any:
    return from_micros(micros)
