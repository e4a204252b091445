"""Indexes a folder of notes: walk → find changes → read, cut, clean → embed new texts → commit → link.

The files remain the source of truth. A record's id comes from its root, path and text and never from the time, so that
a deleted index can be rebuilt identically. All changes of one file are one transaction; an interrupted run keeps what
it has finished.
"""

from __future__ import annotations

import time as timing
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from aforesaid.engine.engine import Engine
from aforesaid.engine.request import PolicyChanged, Request
from aforesaid.engine.vector_arm import Embedded
from aforesaid.engine.writer import Writer, writing
from aforesaid.errors import InputError, NotFoundError, StoreBusyError
from aforesaid.ingest.claims import Owner
from aforesaid.notes.changes import GONE, NoteChanges, NoteReader, ReadNote, change_of, chunking_digest
from aforesaid.notes.files.walk import real_folder, walk
from aforesaid.notes.state import HOP, NotesOwner, NotesRoot, RootIndex, load
from aforesaid.notes.survey import Survey
from aforesaid.types import Edge, Progress, check_id, owner_of

TRIES = 5  # another process may index the same folder; whoever commits second starts again
UNDATED = datetime(1970, 1, 1, tzinfo=UTC)  # of links: with a real time, a rebuilt index would differ


@dataclass(frozen=True, slots=True)
class IndexReport:
    """How many files of a root changed, how many chunks it has now, and how many texts were embedded.

    `vector_off` says why chunks have no vectors yet. Keyword search finds them anyway.
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
        """The number of files that changed in any way."""
        return self.added + self.changed + self.renamed + self.removed


class Stale(Exception):  # noqa: N818 - never leaves this module
    """Another process indexed the same root meanwhile."""


def unindex(request: Request, path: str | Path, owner: Owner) -> IndexReport:
    """Remove a root from the index, by its name or folder. Does not touch the files."""
    began = timing.monotonic()
    notes = NotesOwner(request.engine, owner_of(owner.scope, owner.user, owner.project))
    root = _known(notes.roots(), path)
    if root is None:
        raise NotFoundError(f"No folder {str(path)!r} is indexed here.", f"Indexed here: {_names(notes.roots())}.")
    index = load(notes, root)
    with writing(request, check_policy=False) as writer:
        request.store.delete([chunk.key for chunk in index.chunks.values()])
        notes.remove(root.name)
        body = {"removed": len(index.stamps), "chunks": len(index.chunks)}
        writer.commit(events=[request.event("unindex", root.name, body)])
    return IndexReport(root.name, root.folder, removed=len(index.stamps), seconds=timing.monotonic() - began)


def indexer(engine: Engine, path: str | Path, owner: Owner, name: str | None = None) -> Indexer:
    """The indexer of the root that a folder belongs to; if there is none, of a new root with the folder's name."""
    notes = NotesOwner(engine, owner_of(owner.scope, owner.user, owner.project))
    roots = notes.roots()
    if name is None and (root := root_around(roots, path)) is not None:
        return Indexer(engine, owner, notes, root)
    folder = real_folder(path)
    called = check_id(folder.name if name is None else name, "root")
    if "/" in called or ":" in called or called in (".", ".."):
        raise InputError(f"A root cannot be called {called!r}.", "Give it a name without / and : (--name).")
    known = roots.get(called)
    if known is not None and known.folder != str(folder) and Path(known.folder).is_dir():
        raise InputError(
            f"A root called {called!r} is indexed already, from {known.folder}.", "Give this one another name (--name)."
        )
    return Indexer(
        engine, owner, notes, replace(known, folder=str(folder)) if known else NotesRoot(called, str(folder))
    )


