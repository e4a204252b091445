"""Folders of notes: indexed, watched, searched; the files stay the truth."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid._util.lazy import Lazy
from aforesaid.errors import InputError
from aforesaid.memory.base import Base, Time
from aforesaid.types import Scope, as_time

if TYPE_CHECKING:
    from aforesaid.notes import indexer as indexing
    from aforesaid.notes import search as snipping
    from aforesaid.notes import state
else:
    indexing, snipping, state = (
        Lazy("aforesaid.notes.indexer"),
        Lazy("aforesaid.notes.search"),
        Lazy("aforesaid.notes.state"),
    )


class Files(Base):
    """Memory files."""

    def index(
        self,
        path: str | Path,
        *,
        user: str | None = None,
        project: str | None = None,
        scope: Scope | None = None,
        name: str | None = None,
        progress: indexing.Progress | None = None,
        dry_run: bool = False,
    ) -> indexing.IndexReport:
        """Bring the index of a folder of notes up to date: what is new is read, what is gone goes, the rest stays.

        The folder is a root, called by its own name unless `name` gives another; a path inside a root means that root.
        """
        return indexing.indexer(self._engine, path, self._owner(user, project, scope), name).run(progress, dry_run)

    def indexer(
        self, path: str | Path, *, user: str | None = None, project: str | None = None, scope: Scope | None = None
    ) -> indexing.Indexer:
        """What keeps a folder's index current: `run` it after a change, and it reads the store only if others wrote."""
        return indexing.indexer(self._engine, path, self._owner(user, project, scope))

    def unindex(
        self, path: str | Path, *, user: str | None = None, project: str | None = None, scope: Scope | None = None
    ) -> indexing.IndexReport:
        """Take a folder's chunks out again, by its path or its root's name; no file is touched."""
        return self._engine.run(lambda request: indexing.unindex(request, path, self._owner(user, project, scope)))

    def roots(self, *, user: str | None = None, project: str | None = None) -> tuple[state.NotesRoot, ...]:
        """The folders that are indexed for a caller."""
        return tuple(root for mine in self._shelves(user, project) for root in mine.roots().values())

    def watch(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        user: str | None = None,
        project: str | None = None,
        scope: Scope | None = None,
        stop: threading.Event | None = None,
    ) -> Iterator[indexing.IndexReport]:
        """Index folders, and again whenever something in them changes; a report each time. Needs aforesaid[watch].

        Ends when `stop` is set. A folder that goes away keeps its index, and is looked at again when it is back.
        """
        from aforesaid.notes.files.watch import changes

        listed = [paths] if isinstance(paths, (str, Path)) else list(paths)
        indexers = [self.indexer(path, user=user, project=project, scope=scope) for path in listed]
        by_folder = {Path(each.root.folder): each for each in indexers}
        told = changes(list(by_folder), [], self.settings.files.debounce_ms, stop or threading.Event())
        for each in by_folder.values():
            yield each.run()
        for batch in told:
            for folder in sorted(batch):
                try:
                    report = by_folder[folder].run()
                except InputError:  # gone again between the change and the look
                    continue
                if report.touched:
                    yield report

    def search_files(
        self,
        query: str,
        *,
        user: str | None = None,
        project: str | None = None,
        limit: int | None = None,
        now: Time | None = None,
    ) -> snipping.FileResult:
        """Snippets of notes for a query: path, lines, score and reason, as many and as long as a prompt may have."""
        moment = as_time(now, "now") if now is not None else self._engine.clock()
        where = self.where(user=user, project=project, now=moment)
        return snipping.search_files(self._engine.request(), query, where, limit, moment)

    def show_lines(self, place: str, *, user: str | None = None, project: str | None = None) -> snipping.FileLines:
        """Lines of an indexed note as they are now, by `path:first-last`; says whether the file changed since."""
        where = self.where(user=user, project=project, superseded=True)
        return snipping.show_lines(self._engine.request(), place, where, self._shelves(user, project))

    def _shelves(self, user: str | None, project: str | None) -> list[state.NotesOwner]:
        return [state.NotesOwner(self._engine, owner) for owner in self.where(user=user, project=project).owners or ()]
