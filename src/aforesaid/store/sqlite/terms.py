"""The text index: FTS5 over the terms from text/analyze.py. The owner is an extra term."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, Clause, listed, owners_clause, records_clause
from aforesaid.text.analyze import searchable, terms
from aforesaid.types import Filter, Record, Scored

PROBE = 1.25  # the first query fetches this many times the limit; enough unless the filter drops many


class TermIndex:
    """Adds, removes and finds records by term."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, row: int, owner: int, record: Record) -> None:
        """Index a record's terms."""
        self._database.connection.execute(
            "INSERT INTO terms (rowid, text, owner) VALUES (?, ?, ?)", (row, _joined(record), _owner_term(owner))
        )

    def remove(self, row: int, owner: int, record: Record) -> None:
        """Remove a record's terms. `record` and `owner` must be those given to `add`."""
        self._database.connection.execute(
            "INSERT INTO terms (terms, rowid, text, owner) VALUES ('delete', ?, ?, ?)",
            (row, _joined(record), _owner_term(owner)),
        )

    def purge(self) -> None:
        """Merge the index, so that no term of a removed record stays in it."""
        self._database.connection.execute("INSERT INTO terms (terms) VALUES ('optimize')")

    def clear(self) -> None:
        """Empty the index."""
        self._database.connection.execute("INSERT INTO terms (terms) VALUES ('delete-all')")

    def search(self, words: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        """Rank by BM25 under the filter. Filters only the best matches first; joins all of them if too few pass."""
        if not words or limit <= 0:
            return []
        with self._database.snapshot() as connection:
            match = self._match(words, owners_clause(where))
            if match is None:
                return []
            clause = records_clause(where)
            found = connection.execute(
                f"""SELECT records.key, -best.score FROM
                    (SELECT rowid, bm25(terms, 1.0, 0.0) AS score FROM terms WHERE terms MATCH ?
                     ORDER BY score, rowid LIMIT ?) AS best
                    JOIN records ON records.row = best.rowid
                    WHERE {clause.sql} ORDER BY best.score, best.rowid LIMIT ?""",
                (match, math.ceil(limit * PROBE), *clause.parameters, limit),
            ).fetchall()
            if len(found) < limit:
                found = connection.execute(
                    f"""SELECT records.key, -bm25(terms, 1.0, 0.0) AS score FROM terms
                        JOIN records ON records.row = terms.rowid
                        WHERE terms MATCH ? AND {clause.sql} ORDER BY score DESC, records.row LIMIT ?""",
                    (match, *clause.parameters, limit),
                ).fetchall()
        return [Scored(key, score) for key, score in found]

    def _match(self, words: Sequence[str], owners: Clause) -> str | None:
        """Return the FTS5 query. Words are quoted, so user input is never syntax. None if no owner is in view."""
        numbers = [row[0] for row in self._database.rows(owners.sql, *owners.parameters)]
        if not numbers:
            return None
        text = "text : (" + " OR ".join(f'"{word}"' for word in words) + ")"
        outside = self._database.one(
            f"SELECT 1 FROM owners WHERE records > 0 AND owner NOT IN {LISTED}", listed(numbers)
        )
        if outside is None:  # every owner is in view: no need to match owners
            return text
        return f"owner : ({' OR '.join(_owner_term(number) for number in numbers)}) AND {text}"


def _owner_term(owner: int) -> str:
    return f"o{owner}"


def _joined(record: Record) -> str:
    return " ".join(terms(searchable(record)))
