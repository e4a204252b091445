"""Turns a file into a note: redacted chunks with digests, headings, links, tags and front matter."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath

from aforesaid.notes.files.blocks import blocks_of, lines_of
from aforesaid.notes.files.chunks import PATH_SIGN, chunks_of
from aforesaid.notes.files.front import FrontMatter, front_of
from aforesaid.notes.files.links import ChunkMarkup, markup_in, prose_of
from aforesaid.retrieval.ranking.file_tiers import Tier, day_of, tier_of
from aforesaid.settings.rows import FileRows
from aforesaid.text.extract.reader import WITHHELD, guarded
from aforesaid.types import Boundary

DIGEST_BYTES = 8  # of a chunk's text: enough to avoid collisions in a folder
PRIVATE_KEY = "PRIVATE KEY"  # the only secret that spans several lines
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Clean = Callable[[str, Boundary], tuple[str, tuple[str, ...], Boundary]]


@dataclass(frozen=True, slots=True)
class NoteChunk:
    """A chunk of a note: lines, redacted text and its digest, headings, and markup."""

    first: int
    last: int
    columns: tuple[int, int] | None
    text: str
    digest: str
    heading: str
    redactions: tuple[str, ...]
    boundary: Boundary
    markup: ChunkMarkup


@dataclass(frozen=True, slots=True)
class Note:
    """A note: its path in the root, tier, time, front matter, and chunks in order."""

    path: str
    tier: Tier
    time: datetime
    front: FrontMatter
    chunks: tuple[NoteChunk, ...]

    def headings(self, chunk: NoteChunk) -> str:
        """The title of the note and the headings above a chunk. They are embedded with it."""
        return _joined(self.front.title, chunk.heading)

    def role(self, chunk: NoteChunk) -> str:
        """The headings with the name of the note, which people search for too."""
        under = self.headings(chunk)
        name = PurePosixPath(self.path).stem
        return under if f" {_normalised(name)} " in f" {_normalised(under)} " else _joined(name, under)


def note_of(path: str, text: str, mtime_ns: int, count: Callable[[str], int], clean: Clean, rows: FileRows) -> Note:
    """Cut the text of a file into chunks and redact them."""
    lines = without_long_secrets(lines_of(text))
    blocks = list(blocks_of(lines))
    front = front_of(lines, blocks)
    prose = prose_of(lines, blocks, path)
    chunks = []
    for chunk in chunks_of(lines, count, rows, blocks):
        cleaned, redactions, boundary = clean(chunk.text, front.boundary or "internal")
        if cleaned.strip():
            markup = markup_in(prose, chunk.first, chunk.last)
            where = (chunk.first, chunk.last, chunk.columns)
            chunks.append(NoteChunk(*where, cleaned, digest_of(cleaned), chunk.heading, redactions, boundary, markup))
    time = front.day or day_of(path) or EPOCH + timedelta(microseconds=mtime_ns // 1000)
    return Note(path, tier_of(path, front.tier), time, front, tuple(chunks))


def without_long_secrets(lines: Sequence[str]) -> list[str]:
    """The lines, with secrets that span several lines redacted. Cut into chunks they would not be recognised.

    When the reader of secrets fails, every line is withheld. The number of lines stays the same.
    """
    if not any(PRIVATE_KEY in line for line in lines):
        return list(lines)
    withheld = [WITHHELD.text, *[""] * (len(lines) - 1)]
    return guarded("secrets", lambda: _without_long_secrets("\n".join(lines)), withheld)


def _without_long_secrets(text: str) -> list[str]:
    from aforesaid.text.extract.secrets import (  # its patterns take a tenth of a second to compile
        find_secrets,
        redact_secrets,
    )

    parts, end = [], 0
    for secret in find_secrets(text):
        inside = text[secret.start : secret.end]
        if "\n" in inside:
            label = redact_secrets(inside).text.replace("\n", " ")
            parts += [text[end : secret.start], "\n".join([label] * (inside.count("\n") + 1))]
            end = secret.end
    return "".join([*parts, text[end:]]).split("\n")


def digest_of(text: str) -> str:
    """The digest of a chunk's text, which is part of its id."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def _joined(above: str, below: str) -> str:
    return PATH_SIGN.join(part for part in (above, below if below != above else "") if part)


def _normalised(words: str) -> str:
    """Text for comparison: lower case, with spaces for hyphens and underscores."""
    return " ".join(words.casefold().replace("-", " ").replace("_", " ").split())
