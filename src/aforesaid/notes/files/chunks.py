"""Cuts lines into chunks of about 400 tokens that overlap by up to 80, preferably between blocks and sections.

The text of a chunk is exactly its lines. Only a line that is longer than a chunk is cut itself, at the ends of
sentences if possible; its chunks know their columns.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Generic, TypeVar

from aforesaid.notes.files.blocks import Block, blocks_of
from aforesaid.notes.files.days import day_of_heading
from aforesaid.settings.rows import FileRows

CHUNKER = "2"  # increase it when the same text would give other chunks or other days
SECTION_SHARE = 0.25  # a new section starts a new chunk only if the current one has this share of its size
MAX_HEADING_CHARS = 200
PATH_SIGN = " › "
_SENTENCE_END = re.compile(r"[.!?…][\"')\]]?\s+|[。！？]")

DEFAULTS = FileRows()
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Count = Callable[[str], int]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines `first` to `last` of a file (from 1, both included) and the headings above them.

    `columns` (from 0, end excluded) is the part of a single line that was too long. `section` are the headings above
    its first text, which are more than `heading` when it begins with several headings.
    """

    first: int
    last: int
    text: str
    heading: str
    columns: tuple[int, int] | None = None
    section: str = ""


@dataclass(frozen=True, slots=True)
class _Atom:
    """Lines that stay together. `opens`: it starts with a heading. `is_code`: it is a code block."""

    start: int
    end: int
    tokens: int
    opens: bool = False
    is_code: bool = False
    day: datetime | None = None  # that the heading above it names


def chunks_of(
    lines: Sequence[str],
    count: Count,
    rows: FileRows = DEFAULTS,
    blocks: Sequence[Block] | None = None,
    written: datetime = EPOCH,
) -> list[Chunk]:
    """The chunks of a file in order. Every line that is not blank is in at least one."""
    blocks = list(blocks_of(lines)) if blocks is None else blocks
    sizes = [count(line) + 1 if line.strip() else 0 for line in lines]
    headings = _headings(blocks)
    titles = {line for block in blocks if block.kind == "heading" for line in range(block.start, block.end)}

    def section(start: int, end: int) -> str:
        """The headings above the first line of text, where several headings may come before it."""
        text = (line for line in range(start, end) if sizes[line] and line not in titles)
        return headings.at(next(text, end - 1))

    atoms = [
        replace(atom, day=day_of_heading(section(atom.start, atom.end), written))
        for atom in _atoms(blocks, sizes, rows.chunk_tokens)
    ]
    found: list[Chunk] = []
    for start, end in _spans(atoms, blocks, sizes, rows):
        heading = headings.at(_heading_line(blocks, start, end))
        cut = _cut(lines, start, end, sizes, heading, count, rows)
        found += [replace(chunk, section=section(start, end)) for chunk in cut]
    return found


def _heading_line(blocks: Sequence[Block], start: int, end: int) -> int:
    """The line whose headings count for a run of lines. For front matter it is the line after it."""
    after = blocks[1].start if len(blocks) > 1 else start
    return after if start == 0 and blocks[0].kind == "front matter" and after < end else start


def _atoms(blocks: Sequence[Block], sizes: Sequence[int], limit: int) -> Iterator[_Atom]:
    """Blocks that fit into a chunk, and the lines of longer ones. A heading stays with the block after it."""
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
    """The lines of each chunk: as many as fit, but fewer where a new section begins, and never those of two days."""
    limit = rows.chunk_tokens
    sections = _Lookup({block.end: block.end for block in blocks if block.kind == "heading"}, 0)
    code_ends = _Lookup({atom.start: atom.end for atom in atoms if atom.is_code}, 0)
    start, size, end, day = 0, 0, 0, None
    for atom in atoms:
        full = size + atom.tokens > limit or (atom.opens and atom.day != day)
        if size and (full or (atom.opens and size >= SECTION_SHARE * limit)):
            yield start, end
            room = 0 if atom.opens else min(rows.overlap_tokens, limit - atom.tokens)
            start = _back(atom.start, max(start + 1, sections.at(atom.start)), room, sizes)
            start = max(start, code_ends.at(start - 1))  # an overlap never begins inside code
            size = sum(sizes[start : atom.start])
        elif not size:
            start = atom.start
        size += atom.tokens
        end, day = atom.end, atom.day
    if size:
        yield start, end


def _back(at: int, floor: int, room: int, sizes: Sequence[int]) -> int:
    """The first line of an overlap of up to `room` tokens before a line, not before `floor`."""
    start = at
    for line in range(at - 1, floor - 1, -1):
        room -= sizes[line]
        if room < 0:
            break
        start = line if sizes[line] else start
    return start


def _cut(
    lines: Sequence[str], start: int, end: int, sizes: Sequence[int], heading: str, count: Count, rows: FileRows
) -> Iterator[Chunk]:
    """The chunk of a run of lines, without blank lines at its ends; several chunks of one very long line."""
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
    """The columns of each part of a long line, cut at sentences, with overlap."""
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
    """The last end of a sentence from `low` to `high`, else of a word, else `high`."""
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


class _Lookup(Generic[T]):
    """Finds the value of the last line at or before a line."""

    def __init__(self, values: Mapping[int, T], default: T) -> None:
        self._lines = sorted(values)
        self._values = [default, *(values[line] for line in self._lines)]

    def at(self, line: int) -> T:
        return self._values[bisect_right(self._lines, line)]


def _headings(blocks: Sequence[Block]) -> _Lookup[str]:
    """The headings above each line, its own included, outermost first."""
    paths: dict[int, str] = {}
    above: list[tuple[int, str]] = []
    for block in blocks:
        if block.kind == "heading":
            above = [*(each for each in above if each[0] < block.level), (block.level, block.words)]
            paths[block.start] = PATH_SIGN.join(words[:MAX_HEADING_CHARS] for _, words in above if words)
    return _Lookup(paths, "")
