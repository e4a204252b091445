"""Splits the lines of a note into blocks: front matter, code fences, headings, and paragraphs.

This is not a CommonMark parser. It finds where a note may be cut into chunks, and every line belongs to a block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["front matter", "fence", "heading", "text"]

MAX_FRONT_LINES = 400  # two `---` lines farther apart are no front matter
_LINE_END = re.compile(r"\r\n|\n|\r")
_FENCE = re.compile(r"[ \t]{0,3}(?:[-*+>][ \t]{1,3}){0,2}(`{3,}|~{3,})([^\n]*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_TITLE = re.compile(r" {4}|\t| {0,3}(?:[-*+>|]|\d{1,9}[.)]|#{1,6})(?:[ \t]|$)|\s*$|.*\|")
_YAML_KEY = re.compile(r"[\w\"'][^:\n]{0,100}:(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together, from `start` up to `end` (from 0, end excluded). Headings have a level and words."""

    kind: Kind
    start: int
    end: int
    level: int = 0
    words: str = ""


def lines_of(text: str) -> list[str]:
    """The lines of a file as editors number them, without a byte order mark and the last newline."""
    lines = _LINE_END.split(text.removeprefix("\ufeff"))
    return lines[:-1] if lines[-1] == "" else lines


def blocks_of(lines: Sequence[str]) -> Iterator[Block]:
    """The blocks in order. Every line that is not blank is in exactly one."""
    at = _front_end(lines)
    if at:
        yield Block("front matter", 0, at)
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        block = _fence(lines, at) or _heading(lines, at) or _text(lines, at)
        yield block
        at = block.end


def _front_end(lines: Sequence[str]) -> int:
    """Where front matter ends (`---`, keys with colons, `---`); 0 when there is none."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    first = next((line for line in lines[1:MAX_FRONT_LINES] if line.strip() and not line.startswith("#")), "")
    if first.rstrip() not in ("---", "...") and not _YAML_KEY.match(first):
        return 0
    closes = (at for at, line in enumerate(lines[1:MAX_FRONT_LINES], 2) if line.rstrip() in ("---", "..."))
    return next(closes, 0)


def _fence(lines: Sequence[str], at: int) -> Block | None:
    """Code from its opening fence to the closing one, or to the end of the file."""
    found = _FENCE.match(lines[at])
    if not found or (found[1][0] == "`" and "`" in found[2]):
        return None
    mark = found[1]
    for end in range(at + 1, len(lines)):
        closing = lines[end].strip().lstrip("> ")
        if closing.startswith(mark) and not closing.strip(mark[0]):
            return Block("fence", at, end + 1)
    return Block("fence", at, len(lines))


def _heading(lines: Sequence[str], at: int) -> Block | None:
    if found := _HEADING.match(lines[at]):
        return Block("heading", at, at + 1, len(found[1]), (found[2] or "").strip())
    under = lines[at + 1] if at + 1 < len(lines) else ""
    if (found := _UNDERLINE.match(under)) and not _NO_TITLE.match(lines[at]):
        return Block("heading", at, at + 2, 1 if found[1][0] == "=" else 2, lines[at].strip())
    return None


def _text(lines: Sequence[str], at: int) -> Block:
    """Lines up to a blank line, a heading or a fence; also tables and lists."""
    end = at + 1
    while end < len(lines) and lines[end].strip() and not _FENCE.match(lines[end]) and not _HEADING.match(lines[end]):
        end += 1
    return Block("text", at, end)
