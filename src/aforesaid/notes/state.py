"""What a store knows of a folder of notes: the root, the stamp of every file, the chunks and where they stand.

Chunks are records; a root and the stamps of its files are values kept with the store, the files under a digest of their
path, so that nothing of a path outlives its records.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from aforesaid.engine.engine import Engine
from aforesaid.notes.files.links import Link, Names, names_of
from aforesaid.retrieval.ranking.file_tiers import TIERS, Tier
from aforesaid.types import Filter, Record, owner_of

ROOT, PLACES, HEADING, LINKS, ANCHORS, ALIASES = "root", "places", "heading", "links", "anchors", "aliases"
HOP = "hop"


@dataclass(frozen=True, slots=True)
class NotesRoot:
    """A folder that is indexed: its name, where it is, and what its chunks were made with.

    `generation` counts the commits, so that two who index at once notice each other; `linked` is whether the edges are
    those of the chunks that are there.
    """

    name: str
    folder: str
    made: str = ""
    generation: int = 0
    linked: bool = True


class ChunkLocation(NamedTuple):
    """Where a chunk stands; the order is the one of preference."""

    rank: int
    path: str
    first: int
    last: int

    @property
    def tier(self) -> Tier:
        """What the note is."""
        return TIERS[self.rank]


class Stamp(NamedTuple):
    """A file as it was when it was indexed; a negative time was too fresh to trust, and a digest has to agree."""

    size: int
    mtime_ns: int
    digest: str
    places: int


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk in the store: its key, the places where its text stands, and what is needed to link it."""

    key: str
    places: tuple[ChunkLocation, ...]
    heading: str
    links: tuple[Link, ...] = ()
    anchors: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotesOwner:
    """Whose notes they are: the partition they lie in."""

    engine: Engine
    owner: str

    @property
    def chunks(self) -> Filter:
        """All chunks of the owner, whatever a purpose may see."""
        return Filter(self.engine.tenant, (self.owner,), kinds=("chunk",), echoes=True, withheld=True)

    @property
    def roots(self) -> dict[str, NotesRoot]:
        """The owner's roots by name."""
        found = json.loads(self.engine.store.setting(self._registry) or "{}")
        return {name: NotesRoot(name, **values) for name, values in found.items()}

    @property
    def _registry(self) -> str:
        return f"roots/{self.engine.tenant}/{self.owner}"

    def note(self, root: NotesRoot) -> None:
        """Remember a root as it is now."""
        self._keep({**self.roots, root.name: root})

    def drop(self, name: str) -> None:
        """Remember a root no longer."""
        self._keep({other: root for other, root in self.roots.items() if other != name})
        for setting in self._stamped(name):
            self.engine.store.drop_setting(setting)

    def _keep(self, roots: Mapping[str, NotesRoot]) -> None:
        if not roots:
            self.engine.store.drop_setting(self._registry)
            return
        values = {name: {k: v for k, v in asdict(root).items() if k != "name"} for name, root in sorted(roots.items())}
        self.engine.store.put_setting(self._registry, json.dumps(values, ensure_ascii=False))

    def stamp(self, root: str, path: str, stamp: Stamp | None) -> None:
        """Remember a file as it was indexed, or with None that it is gone."""
        self.stamp_named(root, path_digest(path), stamp)

    def stamp_named(self, root: str, name: str, stamp: Stamp | None) -> None:
        """The same by the digest of the path."""
        setting = f"{_prefix(root)}{name}/{self.engine.tenant}/{self.owner}"
        if stamp is None:
            self.engine.store.drop_setting(setting)
        else:
            self.engine.store.put_setting(setting, " ".join(map(str, stamp)))

    def _stamped(self, root: str) -> dict[str, str]:
        prefix, end = _prefix(root), f"/{self.engine.tenant}/{self.owner}"
        found = self.engine.store.settings().items()
        return {name: value for name, value in found if name.startswith(prefix) and name.endswith(end)}

    def stamps(self, root: str) -> dict[str, Stamp]:
        """Every file of a root by the digest of its path."""
        start, end = len(_prefix(root)), len(f"/{self.engine.tenant}/{self.owner}")
        return {name[start:-end]: _stamp(value) for name, value in self._stamped(root).items()}

    def stamp_of(self, root: str, path: str) -> Stamp | None:
        """One file of a root."""
        name = f"{_prefix(root)}{path_digest(path)}/{self.engine.tenant}/{self.owner}"
        value = self.engine.store.setting(name)
        return _stamp(value) if value else None


def whose(engine: Engine, scope: Any, user: str | None, project: str | None) -> NotesOwner:
    """The partition of a scope."""
    return NotesOwner(engine, owner_of(scope, user, project))