def root_around(roots: Mapping[str, NotesRoot], path: str | Path) -> NotesRoot | None:
    """The innermost root that contains a path."""
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
    """Keeps the index of one root up to date. A watcher keeps it in memory, so that the store is read only once."""

    def __init__(self, engine: Engine, owner: Owner, notes: NotesOwner, root: NotesRoot) -> None:
        self._engine, self._owner, self._notes, self._root = engine, owner, notes, root
        self._index: RootIndex | None = None

    @property
    def root(self) -> NotesRoot:
        """The root, as last read."""
        return self._root

    def run(self, progress: Progress | None = None, dry_run: bool = False) -> IndexReport:
        """Compare the whole folder with the index and update the index."""
        began = timing.monotonic()
        for _ in range(TRIES):
            try:
                report = self._run(progress, dry_run)
                break
            except (Stale, PolicyChanged):
                self._index = None
            except BaseException:
                self._index = None  # read again: this copy may be half updated
                raise
        else:
            raise StoreBusyError(f"Others keep indexing {self._root.name!r}.", "Let one of them watch the folder.")
        if dry_run:
            self._index = None
        return replace(report, seconds=timing.monotonic() - began)

    def _run(self, progress: Progress | None, dry_run: bool) -> IndexReport:
        folder = real_folder(self._root.folder)
        index = self._current()
        request = self._engine.request()
        made = chunking_digest(request)
        same_chunking = index.root.made == made
        made_so_far = made if same_chunking or not index.stamps else index.root.made
        rows = request.settings.files
        reader = NoteReader(request, folder, self._root.name, self._owner)
        survey = Survey(walk(folder, rows), index, reader, same_chunking)
        files, (gone, gone_stamps) = survey.to_read(), survey.gone()

        def apply(read: Mapping[str, ReadNote], stamps: Iterable[str] = ()) -> None:
            change = change_of(reader, index, read, gone)
            change.stamps |= dict.fromkeys(stamps)
            survey.counts["embedded"] += (
                len(change.embed) if dry_run else self._commit(request, index, change, made_so_far)
            )
            for digest, chunk in change.chunks.items():
                index.put(digest, chunk)
            index.set_stamps(change.stamps)

        for start in range(0, len(files), rows.batch):
            if read := survey.read(files[start : start + rows.batch]):
                apply(read)
            if progress is not None:
                progress(min(start + rows.batch, len(files)), len(files))
        if gone or gone_stamps:
            apply(dict.fromkeys(sorted(gone), GONE), gone_stamps)
        report = self._report(survey, index, reader, dry_run)
        if not dry_run:
            self._finish(request, index, survey, made, report)
        return report

    def _current(self) -> RootIndex:
        """The root as it is in the store, read again only when another process changed it."""
        stored = self._notes.roots().get(self._root.name, NotesRoot(self._root.name, self._root.folder))
        if self._index is None or self._index.root.generation != stored.generation:
            self._index = load(self._notes, stored)
        self._root = self._index.root = replace(stored, folder=self._root.folder)
        return self._index

    def _commit(self, request: Request, index: RootIndex, change: NoteChanges, made: str) -> int:
        """Write changes in one transaction. Returns the number of texts that were embedded."""
        vectors = request.arm.embed(list(change.embed.values())) if change.embed else None
        kept = change.kept_vectors | (dict(zip(change.embed, vectors, strict=True)) if vectors is not None else {})
        with writing(request) as writer:
            self._claim(index, made=made, linked=False)
            if change.delete:
                request.store.delete(change.delete)
            writer.commit(change.put)
            if kept:
                writer.put_vectors(list(kept), Embedded(np.stack(list(kept.values())), {}))
            self._notes.set_stamps(self._root.name, change.stamps)
        return 0 if vectors is None else len(change.embed)

    def _claim(self, index: RootIndex, *, made: str, linked: bool) -> None:
        """Count this commit. Raises Stale when another process has committed since."""
        stored = self._notes.roots().get(index.root.name)
        if (stored.generation if stored else 0) != index.root.generation:
            raise Stale
        index.root = replace(index.root, made=made, linked=linked, generation=index.root.generation + 1)
        self._notes.save(index.root)

    def _finish(self, request: Request, index: RootIndex, survey: Survey, made: str, report: IndexReport) -> None:
        """Save the links, the stamps of files that turned out to be unchanged, and an event."""
        stored = self._notes.roots().get(index.root.name)
        current = stored is not None and (stored.linked, stored.made, stored.folder) == (True, made, index.root.folder)
        if current and not survey.restamped:
            return
        with writing(request) as writer:
            self._claim(index, made=made, linked=True)
            self._notes.set_stamps(index.root.name, survey.restamped)
            index.set_stamps(survey.restamped)
            if not current:
                relink(writer, index)
            if report.touched:
                counts = {name: getattr(report, name) for name in ("added", "changed", "renamed", "removed", "chunks")}
                writer.commit(events=[request.event("index", index.root.name, counts)])

    def _report(self, survey: Survey, index: RootIndex, reader: NoteReader, dry_run: bool) -> IndexReport:
        counts, renamed = survey.counts, survey.renamed
        return IndexReport(
            index.root.name,
            index.root.folder,
            counts["added"] - renamed,
            counts["changed"],
            renamed,
            counts["removed"] - renamed,
            counts["unchanged"],
            tuple(sorted({(each.path, each.why) for each in (*survey.walked.skipped, *reader.skipped.values())})),
            len(index.chunks),
            counts["embedded"],
            vector_off=self._engine.arm.off,
            dry_run=dry_run,
        )


def relink(writer: Writer, index: RootIndex) -> None:
    """Make the edges of a root match the links in its files."""
    keys = {chunk.key for chunk in index.chunks.values()}
    stored: defaultdict[str, set[str]] = defaultdict(set)
    for edge in writer.store.edges(sorted(keys)):
        if edge.kind == HOP and edge.target in keys:
            stored[edge.source].add(edge.target)
    wanted = index.edges_from_links()
    for source, targets in sorted(stored.items()):
        if targets - wanted.get(source, set()):
            _replace_edges(writer, source, targets & wanted.get(source, set()))
    writer.commit(
        edges=[
            Edge(source, target, HOP, UNDATED)
            for source, targets in sorted(wanted.items())
            for target in sorted(targets - stored[source])
        ]
    )


def _replace_edges(writer: Writer, key: str, targets: Iterable[str]) -> None:
    """Write a record again with only these links. A store removes edges only together with their record."""
    store = writer.store
    kept = [edge for edge in store.edges([key]) if edge.kind != HOP or edge.target in targets]
    kept += store.edges([key], incoming=True)
    record, vectors = store.get([key]), writer.request.view.vectors([key])
    store.delete([key])
    writer.commit(record, Embedded(vectors[key].reshape(1, -1), {}) if vectors else None, kept)
