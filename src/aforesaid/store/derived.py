"""Default implementations for backends: `DerivedStore` and `NoMaintenance`."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from weakref import WeakKeyDictionary

from aforesaid.errors import InputError
from aforesaid.math.vectors import Vectors
from aforesaid.store.filtering import passes
from aforesaid.store.key_file import new_key
from aforesaid.store.protocols import (
    Access,
    Copy,
    Damage,
    Glance,
    Order,
    Scan,
    Store,
    StoreProblem,
    StoreStats,
    Surroundings,
    TermMatches,
)
from aforesaid.text.analyze import searchable
from aforesaid.text.analyze import terms as terms_of
from aforesaid.types import Filter, Record, Scored

NO_LIMIT = 1 << 40
_JOBS: WeakKeyDictionary[Store, set[str]] = WeakKeyDictionary()  # what is being done to each store
_JOBS_GUARD = threading.Lock()


class DerivedStore(Store):
    """Base class for backends. Derives methods from the abstract ones; override them where you can be faster."""

    @cached_property
    def key(self) -> bytes:
        """A random key. A store with files keeps it in one."""
        return new_key()

    def snapshot(self) -> AbstractContextManager[object]:
        """Use a transaction, which also sees one state."""
        return self.transaction()

    def scan(self, where: Filter, *, order: Order = "oldest") -> Iterator[Record]:
        """Read all of them at once, which is one state."""
        yield from self.find(where, order=order)

    def count(self, where: Filter) -> int:
        """Count the records that `find` returns."""
        return len(self.find(where))

    def glances(self, keys: Sequence[str]) -> dict[str, Glance]:
        """Read whole records and keep a few fields."""
        return {r.key: Glance(r.key, r.session, r.role, r.time, r.text) for r in self.get(keys)}

    def around(self, keys: Sequence[str], where: Filter, reach: int) -> dict[str, Surroundings]:
        """Read the whole session of each record."""
        found: dict[str, Surroundings] = {}
        for record in self.get(keys):
            if record.session is None:
                continue
            session = self.find(
                Filter(
                    record.tenant, (record.owner,), sessions=(record.session,), kinds=(record.kind,),
                    echoes=True, withheld=True,
                )
            )  # fmt: skip
            place = next(i for i, other in enumerate(session) if other.key == record.key)
            before = [other.key for other in session[:place] if passes(other, where)][::-1][:reach]
            after = [other.key for other in session[place + 1 :] if passes(other, where)][:reach]
            if before or after:
                found[record.key] = Surroundings(tuple(before), tuple(after))
        return found

    def term_matches(self, terms: Sequence[str], keys: Sequence[str], where: Filter) -> TermMatches:
        """Read and analyse all records of the owners."""
        asked, wanted = frozenset(terms), frozenset(keys)
        owned = self.find(Filter(where.tenant, where.owners, echoes=True, withheld=True))
        held = {record.key: asked.intersection(terms_of(searchable(record))) for record in owned}
        holders = Counter(term for found in held.values() for term in found)
        return TermMatches(
            len(held), {term: holders[term] for term in asked}, {key: held[key] for key in held.keys() & wanted}
        )

    def vector_search_many(
        self, matrix: Vectors, where: Filter, limit: int, *, space: str | None = None
    ) -> list[list[Scored]]:
        """Search once per row."""
        return [self.vector_search(vector, where, limit, space=space) for vector in matrix]

    def fingerprints(self, where: Filter) -> dict[str, int]:
        """Hash every field of each record."""
        return {record.key: hash(repr(record)) for record in self.find(where)}

    def update_access(self, changes: Mapping[str, Access]) -> None:
        """Write the changed records with `put`."""
        self.put(
            replace(record, boundary=access.boundary, withheld=access.withheld, expires=access.expires)
            for record in self.get(list(changes))
            for access in [changes[record.key]]
        )

    def keep_tiers(self, space: str, widths: Sequence[int]) -> None:
        """Do nothing: prefixes are cut when they are searched."""

    def purge_spaces(self) -> None:
        """Do nothing: deleting a space leaves nothing behind."""

    @contextmanager
    def exclusive(self, job: str, wait_ms: int = 0) -> Iterator[bool]:
        """Exclude other threads, without waiting for them; no other process sees this store."""
        with _JOBS_GUARD:
            jobs = _JOBS.setdefault(self, set())
            mine = job not in jobs
            jobs.add(job)
        try:
            yield mine
        finally:
            if mine:
                jobs.discard(job)

    def coverage(self, where: Filter, space: str | None = None) -> tuple[int, int]:
        """Count all records, and those without a vector."""
        owned = Filter(where.tenant, where.owners, echoes=True)
        return self.count(owned), len(self.pending(owned, NO_LIMIT, space))

    def count_hidden(self, where: Filter) -> int:
        """Count all records minus the visible ones."""
        owned = Filter(where.tenant, where.owners, echoes=True, withheld=True)
        seen = replace(
            owned, boundaries=where.boundaries, purpose=where.purpose, alive_at=where.alive_at, withheld=where.withheld
        )
        return self.count(owned) - self.count(seen)

    def damage(self, where: Filter | None) -> Damage:
        """Return no damage: a store without files has none."""
        return Damage()

    def delete_damaged(self, places: Sequence[int]) -> int:
        """Delete nothing."""
        return 0

    def echoes_of(self, tenant: str, ids: Sequence[str]) -> list[Record]:
        """Search all records of the tenant."""
        everything = self.find(Filter(tenant, echoes=True, withheld=True))
        return [record for record in everything if record.echo_of in set(ids)]


class NoMaintenance:
    """Maintenance for a store without files. Only `stats` does something. `Maintenance` documents the methods."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def stats(self, tenant: str) -> StoreStats:
        everything = Filter(tenant, echoes=True)
        records = self._store.find(everything)
        pending = len(self._store.pending(everything, NO_LIMIT))
        kinds = dict(sorted(Counter[str](record.kind for record in records).items()))
        edges = len(self._store.edges([record.key for record in records]))
        return StoreStats(len(records), kinds, len(records) - pending, pending, edges, self._store.log.count(tenant))

    def verify(self, *, repair: bool = False) -> list[StoreProblem]:
        return []

    def backup(self, target: str | Path, *, overwrite: bool = False) -> Path:
        raise InputError("This store has no file to copy.", "Use `export`.")

    def copies(self) -> list[Copy]:
        return []

    def scrub(self) -> None:
        """Do nothing: there is no file."""

    def scan(self, needles: Mapping[bytes, str], others: Sequence[str] = ()) -> Scan:
        return Scan(needles=len(needles))
