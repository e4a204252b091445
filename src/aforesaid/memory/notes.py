"""`memory.notes`: folders of Markdown notes. The files stay the source of truth."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from aforesaid.engine.engine import Engine
from aforesaid.errors import InputError
from aforesaid.memory.visibility import SHARED_SCOPES, record_owner, time_or_now, visible
from aforesaid.notes import indexer as indexing
from aforesaid.notes import search as searching
from aforesaid.notes import state
from aforesaid.types import Filter, Progress, Scope, TimeLike


class NotesHandle:
    """Indexed folders of notes: index, watch, search."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

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
        """Index a folder of notes, or update its index: only new and changed files are read.

        Args:
            path: The folder, or a path inside a folder that is indexed already.
            user: The user whose notes these are.
            project: The project whose notes these are.
            scope: Who shares them: `user`, `project` or `global`; `project` if one is named, else `user`.
            name: The name of the indexed folder; by default the folder's own.
            progress: Called with (done, total) after each batch of files.
            dry_run: Report only; change nothing.

        Returns:
            How many files were added, changed, renamed, removed and unchanged, and which were skipped and why.

        Raises:
            InputError: There is no such folder.
        """
        owner = record_owner(user, project, scope, SHARED_SCOPES)
        return indexing.indexer(self._engine, path, owner, name).run(progress, dry_run)

    def indexer(
        self, path: str | Path, *, user: str | None = None, project: str | None = None, scope: Scope | None = None
    ) -> indexing.Indexer:
        """Return an object that keeps one folder's index current, for programs that watch the files themselves.

        Args:
            path: The folder.
            user: The user whose notes these are.
            project: The project whose notes these are.
            scope: Who shares them, as in `index`.

        Returns:
            The indexer. Call its `run` after each change; it re-reads the store only if another process wrote to it.
        """
        return indexing.indexer(self._engine, path, record_owner(user, project, scope, SHARED_SCOPES))

    def unindex(
        self, path: str | Path, *, user: str | None = None, project: str | None = None, scope: Scope | None = None
    ) -> indexing.IndexReport:
        """Remove a folder's notes from the memory. The files stay.

        Args:
            path: The folder, or the name it is indexed under.
            user: The user whose notes these are.
            project: The project whose notes these are.
            scope: Who shares them, as in `index`.

        Returns:
            How many files were removed from the index.
        """
        owner = record_owner(user, project, scope, SHARED_SCOPES)
        return self._engine.run(lambda request: indexing.unindex(request, path, owner))

    def roots(self, *, user: str | None = None, project: str | None = None) -> tuple[state.NotesRoot, ...]:
        """List the folders that are indexed for a caller.

        Args:
            user: The user whose folders to list.
            project: List this project's folders too.

        Returns:
            The folders with their names.
        """
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
        """Index folders now, and again after each change in them. Needs `aforesaid[watch]`.

        A folder that disappears keeps its index, and is read again when it is back.

        Args:
            paths: One folder, or several.
            user: The user whose notes these are.
            project: The project whose notes these are.
            scope: Who shares them, as in `index`.
            stop: Set this event to end the loop.

        Returns:
            A report for each folder at first, then one after each change.
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
        """Find passages of notes, cut to the length that fits a prompt.

        Args:
            query: A question or some words.
            user: The user whose notes to search.
            project: Search this project's notes too.
            limit: How many passages to return; the setting `files.max_snippets` if left out.
            now: The time from which ages are counted; the clock's if left out.

        Returns:
            Passages with path, lines, score and reason, best first.
        """
        request, moment = self._engine.request(), time_or_now(self._engine.clock, now)
        where = visible(request, user=user, project=project, now=moment)
        return searching.search_files(request, query, where, limit, moment)

    def lines(self, place: str, *, user: str | None = None, project: str | None = None) -> searching.NoteLines:
        """Read lines of an indexed note as they are in the file now.

        Args:
            place: `path:first-last`, as `search` returns it.
            user: The user whose note it is.
            project: The project whose note it is.

        Returns:
            The lines, and whether the file changed since it was indexed.

        Raises:
            NotFoundError: No indexed note has that path.
        """
        request = self._engine.request()
        where = visible(request, user=user, project=project, superseded=True)
        return searching.show_lines(request, place, where, self._owners(where))

    def _owners(self, where: Filter) -> list[state.NotesOwner]:
        return [state.NotesOwner(self._engine, owner) for owner in where.owners or ()]
