"""Finds everything that must change when records are deleted.

- A summary is deleted with any of its sources, because its text comes from all of them; so are summaries of it.
- A claim or guidance loses the source. It is deleted when no source is left, or no remaining source has its words.
- Agent messages that repeat a deleted record are deleted.
- A superseded record becomes valid again, unless another record that superseded it remains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from aforesaid.engine.lineage import COVERS, EVIDENCE
from aforesaid.ingest.supersede import SUPERSEDES, without_superseded_mark
from aforesaid.store.protocols import Store
from aforesaid.text.analyze import terms
from aforesaid.types import SUPERSEDED_BY, Edge, Filter, Record

ECHO_SHARE = 0.5  # share of the shorter text's terms that an echo must contain, because ids are not unique


@dataclass(frozen=True, slots=True)
class Consequences:
    """Records to delete (the selected ones first), changed records, and links that replace deleted ones."""

    deleted: tuple[Record, ...]
    changed: tuple[Record, ...]
    links: tuple[Edge, ...]
    derived: int
    revived: int


def consequences(store: Store, seeds: Sequence[Record], now: datetime, user: str | None = None) -> Consequences:
    """Plan the deletion of these records. With a `user`, their name is also removed from records of other owners."""
    work = _CascadeState(store, seeds)
    work.collect()
    changed = work.without_sources()
    revived, links = work.revived(now)
    changed |= {key: _combine(changed.get(key), record) for key, record in revived.items()}
    if user is not None and seeds:
        changed |= {
            r.key: _without_user(changed.get(r.key, r))
            for r in _naming_user(store, seeds[0].tenant, user, work.deleted)
        }
    valid_again = sum(key not in work.superseded for key in revived)
    return Consequences(
        tuple(work.deleted.values()), tuple(changed.values()), links, len(work.deleted) - len(seeds), valid_again
    )


class _CascadeState:
    def __init__(self, store: Store, seeds: Sequence[Record]) -> None:
        self._store = store
        self.deleted = {record.key: record for record in seeds}
        self._dependents: set[str] = set()  # records with a deleted record as evidence
        self.superseded: set[str] = set()  # records that stay superseded

    def collect(self) -> None:
        """Collect dependent records level by level."""
        level = list(self.deleted.values())
        while level:
            keys = [record.key for record in level]
            edges = self._store.edges(keys, incoming=True)
            above = {edge.source for edge in edges if edge.kind == COVERS}
            self._dependents |= {edge.source for edge in edges if edge.kind == EVIDENCE}
            above |= self._unsupported() | {echo.key for echo in self._echoes(level)}
            level = self._store.get(sorted(above - self.deleted.keys()))
            self.deleted |= {record.key: record for record in level}

    def _unsupported(self) -> set[str]:
        """Records without remaining evidence, or whose words are only in the deleted evidence."""
        dependents = sorted(self._dependents - self.deleted.keys())
        left: dict[str, list[str]] = {key: [] for key in dependents}
        lost: dict[str, list[Record]] = {key: [] for key in dependents}
        for edge in self._store.edges(dependents):
            if edge.kind == EVIDENCE:
                if edge.target in self.deleted:
                    lost[edge.source].append(self.deleted[edge.target])
                else:
                    left[edge.source].append(edge.target)
        return {
            record.key
            for record in self._store.get(dependents)
            if not left[record.key]
            or (
                _contained_in(record, lost[record.key]) and not _contained_in(record, self._store.get(left[record.key]))
            )
        }

    def _echoes(self, level: Sequence[Record]) -> Iterable[Record]:
        by_id: dict[str, list[Record]] = {}
        for record in level:
            by_id.setdefault(record.id, []).append(record)
        tenants = {record.tenant for record in level}
        for echo in (each for tenant in sorted(tenants) for each in self._store.echoes_of(tenant, sorted(by_id))):
            if any(_repeats(echo, record) for record in by_id[echo.echo_of or ""]):
                yield echo

    def without_sources(self) -> dict[str, Record]:
        """Remaining records, without the deleted sources in their provenance."""
        names = self.deleted.keys() | {record.id for record in self.deleted.values()}
        found = self._store.get(sorted(self._dependents - self.deleted.keys()))
        changed = {}
        for record in found:
            if record.provenance is not None:
                sources = tuple(source for source in record.provenance.sources if source not in names)
                changed[record.key] = replace(record, provenance=replace(record.provenance, sources=sources))
        return changed

    def revived(self, now: datetime) -> tuple[dict[str, Record], tuple[Edge, ...]]:
        """Superseded records that become valid again, or that are now superseded by a later version."""
        replaced = [edge for edge in self._store.edges(sorted(self.deleted)) if edge.kind == SUPERSEDES]
        changed: dict[str, Record] = {}
        links: list[Edge] = []
        for record in self._store.get(sorted({edge.target for edge in replaced} - self.deleted.keys())):
            newer = self._newer_link(record.key)
            ended = {edge.time for edge in replaced if edge.target == record.key}
            if newer is None:
                back = replace(without_superseded_mark(record), updated=now)
                changed[record.key] = back if record.valid_to in ended else replace(back, valid_to=record.valid_to)
                continue
            self.superseded.add(record.key)
            links.append(replace(newer, target=record.key, time=min(ended)))
            if record.meta.get(SUPERSEDED_BY) in self.deleted:
                changed[record.key] = replace(record, meta={**record.meta, SUPERSEDED_BY: newer.source})
        return changed, tuple(links)

    def _newer_link(self, key: str) -> Edge | None:
        """The oldest link to this record from a remaining one, directly or through deleted ones."""
        level, seen = [key], {key}
        while level:
            edges = [edge for edge in self._store.edges(level, incoming=True) if edge.kind == SUPERSEDES]
            staying = [edge for edge in edges if edge.source not in self.deleted]
            if staying:
                return min(staying, key=lambda edge: (edge.time, edge.source))
            level = sorted({edge.source for edge in edges} - seen)
            seen |= set(level)
        return None


def _contained_in(record: Record, sources: Sequence[Record]) -> bool:
    """Whether a source contains the words of the record, in the same order."""
    words = _term_string(record.text)
    return any(words in _term_string(source.text) for source in sources)


def _term_string(text: str) -> str:
    return f" {' '.join(terms(text))} "


def _repeats(echo: Record, record: Record) -> bool:
    shared = record.scope in ("project", "global")
    if echo.key == record.key or not (shared or echo.user == record.user):
        return False
    ours, theirs = set(terms(record.text)), set(terms(echo.text))
    return len(ours & theirs) >= ECHO_SHARE * min(len(ours), len(theirs))


def _naming_user(store: Store, tenant: str, user: str, deleted: dict[str, Record]) -> list[Record]:
    where = Filter(tenant, scopes=("project", "global"), echoes=True, withheld=True)
    return [r for r in store.scan(where) if r.key not in deleted and r.provenance and r.provenance.who == user]


def _without_user(record: Record) -> Record:
    return record if record.provenance is None else replace(record, provenance=replace(record.provenance, who=None))


def _combine(one: Record | None, other: Record) -> Record:
    """Combine two changes of a record: its sources and its validity."""
    return other if one is None else replace(other, provenance=one.provenance)
