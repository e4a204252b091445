"""QueryAnalysis → snippets of notes with path, lines and score; and a path with lines → those lines as they are now."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal, overload

from aforesaid.engine.request import Request
from aforesaid.errors import InputError, NotFoundError
from aforesaid.notes.files.blocks import lines_of
from aforesaid.notes.files.choose import chosen
from aforesaid.notes.files.ignore import is_junk
from aforesaid.notes.files.masked import without_long_secrets
from aforesaid.notes.files.walk import Unreadable, decoded, read_note
from aforesaid.notes.state import PLACES, ROOT, NotesOwner, NotesRoot, digest_in
from aforesaid.retrieval.ranking.file_tiers import TIER, Tier
from aforesaid.retrieval.search import Page, search
from aforesaid.text.extract.query import Mode, analyse
from aforesaid.types import Filter, Freshness, Hit, Record

WIDER = 4  # hits asked for, for each that is shown: copies in other roots go, and some do not fit
LETTERS: dict[Mode, Literal["A", "B", "C"]] = {"hybrid": "A", "exact": "B", "semantic": "C"}
_SPEC = re.compile(r"(?P<path>.+?)(?::L?(?P<first>\d{1,9})(?:-L?(?P<last>\d{1,9}))?)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a note that was found: where it is, what it says, why, and where else the same words stand."""

    path: str
    lines: tuple[int, int]
    text: str
    score: float
    reason: str
    tier: Tier
    tokens: int
    record: Record
    parts: Mapping[str, float]
    others: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Path and lines, as `show` takes them."""
        return place(self.path, *self.lines)


@dataclass(frozen=True, slots=True)
class FileResult(Sequence[Snippet]):
    """Snippets, best first, with the mode the query was read as (A hybrid, B exact first, C meaning first)."""

    query: str
    mode: Literal["A", "B", "C"]
    expansions: tuple[str, ...]
    snippets: tuple[Snippet, ...]
    tokens: int
    left_out: int
    freshness: Freshness

    def __len__(self) -> int:
        return len(self.snippets)

    @overload
    def __getitem__(self, index: int) -> Snippet: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Snippet]: ...
    def __getitem__(self, index: int | slice) -> Snippet | Sequence[Snippet]:
        return self.snippets[index]


def place(path: str, first: int, last: int) -> str:
    """Path and lines as they are cited."""
    return f"{path}:{first}" if first == last else f"{path}:{first}-{last}"


def search_files(request: Request, query: str, where: Filter, limit: int | None, now: datetime) -> FileResult:
    """The snippets for a query, as many and as long as a prompt may have."""
    rows = request.settings.files
    most = rows.max_snippets if limit is None else limit
    found = search(request, query, replace(where, kinds=("chunk",)), Page(WIDER * most), now, "openclaw")
    hits = _distinct(found.hits)
    sizes = [request.count_tokens(hit.record.text) for hit in hits]
    tiers = [_tier(hit.record) for hit in hits]
    enough = request.settings.openclaw.threshold
    taken = chosen([hit.score for hit in hits], tiers, sizes, rows, most, enough)
    read = analyse(found.query, request.settings.pce, request.settings.openclaw)
    return FileResult(
        found.query,
        LETTERS[read.mode],
        read.expansions,
        tuple(_snippet(hits[at], tiers[at], sizes[at]) for at in taken),
        sum(sizes[at] for at in taken),
        len(hits) - len(taken),
        found.freshness,
    )


def _distinct(hits: Sequence[Hit]) -> list[Hit]:
    """One hit a text, whatever root it stands in; nothing from where no notes are, nor what no arm speaks for."""
    best: dict[str, Hit] = {}
    for hit in hits:
        if (
            hit.parts.get("merged", 1.0) > 0
            and hit.record.meta.get(PLACES)
            and not is_junk(hit.record.meta[PLACES][0][0])
        ):
            best.setdefault(digest_in(hit.record), hit)
    return list(best.values())


def _tier(record: Record) -> Tier:
    tier: Tier = record.meta.get(TIER, "note")
    return tier


def _snippet(hit: Hit, tier: Tier, tokens: int) -> Snippet:
    source, root = hit.record.provenance, hit.record.meta[ROOT]
    assert source is not None and source.file is not None and source.lines is not None
    others = tuple(place(f"{root}/{path}", first, last) for path, first, last, _ in hit.record.meta[PLACES][1:])
    return Snippet(
        source.file, source.lines, hit.record.text, hit.score, hit.reason, tier, tokens, hit.record, hit.parts, others
    )


# Lines as they are now


@dataclass(frozen=True, slots=True)
class FileLines:
    """Lines of a note as they are now; `changed` when the file is not as it was when it was indexed."""

    path: str
    file: str
    lines: tuple[int, int]
    of: int
    text: str
    changed: bool

    @property
    def place(self) -> str:
        """Path and lines."""
        return place(self.path, *self.lines)


def asked_lines(spec: str) -> tuple[str, int | None, int | None]:
    """A path with lines as people write it: `notes/a.md`, `notes/a.md:10`, `notes/a.md:10-20`."""
    found = _SPEC.fullmatch(spec)
    if not found:
        raise InputError(f"{spec!r} is not a path with lines.", "Write path:first-last, like notes/a.md:10-20.")
    first = int(found["first"]) if found["first"] else None
    return found["path"], first, int(found["last"]) if found["last"] else first


def show_lines(request: Request, spec: str, where: Filter, owners: Sequence[NotesOwner]) -> FileLines:
    """Lines of an indexed note, read from the file; secrets are taken out of what is shown, as of what is stored."""
    asked, first, last = asked_lines(spec)
    mine, root, path = _meant(request, asked, where, owners)
    try:
        read = read_note(Path(root.folder), path, request.settings.files)
        lines = without_long_secrets(lines_of(decoded(read.data)))
    except Unreadable as error:
        raise NotFoundError(f"{root.name}/{path}: {error.why}.", "Run `aforesaid index` to follow the files.") from None
    start, end = first or 1, min(last or len(lines), len(lines))
    if start < 1 or start > max(end, 1):
        what = f"{root.name}/{path} has {len(lines)} lines, none from {start} to {last or start}."
        raise InputError(what, "Ask for lines that are there.")
    stamp = mine.stamp_of(root.name, path)
    now = hashlib.blake2b(read.data, digest_size=12).hexdigest()
    cleaned = request.guard.clean("\n".join(lines[start - 1 : end]))
    text = request.guard.redact_text(cleaned.text, cleaned.boundary)
    changed = stamp is None or stamp.digest != now
    return FileLines(f"{root.name}/{path}", str(Path(root.folder, path)), (start, end), len(lines), text, changed)


def _meant(
    request: Request, asked: str, where: Filter, owners: Sequence[NotesOwner]
) -> tuple[NotesOwner, NotesRoot, str]:
    """Which indexed note a path means: by its root's name, by where it is on the disk, or by its place in one root."""
    every = [(mine, root) for mine in owners for root in mine.roots.values()]
    exact = [(mine, root, path) for mine, root in every for path in _inside(root, asked)]
    found = [each for each in exact if _visible(request, where, *each)]
    if not found:
        found = [(mine, root, asked) for mine, root in every if _visible(request, where, mine, root, asked)]
    if not found:
        names = ", ".join(root.name for _, root in every) or "none"
        raise NotFoundError(f"No note {asked!r} is indexed here.", f"Roots: {names}; paths begin with one of them.")
    if len(found) > 1 and len({(root.name, path) for _, root, path in found}) > 1:
        names = ", ".join(f"{root.name}/{path}" for _, root, path in found)
        raise InputError(f"{asked!r} means several notes: {names}.", "Begin the path with the root's name.")
    return found[0]


def _inside(root: NotesRoot, asked: str) -> list[str]:
    """The path inside a root that a name may mean."""
    found = [asked.removeprefix(f"{root.name}/")] if asked.startswith(f"{root.name}/") else []
    try:
        on_disk = Path(asked).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        return found
    return [*found, *([on_disk.relative_to(root.folder).as_posix()] if on_disk.is_relative_to(root.folder) else [])]


def _visible(request: Request, where: Filter, mine: NotesOwner, root: NotesRoot, path: str) -> bool:
    """Whether the caller may see a note: some chunk of it, or one that stands there too."""
    if mine.stamp_of(root.name, path) is None:
        return False
    chunks = replace(where, owners=(mine.owner,), kinds=("chunk",))
    if request.store.find(replace(chunks, sessions=(f"{root.name}/{path}",)), limit=1):
        return True
    return any(
        record.meta.get(ROOT) == root.name and any(place[0] == path for place in record.meta[PLACES])
        for record in request.store.find(chunks)
    )
