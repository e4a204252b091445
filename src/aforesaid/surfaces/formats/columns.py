"""Text that fits a terminal: the width of characters, and how to cut a long text around the words of the query."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

ELLIPSIS = "…"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # control sequences of a terminal
LEAD = 0.3  # share of a snippet before the word that it was cut around
WORD = re.compile(r"\w+")
WIDE_PAIR = re.compile("(?=([\u3400-\u9fff\u30a0-\u30ff]{2}))")


def visible(text: str) -> str:
    """Replace characters that could move the cursor, change colours or reverse the text."""
    return CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The text on one line, with single spaces."""
    return visible(" ".join(text.split()))


def width_of(text: str) -> int:
    """How many columns a text takes: two for wide characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(_width(char) for char in text)


def clip(text: str, columns: int) -> str:
    """Cut a text to a number of columns, with an ellipsis at the cut."""
    if width_of(text) <= columns:
        return text
    used, kept = width_of(ELLIPSIS), []
    for char in text:
        used += _width(char)
        if used > columns:
            break
        kept.append(char)
    return "".join(kept).rstrip() + ELLIPSIS


def pad(text: str, columns: int) -> str:
    """Fill a text up with spaces to a number of columns."""
    return text + " " * max(columns - width_of(text), 0)


def snippet(text: str, columns: int, query: str = "") -> str:
    """One line of a text, cut so that the longest matching word of the query stays visible."""
    line = one_line(text)
    if width_of(line) <= columns:
        return line
    start = _focus(line, query)
    head = clip(line, columns)
    if start < len(head) - 1:
        return head
    lead, before, after = start, 0, width_of(line[start:])
    room = max(LEAD * columns, columns - after - 1)  # the rest may be too short to fill the line
    while lead > 0 and before + _width(line[lead - 1]) <= room:
        lead -= 1
        before += _width(line[lead])
    space = line.find(" ", lead, start)
    return clip(ELLIPSIS + line[space + 1 if space >= 0 else lead :], columns)


def wrapped(text: str, columns: int, indent: str = "") -> str:
    """Wrap every line at spaces, or between wide characters, and indent it."""
    room = max(columns - width_of(indent), 20)
    lines = [piece for line in visible(text).split("\n") for piece in _broken(line, room)]
    return "\n".join((indent + line).rstrip() for line in lines)


def table(rows: Iterable[Sequence[str]], gap: str = "  ") -> list[str]:
    """Rows as lines with aligned columns; the last column is not padded."""
    cells_of = [list(row) for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*cells_of, strict=True)]
    lines = []
    for row in cells_of:
        cells = [pad(cell, width) for cell, width in zip(row[:-1], widths[:-1], strict=True)]
        lines.append(gap.join([*cells, row[-1]]).rstrip())
    return lines


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _focus(line: str, query: str) -> int:
    """Where the longest matching word of the query starts in the line; 0 when none matches."""
    folded = line.casefold()
    if len(folded) != len(line):  # case folding changed the length, so positions would be wrong
        return 0
    words = sorted(set(WORD.findall(query.casefold())), key=lambda word: (-len(word), word))
    pairs = sorted({pair for word in words for pair in WIDE_PAIR.findall(word)})
    for word in [word for word in words if len(word) > 2] + pairs:
        found = folded.find(word)
        if found >= 0:
            return found
    return 0


def _broken(line: str, room: int) -> list[str]:
    """Split a line into pieces of at most `room` columns, at the last space unless that wastes half a line."""
    pieces: list[str] = []
    start, used, space = 0, 0, -1
    for position, char in enumerate(line):
        if used + _width(char) > room and position > start:
            cut = space if space > start and position - space < room / 2 else position
            pieces.append(line[start:cut].rstrip())
            start = cut + (len(line[cut : position + 1]) - len(line[cut : position + 1].lstrip()))
            used = width_of(line[start:position])
        if char == " ":
            space = position
        used += _width(char)
    return [*pieces, line[start:]]
