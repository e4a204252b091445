"""The door to the disk: no record, event or value passes it with a secret (spec 9).

Texts, titles, metadata, reasons, provenance and whatever else a caller gives are redacted. Names that records are found
by (`NAMES`) must stay as they are, so a secret in one of them is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from typing import Any, TypeVar, cast

from aforesaid.errors import InputError
from aforesaid.store.protocols import EventLog, Slot, Store, ValueKind, Values
from aforesaid.text.extract.reader import Readers
from aforesaid.types import Event, Record

NAMES = ("id", "tenant", "user", "project", "session")  # of a record: its key is made of them
CODED = frozenset({"kind", "scope", "boundary", "claim_type", "memory_type", "redactions", "topic", "digest", "_key"})
SHORTEST = 6  # characters of a text that can hold a secret
MAX_DEPTH = 50  # lists and mappings in each other; a value that holds itself has no end

T = TypeVar("T")


class Door:
    """Redacts what a store is given to write, and refuses secrets in names."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers

    def record(self, record: Record) -> Record:
        """The record without secrets. Raises InputError when one of its names holds one."""
        for name in NAMES:
            self.check_name(getattr(record, name), f"The {name} of a {record.kind}")
        return self._fields(record, NAMES)

    def event(self, event: Event) -> Event:
        """The event without secrets. Raises InputError when its tenant holds one."""
        self.check_name(event.tenant, "The tenant")
        return self._fields(event, ("tenant",))

    def value(self, slot: Slot, value: str) -> str:
        """The value without secrets. Raises InputError when its address holds one, or when it must stay as it is."""
        for name in ("tenant", "owner", "name"):
            self.check_name(getattr(slot, name), f"The {name} of a {slot.kind.value}")
        if slot.kind in (ValueKind.CONTEXT, ValueKind.FORGETTING):
            return self._text(value)
        self.check_name(value, f"The {slot.kind.value}")  # numbers, digests, paths and policies: read back as they are
        return value

    def check_name(self, name: str | None, what: str) -> None:
        """Raise InputError when a name holds a secret, without showing it."""
        if name is not None and (kinds := self._readers.secrets_in_name(name)):
            raise InputError(
                f"{what} holds a secret ({', '.join(kinds)}).",
                "Use another name. Names are stored as they are, because records are found by them.",
            )

    def _fields(self, given: T, unchanged: Iterable[str] = ()) -> T:
        """A dataclass with every field redacted."""
        changes: dict[str, Any] = {}
        for spec in fields(given):  # type: ignore[arg-type]
            if spec.name in CODED or spec.name in unchanged:
                continue
            old = getattr(given, spec.name)
            new = self._redacted(old)
            if new is not old:
                changes[spec.name] = new
        return replace(given, **changes) if changes else given  # type: ignore[type-var]

    def _redacted(self, value: Any, depth: int = 0) -> Any:
        """The value with every text in it redacted; the same object when there is nothing to redact."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping | list | tuple) and depth == MAX_DEPTH:
            raise InputError(f"A value is nested over {MAX_DEPTH} deep.", "Store it flat, or as one text.")
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, list | tuple):
            new = [self._redacted(each, depth + 1) for each in value]
            return value if all(a is b for a, b in zip(new, value, strict=True)) else type(value)(new)
        return self._fields(value) if is_dataclass(value) and not isinstance(value, type) else value

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> Mapping[Any, Any]:
        new = {self._redacted(name, depth + 1): self._entry(name, each, depth + 1) for name, each in value.items()}
        same = all(a is b and new[a] is value[b] for a, b in zip(new, value, strict=False)) and len(new) == len(value)
        return value if same else new

    def _entry(self, name: Any, value: Any, depth: int) -> Any:
        """A value of a mapping. Its name may say what it is: `{"password": "hunter2"}`."""
        if not isinstance(value, str) or not isinstance(name, str) or len(value) < 4:
            return self._redacted(value, depth)
        if '"' in value or "\n" in value or name.startswith("["):
            return self._text(value)
        named = self._readers.redact_secrets(f'{name}="{value}"').text
        head = f'{name}="'
        return value if named == f'{head}{value}"' else named.removeprefix(head).removesuffix('"')

    def _text(self, text: str) -> str:
        if len(text) < SHORTEST or _is_time(text):
            return text
        found = self._readers.redact_secrets(text).text
        return text if found == text else found


def _is_time(text: str) -> bool:
    """Whether it is a time in ISO 8601, which many records hold and which holds no secret."""
    try:
        return text[4:5] == "-" and bool(datetime.fromisoformat(text))
    except ValueError:
        return False


class GuardedStore:
    """A store whose writes pass the door. Everything else is the store's own."""

    def __init__(self, store: Store, door: Door) -> None:
        self._store, self._door = store, door

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def __repr__(self) -> str:
        return repr(self._store)

    @property
    def log(self) -> EventLog:
        """The audit log; events are redacted."""
        return cast(EventLog, _GuardedLog(self._store.log, self._door))

    @property
    def values(self) -> Values:
        """The small values; they are redacted."""
        return cast(Values, _GuardedValues(self._store.values, self._door))

    def put(self, records: Iterable[Record]) -> None:
        """See `Store.put`; records are redacted."""
        self._store.put(map(self._door.record, records))


class _GuardedLog:
    def __init__(self, log: EventLog, door: Door) -> None:
        self._log, self._door = log, door

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def append(self, events: Iterable[Event]) -> None:
        self._log.append(map(self._door.event, events))


class _GuardedValues:
    def __init__(self, values: Values, door: Door) -> None:
        self._values, self._door = values, door

    def __getattr__(self, name: str) -> Any:
        return getattr(self._values, name)

    def put(self, slot: Slot, value: str) -> None:
        self._values.put(slot, self._door.value(slot, value))


def guarded_store(store: Store, readers: Readers) -> Store:
    """The store behind the door; a store that is behind one already stays as it is."""
    return store if isinstance(store, GuardedStore) else cast(Store, GuardedStore(store, Door(readers)))


def underlying(store: Store) -> Store:
    """The store without the door."""
    return store._store if isinstance(store, GuardedStore) else store
