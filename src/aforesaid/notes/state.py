"""What the store knows of an indexed folder: the root, a stamp for every file, the chunks and their locations.

Chunks are records. The root and the stamps are settings of the store. A stamp is filed under a digest of its path, so
that no path remains in the store after its records are deleted.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

from aforesaid.engine.engine import Engine
from aforesaid.notes.files.links import NoteNames
from aforesaid.retrieval.ranking.file_tiers import TIERS, Tier
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import Filter, Record

ROOT, PLACES, HEADING, LINKS, ANCHORS, ALIASES = "root", "places", "heading", "links", "anchors", "aliases"
HOP = "hop"
DAY = "day"  # the day of a chunk that its heading, the front matter or the file's name gives


@dataclass(frozen=True, slots=True)
class NotesRoot:
    """An indexed folder. `made` is a digest of everything that decides how its files are cut into chunks.

    `generation` counts commits, so that two processes that index at the same time notice each other. `linked` says
    whether the edges match the stored chunks.
    """

    name: str
    folder: str
    made: str = ""
    generation: int = 0
    linked: bool = True


class ChunkLocation(NamedTuple):
    """Where a chunk is. Locations sort by preference: by tier, then by path."""

    rank: int
    path: str
    first: int
    last: int

    @property
    def tier(self) -> Tier:
        """The tier of the note."""
        return TIERS[self.rank]


class Stamp(NamedTuple):
    """A file as it was when it was indexed. With a negative time the digest must be compared too (see RACY_NS)."""

    size: int
    mtime_ns: int
    digest: str
    places: int


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk in the store: its key, all locations of its text (best first), and the `meta` of its record."""

    key: str
    places: tuple[ChunkLocation, ...]
    meta: Mapping[str, Any]

    @property
    def heading(self) -> str:
        """The headings above the chunk."""
        heading: str = self.meta.get(HEADING, "")
        return heading


@dataclass(frozen=True, slots=True)
class NotesOwner:
    """The owner of indexed folders, and the settings that belong to the owner."""

    engine: Engine
    owner: str

    @property
    def chunks(self) -> Filter:
        """A filter for all chunks of the owner, including hidden ones."""
        return Filter(self.engine.tenant, (self.owner,), kinds=("chunk",), echoes=True, withheld=True)

    def roots(self) -> dict[str, NotesRoot]:
        """The owner's indexed folders by name."""
        found = self.engine.store.values.items(ValueKind.NOTES_ROOT, self.engine.tenant, self.owner)
        return {slot.name: NotesRoot(slot.name, **json.loads(value)) for slot, value in found.items()}

    def save(self, root: NotesRoot) -> None:
        """Save a root."""
        values = {name: value for name, value in asdict(root).items() if name != "name"}
        self.engine.store.values.put(self._root(root.name), json.dumps(values, ensure_ascii=False))

    def remove(self, name: str) -> None:
        """Remove a root with its stamps."""
        for slot in (self._root(name), *self._files(name)):
            self.engine.store.values.drop(slot)

    def set_stamps(self, root: str, stamps: Mapping[str, Stamp | None]) -> None:
        """Save the stamps of files by the digest of the path. None removes one."""
        for name, stamp in stamps.items():
            if stamp is None:
                self.engine.store.values.drop(self._file(root, name))
            else:
                self.engine.store.values.put(self._file(root, name), " ".join(map(str, stamp)))

    def stamps(self, root: str) -> dict[str, Stamp]:
        """The stamps of a root's files by the digest of the path."""
        return {slot.name.rpartition("/")[2]: _stamp(value) for slot, value in self._files(root).items()}

    def stamp_of(self, root: str, path: str) -> Stamp | None:
        """The stamp of a file; None if it is not indexed."""
        value = self.engine.store.values.get(self._file(root, path_digest(path)))
        return _stamp(value) if value else None

    def _root(self, name: str) -> Slot:
        return Slot(ValueKind.NOTES_ROOT, self.engine.tenant, self.owner, name)

    def _file(self, root: str, path_digest: str) -> Slot:
        return Slot(ValueKind.NOTES_FILE, self.engine.tenant, self.owner, f"{root}/{path_digest}")

    def _files(self, root: str) -> dict[Slot, str]:
        return self.engine.store.values.items(ValueKind.NOTES_FILE, self.engine.tenant, self.owner, f"{root}/")