@dataclass(slots=True)
class Shelf:
    """All of a root at hand: stamps by the digest of a path, chunks by that of their text, and the edges between."""

    root: NotesRoot
    stamps: dict[str, Stamp] = field(default_factory=dict)
    held: dict[str, StoredChunk] = field(default_factory=dict)
    edges: dict[str, set[str]] = field(default_factory=dict)
    by_path: dict[str, Counter[str]] = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)
    _names: Names | None = None
    _aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _goals: dict[tuple[str, str], str | None] = field(default_factory=dict)
    _orders: dict[str, list[StoredChunk]] = field(default_factory=dict)

    def put(self, digest: str, held: StoredChunk | None) -> None:
        """Take a chunk in, or out with None."""
        old = self.held.pop(digest, None)
        for place in (*(old.places if old else ()), *(held.places if held else ())):
            self._orders.pop(place.path, None)
        for place in old.places if old else ():
            there = self.by_path[place.path]
            there[digest] -= 1
            if not there[digest]:
                del there[digest]
            if not there:
                del self.by_path[place.path]
        if held is not None:
            self.held[digest] = held
            for place in held.places:
                self.by_path.setdefault(place.path, Counter())[digest] += 1
        if old is not None and (held is None or held.key != old.key):
            self.cut.add(old.key)

    def stamped(self, name: str, stamp: Stamp | None) -> None:
        """Note a file by the digest of its path, or with None that it is gone."""
        if stamp is None:
            self.stamps.pop(name, None)
        else:
            self.stamps[name] = stamp

    def settle(self) -> None:
        """Records that went took their edges along."""
        if self.cut:
            self.edges = {key: targets - self.cut for key, targets in self.edges.items() if key not in self.cut}
            self.cut.clear()

    def in_file(self, path: str) -> int:
        """How many places of a file are held."""
        return sum(self.by_path.get(path, {}).values())

    def wanted(self) -> dict[str, set[str]]:
        """The edges that the links of all chunks ask for, by the key of the chunk they leave."""
        names = self._called()
        found: dict[str, set[str]] = {}
        for held in self.held.values():
            for link, anchor in held.links:
                asked = (link, held.places[0].path)
                if asked not in self._goals:
                    self._goals[asked] = names.target(*asked)
                path = self._goals[asked]
                if path is None:
                    continue
                order = self._in_order(path)
                target = next((each for each in order if anchor in each.anchors), order[0])
                if target.key != held.key:
                    found.setdefault(held.key, set()).add(target.key)
        return found

    def _called(self) -> Names:
        """The names of all files, made anew only when one came, went or changed its names."""
        aliases = {held.places[0].path: held.aliases for held in self.held.values() if held.aliases}
        if self._names is None or self._names.paths != self.by_path.keys() or self._aliases != aliases:
            self._names, self._aliases = names_of(self.by_path, aliases), aliases
            self._goals.clear()
        return self._names

    def _in_order(self, path: str) -> list[StoredChunk]:
        """The chunks of a file as they stand in it."""
        if path not in self._orders:
            found = ((place, digest) for digest in self.by_path[path] for place in self.held[digest].places)
            self._orders[path] = [self.held[digest] for place, digest in sorted(found) if place.path == path]
        return self._orders[path]


def load(owner: NotesOwner, root: NotesRoot) -> Shelf:
    """All that the store knows of a root."""
    shelf = Shelf(root, owner.stamps(root.name))
    for record in owner.engine.store.find(owner.chunks):
        if record.meta.get(ROOT) == root.name:
            shelf.put(digest_in(record), held_of(record))
    keys = {held.key for held in shelf.held.values()}
    for edge in owner.engine.store.edges(sorted(keys)):
        if edge.kind == HOP and edge.target in keys:
            shelf.edges.setdefault(edge.source, set()).add(edge.target)
    return shelf


def held_of(record: Record) -> StoredChunk:
    """A chunk's record as a shelf holds it."""
    meta = record.meta
    return StoredChunk(
        record.key,
        tuple(ChunkLocation(TIERS.index(tier), path, first, last) for path, first, last, tier in meta[PLACES]),
        meta.get(HEADING, ""),
        tuple((target, anchor) for target, anchor in meta.get(LINKS, ())),
        tuple(meta.get(ANCHORS, ())),
        tuple(meta.get(ALIASES, ())),
    )


def digest_in(record: Record) -> str:
    """The digest of a chunk's text, which ends its id."""
    return record.id.rpartition("#")[2]


def placed(record: Record, places: Iterable[ChunkLocation]) -> Record:
    """The record with other places."""
    listed = [[place.path, place.first, place.last, place.tier] for place in places]
    return replace(record, meta={**record.meta, PLACES: listed})


@lru_cache(maxsize=1 << 17)
def path_digest(path: str) -> str:
    """What a file is called among the stamps."""
    return hashlib.blake2b(path.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _prefix(root: str) -> str:
    return f"file:{root}:"


def _stamp(value: str) -> Stamp:
    size, mtime, digest, places = value.split(" ")
    return Stamp(int(size), int(mtime), digest, int(places))
