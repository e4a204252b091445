"""The table `kept`: small values by slot."""

from __future__ import annotations

from aforesaid.errors import StoreCorruptError
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.store.sqlite.checksums import checksum
from aforesaid.store.sqlite.database import Database
from aforesaid.store.sqlite.quarantine import logger

SLOT = "kind = ? AND tenant = ? AND owner = ? AND name = ?"


class SQLiteValues:
    """Reads and writes values by slot. `Values` documents the methods."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, slot: Slot) -> str | None:
        found = self._database.one(f"SELECT value, checksum FROM kept WHERE {SLOT}", *_key(slot))
        return found[0] if found and _is_sound(slot, *found) else None

    def put(self, slot: Slot, value: str) -> None:
        sql = "INSERT OR REPLACE INTO kept (kind, tenant, owner, name, value, checksum) VALUES (?, ?, ?, ?, ?, ?)"
        cells = (*_key(slot), value)
        with self._database.transaction() as connection:
            connection.execute(sql, (*cells, checksum(cells)))

    def drop(self, slot: Slot) -> None:
        with self._database.transaction() as connection:
            connection.execute(f"DELETE FROM kept WHERE {SLOT}", _key(slot))
            self._database.scrub_after_commit()

    def items(self, kind: ValueKind, tenant: str, owner: str | None = None, prefix: str = "") -> dict[Slot, str]:
        sql, given = "SELECT owner, name, value, checksum FROM kept WHERE kind = ? AND tenant = ?", [kind.value, tenant]
        if owner is not None:
            sql, given = f"{sql} AND owner = ?", [*given, owner]
        if prefix:
            sql, given = f"{sql} AND substr(name, 1, length(?)) = ?", [*given, prefix, prefix]
        rows = self._database.rows(f"{sql} ORDER BY owner, name", *given)
        found = ((Slot(kind, tenant, *place), value, expected) for *place, value, expected in rows)
        return {slot: value for slot, value, expected in found if _is_sound(slot, value, expected)}

    def drop_owner(self, tenant: str, owner: str) -> int:
        with self._database.transaction() as connection:
            gone = connection.execute("DELETE FROM kept WHERE tenant = ? AND owner = ?", (tenant, owner)).rowcount
            if gone:
                self._database.scrub_after_commit()
        return gone


def _is_sound(slot: Slot, value: str, expected: int) -> bool:
    """Return whether a value is as it was written. A damaged policy is an error: without it, too much is shown."""
    if checksum((*_key(slot), value)) == expected:
        return True
    what = f"The stored value {slot.kind.value} {slot.name!r} of tenant {slot.tenant!r} is damaged."
    if slot.kind is ValueKind.POLICY:
        raise StoreCorruptError(what, "Run `aforesaid verify --repair`.")
    logger.warning("%s It is left out. Run `aforesaid verify`.", what)
    return False


def _key(slot: Slot) -> tuple[str, str, str, str]:
    return slot.kind.value, slot.tenant, slot.owner, slot.name
