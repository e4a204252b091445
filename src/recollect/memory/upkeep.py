"""Care for what is there: forget, carry elsewhere, mend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from recollect import care
from recollect.errors import InputError
from recollect.memory.base import Base, Time, as_name
from recollect.store.base import Problem, StoreStats
from recollect.types import Filter, as_time

Problems = list[Problem]


class Upkeep(Base):
    """Forgetting, exports and repair."""

    def forget(
        self,
        ids: Sequence[str] = (),
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        before: Time | None = None,
        everything: bool = False,
    ) -> care.Receipt:
        """Delete by id, session or time, or everything of a user; deleted text leaves every file, a receipt stays."""
        if not (ids or session is not None or before is not None or everything):
            raise InputError("Forget what?", "Name ids, a session or a time, or ask for everything of this user.")
        until = as_time(before, "before") if before is not None else None
        what = {"ids": len(ids), "session": session, "before": str(until) if until else None}
        if ids:
            named = [self.get(name, user=user, project=project, session=session) for name in ids]
            return care.forget(self._engine, [r.key for r in named if until is None or r.time <= until], what)
        owner = f"project:{project}" if project is not None and user is None else f"user:{as_name(user, 'user') or ''}"
        sessions = (session,) if session is not None else None
        return care.forget(self._engine, Filter(self.tenant, (owner,), sessions=sessions, until=until), what)

    def export(self, *, vectors: bool = True, progress: care.Progress | None = None) -> Iterator[str]:
        """The tenant's whole memory as JSON lines."""
        return care.export_lines(self._engine, vectors=vectors, progress=progress)

    def import_(self, lines: Iterable[str], progress: care.Progress | None = None) -> care.ImportReport:
        """Take the lines of an export: all of them or, when one is bad, none."""
        return care.import_lines(self._engine, lines, progress)

    def reindex(self, progress: care.Progress | None = None) -> int:
        """Embed what has no vector of this embedder yet, then search by those vectors."""
        return care.reindex(self._engine, progress)

    def stats(self) -> StoreStats:
        """What this tenant's memory holds."""
        return self.store.stats(self.tenant)

    def verify(self, *, repair: bool = False) -> Problems:
        """Everything wrong with the store that can be found; derived parts are rebuilt if asked."""
        return self.store.verify(repair=repair)
