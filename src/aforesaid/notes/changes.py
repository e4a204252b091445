"""Some files of a root → what changes in the store: records to write and to delete, and the vectors that stay.

A text that stands in several places of a root is one record. It is named after the best of them (a topic before curated
memory before a note before a log, then by path), and when that place goes it is named after the next.
"""

from __future__ import annotations

import hashlib
import time as timing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from aforesaid.engine.request import Request
from aforesaid.ingest.claims import Owner
from aforesaid.math.vectors import Vectors
from aforesaid.notes.files.chunks import CHUNKER
from aforesaid.notes.files.note import Note, NoteChunk, note_of
from aforesaid.notes.files.walk import SkippedFile, Unreadable, decoded, read_note
from aforesaid.notes.state import (
    ALIASES,
    ANCHORS,
    HEADING,
    LINKS,
    ROOT,
    ChunkLocation,
    Shelf,
    Stamp,
    StoredChunk,
    held_of,
    placed,
)
from aforesaid.policy.enforcement import Guard
from aforesaid.retrieval.ranking.file_tiers import TIER, TIERS
from aforesaid.text.analyze import searchable
from aforesaid.types import USES, Boundary, Provenance, Record

RACY_NS = 2_000_000_000  # a file written this shortly before it was read may change without its time changing
TAGS, COLUMNS = "tags", "columns"


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A file as it was read; no note when it is gone, or no longer one."""

    note: Note | None
    stamp: Stamp | None


@dataclass(slots=True)
class NoteChanges:
    """What a few files change: records to write, keys to delete, vectors that stay with their words."""

    put: list[Record] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    carried: dict[str, Vectors] = field(default_factory=dict)
    embed: dict[str, str] = field(default_factory=dict)
    held: dict[str, StoredChunk | None] = field(default_factory=dict)
    taken: dict[str, ReadNote] = field(default_factory=dict)


@dataclass(slots=True)
class NoteReader:
    """Reads the notes of a root, and keeps account of what could not be read."""

    request: Request
    folder: Path
    root: str
    owner: Owner
    skipped: dict[str, SkippedFile] = field(default_factory=dict)
    guard: Guard = field(init=False)

    def __post_init__(self) -> None:
        self.guard = self.request.guard

    def read(self, path: str) -> tuple[bytes, Stamp] | None:
        """A file's bytes and what they are called; None when it cannot be a note, which is kept account of."""
        try:
            found = read_note(self.folder, path, self.request.settings.files)
        except Unreadable as error:
            self.skipped[path] = SkippedFile(path, error.why, error.passing)
            return None
        fresh = timing.time_ns() - found.mtime_ns < RACY_NS
        digest = hashlib.blake2b(found.data, digest_size=12).hexdigest()
        return found.data, Stamp(found.size, -found.mtime_ns if fresh else found.mtime_ns, digest, 0)

    def note(self, path: str, data: bytes, stamp: Stamp) -> ReadNote:
        """A file's bytes as a note, without what the policy refuses."""
        try:
            text = decoded(data)
        except Unreadable as error:
            self.skipped[path] = SkippedFile(path, error.why)
            return ReadNote(None, None)
        rows = self.request.settings.files
        note = note_of(path, text, abs(stamp.mtime_ns), self.request.count_tokens, self._clean, rows)
        note = self._allowed(note)
        return ReadNote(note, stamp._replace(places=len(note.pieces)))

    def taken(self, path: str) -> ReadNote:
        """A file, read and cut."""
        found = self.read(path)
        return self.note(path, *found) if found is not None else ReadNote(None, None)

    def _clean(self, text: str, boundary: Boundary) -> tuple[str, tuple[str, ...], Boundary]:
        cleaned = self.guard.clean(text, boundary)
        return cleaned.text, cleaned.kinds, cleaned.boundary

    def _allowed(self, note: Note) -> Note:
        if self.guard.policy is None:
            return note
        kept = []
        for number, piece in enumerate(note.pieces):
            verdict = self.guard.try_validate_record(self.record(note, piece, number, (place_of(note, piece),)))
            if isinstance(verdict, str):
                self.skipped[note.path] = SkippedFile(note.path, f"lines {piece.first}-{piece.last}: {verdict}")
            else:
                kept.append(piece)
        return replace(note, pieces=tuple(kept))

    def record(self, note: Note, piece: NoteChunk, number: int, places: Iterable[ChunkLocation]) -> Record:
        """The record of a piece, named after this place of it; pieces of a note follow each other in time."""
        owner, file = self.owner, f"{self.root}/{note.path}"
        meta = {
            ROOT: self.root,
            TIER: note.tier,
            HEADING: note.headings(piece),
            TAGS: list(dict.fromkeys((*note.front.tags, *piece.marks.tags))),
            LINKS: [list(link) for link in piece.marks.links],
            ANCHORS: list(piece.marks.anchors),
            ALIASES: list(note.front.aliases),
            COLUMNS: list(piece.columns or ()),
        }
        record = Record(
            id=f"{file}#{piece.digest}",
            kind="chunk",
            text=piece.text,
            time=note.time + timedelta(microseconds=number),
            tenant=self.request.tenant,
            scope=owner.scope,
            user=owner.user if owner.scope == "user" else None,
            project=owner.project if owner.scope == "project" else None,
            session=file,
            role=f"§ {role}" if (role := note.role(piece)) else None,
            boundary=piece.boundary,
            memory_type="knowledge",
            provenance=Provenance(who="author", method="indexed", file=file, lines=(piece.first, piece.last)),
            redactions=piece.redactions,
            tainted=note.front.foreign,
            meta={name: value for name, value in meta.items() if value},
        )
        return placed(record, places)


