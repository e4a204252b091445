"""Computes what changed files change in the store: records to write and to delete, and vectors to keep.

The same text in several places of a root is one record. It is named after the best place (a topic before curated memory
before a note before a log, then by path). When that place is gone, the record is named after the next one.
"""

from __future__ import annotations

import hashlib
import time as timing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from aforesaid.engine.request import Request
from aforesaid.engine.token_counter import ESTIMATE
from aforesaid.ingest.claims import Owner
from aforesaid.math.vectors import Vectors
from aforesaid.notes.files.chunks import CHUNKER
from aforesaid.notes.files.note import Note, NoteChunk, note_of
from aforesaid.notes.files.walk import SkippedFile, Unreadable, decode, read_note
from aforesaid.notes.state import (
    ALIASES,
    ANCHORS,
    DAY,
    HEADING,
    LINKS,
    ROOT,
    ChunkLocation,
    RootIndex,
    Stamp,
    StoredChunk,
    content_digest,
    path_digest,
    stored_chunk,
    with_places,
)
from aforesaid.retrieval.ranking.file_tiers import TIER, TIERS
from aforesaid.text.analyze import searchable
from aforesaid.types import USES, Provenance, Record

RACY_NS = 2_000_000_000  # a file written so shortly before it was read can change again without a new time
TAGS, COLUMNS = "tags", "columns"


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A file that was read. Without a note it is gone, or no longer a note."""

    note: Note | None
    stamp: Stamp | None


GONE = ReadNote(None, None)


@dataclass(slots=True)
class NoteChanges:
    """What some files change: records to write, keys to delete, vectors to keep, texts to embed.

    `chunks` (by the digest of the text) and `stamps` (by that of the path) are the new state; None means removed.
    """

    put: list[Record] = field(default_factory=list)
    delete: list[str] = field(default_factory=list)
    kept_vectors: dict[str, Vectors] = field(default_factory=dict)
    embed: dict[str, str] = field(default_factory=dict)
    chunks: dict[str, StoredChunk | None] = field(default_factory=dict)
    stamps: dict[str, Stamp | None] = field(default_factory=dict)


@dataclass(slots=True)
class NoteReader:
    """Reads the notes of a root and records what could not be read."""

    request: Request
    folder: Path
    root: str
    owner: Owner
    skipped: dict[str, SkippedFile] = field(default_factory=dict)

    def read(self, path: str) -> tuple[bytes, Stamp] | None:
        """The bytes and the stamp of a file; None (and an entry in `skipped`) when it cannot be a note."""
        if self.request.readers.secrets_in_name(path):
            self.skipped[path] = SkippedFile(self.request.readers.without_secrets(path), "its name holds a secret")
            return None
        try:
            data, mtime_ns = read_note(self.folder, path, self.request.settings.files)
        except Unreadable as error:
            self.skipped[path] = SkippedFile(path, error.why, error.temporary)
            return None
        is_fresh = timing.time_ns() - mtime_ns < RACY_NS
        return data, Stamp(len(data), -mtime_ns if is_fresh else mtime_ns, content_digest(data), 0)

    def note(self, path: str, data: bytes, stamp: Stamp) -> ReadNote:
        """The note in these bytes, without chunks that the policy denies."""
        try:
            text = decode(data)
        except Unreadable as error:
            self.skipped[path] = SkippedFile(path, error.why)
            return GONE
        request = self.request
        clean, rows = request.guard.clean, request.settings.files
        note = self._allowed(note_of(path, text, abs(stamp.mtime_ns), request.count_tokens, clean, rows))
        return ReadNote(note, stamp._replace(places=len(note.chunks)))

    def read_note(self, path: str) -> ReadNote:
        """Read a file and cut it into chunks."""
        found = self.read(path)
        return self.note(path, *found) if found is not None else GONE

    def _allowed(self, note: Note) -> Note:
        if self.request.policy is None:
            return note
        kept = []
        for number, chunk in enumerate(note.chunks):
            verdict = self.request.guard.try_validate_record(
                self.record(note, chunk, number, (location_of(note, chunk),))
            )
            if isinstance(verdict, str):
                self.skipped[note.path] = SkippedFile(note.path, f"lines {chunk.first}-{chunk.last}: {verdict}")
            else:
                kept.append(chunk)
        return replace(note, chunks=tuple(kept))

    def record(self, note: Note, chunk: NoteChunk, number: int, places: Iterable[ChunkLocation]) -> Record:
        """The record of a chunk. The times of a note's chunks follow each other, to keep their order."""
        owner, file = self.owner, f"{self.root}/{note.path}"
        meta = {
            ROOT: self.root,
            TIER: note.tier,
            HEADING: note.headings(chunk),
            TAGS: list(dict.fromkeys((*note.front.tags, *chunk.markup.tags))),
            LINKS: [list(link) for link in chunk.markup.links],
            ANCHORS: list(chunk.markup.anchors),
            ALIASES: list(note.front.aliases),
            COLUMNS: list(chunk.columns or ()),
            DAY: chunk.day.date().isoformat() if chunk.day else "",
        }
        record = Record(
            id=f"{file}#{chunk.digest}",
            kind="chunk",
            text=chunk.text,
            time=(chunk.day or note.time) + timedelta(microseconds=number),
            tenant=self.request.tenant,
            scope=owner.scope,
            user=owner.user if owner.scope == "user" else None,
            project=owner.project if owner.scope == "project" else None,
            session=file,
            role=f"§ {role}" if (role := note.role(chunk)) else None,
            boundary=chunk.boundary,
            memory_type="knowledge",
            provenance=Provenance(who="author", method="indexed", file=file, lines=(chunk.first, chunk.last)),
            redactions=chunk.redactions,
            tainted=note.front.foreign,
            meta={name: value for name, value in meta.items() if value},
        )
        return with_places(record, places)


