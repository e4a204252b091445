"""Checks that the text index says the same as the records."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

import numpy as np

from aforesaid.store.protocols import StoreProblem
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed
from aforesaid.store.sqlite.postings import (
    CHUNK,
    GAP,
    PLACE,
    POSTING,
    packed,
    places_in,
    records_at,
    term_counts,
    unpacked,
)

Lists = dict[str, set[int]]  # postings by term


def bad_terms(database: Database) -> Iterator[StoreProblem]:
    """Yield every record whose terms are missing or wrong, and every place without a record that has terms."""
    connection = database.connection
    try:
        sql = "SELECT row FROM placed WHERE row NOT IN (SELECT row FROM records)"
        for [row] in connection.execute(sql):
            yield StoreProblem("the text index contains a deleted record", f"row {row}")
        owners = connection.execute(
            "SELECT owner FROM records UNION SELECT owner FROM places UNION SELECT owner FROM postings"
        ).fetchall()
        for [owner] in owners:
            yield from _bad_owner(connection, owner)
    except sqlite3.DatabaseError as error:
        yield StoreProblem(f"the text index cannot be read: {error}", "postings")


def _bad_owner(connection: sqlite3.Connection, owner: int) -> Iterator[StoreProblem]:
    rows: dict[int, int] = {}  # by place
    sql = "SELECT place, records.row FROM records LEFT JOIN placed USING (row) WHERE owner = ? ORDER BY records.row"
    for place, row in connection.execute(sql, (owner,)):
        if place is None or place in rows:
            yield StoreProblem("a record is missing from the text index", f"row {row}")
        else:
            rows[place] = row
    sql = "SELECT chunk FROM places WHERE owner = ?1 UNION SELECT chunk FROM postings WHERE owner = ?1"
    stored = {chunk for [chunk] in connection.execute(sql, (owner,))}
    for chunk in sorted(stored | {place // CHUNK for place in rows}):
        first = chunk * CHUNK
        mine = {place - first: rows[place] for place in range(first, first + CHUNK) if place in rows}
        yield from _bad_chunk(connection, owner, chunk, mine)


def _bad_chunk(connection: sqlite3.Connection, owner: int, chunk: int, rows: dict[int, int]) -> Iterator[StoreProblem]:
    name = f"chunk {chunk} of owner {owner}"
    sql = "SELECT data FROM places WHERE owner = ? AND chunk = ?"
    [data] = connection.execute(sql, (owner, chunk)).fetchone() or (b"",)
    if len(data) % PLACE.itemsize or len(data) > CHUNK * PLACE.itemsize:
        yield StoreProblem(f"the places of the text index have {len(data)} bytes", name)
        return
    expected_places, expected = _expected(connection, rows)
    held = np.zeros(CHUNK, dtype=PLACE)
    held[: len(data) // PLACE.itemsize] = np.frombuffer(data, dtype=PLACE)
    wrong = set(np.flatnonzero(held != expected_places).tolist())
    missing = {place for place in wrong if held["row"][place] == 0}
    sql = "SELECT term, data FROM postings WHERE owner = ? AND chunk = ?"
    for term, data in connection.execute(sql, (owner, chunk)):
        if data[: len(GAP)] != GAP or (len(data) - len(GAP)) % POSTING.itemsize:
            yield StoreProblem(f"a list of the text index has {len(data)} bytes", name)
            return
        found = np.frombuffer(data, POSTING, offset=len(GAP)).tolist()
        wanted = expected.pop(term, set())
        wrong |= {posting % CHUNK for posting in set(found) ^ wanted}
        if len(set(found)) < len(found):
            yield StoreProblem("a list of the text index names a record twice", name)
    wrong |= {posting % CHUNK for wanted in expected.values() for posting in wanted}
    for place in sorted(wrong):
        if place not in rows:
            yield StoreProblem("the text index contains a deleted record", f"place {place}, {name}")
        elif place in missing:
            yield StoreProblem("a record is missing from the text index", f"row {rows[place]}")
        else:
            yield StoreProblem("the terms of a record do not match its text", f"row {rows[place]}")


def _expected(connection: sqlite3.Connection, rows: dict[int, int]) -> tuple[np.ndarray, Lists]:
    """Return what the index should hold for the records of a chunk, given by place."""
    places, lists = np.zeros(CHUNK, dtype=PLACE), Lists()
    places_of = {row: place for place, row in rows.items()}
    for row, record in records_at(connection, list(places_of)):
        place, counts = places_of[row], term_counts(record)
        places[place] = row, counts.total()
        for term, count in counts.items():
            lists.setdefault(term, set()).add(int.from_bytes(packed(place, count), "little"))
    return places, lists


def words_in_use(connection: sqlite3.Connection, words: Iterable[str]) -> set[str]:
    """Return the terms of the index that a record really has. What a deletion left in the index is not in use."""
    left, used = set(words), set[str]()
    sql = f"""SELECT term, postings.data, places.data FROM postings JOIN places USING (owner, chunk)
              WHERE term IN {LISTED}"""
    for term, postings, places in connection.execute(sql, (listed(sorted(left)),)):
        if term not in used:
            rows = np.frombuffer(places, PLACE)["row"][places_in(unpacked(postings))].tolist()
            if any(term in term_counts(record) for _, record in records_at(connection, rows)):
                used.add(term)
    return used
