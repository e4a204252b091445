"""What follows when records are gone: what was made of them goes too, what they had replaced holds again.

- A summary goes with any of its sources, since its words come from all of them; so do summaries of it.
- A claim, or guidance, loses the source, and goes when it has none left, or when the words it says are in none left.
- What an agent repeated of a record goes with it.
- A record that was replaced holds again, unless something that replaced it is still there.
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

ECHO_SHARE = 0.5  # of the shorter one's terms: an id may be used twice, a text that is repeated has its words


@dataclass(frozen=True, slots=True)
class Consequences:
    """All that goes, those asked for first; what changes by it; and the links that stand in for lost ones."""

    goes: tuple[Record, ...]
    changed: tuple[Record, ...]
    links: tuple[Edge, ...]
    derived: int
    revived: int


def consequences(store: Store, seeds: Sequence[Record], now: datetime, user: str | None = None) -> Consequences:
    """What follows when these are gone; with a `user`, nobody else's record names them any more."""
    work = _CascadeState(store, seeds)
    work.climb()
    changed = work.without_sources()
    revived, links = work.revived(now)
    changed |= {key: _joined(changed.get(key), record) for key, record in revived.items()}
    if user is not None and seeds:
        changed |= {r.key: _unsigned(changed.get(r.key, r)) for r in _signed(store, seeds[0].tenant, user, work.goes)}
    held = sum(key not in work.superseded for key in revived)
    return Consequences(tuple(work.goes.values()), tuple(changed.values()), links, len(work.goes) - len(seeds), held)


class _CascadeState:
    def __init__(self, store: Store, seeds: Sequence[Record]) -> None:
        self._store = store
        self.goes = {record.key: record for record in seeds}
        self._leaning: set[str] = set()  # what has one of them as evidence
        self.superseded: set[str] = set()  # what was replaced, and still is

    def climb(self) -> None:
        """Level by level, until nothing more depends on what goes."""
        level = list(self.goes.values())
        while level:
            keys = [record.key for record in level]
            edges = self._store.edges(keys, incoming=True)
            above = {edge.source for edge in edges if edge.kind == COVERS}
            self._leaning |= {edge.source for edge in edges if edge.kind == EVIDENCE}
            above |= self._fallen() | {echo.key for echo in self._echoes(level)}
            level = self._store.get(sorted(above - self.goes.keys()))
            self.goes |= {record.key: record for record in level}

    def _fallen(self) -> set[str]:
        """Those that lean on nothing any more, or on nothing that says what they say."""
        leaning = sorted(self._leaning - self.goes.keys())
        left: dict[str, list[str]] = {key: [] for key in leaning}
        lost: dict[str, list[Record]] = {key: [] for key in leaning}
        for edge in self._store.edges(leaning):
            if edge.kind == EVIDENCE:
                if edge.target in self.goes:
                    lost[edge.source].append(self.goes[edge.target])
                else:
                    left[edge.source].append(edge.target)
        return {
            record.key
            for record in self._store.get(leaning)
            if not left[record.key]
            or (_said_in(record, lost[record.key]) and not _said_in(record, self._store.get(left[record.key])))
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
        """What leans on others too, without the sources that go."""
        names = self.goes.keys() | {record.id for record in self.goes.values()}
        found = self._store.get(sorted(self._leaning - self.goes.keys()))
        changed = {}
        for record in found:
            if record.provenance is not None:
                sources = tuple(source for source in record.provenance.sources if source not in names)
                changed[record.key] = replace(record, provenance=replace(record.provenance, sources=sources))
        return changed

    def revived(self, now: datetime) -> tuple[dict[str, Record], tuple[Edge, ...]]:
        """Replaced records that hold again, or are now said to be replaced by what replaced their replacement."""
        replaced = [edge for edge in self._store.edges(sorted(self.goes)) if edge.kind == SUPERSEDES]
        changed: dict[str, Record] = {}
        links: list[Edge] = []
        for record in self._store.get(sorted({edge.target for edge in replaced} - self.goes.keys())):
            newer = self._newer(record.key)
            ended = {edge.time for edge in replaced if edge.target == record.key}
            if newer is None:
                back = replace(without_superseded_mark(record), updated=now)
                changed[record.key] = back if record.valid_to in ended else replace(back, valid_to=record.valid_to)
                continue
            self.superseded.add(record.key)
            links.append(replace(newer, target=record.key, time=min(ended)))
            if record.meta.get(SUPERSEDED_BY) in self.goes:
                changed[record.key] = replace(record, meta={**record.meta, SUPERSEDED_BY: newer.source})
        return changed, tuple(links)

    def _newer(self, key: str) -> Edge | None:
        """The oldest link from something that stays, through what goes, to this record."""
        level, seen = [key], {key}
        while level:
            edges = [edge for edge in self._store.edges(level, incoming=True) if edge.kind == SUPERSEDES]
            staying = [edge for edge in edges if edge.source not in self.goes]
            if staying:
                return min(staying, key=lambda edge: (edge.time, edge.source))
            level = sorted({edge.source for edge in edges} - seen)
            seen |= set(level)
        return None


def _said_in(record: Record, sources: Sequence[Record]) -> bool:
    """Whether the words of a record, one after the other, are in any of the sources."""
    words = _spaced(record.text)
    return any(words in _spaced(source.text) for source in sources)


def _spaced(text: str) -> str:
    return f" {' '.join(terms(text))} "


def _repeats(echo: Record, record: Record) -> bool:
    shared = record.scope in ("project", "global")
    if echo.key == record.key or not (shared or echo.user == record.user):
        return False
    ours, theirs = set(terms(record.text)), set(terms(echo.text))
    return len(ours & theirs) >= ECHO_SHARE * min(len(ours), len(theirs))


def _signed(store: Store, tenant: str, user: str, goes: dict[str, Record]) -> list[Record]:
    where = Filter(tenant, scopes=("project", "global"), echoes=True, withheld=True)
    return [r for r in store.find(where) if r.key not in goes and r.provenance and r.provenance.who == user]


def _unsigned(record: Record) -> Record:
    return record if record.provenance is None else replace(record, provenance=replace(record.provenance, who=None))


def _joined(one: Record | None, other: Record) -> Record:
    """Both changes of one record: its sources and its validity."""
    return other if one is None else replace(other, provenance=one.provenance)
