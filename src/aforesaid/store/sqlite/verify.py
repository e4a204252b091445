"""What can be wrong in a file, looked for piece by piece; what is derived can be rebuilt."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from aforesaid.errors import AforesaidError, FormatError
from aforesaid.math.vectors import HALF_BYTES, Vectors, from_halves
from aforesaid.store.codec import record_from_json
from aforesaid.store.protocols import Problem
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.segments import Segments
from aforesaid.store.sqlite.terms import TermIndex
from aforesaid.text.analyze import searchable, terms
from aforesaid.types import Record

UNIT_TOLERANCE = 1e-3  # float32 rows that were normalised once
HALF_TOLERANCE = 1e-2  # the same in half precision
PAGE = 1000


def find_problems(database: Database, index: TermIndex, segments: Sequence[Segments], *, repair: bool) -> list[Problem]:
    """Every problem found; with `repair`, what is derived is rebuilt and marked so."""
    problems = [Problem(row[0], "file") for row in database.rows("PRAGMA integrity_check(20)") if row[0] != "ok"]
    problems += _bad_records(database)
    if problems:  # what follows reads records, and can only be as right as they are
        return problems
    checks: list[tuple[Callable[[], Iterator[Problem]], Callable[[], None]]] = [
        (lambda: _bad_counts(database), lambda: _recount(database)),
        (lambda: _bad_terms(database), lambda: _reindex_terms(database, index)),
        (lambda: _bad_slots(database), lambda: _drop_vectors(database)),
        (lambda: _bad_vectors(segments), lambda: _drop_vectors(database)),
        (lambda: _bad_sketches(segments), lambda: _resketch(segments)),
        (lambda: _bad_passages(database), lambda: _drop_vectors(database)),
    ]
    for look, mend in checks:
        found = list(look())
        problems += _mended(database, found, look, mend) if repair else found
    return problems


def _mended(
    database: Database, found: list[Problem], look: Callable[[], Iterator[Problem]], mend: Callable[[], None]
) -> list[Problem]:
    if not found:
        return []
    with database.transaction():
        mend()
    left = {(problem.what, problem.where) for problem in look()}
    return [Problem(p.what, p.where, mended=(p.what, p.where) not in left) for p in found]


def _records(database: Database) -> Iterator[tuple[int, int, str, str, str]]:
    last = 0
    while True:
        sql = "SELECT row, owner, key, text, fields FROM records WHERE row > ? ORDER BY row LIMIT ?"
        found = database.rows(sql, last, PAGE)
        yield from found
        if len(found) < PAGE:
            return
        last = found[-1][0]


def _read(text: str, fields: str) -> Record:
    return record_from_json({**json.loads(fields), "text": text})


def _bad_records(database: Database) -> Iterator[Problem]:
    for row, _, key, text, fields in _records(database):
        try:
            if _read(text, fields).key != key:
                yield Problem("a record's address does not fit its contents", f"row {row}")
        except (FormatError, json.JSONDecodeError, AforesaidError) as error:
            yield Problem(f"a record cannot be read: {error}", f"row {row}")


def _bad_counts(database: Database) -> Iterator[Problem]:
    found = database.rows(
        """SELECT owners.owner, owners.records, count(records.row) AS real FROM owners
           LEFT JOIN records USING (owner) GROUP BY owners.owner HAVING owners.records != real"""
    )
    for owner, kept, real in found:
        yield Problem(f"{kept} records were counted, {real} are there", f"owner {owner}")


def _recount(database: Database) -> None:
    database.connection.execute(
        "UPDATE owners SET records = (SELECT count(*) FROM records WHERE records.owner = owners.owner)"
    )


def _bad_terms(database: Database) -> Iterator[Problem]:
    """Every indexed row is a record, every record is indexed, and has as many terms as its text."""
    try:
        sizes = dict(database.connection.execute("SELECT id, sz FROM terms_docsize").fetchall())
    except sqlite3.DatabaseError as error:
        yield Problem(f"the text index cannot be read: {error}", "terms")
        return
    for row, _, _, text, fields in _records(database):
        size = sizes.pop(row, None)
        if size is None:
            yield Problem("a record is missing from the text index", f"row {row}")
        elif _varint(size) != len(terms(searchable(_read(text, fields)))):
            yield Problem("a record's terms do not fit its text", f"row {row}")
    for row in sizes:
        yield Problem("the text index holds a record that is gone", f"row {row}")


def _varint(data: bytes) -> int:
    """FTS5 keeps each column's length as SQLite's big-endian base-128 number; the text is the first column."""
    value = 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value


def _reindex_terms(database: Database, index: TermIndex) -> None:
    index.clear()
    for row, owner, _, text, fields in _records(database):
        index.add(row, owner, _read(text, fields))


def _bad_slots(database: Database) -> Iterator[Problem]:
    for row, segment in database.rows(
        "SELECT slots.row, slots.segment FROM slots LEFT JOIN records USING (row) WHERE records.row IS NULL"
    ):
        yield Problem(f"a vector of a record that is gone (row {row})", f"segment {segment}")
    for segment, used, slots in database.rows(
        """SELECT segments.segment, used, count(slots.row) AS held FROM segments
           LEFT JOIN slots USING (segment) GROUP BY segments.segment HAVING used != held"""
    ):
        yield Problem(f"{used} vectors were counted, {slots} are placed", f"segment {segment}")


def _bad_vectors(segments: Sequence[Segments]) -> Iterator[Problem]:
    for index in segments:
        for segment in index.all_segments():
            try:
                rows, matrix = index.read_segment(segment)
            except AforesaidError as error:
                yield Problem(str(error), f"segment {segment.number}")
                continue
            for row in rows[~_of_unit_length(matrix, UNIT_TOLERANCE)]:
                yield Problem(f"the vector of row {row} is damaged", f"segment {segment.number}")
            if not index.placed(segment, rows):
                yield Problem("its rows are not where the slots say", f"segment {segment.number}")


def _of_unit_length(matrix: Vectors, tolerance: float) -> NDArray[np.bool_]:
    """Which rows are, or are zero: of a text without words."""
    with np.errstate(all="ignore"):  # a damaged vector may hold anything
        lengths = np.linalg.norm(matrix, axis=1)
    return np.asarray(np.isclose(lengths, 1, atol=tolerance) | (lengths == 0), dtype=np.bool_)


def _bad_passages(database: Database) -> Iterator[Problem]:
    found = database.rows(
        """SELECT passages.row, data, dimensions, records.row IS NULL AS gone FROM passages
           LEFT JOIN spaces USING (space) LEFT JOIN records USING (row) ORDER BY passages.row"""
    )
    for row, data, dimensions, gone in found:
        if gone or dimensions is None:
            yield Problem("sentences of a record or a space that is gone", f"row {row}")
        elif not data or len(data) % (dimensions * HALF_BYTES):
            yield Problem(f"the sentences' vectors have {len(data)} bytes", f"row {row}")
        elif not _of_unit_length(from_halves(data, dimensions), HALF_TOLERANCE).all():
            yield Problem("a sentence's vector is damaged", f"row {row}")


def _drop_vectors(database: Database) -> None:
    """Drop every vector: they cannot be told apart from damaged ones, and `reindex` makes them again."""
    for table in ("slots", "passages", "segment_sketches", "segment_vectors", "segments"):
        database.connection.execute(f"DELETE FROM {table}")


def _bad_sketches(segments: Sequence[Segments]) -> Iterator[Problem]:
    for index in segments:
        for segment in index.full_segments():
            if index.stored_sketch(segment) is None:
                yield Problem("its sketch is missing, stale or damaged", f"segment {segment.number}")


def _resketch(segments: Sequence[Segments]) -> None:
    for index in segments:
        for segment in index.full_segments():
            index.store_sketch(segment.number)
