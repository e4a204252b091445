"""Searches notes for snippets with path, lines and score, and shows lines of a note as they are now."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal, overload

from aforesaid.engine.request import Request
from aforesaid.errors import InputError, NotFoundError
from aforesaid.notes.files.blocks import lines_of
from aforesaid.notes.files.note import without_long_secrets
from aforesaid.notes.files.walk import Unreadable, decode, is_junk, read_note
from aforesaid.notes.state import DAY, PLACES, ROOT, NotesOwner, NotesRoot, content_digest, digest_in
from aforesaid.retrieval.ranking.file_tiers import Tier
from aforesaid.retrieval.search import Page, search
from aforesaid.retrieval.search_log import logged_search
from aforesaid.retrieval.snippets import SnippetBudget, by_tier, tier_of_snippet
from aforesaid.text.extract.query import Mode
from aforesaid.text.extract.question import read_aim
from aforesaid.types import Filter, Freshness, Hit, Record

LONGEST_ASKED = timedelta(days=31)  # notes of a longer time are no answer by themselves; the words decide
IN_TIME, WEAKER = "asked time", "weaker"  # groups of snippets beside the tiers
WIDER = 4  # hits to ask for per snippet: copies in other roots are dropped, and some do not fit
LETTERS: dict[Mode, Literal["A", "B", "C"]] = {"hybrid": "A", "exact": "B", "semantic": "C"}
_SPEC = re.compile(r"(?P<path>.+?)(?::L?(?P<first>\d{1,9})(?:-L?(?P<last>\d{1,9}))?)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a note that was found, and the other places with the same text."""

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
    group: str = ""  # what decided its place before the score: "asked time", a tier, or "weaker"

    @property
    def place(self) -> str:
        """Path and lines, as `show` takes them."""
        return place(self.path, *self.lines)


@dataclass(frozen=True, slots=True)
class NotesResult(Sequence[Snippet]):
    """Snippets by group and score, with the mode of the query (A hybrid, B exact first, C meaning first).

    Groups in order: notes of a day or time that the query names, topics, curated memory, notes, logs, and weaker hits
    of any tier. `expansions` are the variants of the query that were searched too.
    """

    query: str
    mode: Literal["A", "B", "C"]
    expansions: tuple[str, ...]
    snippets: tuple[Snippet, ...]
    tokens: int
    left_out: int
    freshness: Freshness
    stopped: str = ""  # why no further variant was searched
    degraded: str = ""  # why the configured chat model gave no variants

    def __len__(self) -> int:
        return len(self.snippets)

    @overload
    def __getitem__(self, index: int) -> Snippet: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Snippet]: ...
    def __getitem__(self, index: int | slice) -> Snippet | Sequence[Snippet]:
        return self.snippets[index]


def place(path: str, first: int, last: int) -> str:
    """Path and lines as citations show them."""
    return f"{path}:{first}" if first == last else f"{path}:{first}-{last}"


def search_files(request: Request, query: str, where: Filter, limit: int | None, now: datetime) -> NotesResult:
    """The snippets for a query, within the limits for a prompt."""
    rows = request.settings.files
    limit = rows.max_snippets if limit is None else limit
    where, page = replace(where, kinds=("chunk",)), Page(WIDER * limit)
    found = logged_search(request, query, where, page, now, "openclaw")
    dated = _in_asked_time(request, query, where, page, now)
    hits = _distinct([*dated, *found.hits])
    snippets = _choose(request, hits, frozenset(hit.record.key for hit in dated), SnippetBudget(limit, rows.max_tokens))
    return NotesResult(
        found.query,
        LETTERS[found.details["mode"]],
        tuple(found.details["variants"]),
        tuple(snippets),
        sum(snippet.tokens for snippet in snippets),
        len(hits) - len(snippets),
        found.freshness,
        found.details["stopped"],
        found.details["degraded"],
    )


def _in_asked_time(request: Request, query: str, where: Filter, page: Page, now: datetime) -> list[Hit]:
    """The chunks of the days that the query names, best first; those that it names no word of come last, by time.

    A chunk is of a day if its heading, the front matter or the file's name says so. The time of a file says only when
    it was saved.
    """
    aim = read_aim(query, now, timedelta())  # no grace: a log is of its day
    found: dict[str, Hit] = {}
    for period in aim.periods:
        if period.end - period.start > LONGEST_ASKED:
            continue
        within = period.within(where)
        ranked = search(request, query, within, page, now, "openclaw").hits
        others = request.view.find(within, order="oldest", limit=page.limit)
        for hit in (*ranked, *(Hit(record, 0.0, {}, "") for record in others)):
            day, covered = hit.record.meta.get(DAY), aim.covers(hit.record.time)
            if day and covered:
                reason = "; ".join(filter(None, (f"date={day}", hit.reason)))
                found.setdefault(hit.record.key, replace(hit, parts={**hit.parts, "date": covered}, reason=reason))
    return sorted(found.values(), key=lambda hit: -hit.score)


def _choose(request: Request, hits: Sequence[Hit], dated: frozenset[str], budget: SnippetBudget) -> list[Snippet]:
    """The snippets to show, while they fit: those of the asked time, then by tier (spec 10, O1)."""
    rows, chosen = request.settings.openclaw, []
    rest = by_tier([hit for hit in hits if hit.record.key not in dated], rows)
    for hit in (*(hit for hit in hits if hit.record.key in dated), *rest):
        tokens = request.count_tokens(hit.record.text)
        if budget.fits(tokens):
            weak = tier_of_snippet(hit.record) if hit.score >= rows.threshold else WEAKER
            chosen.append(_snippet(hit, tokens, IN_TIME if hit.record.key in dated else weak))
            budget = budget.less(tokens)
    return chosen


