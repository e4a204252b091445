"""Small values stored beside the records: calibrations, and the highest use count per owner."""

from __future__ import annotations

from aforesaid.engine.request import Request
from aforesaid.store.protocols import Slot, ValueKind

GATE, TEXT, VECTOR = "gate.threshold", "calibration.text", "calibration.vector"  # names of calibrations

MODEL_CHANGE = "reindex"  # the topic of the event that names the old and the new embedding model


def calibration(request: Request, name: str) -> str | None:
    """The tenant's calibration with this name, as JSON; None when there is none."""
    return request.store.values.get(_slot(request, name))


def put_calibration(request: Request, name: str, value: str) -> None:
    """Save a calibration."""
    request.store.values.put(_slot(request, name), value)


def drop_calibration(request: Request, name: str) -> None:
    """Delete a calibration."""
    request.store.values.drop(_slot(request, name))


def most_uses(request: Request, owner: str) -> int:
    """The highest use count among the owner's records."""
    return int(request.store.values.get(Slot(ValueKind.USES, request.tenant, owner)) or 0)


def raise_most_uses(request: Request, owner: str, uses: int) -> None:
    """Raise the owner's highest use count to `uses`, if it is lower."""
    if uses > most_uses(request, owner):
        request.store.values.put(Slot(ValueKind.USES, request.tenant, owner), str(uses))


def _slot(request: Request, name: str) -> Slot:
    return Slot(ValueKind.CALIBRATION, request.tenant, name=name)
