"""Chooses the best records that pass a filter, from rows with scores.

The best candidates are checked against the filter first. If too few pass, all records that pass are selected and
ranked. So a hidden record never takes the place of a visible one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from aforesaid.math.vectors import top_indices
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.filters import LISTED, listed, records_clause
from aforesaid.types import Filter, Scored

Rows = NDArray[np.int64]
Scores = NDArray[np.floating]

PROBES = (1.25, 8)  # multiples of the limit to check before selecting all records that pass


def best_passing(database: Database, rows: Rows, scores: Scores, where: Filter, limit: int) -> list[Scored]:
    """Return the best records that pass, best first; ties by row."""
    best = best_of_probes(database, rows, scores, where, limit)
    if len(best) < limit and rows.size > PROBES[-1] * limit:
        allowed = np.isin(rows, all_passing(database, where))
        best = best_of_probes(database, rows[allowed], scores[allowed], where, limit)
    return best


def best_of_probes(database: Database, rows: Rows, scores: Scores, where: Filter, limit: int) -> list[Scored]:
    """Return the best records that pass, from growing numbers of candidates (PROBES)."""
    best: list[Scored] = []
    clause = records_clause(where, database.quarantine.rows)
    for factor in PROBES:
        probe = top_indices(scores, math.ceil(factor * limit))
        sql = f"SELECT row, key FROM records WHERE row IN {LISTED} AND {clause.sql}"
        allowed = dict(database.rows(sql, listed(rows[probe].tolist()), *clause.parameters))
        pairs = zip(rows[probe].tolist(), scores[probe].tolist(), strict=True)
        best = [Scored(allowed[row], score) for row, score in pairs if row in allowed][:limit]
        if len(best) == limit or probe.size == rows.size:
            break
    return best


def all_passing(database: Database, where: Filter) -> Rows:
    """Return the rows of all records that pass."""
    clause = records_clause(where, database.quarantine.rows)
    found = database.rows(f"SELECT row FROM records WHERE {clause.sql}", *clause.parameters)
    return np.fromiter((row[0] for row in found), dtype=np.int64, count=len(found))


def by_row(rows: Rows, scores: Scores) -> tuple[Rows, Scores]:
    """Sort by row, so that equal scores keep the insertion order."""
    if np.all(rows[1:] > rows[:-1]):  # the usual case: blocks fill in insertion order
        return rows, scores
    order = np.argsort(rows, kind="stable")
    return rows[order], scores[order]
