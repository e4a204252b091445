"""Values kept beside records that several paths use: calibrations, and how often records were used."""

from __future__ import annotations

from aforesaid.engine.request import Request
from aforesaid.store.protocols import Slot, ValueKind

GATE, TEXT, VECTOR = "gate.threshold", "calibration.text", "calibration.vector"  # names of calibrations


def calibration(request: Request, name: str) -> str | None:
    """What was fitted under this name for the tenant, as JSON; None when nothing was."""
    return request.store.values.get(_calibration(request, name))


def put_calibration(request: Request, name: str, value: str) -> None:
    """Keep what was fitted."""
    request.store.values.put(_calibration(request, name), value)


def drop_calibration(request: Request, name: str) -> None:
    """Forget what was fitted."""
    request.store.values.drop(_calibration(request, name))


def most_uses(request: Request, owner: str) -> int:
    """How often the most used record of an owner was used."""
    return int(request.store.values.get(Slot(ValueKind.USES, request.tenant, owner)) or 0)


def raise_most_uses(request: Request, owner: str, uses: int) -> None:
    """Note that a record of this owner was used so often."""
    if uses > most_uses(request, owner):
        request.store.values.put(Slot(ValueKind.USES, request.tenant, owner), str(uses))


def _calibration(request: Request, name: str) -> Slot:
    return Slot(ValueKind.CALIBRATION, request.tenant, name=name)
