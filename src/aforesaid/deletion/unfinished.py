"""Deletions that are not complete. The next process finishes what a killed one began.

A note is written in the transaction that deletes the records. It holds keys, names and times, never a text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from aforesaid.deletion.erase import Selection
from aforesaid.engine.request import Request
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import Filter, as_time


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A deletion that is done in the store. `keys` is None when the backups are done too and only the proof is left."""

    slot: Slot
    selection: Selection
    keys: tuple[str, ...] | None
    receipt: Mapping[str, Any]  # the fields of the receipt that the log keeps

    def save(self, request: Request) -> None:
        """Write the note."""
        body: dict[str, Any] = {"what": dict(self.selection.what), "receipt": self.receipt}
        if self.keys is not None:
            where = Filter(request.tenant, keys=()) if self.selection.words else self.selection.where  # words are text
            body |= {"user": self.selection.user, "keys": self.keys, "where": _changed_fields(where)}
        request.store.values.put(self.slot, json.dumps(body))

    def with_backups_done(self, request: Request) -> Unfinished:
        """Save it without its keys, and overwrite them: they must not be found in the files any more."""
        left = replace(self, keys=None)
        with request.store.transaction():
            left.save(request)
            request.store.maintenance.scrub()
        return left


def all_unfinished(request: Request) -> list[Unfinished]:
    """The notes of this tenant, oldest first."""
    found = request.store.values.items(ValueKind.FORGETTING, request.tenant)
    return [_read(request, slot, json.loads(text)) for slot, text in found.items()]


def _read(request: Request, slot: Slot, body: dict[str, Any]) -> Unfinished:
    where = Filter(request.tenant, keys=())
    if "where" in body:
        where = Filter(request.tenant, **{name: _value(name, value) for name, value in body["where"].items()})
    keys = tuple(body["keys"]) if "keys" in body else None
    return Unfinished(slot, Selection(where, body["what"], user=body.get("user")), keys, body["receipt"])


def _changed_fields(where: Filter) -> dict[str, Any]:
    found = {spec.name: getattr(where, spec.name) for spec in fields(where) if spec.name != "tenant"}
    plain = Filter()
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in found.items()
        if value != getattr(plain, name)
    }


def _value(name: str, value: Any) -> Any:
    if name in ("since", "until", "valid_at", "alive_at"):
        return as_time(value)
    return tuple(value) if isinstance(value, list) else value
