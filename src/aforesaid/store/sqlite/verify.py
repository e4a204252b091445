"""Checks a file for damage, and rebuilds derived data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from aforesaid.errors import AforesaidError, FormatError
from aforesaid.math.vectors import HALF_BYTES
from aforesaid.store.codec import record_from_json
from aforesaid.store.protocols import StoreProblem
from aforesaid.store.sqlite.checksums import checksum
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.postings import rebuild
from aforesaid.store.sqlite.rows import CELLS
from aforesaid.store.sqlite.segments import Segments
from aforesaid.store.sqlite.verify_terms import bad_terms
from aforesaid.types import Record


def find_problems(database: Database, segments: Sequence[Segments], *, repair: bool) -> list[StoreProblem]:
    """Return every problem. With `repair`, rebuild derived data and mark its problems as mended."""
    problems = [StoreProblem(row[0], "file") for row in database.rows("PRAGMA integrity_check(20)") if row[0] != "ok"]
    problems += [*_bad_records(database), *_bad_rows(database)]
    if problems:  # the other checks need intact records
        return problems
    checks: list[tuple[Callable[[], Iterator[StoreProblem]], Callable[[], None]]] = [
        (lambda: _selected(database, COUNTS), lambda: _recount(database)),
        (lambda: bad_terms(database), lambda: rebuild(database.connection)),
        (lambda: _selected(database, SLOTS), lambda: _drop_vectors(database)),
        (lambda: _bad_vectors(segments), lambda: _drop_vectors(database)),
        (lambda: _bad_sketches(segments), lambda: _resketch(segments)),
        (lambda: _bad_tiers(segments), lambda: _drop_tiers(database)),
        (lambda: _bad_passages(database), lambda: _drop_vectors(database)),
    ]
    for check, repair_all in checks:
        found = list(check())
        if found and repair:
            with database.transaction():
                repair_all()
            left = {(problem.what, problem.where) for problem in check()}
            found = [StoreProblem(p.what, p.where, mended=(p.what, p.where) not in left) for p in found]
        problems += found
    return problems


def _read(text: str, fields: str) -> Record:
    return record_from_json({**json.loads(fields), "text": text})


def _bad_records(database: Database) -> Iterator[StoreProblem]:
    for row, *cells in database.rows(f"SELECT row, {CELLS} FROM records ORDER BY row"):
        try:
            if _read(*cells[-3:-1]).key != cells[0]:
                yield StoreProblem("the key of a record does not match its contents", f"row {row}")
            elif checksum(cells[:-1]) != cells[-1]:
                yield StoreProblem("the checksum of a record is wrong", f"row {row}")
        except (FormatError, json.JSONDecodeError, AforesaidError) as error:
            yield StoreProblem(f"a record cannot be read: {error}", f"row {row}")


CHECKED = {  # columns under a checksum, the blob last, by table
    "edges": ("source", "target", "kind", "time", "x''"),
    "kept": ("kind", "tenant", "owner", "name", "value", "x''"),
    "spaces": ("space", "name", "dimensions", "x''"),
    "backups": ("path", "x''"),
}


def _bad_rows(database: Database) -> Iterator[StoreProblem]:
    """Compare the checksums of the small tables."""
    for table, columns in CHECKED.items():
        for *cells, data, expected in database.rows(f"SELECT {', '.join(columns)}, checksum FROM {table}"):
            if checksum(cells, data) != expected:
                yield StoreProblem("the checksum of a row is wrong", f"{table} {cells[0]}")


COUNTS = """SELECT printf('%d records were counted, %d exist', owners.records, count(row)), 'owner ' || owner
    FROM owners LEFT JOIN records USING (owner) GROUP BY owner HAVING owners.records != count(row)"""
SLOTS = """SELECT printf('the vector of a deleted record (row %d)', slots.row), 'segment ' || segment
    FROM slots LEFT JOIN records USING (row) WHERE records.row IS NULL
    UNION ALL
    SELECT printf('%d vectors were counted, %d are placed', used, count(slots.row)), 'segment ' || segments.segment
    FROM segments LEFT JOIN slots USING (segment) GROUP BY segments.segment HAVING used != count(slots.row)"""


def _selected(database: Database, sql: str) -> Iterator[StoreProblem]:
    """Yield the problems that a query returns as (what, where)."""
    return (StoreProblem(*row) for row in database.rows(sql))


def _recount(database: Database) -> None:
    database.connection.execute(
        "UPDATE owners SET records = (SELECT count(*) FROM records WHERE records.owner = owners.owner)"
    )


def _bad_vectors(segments: Sequence[Segments]) -> Iterator[StoreProblem]:
    for index in segments:
        for segment in index.all_segments():
            try:
                rows, _ = index.read_segment(segment)
            except AforesaidError as error:
                yield StoreProblem(str(error), f"segment {segment.number}")
                continue
            if not index.matches_slots(segment, rows):
                yield StoreProblem("its rows do not match the table of slots", f"segment {segment.number}")


def _bad_passages(database: Database) -> Iterator[StoreProblem]:
    found = database.rows(
        """SELECT passages.row, passages.space, data, passages.checksum, dimensions, records.row IS NULL FROM passages
           LEFT JOIN spaces USING (space) LEFT JOIN records USING (row) ORDER BY passages.row"""
    )
    for row, space, data, expected, dimensions, gone in found:
        if gone or dimensions is None:
            yield StoreProblem("sentence vectors of a record or space that is gone", f"row {row}")
        elif not data or len(data) % (dimensions * HALF_BYTES):
            yield StoreProblem(f"the sentence vectors have {len(data)} bytes", f"row {row}")
        elif checksum((space, row), data) != expected:
            yield StoreProblem("the sentence vectors are damaged", f"row {row}")


def _drop_vectors(database: Database) -> None:
    """Delete every vector, because good and damaged ones look alike. `reindex` makes them again."""
    for table in ("slots", "passages", "segment_sketches", "segment_vectors", "segments"):
        database.connection.execute(f"DELETE FROM {table}")


def _bad_sketches(segments: Sequence[Segments]) -> Iterator[StoreProblem]:
    for index in segments:
        for segment in index.full_segments():
            if index.stored_sketch(segment) is None:
                yield StoreProblem("its sketch is missing, outdated or damaged", f"segment {segment.number}")


def _resketch(segments: Sequence[Segments]) -> None:
    for index in segments:
        for segment in index.full_segments():
            index.store_sketch(segment.number)


def _bad_tiers(segments: Sequence[Segments]) -> Iterator[StoreProblem]:
    for index in segments:
        for segment in index.all_segments():
            for width in index.tiers.stored(segment):
                if index.tiers.read(segment, width) is None:
                    yield StoreProblem(f"its tier of {width} dimensions is damaged", f"segment {segment.number}")


def _drop_tiers(database: Database) -> None:
    """Delete every tier. They are made again when the store is opened."""
    database.connection.execute("DELETE FROM segment_tiers")
