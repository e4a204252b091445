"""Stale facts lose: a newer statement about the same thing ends an older one; both stay, dated (spec 11.9).

A claim that is out of date ends then: it leaves default retrieval and answers for its own time. A turn says more than
one thing, so it stays in view, marked, and what replaced it comes before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aforesaid.engine.request import Request
from aforesaid.engine.writer import Writer
from aforesaid.store.protocols import Store
from aforesaid.text.extract.reader import Readers
from aforesaid.types import AGENT_ROLES, SUPERSEDED_BY, Edge, Filter, Kind, Record

if TYPE_CHECKING:
    from aforesaid.text.extract.statements import Statement

SUPERSEDES = "supersedes"
STATING: tuple[Kind, ...] = ("turn", "claim")
GENERIC = frozenset({"user", "human"})  # roles that are nobody's name
MOST_OLDER = 200  # records about one thing that are compared; more than that is no fact about it


@dataclass(frozen=True, slots=True)
class Superseded:
    """One record that makes another one out of date."""

    newer: Record
    older: Record


def with_states(readers: Readers, record: Record) -> Record:
    """The record with what it makes statements about: words of people, not of agents, nor from outside."""
    own = record.kind in STATING and record.role not in AGENT_ROLES and not record.tainted and record.echo_of is None
    return replace(record, states=tuple(sorted(_statements(readers, record)))) if own else record


def supersede(writer: Writer, records: Sequence[Record]) -> list[Superseded]:
    """Compare new records with what their owners said of the same things; link what is replaced, and end claims."""
    found: dict[str, Superseded] = {}
    for pair in (pair for record in records if record.states for pair in _pairs(writer.request, record)):
        first = found.setdefault(pair.older.key, pair)  # of several that replace it, the first did
        if (pair.newer.time, pair.newer.key) < (first.newer.time, first.newer.key):
            found[pair.older.key] = pair
    for pair in found.values():
        mark(writer, pair)
    return list(found.values())


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
    """Both ways: history may arrive after what came later."""
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
    """Whether something that the newer record states makes a statement of the older one out of date."""
    from aforesaid.text.extract.statements import supersedes

    said, before = _statements(readers, newer), _statements(readers, older)
    return any(supersedes(said[key], before[key]) for key in said.keys() & before.keys())


def _statements(readers: Readers, record: Record) -> dict[str, Statement]:
    """The last statement of a record about each thing, by key."""
    speaker = "" if record.role is None or record.role.lower() in GENERIC else record.role
    found = readers.read_statements(record.text, speaker)
    if not found:
        return {}
    from aforesaid.text.extract.statements import key_of

    return {key_of(each): each for each in found}


def released(record: Record) -> Record:
    """The record as if nothing had replaced it: what did is gone."""
    meta = {name: value for name, value in record.meta.items() if name != SUPERSEDED_BY}
    return replace(record, meta=meta, valid_to=None)


def chain(store: Store, record: Record) -> list[Record]:
    """Every version of what a record says: those before it and those after, oldest first."""
    found = {record.key: record}
    for incoming in (False, True):
        level = [record.key]
        while level:
            edges = [edge for edge in store.edges(level, incoming=incoming) if edge.kind == SUPERSEDES]
            ends = {edge.source if incoming else edge.target for edge in edges} - found.keys()
            level = sorted(ends)
            found |= {each.key: each for each in store.get(level)}
    return sorted(found.values(), key=lambda each: (each.time, each.id, each.key))
