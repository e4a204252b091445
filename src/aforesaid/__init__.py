"""aforesaid: a local-first memory and context engine for LLM agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from aforesaid.errors import AforesaidError
    from aforesaid.memory import Memory
    from aforesaid.settings import Settings
    from aforesaid.types import Context, Filter, Hit, Record, SearchResult, Turn

__all__ = ["AforesaidError", "Context", "Filter", "Hit", "Memory", "Record", "SearchResult", "Settings", "Turn"]

_HOMES = {"Memory": "memory", "AforesaidError": "errors", "Settings": "settings"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: numpy alone costs more than the rest of the package."""
    if name not in __all__:
        raise AttributeError(f"module 'aforesaid' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"aforesaid.{_HOMES.get(name, 'types')}"), name)
