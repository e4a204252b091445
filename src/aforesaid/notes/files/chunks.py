"""Lines → chunks: about 400 tokens each, sharing up to 80 with the one before, cut where the author paused.

A chunk's text is its lines joined, to the character. Only a line that is longer than a chunk is itself cut, at the ends
of sentences where there are any; its pieces say which columns of the line they are.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from aforesaid.notes.files.blocks import Block, blocks_of
from aforesaid.settings.rows import FileRows

CHUNKER = "1"  # goes up when the same text would give other chunks
SECTION_SHARE = 0.25  # of a chunk's size from which a new section begins a new chunk: a line or two is no chunk
MAX_HEADING_CHARS = 200
PATH_SIGN = " › "
_SENTENCE_END = re.compile(r"[.!?…][\"')\]]?\s+|[。！？]")

DEFAULTS = FileRows()
Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines `first` to `last` of a file (from 1, both included) as one text, under these headings.

    `columns` (from 0, end excluded) are those of a single line that was too long.
    """

    first: int
    last: int
    text: str
    heading: str
    columns: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class _Atom:
    """Lines that are not parted if they fit a chunk; `opens` when a heading begins it, `whole` when it is code."""

    start: int
    end: int
    tokens: int
    opens: bool = False
    whole: bool = False


def chunks_of(
    lines: Sequence[str], count: Count, rows: FileRows = DEFAULTS, blocks: Sequence[Block] | None = None
) -> list[Chunk]:
    """The chunks of a file in order; every line that is not blank is in at least one."""
    blocks = list(blocks_of(lines)) if blocks is None else blocks
    sizes = [count(line) + 1 if line.strip() else 0 for line in lines]
    headings = _Headings(blocks)
    found: list[Chunk] = []
    for start, end in _spans(list(_atoms(blocks, sizes, rows.chunk_tokens)), blocks, sizes, rows):
        found += _cut(lines, start, end, sizes, headings.at(_words_from(blocks, start, end)), count, rows)
    return found


def _words_from(blocks: Sequence[Block], start: int, end: int) -> int:
    """The line whose headings a run of lines stands under: front matter stands under what comes after it."""
    after = blocks[1].start if len(blocks) > 1 else start
    return after if start == 0 and blocks[0].kind == "front matter" and after < end else start


def _atoms(blocks: Sequence[Block], sizes: Sequence[int], limit: int) -> Iterator[_Atom]:
    """Blocks that fit as they are, longer ones by the line; headings stay with what follows them."""
    opened: int | None = None
    for number, block in enumerate(blocks):
        if block.kind == "heading" and number + 1 < len(blocks):
            opened = block.start if opened is None else opened
            continue
        opens = opened is not None or block.kind == "heading"
        start = block.start if opened is None else opened
        opened = None
        size = sum(sizes[start : block.end])
        if size <= limit:
            yield _Atom(start, block.end, size, opens, block.kind == "fence")
            continue
        for at in range(start, block.end):
            if sizes[at]:
                yield _Atom(at, at + 1, sizes[at], opens and at == start)


def _spans(
    atoms: Sequence[_Atom], blocks: Sequence[Block], sizes: Sequence[int], rows: FileRows
) -> Iterator[tuple[int, int]]:
    """Runs of lines for a chunk each: filled up, ended early where a new section begins."""
    limit = rows.chunk_tokens
    seams = _Seams(atoms, blocks)
    start, size, end = 0, 0, 0
    for atom in atoms:
        full = size + atom.tokens > limit
        if size and (full or (atom.opens and size >= SECTION_SHARE * limit)):
            yield start, end
            room = 0 if atom.opens else min(rows.overlap_tokens, limit - atom.tokens)
            start = seams.outside(_back(atom.start, max(start + 1, seams.section(atom.start)), room, sizes))
            size = sum(sizes[start : atom.start])
        elif not size:
            start = atom.start
        size += atom.tokens
        end = atom.end
    if size:
        yield start, end


