"""`memory.notes`: folders of Markdown notes. The files are read, never changed."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from aforesaid.errors import InputError
from aforesaid.memory.handle import Handle
from aforesaid.memory.visibility import SHARED_SCOPES, record_owner, time_or_now, visible
from aforesaid.notes import indexer as indexing
from aforesaid.notes import search as searching
from aforesaid.notes import state
from aforesaid.types import Filter, Progress, Scope, TimeLike


class NotesHandle(Handle):
    """Indexed folders of notes: index, watch, search."""

    def index(
        self,
        path: str | Path,
        *,
        user: str | None = None,
        project: str | None = None,
        scope: Scope | None = None,
        name: str | None = None,
        progress: Progress | None = None,
        dry_run: bool = False,
    ) -> indexing.IndexReport:
        """Index a folder of notes, or the changes in it. Return how many files changed, and which were skipped.

        Args:
            path: The folder, or a path inside a folder that is indexed already.
            name: The name of the indexed folder; by default the folder's own.

        Raises:
            InputError: There is no such folder.
        """
        owner = record_owner(user, project, scope, SHARED_SCOPES)
        return indexing.indexer(self._engine, path, owner, name).run(progress, dry_run)

    def indexer(
        self, path: str | Path, *, user: str | None = None, project: str | None = None, scope: Scope | None = None
    ) -> indexing.Indexer:
        """Return an object that keeps one folder's index current, for programs that watch the files themselves.

        Returns:
            The indexer. Call its `run` after each change; it re-reads the store only if another process wrote to it.
        """
        return indexing.indexer(self._engine, path, record_owner(user, project, scope, SHARED_SCOPES))

    def unindex(
        self, path: str | Path, *, user: str | None = None, project: str | None = None, scope: Scope | None = None
    ) -> indexing.IndexReport:
        """Remove a folder's notes from the memory, and return how many. The files stay.

        Args:
            path: The folder, or the name it is indexed under.
        """
        owner = record_owner(user, project, scope, SHARED_SCOPES)
        return self._engine.run(lambda request: indexing.unindex(request, path, owner))

    def roots(self, *, user: str | None = None, project: str | None = None) -> tuple[state.NotesRoot, ...]:
        """List the folders that are indexed for a caller, with their names."""
        where = visible(self._engine.request(), user=user, project=project)
        return tuple(root for mine in self._owners(where) for root in mine.roots().values())

    def watch(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        user: str | None = None,
        project: str | None = None,
        scope: Scope | None = None,
        stop: threading.Event | None = None,
    ) -> Iterator[indexing.IndexReport]:
        """Index folders now and after each change in them. Return a report each time. Needs `aforesaid[watch]`.

        A folder that disappears keeps its index, and is read again when it is back.

        Args:
            paths: One folder, or several.
            stop: Set this event to end the loop.
        """
        from aforesaid.notes.files.watch import changes

        listed = [paths] if isinstance(paths, (str, Path)) else list(paths)
        indexers = [self.indexer(path, user=user, project=project, scope=scope) for path in listed]
        by_folder = {Path(each.root.folder): each for each in indexers}
        batches = changes(list(by_folder), [], self._engine.settings.files.debounce_ms, stop or threading.Event())
        for each in by_folder.values():
            yield each.run()
        for batch in batches:
            for folder in sorted(batch):
                try:
                    report = by_folder[folder].run()
                except InputError:  # the folder disappeared between the change and this run
                    continue
                if report.touched:
                    yield report

    def search(
        self,
        query: str,
        *,
        user: str | None = None,
        project: str | None = None,
        limit: int | None = None,
        now: TimeLike | None = None,
    ) -> searching.NotesResult:
        """Return passages of notes with path, lines, score and reason, best first, cut to fit a prompt.

        Args:
            limit: How many passages to return; the setting `files.max_snippets` if left out.
        """
        request, moment = self._engine.request(), time_or_now(self._engine.clock, now)
        where = visible(request, user=user, project=project, now=moment)
        return searching.search_files(request, query, where, limit, moment)

    def lines(self, place: str, *, user: str | None = None, project: str | None = None) -> searching.NoteLines:
        """Return lines of an indexed note as they are in the file now, and whether it changed since it was indexed.

        Args:
            place: `path:first-last`, as `search` returns it.

        Raises:
            NotFoundError: No indexed note has that path.
        """
        request = self._engine.request()
        where = visible(request, user=user, project=project, superseded=True)
        return searching.show_lines(request, place, where, self._owners(where))

    def _owners(self, where: Filter) -> list[state.NotesOwner]:
        return [state.NotesOwner(self._engine, owner) for owner in where.owners or ()]
