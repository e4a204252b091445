"""Checks of the rows that are stored once: records, edges, values, spaces and the list of backups. And their repair.

A record's columns are derived from its text and fields, and the checksum can turn one flipped bit of a text back. So
many records can be restored from their own row. What cannot be restored stays in quarantine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from aforesaid.errors import AforesaidError
from aforesaid.store.codec import record_from_json
from aforesaid.store.protocols import StoreProblem
from aforesaid.store.sqlite.checksums import checksum, corrected
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.derive import every_row
from aforesaid.store.sqlite.rows import COLUMNS, WRITTEN, is_sound, values_of
from aforesaid.types import Record

CHECKED = {  # the columns under a checksum, the key first; how many columns the key has
    "edges": (("source", "target", "kind", "time"), 3),
    "kept": (("kind", "tenant", "owner", "name", "value"), 4),
    "spaces": (("space", "name", "dimensions"), 1),
    "backups": (("path",), 1),
}
READ_ERRORS = (AforesaidError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)


def bad_records(database: Database, repair: bool) -> Iterator[StoreProblem]:
    """Yield every damaged record, and put it into quarantine. With `repair`, restore what its own row still tells."""
    owners = {number: name for number, *name in database.rows("SELECT owner, tenant, name FROM owners")}
    for row, cells in every_row(database):
        what = _fault(cells, owners)
        if not what:
            continue
        whole = _restored(database, cells) if repair else None
        if whole is None:
            database.quarantine.add_row(row, what)
            yield StoreProblem(f"a record is damaged: {what}", f"row {row}")
        else:
            columns = ", ".join(f"{column} = ?" for column in WRITTEN)
            database.connection.execute(f"UPDATE records SET {columns} WHERE row = ?", (*whole, row))
            database.quarantine.release(frozenset((row,)))
            yield StoreProblem(f"a record was damaged: {what}", f"row {row}", True, "restored from its own row")


def _fault(cells: Sequence[Any], owners: dict[int, list[str]]) -> str:
    """Say what is wrong with CELLS; nothing if they are sound."""
    if not is_sound(cells):
        return "its checksum is wrong"
    try:
        record = _record(cells)
        if owners.get(cells[1]) != [record.tenant, record.owner]:
            return "its owner is another one"
        expected = values_of(record, cells[1])
    except READ_ERRORS as error:
        return f"it cannot be read ({error})"
    wrong = [
        name
        for name, there, right in zip(COLUMNS, cells, expected, strict=False)
        if name != "fields" and there != right
    ]
    return f"its columns {', '.join(wrong)} do not match its fields" if wrong else ""


def _record(cells: Sequence[Any]) -> Record:
    return record_from_json({**json.loads(cells[-2]), "text": cells[-3]})


def _restored(database: Database, cells: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return the cells as they were written, with their checksum, if they can be told for certain."""
    fixed = corrected(cells[:-1], cells[-1]) if isinstance(cells[-1], int) else None
    for candidate in (cells[:-1], *([fixed] if fixed else [])):
        try:
            record = _record([*candidate, 0])
        except READ_ERRORS:
            continue
        owner = database.one("SELECT owner FROM owners WHERE tenant = ? AND name = ?", record.tenant, record.owner)
        if owner is None:
            continue
        whole = (*values_of(record, owner[0])[:-2], candidate[-1])  # the fields as they are, not as we would write them
        right = checksum(whole)
        only_the_checksum = (
            whole == tuple(candidate) and isinstance(cells[-1], int) and (right ^ cells[-1]).bit_count() == 1
        )
        if right == cells[-1] or only_the_checksum or is_sound(cells):
            return (*whole, right)
    return None


def bad_rows(database: Database, repair: bool) -> Iterator[StoreProblem]:
    """Yield the damaged rows of small tables. With `repair`, turn a flipped bit back, or delete the row."""
    for table, (columns, key) in CHECKED.items():
        for *cells, expected in database.rows(f"SELECT {', '.join(columns)}, checksum FROM {table}"):
            if checksum(cells) == expected:
                continue
            done = _mend_row(database, table, cells, expected) if repair else ""
            what = "a value" if table == "kept" else f"a row of {table}"
            named = " ".join(str(cell) for cell in cells[:key]).encode("utf-8", "replace").decode()
            yield StoreProblem(f"{what} is damaged", f"{table} {named}", bool(done), done)


def _mend_row(database: Database, table: str, cells: Sequence[Any], expected: int) -> str:
    columns, key = CHECKED[table]
    same = " AND ".join(f"CAST({column} AS BLOB) = ?" for column in columns[:key])
    names = [str(cell).encode("utf-8", "surrogateescape") for cell in cells[:key]]
    whole = corrected(cells, expected) or (list(cells) if (checksum(cells) ^ expected).bit_count() == 1 else None)
    if whole is None and cells[0] == "policy" and cells[3] == "active":  # without it, too much would be shown
        whole = [*cells[:4], _last_policy(database, cells[1])]
        if whole[4] is None:
            return ""
    if whole is None:
        if table == "spaces":
            database.connection.execute("DELETE FROM spaces WHERE space = ?", (cells[0],))
        else:
            database.connection.execute(f"DELETE FROM {table} WHERE {same}", names)
        return "deleted"
    change = ", ".join(f"{column} = ?" for column in (*columns, "checksum"))
    database.connection.execute(f"UPDATE {table} SET {change} WHERE {same}", (*whole, checksum(whole), *names))
    return "restored"


def _last_policy(database: Database, tenant: str) -> str | None:
    """Return the newest policy of the history, which is the active one."""
    sql = """SELECT kind, tenant, owner, name, value, checksum FROM kept
             WHERE kind = 'policy' AND tenant = ? AND name != 'active' ORDER BY CAST(name AS INTEGER) DESC LIMIT 1"""
    found = database.one(sql, tenant)
    return found[4] if found and checksum(found[:5]) == found[5] else None
