"""Converts records to JSON and back without loss. Used for database rows and export lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta
from typing import Any, overload

from aforesaid.errors import FormatError
from aforesaid.types import (
    BOUNDARIES,
    CLAIM_TYPES,
    KINDS,
    MEMORY_TYPES,
    SCOPES,
    GateDecision,
    Provenance,
    Record,
    as_time,
    check_choice,
    check_id,
    owner_of,
    storable,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
TIMES = ("time", "valid_from", "valid_to", "updated", "expires")
LISTS = ("redactions", "allow", "states")
CHOICES = {
    "kind": KINDS,
    "scope": SCOPES,
    "boundary": BOUNDARIES,
    "claim_type": CLAIM_TYPES,
    "memory_type": MEMORY_TYPES,
}
DEFAULTS = {spec.name: spec.default for spec in fields(Record) if spec.init}
NAMES = ("id", "tenant", "user", "project", "session", "agent", "role", "bundle", "echo_of")


@overload
def to_micros(time: datetime) -> int: ...
@overload
def to_micros(time: datetime | None) -> int | None: ...
def to_micros(time: datetime | None) -> int | None:
    """Convert to microseconds since 1970 UTC."""
    return None if time is None else (time - EPOCH) // MICROSECOND


def from_micros(value: int) -> datetime:
    """Convert back from microseconds since 1970 UTC."""
    return EPOCH + value * MICROSECOND


def record_to_json(record: Record) -> dict[str, Any]:
    """Return the fields that differ from their defaults, as JSON values."""
    found: dict[str, Any] = {}
    for name, default in DEFAULTS.items():
        value = getattr(record, name)
        if name in TIMES and value is not None:
            found[name] = value.isoformat()
        elif name == "provenance" and value is not None:
            found[name] = {key: item for key, item in asdict(value).items() if item not in (None, ())}
        elif name == "gate" and value is not None:
            found[name] = {
                **{key: getattr(value, key) for key in GateDecision.__slots__},
                "signals": dict(value.signals),
            }
        elif name == "meta":
            if value:
                found[name] = dict(value)
        elif value != default:
            found[name] = list(value) if name in LISTS else value
    return found


def record_from_json(found: Mapping[str, Any]) -> Record:
    """Validate JSON and build the record. Raises FormatError if it is invalid."""
    try:
        values = {name: value for name, value in found.items() if value is not None}
        unknown = sorted(values.keys() - DEFAULTS.keys())
        if unknown:
            raise FormatError(
                f"A record has unknown fields: {', '.join(unknown)}.", "A newer aforesaid may have written it; upgrade."
            )
        for name in NAMES:
            if values.get(name) is not None:
                check_id(values[name], f"Record {name}")
        for name in TIMES:
            if values.get(name) is not None:
                values[name] = as_time(values[name], f"Record {name}").isoformat()
        for name, choices in CHOICES.items():
            if values.get(name) is not None:
                check_choice(values[name], choices, f"Record {name}")
        if not isinstance(values["text"], str):
            raise TypeError("text is not a string")
        record = trusted_record(storable(values.pop("text")), values)
        owner_of(record.scope, record.user, record.project)
        return record
    except (KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"A record cannot be read: {error}.", "Compare it with a line of an export.") from error


def trusted_record(text: str, values: dict[str, Any]) -> Record:
    """Build a record from a row of our own database, without validation."""
    for name in TIMES:
        if name in values:
            values[name] = datetime.fromisoformat(values[name])
    for name in LISTS:
        if name in values:
            values[name] = tuple(values[name])
    if "provenance" in values:
        provenance = values["provenance"]
        for name in ("sources", "lines"):
            if name in provenance:
                provenance[name] = tuple(provenance[name])
        values["provenance"] = Provenance(**provenance)
    if "gate" in values:
        values["gate"] = GateDecision(**values["gate"])
    return Record(text=text, **values)
