"""Searches the raw bytes of files for many byte strings ("needles") at once.

The first eight bytes of every needle are hashed into a table. At every offset of a file, eight bytes are looked up in
that table, and only matches are compared in full. So the time hardly depends on the number of needles. A file is read
in pieces that overlap by the length of the longest needle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aforesaid.store.protocols import Scan, Trace
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.files import files_of, read_pieces
from aforesaid.store.sqlite.segments import Segments
from aforesaid.store.sqlite.verify_terms import words_in_use

HEAD_BYTES = 8
TABLE_BITS = 20  # a 1 MB table: with 10,000 needles, one offset in a hundred is a false match
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing: 2⁶⁴ over the golden ratio
PIECE_BYTES = 1 << 20  # small enough for the processor's cache
PAGE = 1000
# Kinds of needles
WORD = "word"  # a single word, which other texts may use
KEY = "key"  # the key of a record; must not occur anywhere
VECTOR = "vector"
NAME = "name"  # of a user, session, …
NUMBER_BYTES = 4  # an index stores a row number of up to this size after a name


class Needles:
    """Finds many byte strings at once. Strings shorter than eight bytes are ignored."""

    def __init__(self, wanted: Iterable[bytes]) -> None:
        self._by_head: dict[int, list[bytes]] = {}
        for needle in sorted(set(wanted)):
            if len(needle) >= HEAD_BYTES:
                self._by_head.setdefault(int.from_bytes(needle[:HEAD_BYTES], "little"), []).append(needle)
        self._heads = np.array(sorted(self._by_head), dtype="<u8")
        self._table = np.zeros(1 << TABLE_BITS, dtype=np.bool_)
        self._table[_hashed(self._heads)] = True
        self.longest = max((len(needle) for group in self._by_head.values() for needle in group), default=0)

    def find(self, data: bytes) -> Iterator[tuple[bytes, int]]:
        """Yield every needle in the data, with its offset."""
        if not self._by_head:
            return
        for shift in range(min(HEAD_BYTES, len(data) - HEAD_BYTES + 1)):
            words = np.frombuffer(data, dtype="<u8", count=(len(data) - shift) // HEAD_BYTES, offset=shift)
            places = np.flatnonzero(self._table[_hashed(words)])
            nearest = np.searchsorted(self._heads, words[places]).clip(max=self._heads.size - 1)
            places = places[self._heads[nearest] == words[places]]
            for place in places.tolist():
                start = shift + place * HEAD_BYTES
                for needle in self._by_head[int(words[place])]:
                    if data.startswith(needle, start):
                        yield needle, start


def _hashed(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    return ((words * MULTIPLIER) >> np.uint64(64 - TABLE_BITS)).view(np.int64)


def scan_file(path: Path, wanted: Iterable[bytes]) -> tuple[int, dict[bytes, int]]:
    """Return the file's size, and the first offset of each needle found."""
    left, found = set(wanted), dict[bytes, int]()
    needles = Needles(left)
    size, kept = 0, b""
    for piece in read_pieces(path, PIECE_BYTES):
        start = size - len(kept)
        data = kept + piece
        size += len(piece)
        for needle, place in needles.find(data):
            found[needle] = min(found.get(needle, size), start + place)
        if not found.keys().isdisjoint(left):  # the first place is enough
            left -= found.keys()
            needles = Needles(left)
        kept = data[-(needles.longest - 1) :] if needles.longest > 1 else b""
    return size, found


def scan_store(
    database: Database, segments: Iterable[Segments], needles: Mapping[bytes, str], others: Iterable[Path] = ()
) -> Scan:
    """Search every file of a store. If its own files contain needles, rewrite its pages and search again."""
    index = list(segments)
    files = files_of(database.path)
    files += [file for other in others for file in files_of(other) if file not in files]
    scan = _scanned(database, index, needles, files)
    own = {str(file) for file in files_of(database.path)}
    if any(trace.file in own for trace in scan.found) and database.rewrite_pages():
        scan = replace(_scanned(database, index, needles, files), rewritten=True)
    return scan