def _distinct(hits: Sequence[Hit]) -> list[Hit]:
    """One hit for each text. Drops hits in junk folders, and those that neither search found relevant."""
    best: dict[str, Hit] = {}
    for hit in hits:
        if (
            (hit.parts.get("merged", 1.0) > 0 or "date" in hit.parts)
            and hit.record.meta.get(PLACES)
            and not is_junk(hit.record.meta[PLACES][0][0])
        ):
            best.setdefault(digest_in(hit.record), hit)
    return list(best.values())


def _snippet(hit: Hit, tokens: int, group: str) -> Snippet:
    source, root = hit.record.provenance, hit.record.meta[ROOT]
    assert source is not None and source.file is not None and source.lines is not None
    others = tuple(place(f"{root}/{path}", first, last) for path, first, last, _ in hit.record.meta[PLACES][1:])
    return Snippet(
        source.file,
        source.lines,
        hit.record.text,
        hit.score,
        hit.reason,
        tier_of_snippet(hit.record),
        tokens,
        hit.record,
        hit.parts,
        others,
        group,
    )


# Show lines of a note


@dataclass(frozen=True, slots=True)
class NoteLines:
    """Lines of a note as they are now. `changed` if the file changed since it was indexed."""

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


def parse_place(spec: str) -> tuple[str, int | None, int | None]:
    """Path and lines of a text like `notes/a.md`, `notes/a.md:10` or `notes/a.md:10-20`."""
    found = _SPEC.fullmatch(spec)
    if not found:
        raise InputError(f"{spec!r} is not a path with lines.", "Write path:first-last, like notes/a.md:10-20.")
    first = int(found["first"]) if found["first"] else None
    return found["path"], first, int(found["last"]) if found["last"] else first


def show_lines(request: Request, spec: str, where: Filter, owners: Sequence[NotesOwner]) -> NoteLines:
    """Lines of an indexed note, read from the file and redacted like stored text."""
    asked, first, last = parse_place(spec)
    notes, root, path = _find_note(request, asked, where, owners)
    try:
        data, _ = read_note(Path(root.folder), path, request.settings.files)
        lines = without_long_secrets(lines_of(decode(data)))
    except Unreadable as error:
        raise NotFoundError(f"{root.name}/{path}: {error.why}.", "Run `aforesaid index` to follow the files.") from None
    start, end = first or 1, min(last or len(lines), len(lines))
    if start < 1 or start > max(end, 1):
        what = f"{root.name}/{path} has {len(lines)} lines, none from {start} to {last or start}."
        raise InputError(what, "Ask for lines that are there.")
    stamp = notes.stamp_of(root.name, path)
    cleaned = request.guard.clean("\n".join(lines[start - 1 : end]))
    text = request.guard.redact_text(cleaned.text, cleaned.boundary)
    changed = stamp is None or stamp.digest != content_digest(data)
    return NoteLines(f"{root.name}/{path}", str(Path(root.folder, path)), (start, end), len(lines), text, changed)


def _find_note(
    request: Request, asked: str, where: Filter, owners: Sequence[NotesOwner]
) -> tuple[NotesOwner, NotesRoot, str]:
    """The indexed note that a path means: a path with the root's name, a path on disk, or a path in one root."""
    every = [(notes, root) for notes in owners for root in notes.roots().values()]
    exact = [(notes, root, path) for notes, root in every for path in _inside(root, asked)]
    found = [each for each in exact if _visible(request, where, *each)]
    if not found:
        found = [(notes, root, asked) for notes, root in every if _visible(request, where, notes, root, asked)]
    if not found:
        names = ", ".join(root.name for _, root in every) or "none"
        raise NotFoundError(f"No note {asked!r} is indexed here.", f"Roots: {names}; paths begin with one of them.")
    if len(found) > 1 and len({(root.name, path) for _, root, path in found}) > 1:
        names = ", ".join(f"{root.name}/{path}" for _, root, path in found)
        raise InputError(f"{asked!r} means several notes: {names}.", "Begin the path with the root's name.")
    return found[0]


def _inside(root: NotesRoot, asked: str) -> list[str]:
    """The paths inside a root that a path may mean."""
    found = [asked.removeprefix(f"{root.name}/")] if asked.startswith(f"{root.name}/") else []
    try:
        on_disk = Path(asked).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        return found
    return [*found, *([on_disk.relative_to(root.folder).as_posix()] if on_disk.is_relative_to(root.folder) else [])]


def _visible(request: Request, where: Filter, notes: NotesOwner, root: NotesRoot, path: str) -> bool:
    """Whether the caller may see any chunk of a note, including chunks named after another note."""
    if notes.stamp_of(root.name, path) is None:
        return False
    chunks = replace(where, owners=(notes.owner,), kinds=("chunk",))
    if request.store.find(replace(chunks, sessions=(f"{root.name}/{path}",)), limit=1):
        return True
    return any(
        record.meta.get(ROOT) == root.name and any(place[0] == path for place in record.meta[PLACES])
        for record in request.store.scan(chunks)
    )
