"""A record as a row of the table `records`: filter columns, text, other fields as JSON, and a checksum of them all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from aforesaid.errors import AforesaidError
from aforesaid.store.codec import record_from_json, record_to_json, to_micros, trusted_record
from aforesaid.store.protocols import Access, Damaged
from aforesaid.store.sqlite.checksums import checksum
from aforesaid.types import Record

COLUMNS = (
    "key", "owner", "id", "kind", "scope", "session", "role", "boundary", "namespace",
    "durable", "echo", "time", "valid_from", "valid_to", "allow", "withheld", "expires", "dates", "text", "fields",
)  # fmt: skip
ID, TEXT = map(COLUMNS.index, ("id", "text"))
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


class DamagedRowError(Exception):
    """A row that is not what was written. Only the store sees this error."""


def is_sound(cells: Sequence[Any]) -> bool:
    """Return whether CELLS have the checksum that was written with them."""
    return bool(checksum(cells[:-1]) == cells[-1])


def record_of(cells: Sequence[Any]) -> Record:
    """Build the record from CELLS. Raises DamagedRowError if the checksum is wrong or the fields cannot be read."""
    if not is_sound(cells):
        raise DamagedRowError("its checksum is wrong")
    try:
        return trusted_record(cells[-3], json.loads(cells[-2]))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise DamagedRowError(f"it cannot be read ({type(error).__name__})") from error


def damaged_of(row: Sequence[Any]) -> Damaged:
    """Describe a damaged row: its number and CELLS."""
    cells = row[1:]
    try:
        record: Record | None = record_from_json({**json.loads(cells[-2]), "text": cells[-3]})
        what = "its checksum is wrong"
    except (AforesaidError, ValueError, TypeError, RecursionError) as error:
        record, what = None, f"it cannot be read ({type(error).__name__})"
    key, identifier, text = (_shown(cells[place]) for place in (0, ID, TEXT))
    return Damaged(row[0], what, key, identifier, text, record)


def _shown(cell: Any) -> str:
    """Return what can be read of a cell that should be a text."""
    found = cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)
    return found.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def with_access(cells: Sequence[Any], now: Access) -> tuple[Any, ...]:
    """Return CELLS with changed access."""
    values = dict(zip(COLUMNS, cells, strict=False))
    fields = {**json.loads(values["fields"]), "boundary": now.boundary, "withheld": now.withheld}
    fields["expires"] = now.expires.isoformat() if now.expires else None
    values |= {"boundary": now.boundary, "withheld": int(bool(now.withheld)), "expires": to_micros(now.expires)}
    values["fields"] = AS_JSON({name: value for name, value in fields.items() if value is not None})
    return with_checksum(*values.values())