@dataclass(slots=True)
class RootIndex:
    """A copy of a root in memory: stamps by the digest of the path, chunks by that of the text."""

    root: NotesRoot
    stamps: dict[str, Stamp] = field(default_factory=dict)
    chunks: dict[str, StoredChunk] = field(default_factory=dict)
    by_path: dict[str, Counter[str]] = field(default_factory=dict)  # how often each text is in a file

    def put(self, digest: str, chunk: StoredChunk | None) -> None:
        """Add or replace a chunk, or remove it with None."""
        old = self.chunks.pop(digest, None)
        for place in old.places if old else ():
            there = self.by_path[place.path]
            there[digest] -= 1
            if not there[digest]:
                del there[digest]
            if not there:
                del self.by_path[place.path]
        if chunk is not None:
            self.chunks[digest] = chunk
            for place in chunk.places:
                self.by_path.setdefault(place.path, Counter())[digest] += 1

    def set_stamps(self, stamps: Mapping[str, Stamp | None]) -> None:
        """Set stamps by the digest of the path. None removes one."""
        every = {**self.stamps, **stamps}
        self.stamps = {name: stamp for name, stamp in every.items() if stamp is not None}

    def edges_from_links(self) -> dict[str, set[str]]:
        """The edges that the links in the files mean: the keys of targets by the key of the source."""
        aliases = {chunk.places[0].path: chunk.meta.get(ALIASES, ()) for chunk in self.chunks.values()}
        target_of, in_order = cache(NoteNames(self.by_path, aliases).target), cache(self._in_order)
        found: dict[str, set[str]] = {}
        for chunk in self.chunks.values():
            for link, anchor in chunk.meta.get(LINKS, ()):
                path = target_of(link, chunk.places[0].path)
                order = in_order(path) if path is not None else []
                if not order:
                    continue
                target = next((each for each in order if anchor in each.meta.get(ANCHORS, ())), order[0])
                if target.key != chunk.key:
                    found.setdefault(chunk.key, set()).add(target.key)
        return found

    def _in_order(self, path: str) -> list[StoredChunk]:
        """The chunks of a file in their order."""
        found = ((place, digest) for digest in self.by_path[path] for place in self.chunks[digest].places)
        return [self.chunks[digest] for place, digest in sorted(found) if place.path == path]


def load(owner: NotesOwner, root: NotesRoot) -> RootIndex:
    """Load a root from the store."""
    index = RootIndex(root, owner.stamps(root.name))
    for record in owner.engine.store.scan(owner.chunks):
        if record.meta.get(ROOT) == root.name:
            index.put(digest_in(record), stored_chunk(record))
    return index


def stored_chunk(record: Record) -> StoredChunk:
    """The chunk of a record."""
    places = (ChunkLocation(TIERS.index(tier), path, first, last) for path, first, last, tier in record.meta[PLACES])
    return StoredChunk(record.key, tuple(places), record.meta)


def digest_in(record: Record) -> str:
    """The digest of a chunk's text, which is the last part of its id."""
    return record.id.rpartition("#")[2]


def with_places(record: Record, places: Iterable[ChunkLocation]) -> Record:
    """The record with these locations."""
    values = [[place.path, place.first, place.last, place.tier] for place in places]
    return replace(record, meta={**record.meta, PLACES: values})


@lru_cache(maxsize=1 << 17)
def path_digest(path: str) -> str:
    """The digest of a path, under which its stamp is saved."""
    return content_digest(path.encode("utf-8", "surrogatepass"))


def content_digest(data: bytes) -> str:
    """The digest of a file's bytes in its stamp."""
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def _stamp(value: str) -> Stamp:
    size, mtime, digest, places = value.split(" ")
    return Stamp(int(size), int(mtime), digest, int(places))
