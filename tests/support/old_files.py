"""Makes files of earlier schemas, to test the migrations from each of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from aforesaid.settings.rows import StoreRows
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.schema import MIGRATIONS


def downgrade(path: Path, version: int) -> None:
    """Turn a closed store into a file of an earlier schema: what that schema has tables and columns for is kept."""
    old = path.with_name(f"schema{version}.db")
    Database(old, StoreRows(synchronous="normal"), MIGRATIONS[:version]).close()
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        connection.execute("ATTACH ? AS new", (str(path),))
        tables = "SELECT name FROM {}.sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        there = {row[0] for row in connection.execute(tables.format("new"))}
        for (table,) in connection.execute(tables.format("main")).fetchall():
            if table in there:
                columns = [row[1] for row in connection.execute(f"PRAGMA main.table_info ({table})")]
                shared = {row[1] for row in connection.execute(f"PRAGMA new.table_info ({table})")}
                names = ", ".join(f'"{column}"' for column in columns if column in shared)
                connection.execute(f"DELETE FROM main.{table}")
                connection.execute(f"INSERT INTO main.{table} ({names}) SELECT {names} FROM new.{table}")
    old.replace(path)
