"""The default store: one SQLite file."""

from aforesaid.store.sqlite.store import SQLiteStore

__all__ = ["SQLiteStore"]
