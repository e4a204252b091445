"""Care for what is there: forget, carry elsewhere, mend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid._util.lazy import Lazy
from aforesaid.errors import InputError, NotFoundError
from aforesaid.memory.base import Base, Time, as_name
from aforesaid.store.protocols import Problem, StoreStats
from aforesaid.text.analyze import MAX_QUERY_TERMS, query_terms, terms
from aforesaid.types import GLOBAL_OWNER, Filter, Record, as_time, check_id

if TYPE_CHECKING:
    from aforesaid.deletion import erase
    from aforesaid.deletion import forget as forgetting
    from aforesaid.maintenance import export as exporting
    from aforesaid.maintenance import reindex as indexing
else:
    exporting, indexing, erase, forgetting = (
        Lazy("aforesaid.maintenance.export"),
        Lazy("aforesaid.maintenance.reindex"),
        Lazy("aforesaid.deletion.erase"),
        Lazy("aforesaid.deletion.forget"),
    )

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
        since: Time | None = None,
        until: Time | None = None,
        query: str | None = None,
        everything: bool = False,
        tenant: bool = False,
        dry_run: bool = False,
        reason: str = "",
    ) -> forgetting.Receipt:
        """Delete for good, with all that was made of it, from every file and from our own backups; a receipt stays.

        By `ids`, by `session`, by time (`before` and `until` are the same), by a `query` (records that hold all of its
        words), or `everything` of a user or project, or of the whole `tenant`. Several of them narrow each other.
        """
        chosen = {"ids": bool(ids), "session": session is not None, "query": query is not None, "tenant": tenant}
        chosen |= {"before": before is not None, "since": since is not None, "until": until is not None}
        if not (everything or any(chosen.values())):
            raise InputError("Forget what?", "Name ids, a session, a time or a query, or ask for everything.")
        if ids and (everything or tenant):
            raise InputError("Both ids and everything were asked for.", "Name the records, or ask for everything.")
        if tenant and (user is not None or project is not None):
            raise InputError("Both a tenant and one of its users or projects were named.", "Name one of them.")
        ends = [as_time(time, name) for name, time in (("before", before), ("until", until)) if time is not None]
        where = Filter(
            self.tenant,
            None if tenant else (self._whose(user, project),),
            sessions=(check_id(session, "session"),) if session is not None else None,
            since=as_time(since, "since") if since is not None else None,
            until=min(ends) if ends else None,
        )
        if ids:
            named = [self._named(name, user, project, session) for name in ids]
            where = replace(where, owners=None, sessions=None, keys=tuple(record.key for record in named))
        whole = user if everything and not any(chosen.values()) else None
        by = [name for name, given in chosen.items() if given] or ["everything"]
        words = _words(query) if query is not None else frozenset()
        what = {"by": by, **({"reason": reason} if reason else {})}
        return self._engine.run(
            lambda request: forgetting.forget(request, erase.Selection(where, what, words, whole), dry_run=dry_run)
        )

    @staticmethod
    def _whose(user: str | None, project: str | None) -> str:
        if user is None and project is not None:
            return f"project:{as_name(project, 'project')}"
        return f"user:{as_name(user, 'user') or ''}"

    def _named(self, name: str, user: str | None, project: str | None, session: str | None) -> Record:
        """The record that a caller called so, or whose key it is, whether or not it may be seen."""
        owners = [self._whose(user, None), *([f"project:{project}"] if project is not None else []), GLOBAL_OWNER]
        sessions = (check_id(session, "session"),) if session is not None else None
        mine = Filter(self.tenant, tuple(owners), sessions=sessions, echoes=True, withheld=True)
        found = self.store.find(replace(mine, ids=(check_id(name),)), limit=3) or self.store.find(
            replace(mine, keys=(name,), sessions=None), limit=1
        )
        if not found:
            raise NotFoundError(
                f"Nothing here is called {name!r}.", "See `aforesaid list`; a user's records need that user."
            )
        if len(found) > 1:
            where = ", ".join(str(record.session) for record in found)
            raise InputError(f"{name!r} is the name of several records (sessions {where}).", "Name the session too.")
        return found[0]

    def backup(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Copy the store to a file while others go on; what is forgotten here later is forgotten there too."""
        return self.store.maintenance.backup(path, overwrite=overwrite)

    def export(self, *, vectors: bool = True, progress: exporting.Progress | None = None) -> Iterator[str]:
        """The tenant's whole memory as JSON lines."""
        return exporting.export_lines(self._engine.request(), vectors=vectors, progress=progress)

    def import_(self, lines: Iterable[str], progress: exporting.Progress | None = None) -> exporting.ImportReport:
        """Take the lines of an export: all of them or, when one is bad, none."""
        return self._engine.run(lambda request: exporting.import_lines(request, lines, progress))

    def reindex(self, progress: indexing.Progress | None = None) -> int:
        """Embed what has no vector of this embedder yet, then search by those vectors."""
        return self._engine.run(lambda request: indexing.reindex(request, progress))

    def stats(self) -> StoreStats:
        """What this tenant's memory holds."""
        return self.store.maintenance.stats(self.tenant)

    def verify(self, *, repair: bool = False) -> Problems:
        """Everything wrong with the store that can be found; derived parts are rebuilt if asked."""
        return self.store.maintenance.verify(repair=repair)


def _words(query: str) -> frozenset[str]:
    """Every term of a query but stop words; a longer one than is ever searched for would match more than it says."""
    if len(set(terms(query))) > MAX_QUERY_TERMS:
        raise InputError(f"The query has more than {MAX_QUERY_TERMS} words.", "Shorten it, or name ids.")
    found = frozenset(query_terms(query))
    if not found:
        raise InputError(f"There is no word in {query!r}.", "Give words that the records hold.")
    return found
