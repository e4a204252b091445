"""The methods of a store that can be derived from the others. A new backend starts from `DerivedStore`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from aforesaid.errors import InputError
from aforesaid.math.vectors import Vectors
from aforesaid.store.filtering import passes
from aforesaid.store.protocols import Access, Copy, Glance, Problem, Scan, Store, StoreStats, Surroundings
from aforesaid.types import Filter, Record, Scored

EVERYTHING = 1 << 40  # as a limit


class DerivedStore(Store):
    """Plain versions of the derived methods. Each may be overridden by something faster with the same result."""

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """A transaction sees one state too."""
        with self.transaction():
            yield

    def count(self, where: Filter) -> int:
        """Count what `find` returns."""
        return len(self.find(where))

    def glances(self, keys: Sequence[str]) -> dict[str, Glance]:
        """Read the whole records."""
        return {r.key: Glance(r.key, r.session, r.role, r.time, r.text) for r in self.get(keys)}

    def around(self, keys: Sequence[str], where: Filter, reach: int) -> dict[str, Surroundings]:
        """Read the whole session of each record."""
        found: dict[str, Surroundings] = {}
        for record in self.get(keys):
            if record.session is None:
                continue
            company = self.find(
                Filter(
                    record.tenant, (record.owner,), sessions=(record.session,), kinds=(record.kind,),
                    echoes=True, withheld=True,
                )
            )  # fmt: skip
            place = next(i for i, other in enumerate(company) if other.key == record.key)
            before = [other.key for other in company[:place] if passes(other, where)][::-1][:reach]
            after = [other.key for other in company[place + 1 :] if passes(other, where)][:reach]
            if before or after:
                found[record.key] = Surroundings(tuple(before), tuple(after))
        return found

    def vector_search_many(self, matrix: Vectors, where: Filter, limit: int) -> list[list[Scored]]:
        """One search a row."""
        return [self.vector_search(vector, where, limit) for vector in matrix]

    def fingerprints(self, where: Filter) -> dict[str, int]:
        """Hash every field of each record."""
        return {record.key: hash(repr(record)) for record in self.find(where)}

    def update_access(self, changes: Mapping[str, Access]) -> None:
        """Write the records again."""
        self.put(
            replace(record, boundary=access.boundary, withheld=access.withheld, expires=access.expires)
            for record in self.get(list(changes))
            for access in [changes[record.key]]
        )

    def coverage(self, where: Filter) -> tuple[int, int]:
        """Count all records, and those that wait for a vector."""
        whole = Filter(where.tenant, where.owners, echoes=True)
        return self.count(whole), len(self.pending(whole, EVERYTHING))

    def count_hidden(self, where: Filter) -> int:
        """Count all records, less those that pass."""
        whole = Filter(where.tenant, where.owners, echoes=True, withheld=True)
        seen = replace(
            whole, boundaries=where.boundaries, purpose=where.purpose, alive_at=where.alive_at, withheld=where.withheld
        )
        return self.count(whole) - self.count(seen)

    def echoes_of(self, tenant: str, ids: Sequence[str]) -> list[Record]:
        """Look at every record of the tenant."""
        everything = self.find(Filter(tenant, echoes=True, withheld=True))
        return [record for record in everything if record.echo_of in set(ids)]


class NoMaintenance:
    """Maintenance of a store without files: nothing to check, to copy or to overwrite."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def stats(self, tenant: str) -> StoreStats:
        """Count what can be counted."""
        whole = Filter(tenant, echoes=True)
        records = self._store.find(whole)
        pending = len(self._store.pending(whole, EVERYTHING))
        kinds = dict(sorted(Counter[str](record.kind for record in records).items()))
        edges = len(self._store.edges([record.key for record in records]))
        return StoreStats(len(records), kinds, len(records) - pending, pending, edges, self._store.log.count(tenant))

    def verify(self, *, repair: bool = False) -> list[Problem]:
        """Nothing is derived here, so nothing can be out of step."""
        return []

    def backup(self, target: str | Path, *, overwrite: bool = False) -> Path:
        """Refused: there is no file to copy."""
        raise InputError("This store has no file to copy.", "Use `export`.")

    def copies(self) -> list[Copy]:
        """There are none."""
        return []

    def scrub(self) -> None:
        """Nothing is on disk."""

    def scan(self, needles: Mapping[bytes, str], others: Sequence[str] = ()) -> Scan:
        """There is no file to look into."""
        return Scan(needles=len(needles))