def _back(at: int, floor: int, room: int, sizes: Sequence[int]) -> int:
    """The line from which so many tokens stand before a line; not before the floor."""
    start = at
    for line in range(at - 1, floor - 1, -1):
        room -= sizes[line]
        if room < 0:
            break
        start = line if sizes[line] else start
    return start


class _Seams:
    """Where an overlap may begin: after the last heading, and never inside code that is whole."""

    def __init__(self, atoms: Sequence[_Atom], blocks: Sequence[Block]) -> None:
        self._sections = [block.end for block in blocks if block.kind == "heading"]
        self._code = [(atom.start, atom.end) for atom in atoms if atom.whole]
        self._code_starts = [start for start, _ in self._code]

    def section(self, line: int) -> int:
        """The first line under the heading that a line stands under."""
        place = bisect_right(self._sections, line)
        return self._sections[place - 1] if place else 0

    def outside(self, line: int) -> int:
        """The line itself, or the end of the code that it stands in."""
        place = bisect_right(self._code_starts, line)
        start, end = self._code[place - 1] if place else (line, line)
        return end if start < line < end else line


def _cut(
    lines: Sequence[str], start: int, end: int, sizes: Sequence[int], heading: str, count: Count, rows: FileRows
) -> Iterator[Chunk]:
    """The chunk of a run of lines, without blank ones at its ends; pieces of it when it is one endless line."""
    while start < end and not sizes[start]:
        start += 1
    while end > start and not sizes[end - 1]:
        end -= 1
    if end - start == 1 and sizes[start] > rows.chunk_tokens + 1:
        line = lines[start]
        for a, b in _pieces(line, count, rows):
            yield Chunk(start + 1, start + 1, line[a:b], heading, (a, b))
    elif end > start:
        yield Chunk(start + 1, end, "\n".join(lines[start:end]), heading)


def _pieces(line: str, count: Count, rows: FileRows) -> Iterator[tuple[int, int]]:
    """Columns of a line for a chunk each, from sentence to sentence; each shares the last ones of the piece before."""
    width = max(int(len(line) * rows.chunk_tokens / max(count(line), 1)), 1)
    shared = width * min(rows.overlap_tokens, rows.chunk_tokens // 2) // rows.chunk_tokens
    stops = [found.end() for found in _SENTENCE_END.finditer(line)]
    start = 0
    while len(line) - start > width:
        low, high = start + max(width // 2, 1), start + width
        end = _last_stop(line, stops, low, high)
        yield start, end
        start = max(_first_stop(line, stops, end - shared, end), start + 1)
    yield start, len(line)


def _last_stop(line: str, stops: Sequence[int], low: int, high: int) -> int:
    """The last end of a sentence from `low` to `high`, else of a word, else the highest."""
    at = bisect_right(stops, high) - 1
    if at >= 0 and stops[at] >= low:
        return stops[at]
    space = line.rfind(" ", low, high)
    return space + 1 if space >= 0 else high


def _first_stop(line: str, stops: Sequence[int], low: int, high: int) -> int:
    """The first end of a sentence from `low` to before `high`, else of a word, else `high`."""
    at = bisect_left(stops, low)
    if at < len(stops) and stops[at] < high:
        return stops[at]
    space = line.find(" ", low, high - 1)
    return space + 1 if space >= 0 else high


class _Headings:
    """Which headings stand above a line."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._starts: list[int] = []
        self._paths: list[str] = []
        above: list[tuple[int, str]] = []
        for block in blocks:
            if block.kind != "heading":
                continue
            above = [*((level, words) for level, words in above if level < block.level), (block.level, block.words)]
            self._starts.append(block.start)
            self._paths.append(PATH_SIGN.join(words[:MAX_HEADING_CHARS] for _, words in above if words))

    def at(self, line: int) -> str:
        """The headings in force at a line, its own included, outermost first."""
        place = bisect_right(self._starts, line)
        return self._paths[place - 1] if place else ""
