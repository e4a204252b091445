"""Compares a folder with its index: which files to read, which are gone, and how many changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from aforesaid.notes.changes import GONE, NoteReader, ReadNote
from aforesaid.notes.files.walk import NoteFile, Walked, under
from aforesaid.notes.state import RootIndex, Stamp, path_digest


@dataclass(slots=True)
class Survey:
    """One comparison. `same_chunking` says that files would be cut in the same way as when they were indexed."""

    walked: Walked
    index: RootIndex
    reader: NoteReader
    same_chunking: bool
    counts: Counter[str] = field(default_factory=Counter)
    restamped: dict[str, Stamp] = field(default_factory=dict)
    _added: Counter[str] = field(default_factory=Counter)
    _removed: Counter[str] = field(default_factory=Counter)

    @property
    def renamed(self) -> int:
        """The number of files that were removed and added under another name with the same content."""
        return (self._added & self._removed).total()

    def to_read(self) -> list[NoteFile]:
        """Files that may have changed, by size, time and number of chunks."""
        files = []
        for found in self.walked.found:
            stamp = self._stamp(found.path)
            if self.same_chunking and stamp is not None and stamp[:2] == (found.size, found.mtime_ns):
                self.counts["unchanged"] += 1
            else:
                files.append(found)
        return files

    def gone(self) -> tuple[frozenset[str], frozenset[str]]:
        """Count the indexed files that no longer exist. Returns the paths of those with chunks, and all their stamps.

        Files in unreadable folders do not count: they may still be there.
        """
        hidden = [skipped.path for skipped in self.walked.skipped if skipped.temporary]
        kept = {path_digest(found.path) for found in self.walked.found}
        kept |= {path_digest(path) for path in self.index.by_path if under(path, hidden)}
        stamps = {name: stamp for name, stamp in self.index.stamps.items() if name not in kept}
        self.counts["removed"] += len(stamps)
        self._removed.update(stamp.digest for stamp in stamps.values())
        return frozenset(path for path in self.index.by_path if path_digest(path) not in kept), frozenset(stamps)

    def read(self, files: Iterable[NoteFile]) -> dict[str, ReadNote]:
        """Read these files; those that turn out to be unchanged are left out."""
        return {file.path: note for file in files if (note := self._read(file)) is not None}

    def _read(self, found: NoteFile) -> ReadNote | None:
        stamp = self.index.stamps.get(path_digest(found.path))
        read = self.reader.read(found.path)
        if read is None:
            return self._unread(found.path, stamp)
        data, now = read
        known = self._stamp(found.path)
        if self.same_chunking and known and (known.digest, abs(known.mtime_ns)) == (now.digest, abs(now.mtime_ns)):
            self.counts["unchanged"] += 1
            self.restamped[path_digest(found.path)] = now._replace(places=known.places)
            return None
        note = self.reader.note(found.path, data, now)
        if note.note is None:
            return self._unread(found.path, stamp)
        if stamp is None:
            self.counts["added"] += 1
            self._added[now.digest] += 1
        else:
            self.counts["unchanged" if stamp.digest == now.digest else "changed"] += 1
        return note

    def _unread(self, path: str, stamp: Stamp | None) -> ReadNote | None:
        """A file that cannot be a note: its chunks are removed, unless it may be readable next time."""
        known = stamp is not None or path in self.index.by_path
        if self.reader.skipped[path].temporary or not known:
            self.counts["unchanged"] += known
            return None
        self.counts["removed"] += 1
        return GONE

    def _stamp(self, path: str) -> Stamp | None:
        """The stamp of a file, if all of its chunks are in the store."""
        stamp = self.index.stamps.get(path_digest(path))
        return stamp if stamp and stamp.places == self.index.by_path.get(path, Counter()).total() else None
