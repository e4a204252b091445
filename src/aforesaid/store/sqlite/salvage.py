"""Reads what is left of tables with damaged pages.

When SQLite reports that the file is malformed, each ordinary table with damage is copied, as far as it can be read, to
a temporary table of the same name on the same connection. SQLite looks for names there first, so every query works
again, without what is lost. Temporary tables are in memory. Such a connection must not write.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

LAST_ROW = 1 << 48


def shadow_damaged_tables(connection: sqlite3.Connection) -> list[str]:
    """Copy what is left of every damaged table, and return their names."""
    tables = connection.execute(
        """SELECT name, sql FROM main.sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'
           AND name NOT LIKE 'sqlite%'
           AND name NOT IN (SELECT name FROM temp.sqlite_master) ORDER BY name"""
    ).fetchall()
    damaged = [(name, sql) for name, sql in tables if not _is_sound(connection, name)]
    for name, sql in damaged:
        _shadow(connection, name, sql)
    return [name for name, _ in damaged]


def _is_sound(connection: sqlite3.Connection, table: str) -> bool:
    try:
        return bool(connection.execute(f'PRAGMA main.integrity_check("{table}")').fetchone()[0] == "ok")
    except sqlite3.DatabaseError:
        return False


def _shadow(connection: sqlite3.Connection, table: str, sql: str) -> None:
    indexes = "SELECT sql FROM main.sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
    made = connection.execute(indexes, (table,)).fetchall()
    connection.execute(sql.replace("CREATE TABLE", "CREATE TEMP TABLE", 1))
    keys = [row[1] for row in connection.execute(f"PRAGMA main.table_info({table})") if row[5]]
    if "WITHOUT ROWID" in sql:
        _copy_from_both_ends(connection, table, keys)
    else:
        _copy_rows(connection, table, 0, LAST_ROW)
    for (index,) in made:
        connection.execute(index.replace(" INDEX ", " INDEX temp.", 1))


def _copy_rows(connection: sqlite3.Connection, table: str, first: int, last: int) -> None:
    """Copy a range of rows; if it cannot be read, its halves."""
    try:
        connection.execute(
            f"INSERT OR IGNORE INTO temp.{table} SELECT * FROM main.{table} NOT INDEXED WHERE rowid BETWEEN ? AND ?",
            (first, last),
        )
    except sqlite3.DatabaseError:
        if first < last:
            middle = (first + last) // 2
            _copy_rows(connection, table, first, middle)
            _copy_rows(connection, table, middle + 1, last)


def _copy_from_both_ends(connection: sqlite3.Connection, table: str, keys: Sequence[str]) -> None:
    """Copy rows from the start and from the end, until each meets the damage."""
    for order in ("ASC", "DESC"):
        ordered = ", ".join(f"{key} {order}" for key in keys)
        rows = connection.execute(f"SELECT 1, length(hex({keys[0]})) FROM main.{table} ORDER BY {ordered}")
        count = 0
        try:
            while rows.fetchone() is not None:
                count += 1
        except sqlite3.DatabaseError:
            pass
        while count > 0:
            try:
                connection.execute(
                    f"INSERT OR IGNORE INTO temp.{table} SELECT * FROM main.{table} ORDER BY {ordered} LIMIT ?",
                    (count,),
                )
                break
            except sqlite3.DatabaseError:
                count -= 1
