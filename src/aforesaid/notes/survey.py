"""A walk against what the store knows: which files have to be read, which are gone, and what each turned out to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from aforesaid.notes.changes import NoteReader, ReadNote
from aforesaid.notes.files.walk import NoteFile, Walked, under
from aforesaid.notes.state import Shelf, Stamp, path_digest

GONE = ReadNote(None, None)


@dataclass(slots=True)
class Survey:
    """One look at a folder; `same_way` when its chunks were made as they would be made now."""

    walked: Walked
    shelf: Shelf
    reader: NoteReader
    same_way: bool
    counts: Counter[str] = field(default_factory=Counter)
    restamped: dict[str, Stamp] = field(default_factory=dict)
    _came: Counter[str] = field(default_factory=Counter)
    _left: Counter[str] = field(default_factory=Counter)
    _blind: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self._blind = [skipped.path for skipped in self.walked.skipped if skipped.passing]

    @property
    def renamed(self) -> int:
        """Files that went, and came again under another name with the same content."""
        return (self._came & self._left).total()

    def todo(self) -> list[NoteFile]:
        """Files that may not be as they were: by size and time, and by the chunks that should be there."""
        todo = []
        for found in self.walked.found:
            stamp = self._stamp(found.path)
            if self.same_way and stamp is not None and stamp[:2] == (found.size, found.mtime_ns):
                self.counts["unchanged"] += 1
            else:
                todo.append(found)
        return todo

    def gone(self) -> frozenset[str]:
        """Files with chunks that were here and are not; what could not be looked at may still be there."""
        here = {found.path for found in self.walked.found}
        return frozenset(path for path in self.shelf.by_path if path not in here and not self._hidden(path))

    def lost(self) -> dict[str, Stamp]:
        """The stamps of files that are not here, by the digest of their paths."""
        here = {path_digest(found.path) for found in self.walked.found}
        hidden = {path_digest(path) for path in self.shelf.by_path if self._hidden(path)}
        return {name: stamp for name, stamp in self.shelf.stamps.items() if name not in here and name not in hidden}

    def taken(self, files: Iterable[NoteFile]) -> dict[str, ReadNote]:
        """These files read and cut, without those that prove to be as they were."""
        taken = ((found.path, self._take(found)) for found in files)
        return {path: each for path, each in taken if each is not None}

    def take_lost(self, gone: frozenset[str], lost: Mapping[str, Stamp]) -> dict[str, ReadNote]:
        """The files that are gone."""
        self.counts["removed"] += len(lost)
        self._left.update(stamp.digest for stamp in lost.values())
        return {path: GONE for path in sorted(gone) if path in self.shelf.by_path}

    def _take(self, found: NoteFile) -> ReadNote | None:
        stamp = self.shelf.stamps.get(path_digest(found.path))
        read = self.reader.read(found.path)
        if read is None:
            return self._unread(found.path, stamp)
        data, now = read
        known = self._stamp(found.path)
        if self.same_way and known and (known.digest, abs(known.mtime_ns)) == (now.digest, abs(now.mtime_ns)):
            self.counts["unchanged"] += 1
            self.restamped[found.path] = now._replace(places=known.places)
            return None
        taken = self.reader.note(found.path, data, now)
        if taken.note is None:
            return self._unread(found.path, stamp)
        if stamp is None:
            self.counts["added"] += 1
            self._came[now.digest] += 1
        else:
            self.counts["unchanged" if stamp.digest == now.digest else "changed"] += 1
        return taken

    def _unread(self, path: str, stamp: Stamp | None) -> ReadNote | None:
        """A file that cannot be a note: what was indexed of it goes, unless it may be one at the next look."""
        known = stamp is not None or path in self.shelf.by_path
        if self.reader.skipped[path].passing or not known:
            self.counts["unchanged"] += known
            return None
        self.counts["removed"] += 1
        return GONE

    def _stamp(self, path: str) -> Stamp | None:
        """A file's stamp, if all of its chunks are there."""
        stamp = self.shelf.stamps.get(path_digest(path))
        return stamp if stamp is not None and stamp.places == self.shelf.in_file(path) else None

    def _hidden(self, path: str) -> bool:
        return bool(self._blind) and under(path, self._blind)
