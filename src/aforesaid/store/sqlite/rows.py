"""A record as a row of the table `records`: filter columns, text, other fields as JSON, and a checksum of them all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from aforesaid.store.codec import record_to_json, to_micros, trusted_record
from aforesaid.store.protocols import Access
from aforesaid.store.sqlite.checksums import checksum
from aforesaid.types import Record

COLUMNS = (
    "key", "owner", "id", "kind", "scope", "session", "role", "boundary", "namespace",
    "durable", "echo", "time", "valid_from", "valid_to", "allow", "withheld", "expires", "dates", "text", "fields",
)  # fmt: skip
WRITTEN = (*COLUMNS, "checksum")
CELLS = ", ".join(f"records.{column}" for column in WRITTEN)  # what `record_of` reads
UPSERT = f"""INSERT INTO records ({", ".join(WRITTEN)}) VALUES ({", ".join("?" * len(WRITTEN))})
    ON CONFLICT (key) DO UPDATE SET {", ".join(f"{column} = excluded.{column}" for column in WRITTEN[1:])}"""
AS_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # `dumps` builds an encoder per call


def values_of(record: Record, owner: int) -> tuple[Any, ...]:
    """Return the parameters of UPSERT: the cells of COLUMNS and their checksum."""
    fields = record_to_json(record)
    del fields["text"]
    return with_checksum(
        record.key, owner, record.id, record.kind, record.scope, record.session, record.role, record.boundary,
        record.namespace, int(record.durable), int(record.echo_of is not None), to_micros(record.time),
        to_micros(record.valid_from), to_micros(record.valid_to),
        None if record.allow is None else json.dumps(record.allow), int(bool(record.withheld)),
        to_micros(record.expires), record.dates, record.text, AS_JSON(fields),
    )  # fmt: skip


def with_checksum(*cells: Any) -> tuple[Any, ...]:
    """Return the cells of COLUMNS with their checksum behind them."""
    return (*cells, checksum(cells))


def record_of(cells: Sequence[Any]) -> Record:
    """Build the record from CELLS."""
    return trusted_record(cells[-3], json.loads(cells[-2]))


def with_access(cells: Sequence[Any], now: Access) -> tuple[Any, ...]:
    """Return CELLS with changed access."""
    values = dict(zip(COLUMNS, cells, strict=False))
    fields = {**json.loads(values["fields"]), "boundary": now.boundary, "withheld": now.withheld}
    fields["expires"] = now.expires.isoformat() if now.expires else None
    values |= {"boundary": now.boundary, "withheld": int(bool(now.withheld)), "expires": to_micros(now.expires)}
    values["fields"] = AS_JSON({name: value for name, value in fields.items() if value is not None})
    return with_checksum(*values.values())
