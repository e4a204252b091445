"""What a user holds: `Memory` and its handles, such as `memory.sessions` and `memory.notes`."""

from __future__ import annotations

from aforesaid.memory.memory import Memory
from aforesaid.memory.visibility import OPEN_BOUNDARIES

__all__ = ["OPEN_BOUNDARIES", "Memory"]
