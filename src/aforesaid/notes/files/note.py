"""Turns a file into a note: redacted chunks with digests, headings, links, tags and front matter."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

from aforesaid.notes.files.blocks import Block, blocks_of, lines_of
from aforesaid.notes.files.chunks import EPOCH, PATH_SIGN, chunks_of
from aforesaid.notes.files.days import day_of_heading
from aforesaid.notes.files.links import ChunkMarkup, markup_in, prose_of
from aforesaid.policy.enforcement import Cleaned
from aforesaid.retrieval.ranking.file_tiers import Tier, day_of, tier_of
from aforesaid.settings.rows import FileRows
from aforesaid.text.extract.reader import WITHHELD, guarded
from aforesaid.types import BOUNDARIES, Boundary

DIGEST_BYTES = 8  # of a chunk's text: enough to avoid collisions in a folder
PRIVATE_KEY = "PRIVATE KEY"  # the only secret that spans several lines
MAX_FRONT_CHARS = 20_000  # longer front matter is not parsed
MAX_TAGS = 50
MAX_VALUE_CHARS = 200  # of a title, a tag or an alias
DATE_KEYS = ("updated", "modified", "date", "created")  # the first one with a date counts
SOURCE_KEYS = ("source", "url")  # with a web address, the note is a clip of somebody else's text
_WEB = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The values that could be parsed; the others are empty."""

    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    tier: str = ""
    boundary: Boundary | None = None
    day: datetime | None = None
    foreign: bool = False


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
    day: datetime | None = None  # the day that its heading, the front matter or the file's name gives


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


def note_of(
    path: str,
    text: str,
    mtime_ns: int,
    count: Callable[[str], int],
    clean: Callable[[str, Boundary], Cleaned],
    rows: FileRows,
) -> Note:
    """Cut the text of a file into chunks and redact them."""
    lines = without_long_secrets(lines_of(text))
    blocks = list(blocks_of(lines))
    front = front_of(lines, blocks)
    prose = prose_of(lines, blocks, path)
    chunks, stated = [], front.day or day_of(path)
    time = stated or EPOCH + timedelta(microseconds=mtime_ns // 1000)
    for chunk in chunks_of(lines, count, rows, blocks, time):
        cleaned = clean(chunk.text, front.boundary or "internal")
        if cleaned.text.strip():
            where = (chunk.first, chunk.last, chunk.columns, cleaned.text, _digest(cleaned.text), chunk.heading)
            markup = markup_in(prose, chunk.first, chunk.last)
            day = day_of_heading(chunk.section, time) or stated
            chunks.append(NoteChunk(*where, cleaned.kinds, cleaned.boundary, markup, day))
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


def _digest(text: str) -> str:
    """The digest of a chunk's text, which is part of its id."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def _joined(above: str, below: str) -> str:
    return PATH_SIGN.join(part for part in (above, below if below != above else "") if part)


def _normalised(words: str) -> str:
    """Text for comparison: lower case, with spaces for hyphens and underscores."""
    return " ".join(words.casefold().replace("-", " ").replace("_", " ").split())


def front_of(lines: Sequence[str], blocks: Sequence[Block]) -> FrontMatter:
    """The front matter of a file. Invalid YAML counts as none."""
    if not blocks or blocks[0].kind != "front matter":
        return FrontMatter()
    values = _yaml("\n".join(lines[1 : blocks[0].end - 1]))
    boundary = str(values.get("boundary", "")).strip().lower()
    days = (_day(values.get(name)) for name in DATE_KEYS)
    return FrontMatter(
        title=_scalar(values.get("title")),
        tags=tuple(dict.fromkeys(tag.lstrip("#") for tag in _list(values.get("tags", values.get("tag"))))),
        aliases=_list(values.get("aliases", values.get("alias"))),
        tier=_scalar(values.get("tier")),
        boundary=next((name for name in BOUNDARIES if name == boundary), None),
        day=next(filter(None, days), None),
        foreign=any(_WEB.match(_scalar(values.get(name))) for name in SOURCE_KEYS),
    )


def _yaml(text: str) -> dict[str, Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        found = yaml.load(text, loader) if len(text) <= MAX_FRONT_CHARS else None
    except (yaml.YAMLError, ValueError, RecursionError, AttributeError):
        return {}
    return {str(name).lower(): value for name, value in found.items()} if isinstance(found, dict) else {}


def _scalar(value: Any) -> str:
    """A scalar as one line of text; empty for lists and mappings."""
    if isinstance(value, (list, tuple, dict, set)) or value is None:
        return ""
    return " ".join(str(value).split())[:MAX_VALUE_CHARS]


def _list(value: Any) -> tuple[str, ...]:
    """A list of texts: a YAML list, or one text separated by commas or spaces."""
    if isinstance(value, str):
        value = value.split(",") if "," in value else value.split()
    if not isinstance(value, (list, tuple)):
        value = [value]
    return tuple(text for item in list(value)[:MAX_TAGS] if (text := _scalar(item)))


def _day(value: Any) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return datetime(value.year, value.month, value.day, tzinfo=UTC) if isinstance(value, date) else None
