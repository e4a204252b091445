"""The tables, as numbered migrations. Each runs once, in its own transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any
from zlib import crc32

from aforesaid.errors import AforesaidError
from aforesaid.store.codec import from_micros, record_from_json
from aforesaid.store.sqlite.checksums import cells_sql
from aforesaid.store.sqlite.postings import rebuild
from aforesaid.text.extract.reader import Readers

APPLICATION_ID = 0x41464F31  # "AFO1": identifies our files

# Row numbers are never reused (AUTOINCREMENT), because the text index and the vector segments refer to them.
# text/analyze.py makes the terms; the tokenizer only splits at spaces and keeps combining marks.
# Sentence vectors (`passages`) are read for a few candidates only, so they are stored apart from the scanned vectors.
# The text index stores no text (content=''). To delete a row from it, its terms are recomputed from the record.
FIRST = """
CREATE TABLE kept (
    kind TEXT NOT NULL,
    tenant TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (kind, tenant, owner, name)
) WITHOUT ROWID;
CREATE INDEX kept_by_owner ON kept (tenant, owner);
CREATE TABLE log_heads (tenant TEXT PRIMARY KEY, head TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE backups (path TEXT PRIMARY KEY) WITHOUT ROWID;

CREATE TABLE owners (
    owner INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    records INTEGER NOT NULL DEFAULT 0,
    UNIQUE (tenant, name)
);

CREATE TABLE records (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    owner INTEGER NOT NULL REFERENCES owners (owner),
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    session TEXT,
    role TEXT,
    boundary TEXT NOT NULL,
    namespace TEXT NOT NULL,
    durable INTEGER NOT NULL,
    echo INTEGER NOT NULL,
    time INTEGER NOT NULL,
    valid_from INTEGER,
    valid_to INTEGER,
    allow TEXT,
    withheld INTEGER NOT NULL DEFAULT 0,
    expires INTEGER,
    text TEXT NOT NULL,
    fields TEXT NOT NULL
);
CREATE INDEX records_by_time ON records (owner, time);
CREATE INDEX records_by_session ON records (owner, session, time);
CREATE INDEX records_by_id ON records (owner, id);
CREATE INDEX records_by_expiry ON records (expires) WHERE expires IS NOT NULL;
CREATE INDEX records_withheld ON records (owner) WHERE withheld = 1;
CREATE INDEX records_for_purposes ON records (owner) WHERE allow IS NOT NULL;
CREATE INDEX records_by_class ON records (boundary, owner) WHERE boundary != 'internal';

CREATE TABLE states (
    state TEXT NOT NULL, row INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE, PRIMARY KEY (state, row)
) WITHOUT ROWID;
CREATE INDEX states_by_row ON states (row);

CREATE VIRTUAL TABLE terms USING fts5 (
    text, owner, content = '', tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);

CREATE TABLE spaces (
    space INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL,
    active INTEGER NOT NULL
);
CREATE TABLE segments (
    segment INTEGER PRIMARY KEY AUTOINCREMENT,
    space INTEGER NOT NULL REFERENCES spaces (space),
    owner INTEGER NOT NULL REFERENCES owners (owner),
    capacity INTEGER NOT NULL,
    used INTEGER NOT NULL,
    version INTEGER NOT NULL,
    rows BLOB NOT NULL
);
CREATE INDEX segments_by_owner ON segments (space, owner);
CREATE TABLE segment_vectors (segment INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE segment_sketches (
    segment INTEGER PRIMARY KEY, version INTEGER NOT NULL, checksum INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE TABLE slots (
    space INTEGER NOT NULL,
    row INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    PRIMARY KEY (space, row)
) WITHOUT ROWID;

CREATE TABLE passages (space INTEGER NOT NULL, row INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (row, space));

CREATE TABLE edges (
    source INTEGER NOT NULL REFERENCES records (row),
    target INTEGER NOT NULL REFERENCES records (row),
    kind TEXT NOT NULL,
    time INTEGER NOT NULL,
    PRIMARY KEY (source, target, kind)
) WITHOUT ROWID;
CREATE INDEX edges_by_target ON edges (target);

CREATE TABLE events (
    event INTEGER PRIMARY KEY AUTOINCREMENT,
    time INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    topic TEXT NOT NULL,
    subject TEXT,
    body TEXT NOT NULL,
    digest TEXT NOT NULL,
    erased INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX events_by_topic ON events (tenant, topic, subject);
"""

# How many dates and times each text names, in the column and in the fields.
SECOND = """
ALTER TABLE records ADD COLUMN dates INTEGER NOT NULL DEFAULT 0;
UPDATE records SET dates = count_dates(CAST(text AS BLOB), time);
UPDATE records SET fields = with_dates(fields, dates) WHERE dates > 0;
CREATE INDEX records_by_dates ON records (owner, dates);
"""

# Checksums of what is stored once. The other tables are derived from these, and `verify` compares them.
RECORD = cells_sql(
    "key", "owner", "id", "kind", "scope", "session", "role", "boundary", "namespace", "durable", "echo", "time",
    "valid_from", "valid_to", "allow", "withheld", "expires", "dates", "text", "fields",
)  # fmt: skip
THIRD = f"""
ALTER TABLE records ADD COLUMN checksum INTEGER NOT NULL DEFAULT -1;
UPDATE records SET checksum = checksum_of({RECORD}, x'')
    WHERE is_record(CAST(text AS BLOB), CAST(fields AS BLOB));
ALTER TABLE edges ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE edges SET checksum = checksum_of({cells_sql("source", "target", "kind", "time")}, x'');
ALTER TABLE kept ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE kept SET checksum = checksum_of({cells_sql("kind", "tenant", "owner", "name", "value")}, x'');
ALTER TABLE passages ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE passages SET checksum = checksum_of({cells_sql("space", "row")}, data);
ALTER TABLE spaces ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE spaces SET checksum = checksum_of({cells_sql("space", "name", "dimensions")}, x'');
ALTER TABLE backups ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE backups SET checksum = checksum_of({cells_sql("path")}, x'');
ALTER TABLE segments ADD COLUMN rows_checksum INTEGER NOT NULL DEFAULT 0;
UPDATE segments SET rows_checksum = checksum_of(x'', substr(rows, 1, used * 8));
ALTER TABLE segments ADD COLUMN vectors_checksum INTEGER NOT NULL DEFAULT 0;
UPDATE segments SET vectors_checksum = ifnull(
    (SELECT checksum_of(x'', substr(data, 1, used * dimensions * 4)) FROM segment_vectors, spaces
     WHERE segment_vectors.segment = segments.segment AND spaces.space = segments.space), 0);
"""

# The leading dimensions of vectors of a Matryoshka model.
FOURTH = """
CREATE TABLE segment_tiers (
    segment INTEGER NOT NULL REFERENCES segments (segment) ON DELETE CASCADE,
    width INTEGER NOT NULL,
    version INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (segment, width)
);
"""

# The text index in tables of our own, so that no owner's words count for another (postings.py).
FIFTH = (
    "DROP TABLE terms",
    "CREATE TABLE placed (row INTEGER PRIMARY KEY, place INTEGER NOT NULL)",
    """CREATE TABLE places (
        owner INTEGER NOT NULL, chunk INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (owner, chunk)
    ) WITHOUT ROWID""",
    """CREATE TABLE postings (
        owner INTEGER NOT NULL, chunk INTEGER NOT NULL, term TEXT NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (owner, chunk, term)
    ) WITHOUT ROWID""",
)


def _fifth(connection: sqlite3.Connection) -> None:
    for sql in FIFTH:
        connection.execute(sql)
    rebuild(connection)


# Events are numbered per tenant, so that nobody can count the events of others.
SIXTH = """
ALTER TABLE events ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE events SET number = event;
CREATE INDEX events_by_number ON events (tenant, number);
"""

Migration = str | Callable[[sqlite3.Connection], None]  # SQL, or a function that runs inside the transaction
MIGRATIONS: tuple[Migration, ...] = (FIRST, SECOND, THIRD, FOURTH, _fifth, SIXTH)
SCHEMA = "SELECT name, ifnull(sql, '') FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%'"


def _count_dates(text: bytes, time: int) -> int:
    return Readers().count_dates(text.decode("utf-8", "replace"), from_micros(time))


def _with_dates(fields: str, dates: int) -> str:
    try:
        return json.dumps({**json.loads(fields), "dates": dates}, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, TypeError):  # a damaged record does not keep the others from being migrated
        return fields


def _is_record(text: bytes, fields: bytes) -> bool:
    """Return whether a row is a record. One that was damaged before there were checksums gets none."""
    try:
        record_from_json({**json.loads(fields), "text": text.decode()})
    except (AforesaidError, ValueError, TypeError, RecursionError):
        return False
    return True


def _checksum_of(cells: bytes, data: bytes) -> int:
    return crc32(data, crc32(cells))


FUNCTIONS: dict[str, Callable[..., Any]] = {  # of two arguments
    "count_dates": _count_dates,
    "with_dates": _with_dates,
    "is_record": _is_record,
    "checksum_of": _checksum_of,
}


def expected_schema() -> set[tuple[str, str]]:
    """Return name and SQL of everything that a file of this schema has."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for name, function in FUNCTIONS.items():
            connection.create_function(name, 2, function)
        for migration in MIGRATIONS:
            if isinstance(migration, str):
                connection.executescript(migration)
            else:
                migration(connection)
        return set(connection.execute(SCHEMA).fetchall())
