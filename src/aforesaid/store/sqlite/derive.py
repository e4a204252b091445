"""Computes again what is derived from the records: counts, states and the text index. Damaged records are left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.postings import rebuild
from aforesaid.store.sqlite.rows import CELLS, DamagedRowError, record_of
from aforesaid.types import Record

PAGE = 500


def every_row(database: Database) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield the row number and CELLS of every record, page by page."""
    row, sql = 0, f"SELECT row, {CELLS} FROM records WHERE row > ? ORDER BY row LIMIT {PAGE}"
    while page := database.rows(sql, row):
        yield from ((each[0], each[1:]) for each in page)
        row = page[-1][0]


def every_record(database: Database) -> Iterator[tuple[int, int, Record]]:
    """Yield row number, owner number and record of every record that is not damaged."""
    for row, cells in every_row(database):
        try:
            yield row, cells[1], record_of(cells)
        except DamagedRowError as error:
            database.quarantine.add_row(row, str(error))


def derive_again(database: Database) -> None:
    """Compute counts, states and text index again. Needs a transaction."""
    connection = database.connection
    rebuild(connection)
    connection.execute("DELETE FROM states")
    for row, _, record in every_record(database):
        put_states(database, row, record)
    recount(database)


def put_states(database: Database, row: int, record: Record) -> None:
    """Write the states of a record that has none stored."""
    database.connection.executemany(
        "INSERT OR IGNORE INTO states (state, row) VALUES (?, ?)", [(state, row) for state in record.states]
    )


def recount(database: Database) -> None:
    """Count the records of every owner again."""
    database.connection.execute(
        "UPDATE owners SET records = (SELECT count(*) FROM records WHERE records.owner = owners.owner)"
    )
