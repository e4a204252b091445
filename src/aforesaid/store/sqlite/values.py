"""The values kept with a store, by name."""

from __future__ import annotations

from aforesaid.store.sqlite.database import Database


class Values:
    """The table `settings`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, name: str) -> str | None:
        """A value, if there is one of that name."""
        found = self._database.one("SELECT value FROM settings WHERE name = ?", name)
        return found[0] if found else None

    def put(self, name: str, value: str) -> None:
        """Keep a value, in the place of an older one."""
        with self._database.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", (name, value))

    def drop(self, name: str) -> None:
        """Keep that value no longer, nor any trace of it."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM settings WHERE name = ?", (name,))
            self._database.scrub_after_commit()

    def all(self) -> dict[str, str]:
        """Every value, by name."""
        return dict(self._database.rows("SELECT name, value FROM settings ORDER BY name"))
