"""Converts records to rows of `records` and back: filter columns, text, and the other fields as JSON."""

from __future__ import annotations

import json
from typing import Any

from aforesaid.store.codec import record_to_json, to_micros, trusted_record
from aforesaid.store.protocols import Access
from aforesaid.types import Record

COLUMNS = (
    "key", "owner", "id", "kind", "scope", "session", "role", "boundary", "namespace",
    "durable", "echo", "time", "valid_from", "valid_to", "allow", "withheld", "expires", "text", "fields",
)  # fmt: skip
UPSERT = f"""INSERT INTO records ({", ".join(COLUMNS)}) VALUES ({", ".join("?" * len(COLUMNS))})
    ON CONFLICT (key) DO UPDATE SET {", ".join(f"{column} = excluded.{column}" for column in COLUMNS[1:])}
    RETURNING row"""
AS_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # `dumps` builds an encoder per call


def values_of(record: Record, owner: int) -> tuple[Any, ...]:
    """Return the parameters of UPSERT, in the order of COLUMNS."""
    fields = record_to_json(record)
    del fields["text"]
    return (
        record.key, owner, record.id, record.kind, record.scope, record.session, record.role, record.boundary,
        record.namespace, record.durable, record.echo_of is not None, to_micros(record.time),
        to_micros(record.valid_from), to_micros(record.valid_to),
        None if record.allow is None else json.dumps(record.allow), bool(record.withheld), to_micros(record.expires),
        record.text, AS_JSON(fields),
    )  # fmt: skip


def record_of(text: str, fields: str) -> Record:
    """Build the record from its two columns."""
    return trusted_record(text, json.loads(fields))


def with_access(fields: str, now: Access) -> str:
    """Return the column `fields` with changed access."""
    values = {**json.loads(fields), "boundary": now.boundary, "withheld": now.withheld}
    values["expires"] = now.expires.isoformat() if now.expires else None
    return AS_JSON({name: value for name, value in values.items() if value is not None})
