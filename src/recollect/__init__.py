"""recollect: a local-first memory and context engine for LLM agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from recollect.errors import RecollectError
    from recollect.memory import Memory
    from recollect.settings import Settings
    from recollect.types import Context, Filter, Hit, Record, SearchResult, Turn

__all__ = ["Context", "Filter", "Hit", "Memory", "RecollectError", "Record", "SearchResult", "Settings", "Turn"]

_HOMES = {"Memory": "memory", "RecollectError": "errors", "Settings": "settings"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: numpy alone costs more than the rest of the package."""
    if name not in __all__:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"recollect.{_HOMES.get(name, 'types')}"), name)
