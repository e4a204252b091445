"""A folder of notes → chunks: walk → what changed → read, cut, clean → embed what is new → commit → link.

Files stay the truth. A record's name comes from its root, its path and its text, never from the time, so that an index
that was deleted comes back the same. Everything of one file changes in one transaction; a run that is cut short leaves
what is done, done.
"""

from __future__ import annotations

import time as timing
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from aforesaid.engine.engine import Engine
from aforesaid.engine.request import PolicyChanged, Request
from aforesaid.engine.vector_arm import Embedded
from aforesaid.engine.writer import writing
from aforesaid.errors import InputError, NotFoundError, StoreBusyError
from aforesaid.ingest.claims import Owner
from aforesaid.notes.changes import NoteChanges, NoteReader, change_of, made_with
from aforesaid.notes.files.walk import real_folder, walk
from aforesaid.notes.relink import relink
from aforesaid.notes.state import NotesOwner, NotesRoot, Shelf, load, path_digest, whose
from aforesaid.notes.survey import Survey
from aforesaid.types import Progress, check_id

TRIES = 5  # others may index the same folder at the same time; whoever commits second looks again


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What became of the files of a root, how many chunks it has now, and how many texts were embedded.

    `vector_off` says why chunks have no vectors yet; words find them all the same.
    """

    root: str
    folder: str
    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    unchanged: int = 0
    skipped: tuple[tuple[str, str], ...] = ()
    chunks: int = 0
    embedded: int = 0
    seconds: float = 0.0
    vector_off: str = ""
    dry_run: bool = False

    @property
    def touched(self) -> int:
        """How many files were not as before."""
        return self.added + self.changed + self.renamed + self.removed


class Stale(Exception):  # noqa: N818 - never leaves this module
    """Somebody else indexed the same root meanwhile."""


def unindex(request: Request, path: str | Path, owner: Owner) -> IndexReport:
    """Take a root out, by its name or its folder; the files are not touched."""
    began = timing.monotonic()
    mine = whose(request.engine, owner.scope, owner.user, owner.project)
    root = _known(mine.roots, path)
    if root is None:
        raise NotFoundError(f"No folder {str(path)!r} is indexed here.", f"Indexed here: {_names(mine.roots)}.")
    shelf = load(mine, root)
    with writing(request, check_policy=False) as writer:
        request.store.delete([held.key for held in shelf.held.values()])
        mine.drop(root.name)
        body = {"removed": len(shelf.stamps), "chunks": len(shelf.held)}
        writer.commit(events=[request.event("unindex", root.name, body)])
    return IndexReport(root.name, root.folder, removed=len(shelf.stamps), seconds=timing.monotonic() - began)


def indexer(engine: Engine, path: str | Path, owner: Owner, name: str | None = None) -> Indexer:
    """The indexer of a folder: of the root that it is or lies in, else of a new one called by its name."""
    mine = whose(engine, owner.scope, owner.user, owner.project)
    roots = mine.roots
    if name is None and (root := root_around(roots, path)) is not None:
        return Indexer(engine, owner, mine, root)
    folder = real_folder(path)
    called = check_id(folder.name if name is None else name, "root")
    if "/" in called or ":" in called or called in (".", ".."):
        raise InputError(f"A root cannot be called {called!r}.", "Give it a name without / and : (--name).")
    held = roots.get(called)
    if held is not None and held.folder != str(folder) and Path(held.folder).is_dir():
        raise InputError(
            f"A root called {called!r} is indexed already, from {held.folder}.", "Give this one another name (--name)."
        )
    return Indexer(engine, owner, mine, replace(held, folder=str(folder)) if held else NotesRoot(called, str(folder)))


def root_around(roots: Mapping[str, NotesRoot], path: str | Path) -> NotesRoot | None:
    """The innermost root that a path is or lies in."""
    try:
        place = Path(path).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        return None
    found = [root for root in roots.values() if place.is_relative_to(root.folder)]
    return max(found, key=lambda root: len(root.folder), default=None)


def _known(roots: Mapping[str, NotesRoot], path: str | Path) -> NotesRoot | None:
    folder = str(Path(path).expanduser().resolve())
    return next((root for root in roots.values() if root.folder == folder), None) or roots.get(str(path))


def _names(roots: Mapping[str, NotesRoot]) -> str:
    return ", ".join(f"{root.name} ({root.folder})" for root in roots.values()) or "nothing"


class Indexer:
    """Keeps the index of one root current; a watcher keeps the indexer, and with it what the store knows."""

    def __init__(self, engine: Engine, owner: Owner, mine: NotesOwner, root: NotesRoot) -> None:
        self._engine, self._owner, self._whose, self._root = engine, owner, mine, root
        self._shelf: Shelf | None = None

    @property
    def root(self) -> NotesRoot:
        """The root as it was last known."""
        return self._root

    def run(self, progress: Progress | None = None, dry_run: bool = False) -> IndexReport:
        """Look at the whole folder, and take in what is not as it was."""
        began = timing.monotonic()
        for _ in range(TRIES):
            try:
                report = self._run(progress, dry_run)
                break
            except (Stale, PolicyChanged):
                self._shelf = None
            except BaseException:
                self._shelf = None  # what is half noted here is whole in the store
                raise
        else:
            raise StoreBusyError(f"Others keep indexing {self._root.name!r}.", "Let one of them watch the folder.")
        if dry_run:
            self._shelf = None
        return replace(report, seconds=timing.monotonic() - began)

    def _run(self, progress: Progress | None, dry_run: bool) -> IndexReport:
        folder = real_folder(self._root.folder)
        shelf = self._current()
        request = self._engine.request()
        made = made_with(request)
        same_way = shelf.root.made == made
        rows = request.settings.files
        reader = NoteReader(request, folder, self._root.name, self._owner)
        survey = Survey(walk(folder, rows), shelf, reader, same_way)
        todo, gone = survey.todo(), survey.gone()
        made_so_far = made if same_way or not shelf.stamps else shelf.root.made
        for start in range(0, len(todo), rows.batch):
            taken = survey.taken(todo[start : start + rows.batch])
            if taken:
                self._take(request, change_of(reader, shelf, taken, gone), survey, made_so_far, dry_run)
            if progress is not None:
                progress(min(start + rows.batch, len(todo)), len(todo))
        lost = survey.lost()
        left = survey.take_lost(gone, lost)
        if left or lost:
            self._take(request, change_of(reader, shelf, left, gone), survey, made_so_far, dry_run, tuple(lost))
        report = self._report(survey, shelf, reader, dry_run)
        if not dry_run:
            self._finish(request, shelf, survey, made, report)
        return report

    def _current(self) -> Shelf:
        """What the store knows, read again only when others wrote it."""
        stored = self._whose.roots.get(self._root.name, NotesRoot(self._root.name, self._root.folder))
        if self._shelf is None or self._shelf.root.generation != stored.generation:
            self._shelf = load(self._whose, stored)
        self._root = self._shelf.root = replace(stored, folder=self._root.folder)
        return self._shelf

    def _take(
        self,
        request: Request,
        change: NoteChanges,
        survey: Survey,
        made: str,
        dry_run: bool,
        lost: tuple[str, ...] = (),
    ) -> None:
        """Commit what some files change, and note it here."""
        shelf = survey.shelf
        if dry_run:
            survey.counts["embedded"] += len(change.embed)
        else:
            vectors = request.arm.embed(list(change.embed.values())) if change.embed else None
            survey.counts["embedded"] += 0 if vectors is None else len(change.embed)
            carried = change.carried | (dict(zip(change.embed, vectors, strict=True)) if vectors is not None else {})
            with writing(request) as writer:
                self._claim(shelf, made=made, linked=False)
                if change.gone:
                    request.store.delete(change.gone)
                writer.commit(change.put)
                if carried:
                    writer.put_vectors(list(carried), Embedded(np.stack(list(carried.values())), {}))
                for path, taken in change.taken.items():
                    self._whose.stamp(self._root.name, path, taken.stamp)
                for name in lost:
                    self._whose.stamp_named(self._root.name, name, None)
        for digest, held in change.held.items():
            shelf.put(digest, held)
        for path, taken in change.taken.items():
            shelf.stamped(path_digest(path), taken.stamp)
        for name in lost:
            shelf.stamped(name, None)

    def _claim(self, shelf: Shelf, *, made: str, linked: bool) -> None:
        """Count this commit; Stale when somebody else's came between."""
        stored = self._whose.roots.get(shelf.root.name)
        if (stored.generation if stored else 0) != shelf.root.generation:
            raise Stale
        shelf.root = replace(shelf.root, made=made, linked=linked, generation=shelf.root.generation + 1)
        self._whose.note(shelf.root)

    def _finish(self, request: Request, shelf: Shelf, survey: Survey, made: str, report: IndexReport) -> None:
        """Links, once all chunks are there; stamps that proved right; and a line in the log."""
        stored = self._whose.roots.get(shelf.root.name)
        current = stored is not None and (stored.linked, stored.made, stored.folder) == (True, made, shelf.root.folder)
        if current and not survey.restamped:
            return
        with writing(request) as writer:
            self._claim(shelf, made=made, linked=True)
            for path, stamp in survey.restamped.items():
                self._whose.stamp(shelf.root.name, path, stamp)
                shelf.stamped(path_digest(path), stamp)
            if not current:
                relink(writer, shelf)
            if report.touched:
                counts = {name: getattr(report, name) for name in ("added", "changed", "renamed", "removed", "chunks")}
                writer.commit(events=[request.event("index", shelf.root.name, counts)])

    def _report(self, survey: Survey, shelf: Shelf, reader: NoteReader, dry_run: bool) -> IndexReport:
        counts, renamed = survey.counts, survey.renamed
        skipped = sorted({(s.path, s.why) for s in (*survey.walked.skipped, *reader.skipped.values())})
        return IndexReport(
            shelf.root.name,
            shelf.root.folder,
            counts["added"] - renamed,
            counts["changed"],
            renamed,
            counts["removed"] - renamed,
            counts["unchanged"],
            tuple(skipped),
            len(shelf.held),
            counts["embedded"],
            vector_off=self._engine.arm.off,
            dry_run=dry_run,
        )
