"""A newer statement about the same thing supersedes an older one. Both stay stored (spec 11.9).

A superseded claim ends: search finds it only for dates when it was valid. A turn may say several things, so search
still finds it, with a mark, ranked after the record that superseded it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aforesaid.engine.request import Request
from aforesaid.engine.writer import Writer
from aforesaid.store.protocols import Store
from aforesaid.text.extract.reader import Readers
from aforesaid.types import AGENT_ROLES, SUPERSEDED_BY, USER_ROLES, Edge, Filter, Kind, Record

if TYPE_CHECKING:
    from aforesaid.text.extract.statements import Statement

SUPERSEDES = "supersedes"
STATING: tuple[Kind, ...] = ("turn", "claim")
MOST_OLDER = 200  # records to compare with; a key with more statements than this is not a fact


@dataclass(frozen=True, slots=True)
class Superseded:
    """A newer record and the older one that it supersedes."""

    newer: Record
    older: Record


def with_states(readers: Readers, record: Record) -> Record:
    """Add the keys of the record's statements to `states`. Agents, untrusted texts and echoes make no statements."""
    counts = record.kind in STATING and record.role not in AGENT_ROLES and not record.tainted and record.echo_of is None
    return replace(record, states=tuple(sorted(_statements(readers, record)))) if counts else record


def supersede(writer: Writer, records: Sequence[Record]) -> None:
    """Find stored statements that the new records contradict; link and mark the older ones, and end claims."""
    found: dict[str, Superseded] = {}
    for pair in (pair for record in records if record.states for pair in _pairs(writer.request, record)):
        first = found.setdefault(pair.older.key, pair)  # several may supersede it: the earliest counts
        if (pair.newer.time, pair.newer.key) < (first.newer.time, first.newer.key):
            found[pair.older.key] = pair
    for pair in found.values():
        mark(writer, pair)


def mark(writer: Writer, pair: Superseded) -> None:
    """Link the two records and mark the older one; a claim also ends."""
    request = writer.request
    [older] = writer.store.get([pair.older.key])
    meta = {**older.meta, SUPERSEDED_BY: pair.newer.key}
    ends = pair.newer.time if older.kind == "claim" else older.valid_to
    event = request.event("supersede", older.key, {"newer": pair.newer.key, "older": older.key})
    writer.commit(
        [replace(older, meta=meta, valid_to=ends, updated=request.clock())],
        edges=[Edge(pair.newer.key, older.key, SUPERSEDES, pair.newer.time)],
        events=[event],
    )


def _pairs(request: Request, record: Record) -> Iterable[Superseded]:
    """Pairs of this record and a stored one. The record may be the older one: history can arrive late."""
    where = Filter(
        record.tenant, (record.owner,), kinds=STATING, states=record.states, exclude=(record.key,), withheld=True
    )
    for other in request.store.find(where, order="newest", limit=MOST_OLDER):
        newer, older = sorted((record, other), key=lambda each: (each.time, each is record))[::-1]
        if older.valid_to is not None or older.meta.get(SUPERSEDED_BY):
            continue
        if replaces(request.readers, newer, older):
            yield Superseded(newer, older)


def replaces(readers: Readers, newer: Record, older: Record) -> bool:
    """Whether a statement of the newer record makes one of the older record out of date."""
    from aforesaid.text.extract.statements import supersedes

    new, old = _statements(readers, newer), _statements(readers, older)
    return any(supersedes(new[key], old[key]) for key in new.keys() & old.keys())


def _statements(readers: Readers, record: Record) -> dict[str, Statement]:
    """The record's last statement about each thing, by key."""
    speaker = "" if record.role is None or record.role.lower() in USER_ROLES else record.role
    found = readers.read_statements(record.text, speaker)
    if not found:
        return {}
    from aforesaid.text.extract.statements import key_of

    return {key_of(each): each for each in found}


def without_superseded_mark(record: Record) -> Record:
    """The record as it was before it was superseded."""
    meta = {name: value for name, value in record.meta.items() if name != SUPERSEDED_BY}
    return replace(record, meta=meta, valid_to=None)


def chain(store: Store, record: Record) -> list[Record]:
    """All versions of a record: the ones it supersedes and the ones that supersede it, oldest first."""
    found = {record.key: record}
    for incoming in (False, True):
        level = [record.key]
        while level:
            edges = [edge for edge in store.edges(level, incoming=incoming) if edge.kind == SUPERSEDES]
            ends = {edge.source if incoming else edge.target for edge in edges} - found.keys()
            level = sorted(ends)
            found |= {each.key: each for each in store.get(level)}
    return sorted(found.values(), key=lambda each: (each.time, each.id, each.key))
