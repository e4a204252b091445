"""A transcript that grows: only the lines behind the last look are read, one at a time.

A mark says how far that was. It holds digests of the first line and of the last one that was read, private parts left
out, so that a file which was written anew is noticed and read from its start.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

from aforesaid.importers.formats.items import Bad, Item, ItemParser
from aforesaid.importers.formats.reading import parsed
from aforesaid.text.private import without_private_in

MAX_LINE_BYTES = 16 << 20  # a longer line is a picture, or damage; it is passed over without being held
CHUNK_BYTES = 1 << 20
NOT_JSON = object()


@dataclass(frozen=True, slots=True)
class TranscriptPosition:
    """How far a transcript was read: the place, the last line's beginning, and how many lines came before it."""

    position: int = 0
    line: int = 0
    count: int = 0
    first: str = ""
    last: str = ""
    project: str | None = None

    def dump(self) -> str:
        """As text."""
        return json.dumps(asdict(self))

    @classmethod
    def parse(cls, text: str | None) -> TranscriptPosition | None:
        """The mark in a text, if it is one."""
        try:
            return cls(**json.loads(text)) if text else None
        except (ValueError, TypeError):
            return None


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """What a line holds, and the mark behind it."""

    items: tuple[Item, ...]
    mark: TranscriptPosition


def new_lines(
    path: Path, mark: TranscriptPosition | None, parser: ItemParser, project: str | None
) -> Iterator[TranscriptLine]:
    """Every line behind the mark; all of them when the file is not the one that was marked. An unfinished one waits."""
    with path.open("rb") as stream:
        head = _value(*_line(stream), first=True)
        known = mark if mark is not None and _holds(stream, mark, head) else None
        start = known or TranscriptPosition(project=mark.project if mark else project)
        if known is not None:
            parsed(parser, head, 1)  # the first line names the session, and is not asked for what it holds
        yield from _from(stream, start, parser, _digest(head))


def _from(stream: BinaryIO, mark: TranscriptPosition, parser: ItemParser, first: str) -> Iterator[TranscriptLine]:
    position, count = mark.position, mark.count
    stream.seek(position)
    while True:
        begin = position
        data, size = _line(stream)
        if not size:
            return
        value = _value(data, size, first=begin == 0)
        if value is NOT_JSON and not data.endswith(b"\n") and size <= MAX_LINE_BYTES:
            return  # it is still being written
        position += size
        if not data.strip() and size <= MAX_LINE_BYTES:
            continue
        count += 1
        items = [Bad("not JSON")] if value is NOT_JSON else parsed(parser, value, count)
        yield TranscriptLine(
            tuple(items), TranscriptPosition(position, begin, count, first, _digest(value), mark.project)
        )


def _line(stream: BinaryIO) -> tuple[bytes, int]:
    """The next line and how many bytes it has; of one that is too long only the length."""
    data = stream.readline(MAX_LINE_BYTES + 1)
    size = len(data)
    if size <= MAX_LINE_BYTES:
        return data, size
    while not data.endswith(b"\n") and (data := stream.readline(CHUNK_BYTES)):
        size += len(data)
    return b"", size


def _value(data: bytes, size: int, *, first: bool) -> Any:
    """The value of a line without its private parts."""
    if size > MAX_LINE_BYTES or not data.strip():
        return NOT_JSON
    try:
        return without_private_in(json.loads(data.decode("utf-8-sig" if first else "utf-8")))
    except (ValueError, RecursionError):
        return NOT_JSON


def _holds(stream: BinaryIO, mark: TranscriptPosition, head: Any) -> bool:
    """Whether the first line and the last one that was read are what they were."""
    if mark.position == 0 or mark.first != _digest(head):
        return False
    stream.seek(mark.line)
    data, size = _line(stream)
    ends = mark.line + size
    whole = ends == mark.position or (ends == mark.position + 1 and data.endswith(b"\n"))  # it lacked only its end
    return whole and mark.last == _digest(_value(data, size, first=mark.line == 0))


def _digest(value: Any) -> str:
    try:
        said = "" if value is NOT_JSON else json.dumps(value, sort_keys=True)
    except RecursionError:
        said = ""
    return blake2b(said.encode(), digest_size=16).hexdigest()
