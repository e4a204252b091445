"""Which record a name means: its id, its key, a handle such as `[m:8d50c0d7]`, or the start of its id.

Every verb that takes a record asks here. Only records that pass the given filter are compared, so that nothing outside
the caller's view is found or named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from aforesaid.errors import InputError, NotFoundError
from aforesaid.store.protocols import Reader
from aforesaid.text.echo import HANDLE_CHARS, handle
from aforesaid.types import Filter, Record, check_id

SAFE_CHARS = 8  # of the start of an id, for verbs that delete or end a record: a slip of a key must not name another
MOST_LISTED = 5  # candidates that an error names
HANDLE = re.compile(rf"\[?m:([0-9a-f]{{{HANDLE_CHARS},24}})\]?")
KEY_START = re.compile(rf"[0-9a-f]{{{HANDLE_CHARS},24}}")
CUT = "…"  # what a table puts at the end of a long id


def find_one(store: Reader, where: Filter, name: str, least_chars: int | None = 1) -> Record:
    """Return the one record that a name means.

    The start of an id needs at least `least_chars` characters; with None, only whole ids, keys and handles count.

    Raises:
        NotFoundError: No record under this filter has that name.
        InputError: Several records have it.
    """
    record = find_exact(store, where, name) or _find_start(store, where, name, least_chars)
    if record is None:
        raise not_found(name, least_chars)
    return record


def not_found(name: str, least_chars: int | None = 1) -> NotFoundError:
    """The error for a name that means no record."""
    short = f" The start of an id needs {least_chars} characters here." if len(name) < (least_chars or 0) else ""
    return NotFoundError(
        f"No record has the id {name!r}.", f"See memory.list(); those of a user need user=NAME.{short}"
    )


def find_exact(store: Reader, where: Filter, name: str) -> Record | None:
    """Return the record with this id or key, None if there is none. Raises InputError if several have the id."""
    found = store.find(replace(where, ids=(check_id(name),)), limit=MOST_LISTED + 1)
    if not found:  # a key names one record, so its session need not match
        found = store.find(replace(where, keys=(name,), sessions=None), limit=1)
    return _only(found, name)


def choose(records: Sequence[Record], name: str, least_chars: int = SAFE_CHARS) -> Record | None:
    """Return the one of these records that a name means, by the same rules; None if it means none of them."""
    start = name.removesuffix(CUT)
    shown = HANDLE.fullmatch(name) or KEY_START.fullmatch(start)
    matches = (
        [each for each in records if each.id == name],
        [each for each in records if each.key == name],
        [each for each in records if len(start) >= least_chars and each.id.startswith(start)],
        [each for each in records if shown and each.key.startswith(shown[shown.lastindex or 0])],
    )
    return _only(next(filter(None, matches), []), name)


def excluded_keys(store: Reader, where: Filter, names: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of all records with these ids, keys or handles. A name that means no record excludes nothing."""
    given = [check_id(name, "exclude") for name in names]
    named = [record.key for record in store.find(replace(where, ids=tuple(given)))] if given else []
    handles = [found[1] for name in given if (found := HANDLE.fullmatch(name))]
    shown = [_by_key(store, where, start, start) for start in handles]
    return tuple(dict.fromkeys([*given, *named, *(record.key for record in shown if record)]))


def _find_start(store: Reader, where: Filter, name: str, least_chars: int | None) -> Record | None:
    """Return the record with this handle, or whose id starts like this; None if there is none."""
    if shown := HANDLE.fullmatch(name):
        return _by_key(store, where, shown[1], name)
    start = name.removesuffix(CUT)
    if least_chars is None or len(start) < max(least_chars, 1):
        return None
    found = store.find(replace(where, id_starts=start), limit=MOST_LISTED + 1)
    if not found and KEY_START.fullmatch(start):  # a handle without its brackets
        return _by_key(store, where, start, name)
    return _only(found, name)


def _by_key(store: Reader, where: Filter, start: str, name: str) -> Record | None:
    return _only(store.find(replace(where, key_starts=start, sessions=None), limit=MOST_LISTED + 1), name)


def _only(found: Sequence[Record], name: str) -> Record | None:
    if len(found) < 2:
        return found[0] if found else None
    listed = ", ".join(f"{each.id!r} {handle(each.key)[1:-1]}{_place(each)}" for each in found[:MOST_LISTED])
    more = " and more" if len(found) > MOST_LISTED else ""
    sessions = {each.session for each in found}
    remedy = (
        "Name the session too. A handle works as well." if len(sessions) > 1 else "Give a handle, or more of the id."
    )
    raise InputError(f"Several records match {name!r}: {listed}{more}.", remedy)


def _place(record: Record) -> str:
    return f" in session {record.session!r}" if record.session is not None else ""
