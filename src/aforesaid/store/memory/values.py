"""In-memory values."""

from __future__ import annotations

from dataclasses import dataclass, field

from aforesaid.store.protocols import Slot, ValueKind


@dataclass
class DictValues:
    """Values by slot."""

    held: dict[Slot, str] = field(default_factory=dict)

    def get(self, slot: Slot) -> str | None:
        """Return the value, or None."""
        return self.held.get(slot)

    def put(self, slot: Slot, value: str) -> None:
        """Set the value."""
        self.held[slot] = value

    def drop(self, slot: Slot) -> None:
        """Delete the value."""
        self.held.pop(slot, None)

    def items(self, kind: ValueKind, tenant: str, owner: str | None = None, prefix: str = "") -> dict[Slot, str]:
        """Return the values of a kind and tenant, sorted by slot."""
        return {
            slot: self.held[slot]
            for slot in sorted(self.held)
            if (slot.kind, slot.tenant) == (kind, tenant)
            and owner in (None, slot.owner)
            and slot.name.startswith(prefix)
        }

    def drop_owner(self, tenant: str, owner: str) -> int:
        """Delete all values of an owner; return how many."""
        gone = [slot for slot in self.held if (slot.tenant, slot.owner) == (tenant, owner)]
        for slot in gone:
            del self.held[slot]
        return len(gone)
