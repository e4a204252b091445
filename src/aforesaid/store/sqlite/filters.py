"""Translates a Filter to SQL, with the same meaning as `aforesaid.store.filtering`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aforesaid.store.codec import to_micros
from aforesaid.types import BOUNDARIES, Filter


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of SQL and its parameters."""

    sql: str
    parameters: tuple[Any, ...]


def owners_clause(where: Filter) -> Clause:
    """Select the numbers of the filter's owners."""
    if where.owners is None:
        return Clause("SELECT owner FROM owners WHERE tenant = ?", (where.tenant,))
    return Clause(
        f"SELECT owner FROM owners WHERE tenant = ? AND name IN {LISTED}", (where.tenant, listed(where.owners))
    )


def records_clause(where: Filter, damaged: frozenset[int] = frozenset()) -> Clause:
    """Translate the whole filter to a condition on `records`, without the rows that are damaged."""
    owners = owners_clause(where)
    choices = {
        "scope": where.scopes, "kind": where.kinds, "session": where.sessions, "id": where.ids,
        "key": where.keys, "boundary": where.boundaries,
    }  # fmt: skip
    conditions = {
        **{f"records.{column} IN {LISTED}": _listed(allowed) for column, allowed in choices.items()},
        "records.id GLOB ?": _glob(where.id_starts),
        "records.key GLOB ?": _glob(where.key_starts),
        "ifnull(records.valid_from <= ?, 1)": to_micros(where.valid_at),
        "ifnull(records.valid_to > ?, 1)": to_micros(where.valid_at),
        "records.time >= ?": to_micros(where.since),
        "records.time <= ?": to_micros(where.until),
        "records.durable = ?": where.durable,
        "records.dates >= ?": where.least_dates,
        "records.dates <= ?": where.most_dates,
        "records.namespace = ?": where.namespace,
        f"records.row IN (SELECT row FROM states WHERE state IN {LISTED})": _listed(where.states),
        f"(records.allow IS NULL OR {ADMITTED})": where.purpose,
        "ifnull(records.expires > ?, 1)": to_micros(where.alive_at),
        f"records.key NOT IN {LISTED}": _listed(where.exclude or None),
        f"records.row NOT IN {LISTED}": listed(sorted(damaged)) if damaged else None,
    }
    given = {sql: value for sql, value in conditions.items() if value is not None}
    flags = [] if where.withheld else ["records.withheld = 0"]
    flags += [] if where.echoes else ["records.echo = 0"]
    flags += [] if where.rules else ["NOT (records.kind = 'node' AND records.durable)"]
    parts = [f"records.owner IN ({owners.sql})", *given, *flags]
    return Clause(" AND ".join(parts), (*owners.parameters, *given.values()))


def hidden_clause(where: Filter) -> Clause | None:
    """Select the rows hidden by class, purpose, expiry or withholding, of all owners. None if nothing hides."""
    parts: list[str] = []
    parameters: list[Any] = []
    for name in BOUNDARIES if where.boundaries is not None else ():
        if name not in (where.boundaries or ()):  # one by one, so that SQLite uses the index
            indexed = " AND boundary != 'internal'" if name != "internal" else ""
            parts.append(f"SELECT row FROM records WHERE boundary = '{name}'{indexed}")
    if where.purpose is not None:
        parts.append(f"SELECT row FROM records WHERE allow IS NOT NULL AND NOT {ADMITTED}")
        parameters.append(where.purpose)
    if where.alive_at is not None:
        parts.append("SELECT row FROM records WHERE expires <= ?")
        parameters.append(to_micros(where.alive_at))
    if not where.withheld:
        parts.append("SELECT row FROM records WHERE withheld = 1")
    return Clause(" UNION ".join(parts), tuple(parameters)) if parts else None


ADMITTED = """CASE WHEN json_valid(records.allow)
    THEN EXISTS (SELECT 1 FROM json_each(records.allow) WHERE ? GLOB json_each.value) ELSE 0 END"""
LISTED = "(SELECT value FROM json_each(?))"  # takes a list of any length as one parameter


def listed(values: Sequence[str] | Sequence[int]) -> str:
    """Encode values as the parameter of LISTED."""
    return json.dumps(list(values))


def _glob(start: str | None) -> str | None:
    """The pattern of texts that start like this. SQLite answers it from an index."""
    return None if start is None else re.sub(r"[*?\[]", r"[\g<0>]", start) + "*"


def _listed(values: Sequence[str] | None) -> str | None:
    return None if values is None else listed(values)
