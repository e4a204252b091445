"""A note as it is indexed: its chunks cleaned and named by their content, with all that its file says of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath

from aforesaid.notes.files.blocks import blocks_of, lines_of
from aforesaid.notes.files.chunks import PATH_SIGN, chunks_of
from aforesaid.notes.files.front import FrontMatter, front_of
from aforesaid.notes.files.links import ChunkLinks, marks_in, prose_of
from aforesaid.notes.files.masked import without_long_secrets
from aforesaid.retrieval.ranking.file_tiers import Tier, day_of, tier_of
from aforesaid.settings.rows import FileRows
from aforesaid.types import Boundary

DIGEST_BYTES = 8  # of a chunk's text: enough that no two chunks of a folder meet
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Clean = Callable[[str, Boundary], tuple[str, tuple[str, ...], Boundary]]


@dataclass(frozen=True, slots=True)
class NoteChunk:
    """A chunk of a note: where it stands, its cleaned text and what that is called, and what stands in it."""

    first: int
    last: int
    columns: tuple[int, int] | None
    text: str
    digest: str
    heading: str
    redactions: tuple[str, ...]
    boundary: Boundary
    marks: ChunkLinks


@dataclass(frozen=True, slots=True)
class Note:
    """A note: its path in the root, its tier and day, what its front matter says, and its pieces in order."""

    path: str
    tier: Tier
    time: datetime
    front: FrontMatter
    pieces: tuple[NoteChunk, ...]

    def headings(self, piece: NoteChunk) -> str:
        """What a piece is embedded under: the note's title and the headings above it."""
        return _joined(self.front.title, piece.heading)

    def role(self, piece: NoteChunk) -> str:
        """What a piece is found under: the note's name too, which links and people use for it."""
        under = self.headings(piece)
        name = PurePosixPath(self.path).stem
        return under if f" {_said(name)} " in f" {_said(under)} " else _joined(name, under)


def note_of(path: str, text: str, mtime_ns: int, count: Callable[[str], int], clean: Clean, rows: FileRows) -> Note:
    """Cut and clean the text of a file."""
    lines = without_long_secrets(lines_of(text))
    blocks = list(blocks_of(lines))
    front = front_of(lines, blocks)
    prose = prose_of(lines, blocks, path)
    pieces = []
    for chunk in chunks_of(lines, count, rows, blocks):
        cleaned, redactions, boundary = clean(chunk.text, front.boundary or "internal")
        if cleaned.strip():
            marks = marks_in(prose, chunk.first, chunk.last)
            where = (chunk.first, chunk.last, chunk.columns)
            pieces.append(NoteChunk(*where, cleaned, digest_of(cleaned), chunk.heading, redactions, boundary, marks))
    time = front.day or day_of(path) or EPOCH + timedelta(microseconds=mtime_ns // 1000)
    return Note(path, tier_of(path, front.tier), time, front, tuple(pieces))


def digest_of(text: str) -> str:
    """What a chunk is called by its text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def _joined(above: str, below: str) -> str:
    return PATH_SIGN.join(part for part in (above, below if below != above else "") if part)


def _said(words: str) -> str:
    """Words as they are compared: a file's hyphens are a heading's blanks."""
    return " ".join(words.casefold().replace("-", " ").replace("_", " ").split())
