"""Stores the text index: which records of an owner contain which terms.

Each record of an owner has a place, counted from 0. A thousand places form a chunk:

- `placed` holds the place of each record.
- `places` holds a row per owner and chunk: the record row and the number of terms of every place. A place without a
  record is zero.
- `postings` holds a row per owner, chunk and term: the places in the chunk that have the term, and how often.

So a write changes only the owner's last chunk, a search reads only the owners in view, and a deletion removes exactly
what it should.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from aforesaid.math.bm25 import MOST_COUNTED
from aforesaid.store.codec import trusted_record
from aforesaid.store.sqlite.filters import LISTED, listed
from aforesaid.text.analyze import searchable, terms
from aforesaid.types import Record

PLACE_BITS = 10  # of a posting; the other six hold the count
CHUNK = 1 << PLACE_BITS
POSTING = np.dtype("<u2")
PLACE = np.dtype([("row", "<i8"), ("length", "<u4")])
GAP = b"\x00"  # begins every list, so that a scan of the file does not read a term and its first posting as one word

Postings = NDArray[np.uint16]


def term_counts(record: Record) -> Counter[str]:
    """How often a record has each term."""
    return Counter(terms(searchable(record)))


def packed(place: int, count: int) -> bytes:
    """One posting: the place in its chunk, and how often the term occurs there."""
    return (place % CHUNK | min(count, MOST_COUNTED) << PLACE_BITS).to_bytes(POSTING.itemsize, "little")


def unpacked(data: bytes) -> Postings:
    """The postings of a list."""
    return np.frombuffer(data, dtype=POSTING, offset=len(GAP))


def places_in(postings: Postings) -> Postings:
    """The places of postings, counted in their chunk."""
    return postings & np.uint16(CHUNK - 1)


def counts_in(postings: Postings) -> Postings:
    """How often the term occurs at each place."""
    return postings >> np.uint16(PLACE_BITS)


class PostingWriter:
    """Writes the text index inside the caller's transaction. Additions reach the file with `flush`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._next: dict[int, int] = {}  # the next place of each owner
        self._placed: list[tuple[int, int]] = []
        self._places: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._postings: dict[tuple[int, int, str], bytearray] = {}

    def _new_place(self, owner: int) -> int:
        """Return the next free place of an owner."""
        if owner not in self._next:
            sql = "SELECT chunk, length(data) FROM places WHERE owner = ? ORDER BY chunk DESC LIMIT 1"
            chunk, size = self._connection.execute(sql, (owner,)).fetchone() or (0, 0)
            self._next[owner] = chunk * CHUNK + size // PLACE.itemsize
        return self._next[owner]

    def add(self, owner: int, row: int, record: Record) -> None:
        """Index a record at the owner's next free place."""
        place, found = self._new_place(owner), term_counts(record)
        chunk = place // CHUNK
        self._next[owner] = place + 1
        self._placed.append((row, place))
        self._places.setdefault((owner, chunk), []).append((row, found.total()))
        once = packed(place, 1)  # most terms occur once
        for term, count in found.items():
            posting = once if count == 1 else packed(place, count)
            self._postings.setdefault((owner, chunk, term), bytearray(GAP)).extend(posting)

    def flush(self) -> None:
        """Write what was added."""
        connection = self._connection
        connection.executemany("INSERT OR REPLACE INTO placed (row, place) VALUES (?, ?)", self._placed)
        connection.executemany(
            """INSERT INTO places (owner, chunk, data) VALUES (?, ?, ?)
               ON CONFLICT (owner, chunk) DO UPDATE SET data = CAST(data || excluded.data AS BLOB)""",
            [(*name, np.array(added, dtype=PLACE).tobytes()) for name, added in self._places.items()],
        )
        connection.executemany(
            f"""INSERT INTO postings (owner, chunk, term, data) VALUES (?, ?, ?, ?)
                ON CONFLICT (owner, chunk, term)
                DO UPDATE SET data = CAST(data || substr(excluded.data, {len(GAP) + 1}) AS BLOB)""",
            [(*name, data) for name, data in sorted(self._postings.items())],
        )
        self._placed.clear()
        self._places.clear()
        self._postings.clear()

    def remove(self, owner: int, records: Mapping[int, Record]) -> None:
        """Remove records of an owner, by row."""
        self.flush()
        rows = listed(list(records))
        chunks: dict[int, dict[int, Record]] = {}
        sql = f"SELECT row, place FROM placed WHERE row IN {LISTED}"
        for row, place in self._connection.execute(sql, (rows,)):
            chunks.setdefault(place // CHUNK, {})[place % CHUNK] = records[row]
        self._connection.execute(f"DELETE FROM placed WHERE row IN {LISTED}", (rows,))
        for chunk, gone in chunks.items():
            lengths = self._empty_places(owner, chunk, list(gone))
            counts = [term_counts(record) for record in gone.values()]
            removed = self._remove_postings(owner, chunk, list(gone), set[str]().union(*counts))
            if lengths != [found.total() for found in counts] or removed != sum(map(len, counts)):
                self._remove_postings(owner, chunk, list(gone))  # they were indexed by another version of the analysis

    def _remove_postings(self, owner: int, chunk: int, gone: list[int], among: Iterable[str] | None = None) -> int:
        """Remove places from the lists of some terms, or of all; return how many postings were removed."""
        connection = self._connection
        sql = "SELECT term, data FROM postings WHERE owner = ? AND chunk = ?"
        if among is None:
            found = connection.execute(sql, (owner, chunk)).fetchall()
        else:
            sql = f"{sql} AND term IN {LISTED}"
            found = connection.execute(sql, (owner, chunk, listed(sorted(among)))).fetchall()
        stays = np.ones(CHUNK, dtype=np.bool_)
        stays[gone] = False
        removed, changed, emptied = 0, [], []
        for term, data in found:
            postings = unpacked(data)
            left = postings[stays[places_in(postings)]]
            removed += postings.size - left.size
            if not left.size:
                emptied.append((owner, chunk, term))
            elif left.size < postings.size:
                changed.append((GAP + left.tobytes(), owner, chunk, term))
        connection.executemany("UPDATE postings SET data = ? WHERE owner = ? AND chunk = ? AND term = ?", changed)
        connection.executemany("DELETE FROM postings WHERE owner = ? AND chunk = ? AND term = ?", emptied)
        return removed

    def _empty_places(self, owner: int, chunk: int, gone: list[int]) -> list[int]:
        """Zero the places and return their lengths. A full chunk without records is deleted."""
        connection = self._connection
        sql = "SELECT data FROM places WHERE owner = ? AND chunk = ?"
        [data] = connection.execute(sql, (owner, chunk)).fetchone() or (b"",)
        places = np.frombuffer(data, dtype=PLACE).copy()
        gone = [place for place in gone if place < places.size]  # a damaged index may lack them
        lengths: list[int] = places["length"][gone].tolist()
        places[gone] = 0
        if places["row"].any() or places.size < CHUNK:
            sql = "UPDATE places SET data = ? WHERE owner = ? AND chunk = ?"
            connection.execute(sql, (places.tobytes(), owner, chunk))
        else:
            connection.execute("DELETE FROM places WHERE owner = ? AND chunk = ?", (owner, chunk))
        return lengths

    def drop_owner(self, owner: int) -> None:
        """Remove everything of an owner."""
        self.flush()
        self._next.pop(owner, None)
        for [data] in self._connection.execute("SELECT data FROM places WHERE owner = ?", (owner,)).fetchall():
            rows = np.frombuffer(data, dtype=PLACE)["row"].tolist()
            self._connection.execute(f"DELETE FROM placed WHERE row IN {LISTED}", (listed(rows),))
        for table in ("postings", "places"):
            self._connection.execute(f"DELETE FROM {table} WHERE owner = ?", (owner,))


def rebuild(connection: sqlite3.Connection) -> None:
    """Build the whole index again inside the caller's transaction. Records that cannot be read are left out."""
    for table in ("postings", "places", "placed"):
        connection.execute(f"DELETE FROM {table}")
    for [owner] in connection.execute("SELECT DISTINCT owner FROM records ORDER BY owner").fetchall():
        sql = "SELECT row FROM records WHERE owner = ? ORDER BY row"
        rows = [row for [row] in connection.execute(sql, (owner,))]
        writer = PostingWriter(connection)
        for start in range(0, len(rows), CHUNK):
            for row, record in records_at(connection, rows[start : start + CHUNK]):
                writer.add(owner, row, record)
            writer.flush()


def records_at(connection: sqlite3.Connection, rows: Sequence[int]) -> Iterator[tuple[int, Record]]:
    """Yield the records of these rows that can be read."""
    sql = f"SELECT row, CAST(text AS BLOB), CAST(fields AS BLOB) FROM records WHERE row IN {LISTED} ORDER BY row"
    for row, text, fields in connection.execute(sql, (listed(rows),)).fetchall():
        with suppress(ValueError, TypeError, KeyError):
            yield row, trusted_record(text.decode(), json.loads(fields))