def location_of(note: Note, chunk: NoteChunk) -> ChunkLocation:
    """Where a chunk is."""
    return ChunkLocation(TIERS.index(note.tier), note.path, chunk.first, chunk.last)


def chunking_digest(request: Request) -> str:
    """A digest of what decides how files are cut: chunker version, sizes, tokenizer, policy."""
    rows, policy = request.settings.files, request.policy
    parts = (
        CHUNKER,
        rows.chunk_tokens,
        rows.overlap_tokens,
        request.counted_by,
        request.settings.tokens if request.counted_by == ESTIMATE else "",
        policy.version if policy else "",
    )
    return hashlib.blake2b(repr(parts).encode(), digest_size=6).hexdigest()


def change_of(reader: NoteReader, index: RootIndex, read: Mapping[str, ReadNote], gone: frozenset[str]) -> NoteChanges:
    """What these files change, when some others are gone. Also reads files that share text with them, if needed."""
    files = _Files(index, dict(read), gone)
    while missing := sorted(files.unread()):
        files = _Files(index, files.read | {path: reader.read_note(path) for path in missing}, gone)
    change = NoteChanges(stamps={path_digest(path): file.stamp for path, file in files.read.items()})
    affected = sorted(files.affected | files.chunks.keys())
    keys = [index.chunks[digest].key for digest in affected if digest in index.chunks]
    old = {record.key: record for record in reader.request.store.get(keys)}
    for digest in affected:
        _decide(change, reader, digest, index.chunks.get(digest), files, old)
    _keep_vectors(change, reader, index, old)
    return change


class _Files:
    """The files that were read: their chunks by the digest of the text, and other locations of the same texts."""

    def __init__(self, index: RootIndex, read: dict[str, ReadNote], gone: frozenset[str]) -> None:
        self.read = read
        self._index, self._gone = index, gone
        self.chunks: dict[str, dict[ChunkLocation, tuple[Note, NoteChunk, int]]] = {}
        self._here: dict[str, list[ChunkLocation]] = {}
        for note in (each.note for each in read.values() if each.note is not None):
            for number, chunk in enumerate(note.chunks):
                place = location_of(note, chunk)
                self.chunks.setdefault(chunk.digest, {}).setdefault(place, (note, chunk, number))
                self._here.setdefault(chunk.digest, []).append(place)
        self.affected = {digest for path in read for digest in index.by_path.get(path, ())}

    def places(self, digest: str) -> list[ChunkLocation]:
        """All locations of a text, best first: in the files that were read, and in others that remain."""
        stored = self._index.chunks.get(digest)
        stay = [p for p in (stored.places if stored else ()) if p.path not in self.read and p.path not in self._gone]
        return sorted([*stay, *self._here.get(digest, ())])

    def unread(self) -> set[str]:
        """Files to read as well, because a shared text will now be named after them."""
        best = {digest: places[0] for digest in self.affected if (places := self.places(digest))}
        return {
            place.path
            for digest, place in best.items()
            if place != self._index.chunks[digest].places[0] and place not in self.chunks.get(digest, {})
        }


def _decide(
    change: NoteChanges,
    reader: NoteReader,
    digest: str,
    stored: StoredChunk | None,
    files: _Files,
    old: Mapping[str, Record],
) -> None:
    """Decide what happens to one text: write it, rename it, or delete it."""
    places = files.places(digest)
    before = old.get(stored.key) if stored else None
    found = files.chunks.get(digest, {}).get(places[0]) if places else None
    record = _with_feedback(reader.record(*found, places), before) if found else None
    if record is None and places and before is not None:
        record = with_places(before, places)
    kept = reader.request.guard.try_validate_record(record) if record is not None else ""
    if isinstance(kept, str):
        change.chunks[digest] = None
        change.delete += [stored.key] if stored else []
        return
    change.chunks[digest] = stored_chunk(kept)
    change.put += [kept] if kept != before else []
    change.delete += [stored.key] if stored is not None and stored.key != kept.key else []


def _with_feedback(record: Record, before: Record | None) -> Record:
    """The record with the utility, confidence and use counts that its text had before."""
    if before is None:
        return record
    uses = {USES: before.meta[USES]} if USES in before.meta else {}
    return replace(record, utility=before.utility, confidence=before.confidence, meta={**record.meta, **uses})


def _keep_vectors(change: NoteChanges, reader: NoteReader, index: RootIndex, old: Mapping[str, Record]) -> None:
    """Keep the vectors of texts under the same headings; list the others for embedding."""
    written = {record.key: record for record in change.put}
    before = {digest: index.chunks[digest] for digest in change.chunks if digest in index.chunks}
    vectors = reader.request.view.vectors([chunk.key for chunk in before.values()]) if before else {}
    for digest, chunk in change.chunks.items():
        record = written.get(chunk.key) if chunk else None
        if chunk is None or record is None:
            continue
        old_chunk = before.get(digest)
        if old_chunk is None or old_chunk.heading != chunk.heading or old_chunk.key not in vectors:
            change.embed[chunk.key] = f"§ {chunk.heading}: {record.text}" if chunk.heading else record.text
        elif old_chunk.key != chunk.key or searchable(old[old_chunk.key]) != searchable(record):
            change.kept_vectors[chunk.key] = vectors[old_chunk.key]