def _scanned(database: Database, index: list[Segments], needles: Mapping[bytes, str], files: Iterable[Path]) -> Scan:
    sizes: dict[str, int] = {}
    places: dict[bytes, list[tuple[str, int]]] = {}
    for file in files:
        try:
            sizes[str(file)], found = scan_file(file, needles)
        except FileNotFoundError:  # SQLite deletes the log with the last connection
            continue
        for needle, offset in found.items():
            places.setdefault(needle, []).append((str(file), offset))
    shared = _shared(database, index, {needle: needles[needle] for needle in places}) if places else set()
    traces = [
        Trace(file, offset, needles[needle])
        for needle, found_at in places.items()
        if needle not in shared
        for file, offset in found_at
    ]
    return Scan(sizes, len(needles), len(shared), tuple(sorted(traces, key=lambda t: (t.file, t.offset, t.what))))


def _shared(database: Database, index: list[Segments], wanted: Mapping[bytes, str]) -> set[bytes]:
    """Return the needles that existing data may contain: another record has the same words or vector.

    The log and the values may share only single words; everything else should have been erased there.
    """
    shareable = Needles(needle for needle, what in wanted.items() if what != KEY)
    index = index if VECTOR in wanted.values() else []
    held = {needle for piece in _contents(database, index) for needle, _ in shareable.find(piece)}
    held |= _accidental_names(
        database, [needle for needle, what in wanted.items() if what == NAME and needle not in held]
    )
    words = [needle for needle, what in wanted.items() if what == WORD and needle not in held]
    if words:
        common = Needles(words)
        held |= {needle for piece in _other_contents(database) for needle, _ in common.find(piece)}
        held |= _indexed(database, common)
    return held


def _indexed(database: Database, words: Needles) -> set[bytes]:
    """Return the words in the text index that records have; a term is often not spelled as in the text."""
    with database.snapshot() as connection:
        found: dict[str, bytes] = {}
        terms = connection.execute("SELECT DISTINCT term FROM postings")
        while page := [row[0].encode("utf-8", "replace") for row in terms.fetchmany(PAGE)]:
            for needle in {needle for needle, _ in words.find(b"\n".join(page))}:
                found |= {term.decode(): needle for term in page if needle in term}
        return {found[term] for term in words_in_use(connection, found)}


def _accidental_names(database: Database, names: list[bytes]) -> set[bytes]:
    """Return names that only seem to occur: an index stores a row number after a name, so t1 and "0" read as t10."""
    enclosed: dict[bytes, set[bytes]] = {}
    for name in names:
        for shorter in (name[:-count] for count in range(1, NUMBER_BYTES + 1)):
            for form in (b'"' + shorter + b'"', b"\n" + shorter + b"\n"):
                enclosed.setdefault(form, set()).add(name)
    needles = Needles(enclosed)
    found = {form for piece in (_contents(database, []) if enclosed else ()) for form, _ in needles.find(piece)}
    return {name for form in found for name in enclosed[form]}


def _contents(database: Database, index: list[Segments]) -> Iterator[bytes]:
    """Yield every record with its owner, every vector, and the policies."""
    with database.snapshot() as connection:
        rows = connection.execute(
            "SELECT key, text, fields, name, records.namespace FROM records JOIN owners USING (owner) ORDER BY row"
        )
        while page := rows.fetchmany(PAGE):
            yield "\n".join(["", *(cell for row in page for cell in row), ""]).encode("utf-8", "replace")
        there = np.array([row[0] for row in connection.execute("SELECT row FROM records")] if index else [], np.int64)
        for one in index:
            for segment in one.all_segments():
                held, matrix = one.read_segment(segment)
                yield matrix[np.isin(held, there)].tobytes()
        rows = connection.execute("SELECT data FROM passages JOIN records USING (row) WHERE ?", (bool(index),))
        while page := rows.fetchmany(PAGE):
            yield b"".join(row[0] for row in page)
        yield "\n".join(row[0] for row in connection.execute("SELECT value FROM kept WHERE kind = 'policy'")).encode()


def _other_contents(database: Database) -> Iterator[bytes]:
    """Yield the rest of the file, except for the index: event log, values and schema."""
    with database.snapshot() as connection:
        for sql in (
            "SELECT topic || char(10) || ifnull(subject, '') || char(10) || body FROM events",
            "SELECT owner || char(10) || name || char(10) || value FROM kept",
            "SELECT head FROM log_heads",
            "SELECT path FROM backups",
            "SELECT tenant || char(10) || name FROM owners",
            "SELECT name FROM spaces",
            "SELECT ifnull(sql, '') FROM sqlite_master",
        ):
            rows = connection.execute(sql)
            while page := rows.fetchmany(PAGE):
                yield "\n".join(row[0] for row in page).encode("utf-8", "replace")
