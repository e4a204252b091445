"""Checks a file for damage, and rebuilds derived data."""

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

UNIT_TOLERANCE = 1e-3  # for float32 rows
HALF_TOLERANCE = 1e-2  # for half precision
PAGE = 1000


def find_problems(database: Database, index: TermIndex, segments: Sequence[Segments], *, repair: bool) -> list[Problem]:
    """Return every problem. With `repair`, rebuild derived data and mark its problems as mended."""
    problems = [Problem(row[0], "file") for row in database.rows("PRAGMA integrity_check(20)") if row[0] != "ok"]
    problems += _bad_records(database)
    if problems:  # the other checks need intact records
        return problems
    checks: list[tuple[Callable[[], Iterator[Problem]], Callable[[], None]]] = [
        (lambda: _bad_counts(database), lambda: _recount(database)),
        (lambda: _bad_terms(database), lambda: _reindex_terms(database, index)),
        (lambda: _bad_slots(database), lambda: _drop_vectors(database)),
        (lambda: _bad_vectors(segments), lambda: _drop_vectors(database)),
        (lambda: _bad_sketches(segments), lambda: _resketch(segments)),
        (lambda: _bad_passages(database), lambda: _drop_vectors(database)),
    ]
    for check, repair_all in checks:
        found = list(check())
        if found and repair:
            with database.transaction():
                repair_all()
            left = {(problem.what, problem.where) for problem in check()}
            found = [Problem(p.what, p.where, mended=(p.what, p.where) not in left) for p in found]
        problems += found
    return problems


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
                yield Problem("the key of a record does not match its contents", f"row {row}")
        except (FormatError, json.JSONDecodeError, AforesaidError) as error:
            yield Problem(f"a record cannot be read: {error}", f"row {row}")


def _bad_counts(database: Database) -> Iterator[Problem]:
    found = database.rows(
        """SELECT owners.owner, owners.records, count(records.row) AS real FROM owners
           LEFT JOIN records USING (owner) GROUP BY owners.owner HAVING owners.records != real"""
    )
    for owner, kept, real in found:
        yield Problem(f"{kept} records were counted, {real} exist", f"owner {owner}")


def _recount(database: Database) -> None:
    database.connection.execute(
        "UPDATE owners SET records = (SELECT count(*) FROM records WHERE records.owner = owners.owner)"
    )


def _bad_terms(database: Database) -> Iterator[Problem]:
    """Check that index and records have the same rows, and each row the right number of terms."""
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
            yield Problem("the terms of a record do not match its text", f"row {row}")
    for row in sizes:
        yield Problem("the text index contains a deleted record", f"row {row}")


def _varint(data: bytes) -> int:
    """Decode the first column's length, which FTS5 stores as a big-endian base-128 number."""
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
        yield Problem(f"the vector of a deleted record (row {row})", f"segment {segment}")
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
            if not index.matches_slots(segment, rows):
                yield Problem("its rows do not match the table of slots", f"segment {segment.number}")


def _of_unit_length(matrix: Vectors, tolerance: float) -> NDArray[np.bool_]:
    """Return which rows have length 1 or 0. A text without words has a zero vector."""
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
            yield Problem("sentence vectors of a record or space that is gone", f"row {row}")
        elif not data or len(data) % (dimensions * HALF_BYTES):
            yield Problem(f"the sentence vectors have {len(data)} bytes", f"row {row}")
        elif not _of_unit_length(from_halves(data, dimensions), HALF_TOLERANCE).all():
            yield Problem("a sentence vector is damaged", f"row {row}")


def _drop_vectors(database: Database) -> None:
    """Delete every vector, because good and damaged ones look alike. `reindex` makes them again."""
    for table in ("slots", "passages", "segment_sketches", "segment_vectors", "segments"):
        database.connection.execute(f"DELETE FROM {table}")


def _bad_sketches(segments: Sequence[Segments]) -> Iterator[Problem]:
    for index in segments:
        for segment in index.full_segments():
            if index.stored_sketch(segment) is None:
                yield Problem("its sketch is missing, outdated or damaged", f"segment {segment.number}")


def _resketch(segments: Sequence[Segments]) -> None:
    for index in segments:
        for segment in index.full_segments():
            index.store_sketch(segment.number)