def place_of(note: Note, piece: NoteChunk) -> ChunkLocation:
    """Where a piece stands."""
    return ChunkLocation(TIERS.index(note.tier), note.path, piece.first, piece.last)


def made_with(request: Request) -> str:
    """What the same files would give other chunks under: the way of cutting, its sizes, the tokenizer, the policy."""
    rows, policy = request.settings.files, request.policy
    parts = (CHUNKER, rows.chunk_tokens, rows.overlap_tokens, bool(request.tokenizer), policy.version if policy else "")
    return hashlib.blake2b(repr(parts).encode(), digest_size=6).hexdigest()


def change_of(reader: NoteReader, shelf: Shelf, taken: Mapping[str, ReadNote], gone: frozenset[str]) -> NoteChanges:
    """What these files change, given that some others are gone; files that share their text are read too."""
    files = _Files(shelf, dict(taken), gone)
    while missing := sorted(set(files.unread())):
        files = _Files(shelf, files.taken | {path: reader.taken(path) for path in missing}, gone)
    change = NoteChanges(taken=files.taken)
    affected = sorted(files.affected | files.pieces.keys())
    keys = [shelf.held[digest].key for digest in affected if digest in shelf.held]
    old = {record.key: record for record in reader.request.store.get(keys)}
    for digest in affected:
        _settle(change, reader, digest, files, old)
    _carry(change, reader, shelf, old)
    return change


class _Files:
    """The files at hand: their pieces by the digest of their text, and where else the same texts stand."""

    def __init__(self, shelf: Shelf, taken: dict[str, ReadNote], gone: frozenset[str]) -> None:
        self.taken = taken
        self._shelf, self._gone = shelf, gone
        self.pieces: dict[str, dict[ChunkLocation, tuple[Note, NoteChunk, int]]] = {}
        self._here: dict[str, list[ChunkLocation]] = {}
        for note in (each.note for each in taken.values() if each.note is not None):
            for number, piece in enumerate(note.pieces):
                place = place_of(note, piece)
                self.pieces.setdefault(piece.digest, {}).setdefault(place, (note, piece, number))
                self._here.setdefault(piece.digest, []).append(place)
        self.affected = {digest for path in taken for digest in shelf.by_path.get(path, ())}

    def held(self, digest: str) -> StoredChunk | None:
        """The text as it is in the store."""
        return self._shelf.held.get(digest)

    def places(self, digest: str) -> list[ChunkLocation]:
        """All places of a text, the best first: those of the files at hand, and those of others that stay."""
        held = self.held(digest)
        stay = [p for p in (held.places if held else ()) if p.path not in self.taken and p.path not in self._gone]
        return sorted([*stay, *self._here.get(digest, ())])

    def unread(self) -> Iterator[str]:
        """Files whose words are needed, because a text that was named after another file will be named after them."""
        for digest in self.affected:
            places, held = self.places(digest), self.held(digest)
            if places and held and places[0] != held.places[0] and places[0] not in self.pieces.get(digest, {}):
                yield places[0].path


def _settle(change: NoteChanges, reader: NoteReader, digest: str, files: _Files, old: Mapping[str, Record]) -> None:
    """Decide on one text: write it, write it elsewhere, or delete it."""
    held, places = files.held(digest), files.places(digest)
    before = old.get(held.key) if held else None
    made = files.pieces.get(digest, {}).get(places[0]) if places else None
    record = _learned(reader.record(*made, places), before) if made else None
    if record is None and places and before is not None:
        record = placed(before, places)
    kept = reader.guard.try_validate_record(record) if record is not None else ""
    if isinstance(kept, str):
        change.held[digest] = None
        change.gone += [held.key] if held else []
        return
    change.held[digest] = held_of(kept)
    change.put += [kept] if kept != before else []
    change.gone += [held.key] if held is not None and held.key != kept.key else []


def _learned(record: Record, before: Record | None) -> Record:
    """What use has taught of a text stays with it when its file moves or is written again."""
    if before is None:
        return record
    uses = {USES: before.meta[USES]} if USES in before.meta else {}
    return replace(record, utility=before.utility, confidence=before.confidence, meta={**record.meta, **uses})


def _carry(change: NoteChanges, reader: NoteReader, shelf: Shelf, old: Mapping[str, Record]) -> None:
    """Vectors that stay with their words under the same headings; the rest is to be embedded."""
    written = {record.key: record for record in change.put}
    before = {digest: shelf.held[digest] for digest in change.held if digest in shelf.held}
    vectors = reader.request.store.vectors([held.key for held in before.values()]) if before else {}
    for digest, held in change.held.items():
        record = written.get(held.key) if held else None
        if held is None or record is None:
            continue
        was = before.get(digest)
        if was is None or was.heading != held.heading or was.key not in vectors:
            change.embed[held.key] = f"§ {held.heading}: {record.text}" if held.heading else record.text
        elif was.key != held.key or searchable(old[was.key]) != searchable(record):
            change.carried[held.key] = vectors[was.key]
