"""Checks a file for damage, and mends what can be mended from the file itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from aforesaid.errors import AforesaidError, StoreCorruptError
from aforesaid.math.vectors import HALF_BYTES
from aforesaid.store.protocols import StoreProblem
from aforesaid.store.sqlite.checksums import checksum
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.derive import derive_again, every_record, recount
from aforesaid.store.sqlite.schema import SCHEMA, expected_schema
from aforesaid.store.sqlite.segments import Segments, drop_segment
from aforesaid.store.sqlite.verify_rows import bad_records, bad_rows
from aforesaid.store.sqlite.verify_terms import bad_terms

Check = tuple[Callable[[], Iterator[StoreProblem]], Callable[[list[StoreProblem]], None], str]


def find_problems(database: Database, segments: Sequence[Segments], *, repair: bool) -> list[StoreProblem]:
    """Return every problem. With `repair`, mend what can be mended from the file itself, and say so."""
    problems: list[StoreProblem] = []
    try:
        check = (lambda: _bad_file(database), lambda _: _reindex(database), "made again")
        problems += _with_repair(database, check, repair)
    except StoreCorruptError:  # damage of a table itself: no index can be made of it
        problems += _bad_file(database)
    with _reporting(problems, "records"), database.transaction() if repair else database.snapshot():
        problems += [*bad_records(database, repair), *bad_rows(database, repair)]
    again, dropped = "computed again", "dropped; run `aforesaid reindex`"
    checks: dict[str, Check] = {
        "states": (lambda: _bad_states(database), lambda _: derive_again(database), again),
        "owners": (lambda: _selected(database, COUNTS), lambda _: recount(database), again),
        "postings": (lambda: _bad_terms(database), lambda _: derive_again(database), again),
        "spaces": (lambda: _selected(database, ACTIVE), lambda _: _activate(database), again),
        "slots": (lambda: _selected(database, SLOTS), lambda found: _drop_segments(database, found), dropped),
        "segments": (lambda: _bad_vectors(segments), lambda found: _drop_segments(database, found), dropped),
        "segment_sketches": (lambda: _bad_sketches(segments), lambda _: _resketch(segments), again),
        "segment_tiers": (lambda: _bad_tiers(segments), lambda _: _drop_tiers(database), again),
        "passages": (lambda: _bad_passages(database), lambda found: _drop_passages(database, found), dropped),
    }
    for table, check in checks.items():
        with _reporting(problems, table):
            problems += _with_repair(database, check, repair)
    return problems


@contextmanager
def _reporting(problems: list[StoreProblem], table: str) -> Iterator[None]:
    """Add a problem when SQLite cannot read a table."""
    try:
        yield
    except StoreCorruptError as error:
        problems.append(StoreProblem(f"it cannot be read: {error.message}", f"table {table}"))


def _with_repair(database: Database, check: Check, repair: bool) -> list[StoreProblem]:
    """Run a check. With `repair`, mend what it found and check again."""
    look, mend, done = check
    with database.errors():
        found = list(look())
        if not (found and repair):
            return found
        with database.transaction():
            mend(found)
        left = {(problem.what, problem.where) for problem in look()}
    mended = [(problem, (problem.what, problem.where) not in left) for problem in found]
    return [replace(problem, mended=fixed, done=done if fixed else "") for problem, fixed in mended]


def _bad_file(database: Database) -> Iterator[StoreProblem]:
    """Let SQLite check the file, name the tables with damage, and compare the schema with ours."""
    if fault := _integrity_fault(database, "1"):
        yield StoreProblem(fault, "file")
        for (table,) in database.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"):
            if fault := _integrity_fault(database, f'"{table}"'):
                yield StoreProblem(fault, f"table {table}")
    ours = expected_schema()
    for name, _ in sorted(set(database.rows(SCHEMA)) ^ ours):
        yield StoreProblem("the definition of a table or index is not ours", f"schema {name}")


def _integrity_fault(database: Database, what: str) -> str:
    """Return the first fault that SQLite finds in a table or in the whole file."""
    try:
        found = str(database.one(f"PRAGMA main.integrity_check({what})")[0])
    except StoreCorruptError:
        return "SQLite cannot read it"
    return "" if found == "ok" else found


def _reindex(database: Database) -> None:
    """Make the indexes again. Damage of a table itself stays."""
    database.connection.execute("REINDEX")


def _bad_states(database: Database) -> Iterator[StoreProblem]:
    held: dict[int, set[str]] = {}
    for state, row in database.rows("SELECT state, row FROM states"):
        held.setdefault(row, set()).add(state)
    for row, _, record in every_record(database):
        if held.pop(row, set()) != set(record.states):
            yield StoreProblem("the states of a record do not match its fields", f"row {row}")
    for row in held.keys() - database.quarantine.rows:
        yield StoreProblem("states of a deleted record", f"row {row}")


COUNTS = """SELECT printf('%d records were counted, %d exist', owners.records, count(row)), 'owner ' || owner
    FROM owners LEFT JOIN records USING (owner) GROUP BY owner HAVING owners.records != count(row)"""
ACTIVE = """SELECT printf('%d vector spaces are active', total(active = 1)), 'spaces' FROM spaces WHERE active != -1
    HAVING count(*) > 0 AND (total(active = 1) != 1 OR total(active NOT IN (0, 1)) > 0)"""
SLOTS = """SELECT printf('the vector of a deleted record (row %d)', slots.row), 'segment ' || segment
    FROM slots LEFT JOIN records USING (row) WHERE records.row IS NULL
    UNION ALL
    SELECT printf('%d vectors were counted, %d are placed', used, count(slots.row)), 'segment ' || segments.segment
    FROM segments LEFT JOIN slots USING (segment) GROUP BY segments.segment HAVING used != count(slots.row)
    UNION ALL
    SELECT DISTINCT 'a vector of a record of another owner', 'segment ' || segment
    FROM slots JOIN records USING (row) JOIN segments USING (segment) WHERE records.owner != segments.owner
    UNION ALL
    SELECT 'vectors of a space that is gone', 'segment ' || segment FROM segments LEFT JOIN spaces USING (space)
    WHERE spaces.space IS NULL
    UNION ALL
    SELECT DISTINCT 'the place of a vector in no segment', 'segment ' || segment
    FROM slots LEFT JOIN segments USING (segment) WHERE segments.segment IS NULL OR segments.space != slots.space"""


def _selected(database: Database, sql: str) -> Iterator[StoreProblem]:
    """Yield the problems that a query returns as (what, where)."""
    return (StoreProblem(*row) for row in database.rows(sql))


def _bad_terms(database: Database) -> Iterator[StoreProblem]:
    """Compare the text index with the records. What it says of damaged records does not matter."""
    damaged = {f"row {row}" for row in database.quarantine.rows}
    return (problem for problem in bad_terms(database) if problem.where not in damaged)


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


def _drop_segments(database: Database, found: list[StoreProblem]) -> None:
    """Delete the segments that have a problem, and no others."""
    for number in sorted({int(problem.where.rpartition(" ")[2]) for problem in found}):
        drop_segment(database, number)


def _drop_passages(database: Database, found: list[StoreProblem]) -> None:
    for row in sorted({int(problem.where.rpartition(" ")[2]) for problem in found}):
        database.connection.execute("DELETE FROM passages WHERE row = ?", (row,))


def _activate(database: Database) -> None:
    """Make the space with most vectors the active one."""
    sql = """SELECT space FROM spaces LEFT JOIN segments USING (space) WHERE active != -1
             GROUP BY space ORDER BY total(used) DESC, space"""
    database.connection.execute("UPDATE spaces SET active = (space = ?) WHERE active != -1", database.one(sql))


def _bad_sketches(segments: Sequence[Segments]) -> Iterator[StoreProblem]:
    for index in segments:
        damaged = index.damaged_numbers
        for segment in index.full_segments():
            if segment.number not in damaged and index.stored_sketch(segment) is None:
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
