"""Applies a Filter to a record in memory. This is the reference for SQL translations of filters."""

from __future__ import annotations

from aforesaid.text.globs import admits
from aforesaid.types import Filter, Record


def passes(record: Record, where: Filter) -> bool:
    """Return whether a record passes every condition of a filter."""
    choices = (
        (where.owners, record.owner),
        (where.scopes, record.scope),
        (where.kinds, record.kind),
        (where.sessions, record.session),
        (where.ids, record.id),
        (where.keys, record.key),
        (where.boundaries, record.boundary),
    )
    return (
        record.tenant == where.tenant
        and all(allowed is None or value in allowed for allowed, value in choices)
        and (where.id_starts is None or record.id.startswith(where.id_starts))
        and (where.key_starts is None or record.key.startswith(where.key_starts))
        and (where.valid_at is None or record.valid_from is None or record.valid_from <= where.valid_at)
        and (where.valid_at is None or record.valid_to is None or where.valid_at < record.valid_to)
        and (where.since is None or where.since <= record.time)
        and (where.until is None or record.time <= where.until)
        and (where.durable is None or record.durable == where.durable)
        and (where.namespace is None or record.namespace == where.namespace)
        and (where.echoes or record.echo_of is None)
        and (where.states is None or not set(where.states).isdisjoint(record.states))
        and (where.purpose is None or record.allow is None or admits(record.allow, where.purpose))
        and (where.alive_at is None or record.expires is None or where.alive_at < record.expires)
        and (where.withheld or not record.withheld)
        and (where.rules or not record.is_rule)
        and (where.least_dates is None or where.least_dates <= record.dates)
        and (where.most_dates is None or record.dates <= where.most_dates)
        and record.key not in where.exclude
    )
