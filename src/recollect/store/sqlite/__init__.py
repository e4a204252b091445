"""The embedded default: one SQLite file."""

from recollect.store.sqlite.store import SQLiteStore

__all__ = ["SQLiteStore"]
