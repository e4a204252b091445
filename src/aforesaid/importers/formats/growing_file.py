"""Reads JSON lines from a file that another program may still append to.

`json_lines` reads the lines. An import uses it through `LineFile`, which checks a digest of everything it read before
and shows the earlier lines to the parser again. A hook uses it through `new_lines`, which reads only the new lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from aforesaid.errors import InputError
from aforesaid.importers.formats.items import Invalid, Item, ItemParser, Reason, Skipped
from aforesaid.text.private import without_private_in

MAX_LINE_BYTES = 64 << 20  # no message is that long; without a limit, a file of zeros would fill the memory
CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A line that is not blank. `number` counts all lines since the first one read, `count` only those not blank."""

    start: int
    end: int
    number: int
    count: int
    value: Any  # the JSON value without its private parts, or Invalid
    complete: bool = True


def json_lines(
    stream: BinaryIO, offset: int = 0, count: int = 0, on_bytes: Callable[[bytes], object] = len
) -> Iterator[JsonLine]:
    """Every line from `offset` on that is not blank. `on_bytes` gets the bytes of all complete lines.

    A last line that does not end and is not JSON is still being written: it comes with `complete` False.
    """
    stream.seek(offset)
    number = 0
    while data := stream.readline(MAX_LINE_BYTES + 1):
        start, number, too_long = offset, number + 1, len(data) > MAX_LINE_BYTES
        value: Any = None
        if too_long:
            value = Invalid(f"the line is longer than {MAX_LINE_BYTES >> 20} MB.")
        elif data.strip():
            value = _value(data, first=start == 0)
            if isinstance(value, Invalid) and not data.endswith(b"\n"):
                yield JsonLine(start, start, number, count, value, complete=False)
                return
        for piece in _pieces(stream, data) if too_long else (data,):
            on_bytes(piece)
            offset += len(piece)
        if too_long or data.strip():
            count += 1
            yield JsonLine(start, offset, number, count, value)


def _pieces(stream: BinaryIO, data: bytes) -> Iterator[bytes]:
    """A long line in pieces, so that it is never in memory completely."""
    yield data
    while not data.endswith(b"\n") and (data := stream.readline(CHUNK_BYTES)):
        yield data


def _value(data: bytes, *, first: bool) -> Any:
    try:
        return without_private_in(json.loads(data.decode("utf-8-sig" if first else "utf-8")))
    except UnicodeDecodeError as error:
        return Invalid(f"byte {error.start + 1} of the line (0x{data[error.start]:02x}) is not UTF-8.")
    except (ValueError, RecursionError) as error:
        return Invalid(f"it is not JSON: {error}.")


def parse_value(parser: ItemParser, value: Any, number: int) -> tuple[Item, ...]:
    """The items of a value. An error becomes one more item, after the items that were read before it."""
    if isinstance(value, Invalid):
        return (value,)
    items: list[Item] = []
    try:
        for item in parser.parse(value, number):
            items.append(item)  # noqa: PERF402 - keeps the items from before an error
    except InputError as error:
        items.append(Invalid(error.message))
    except RecursionError:
        items.append(Invalid("it is nested too deeply."))
    return tuple(items)


class ParsedValue(NamedTuple):
    """The items of one value of a file, and where the value is."""

    where: str
    items: tuple[Item, ...]


def fingerprint(path: Path, length: int | None = None) -> str:
    """A digest of a file's first bytes (by default all of them); empty when the file is shorter."""
    digest = blake2b(digest_size=16)
    left = path.stat().st_size if length is None else length
    with path.open("rb") as stream:
        while left and (data := stream.read(min(left, CHUNK_BYTES))):
            digest.update(data)
            left -= len(data)
    return digest.hexdigest() if not left or length is None else ""


class LineFile:
    """A file of JSON lines for an import. Its position is a number of bytes."""

    def __init__(self, path: Path, parser: ItemParser) -> None:
        self._path = path
        self._parser = parser
        self._digest = blake2b(digest_size=16)
        self.size = path.stat().st_size
        self.position = 0

    @property
    def read(self) -> int:
        """Bytes read so far, for the progress bar."""
        return self.position

    @property
    def fingerprint(self) -> str:
        """A digest of the bytes before the position."""
        return self._digest.hexdigest()

    def fingerprint_at(self, position: int) -> str:
        """The fingerprint that this file has at a position; empty when it is shorter."""
        return fingerprint(self._path, position)

    def values(self, after: int = 0) -> Iterator[ParsedValue]:
        """The values behind a position. The parser also sees those before it, because it may need what they say."""
        with self._path.open("rb") as stream:
            for line in json_lines(stream, on_bytes=self._advance):
                where = f"{self._path}:{line.number}"
                if not line.complete:
                    yield ParsedValue(where, (Skipped(Reason.UNFINISHED),))
                    return
                items = parse_value(self._parser, line.value, line.count)
                if self.position > after:
                    yield ParsedValue(where, items)

    def _advance(self, data: bytes) -> None:
        self._digest.update(data)
        self.position += len(data)


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """How far a hook has read a transcript. The digests of two lines show whether the file was rewritten.

    They cover no private parts. `project` is the project under which the transcript's turns are stored.
    """

    position: int = 0
    line: int = 0  # where the last line starts that was read
    count: int = 0  # how many lines were read
    first: str = ""  # digest of the first line
    last: str = ""  # digest of the last line that was read
    project: str | None = None

    def dump(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def parse(cls, text: str | None) -> ReadPosition | None:
        """The position in a JSON text; None if there is none."""
        try:
            return cls(**json.loads(text)) if text else None
        except (ValueError, TypeError):
            return None


class NewLine(NamedTuple):
    """The items of a line, and the position behind it."""

    items: tuple[Item, ...]
    position: ReadPosition


def new_lines(path: Path, last: ReadPosition | None, parser: ItemParser, project: str | None) -> Iterator[NewLine]:
    """The lines behind the last position; all lines when the file was rewritten since then.

    A file that was read before keeps its project. Any other one gets `project`.
    """
    with path.open("rb") as stream:
        head = next(json_lines(stream), None)
        first = _digest(head.value if head else None)
        start = ReadPosition(project=last.project if last else project)
        if head is not None and last is not None and last.first == first and _ends_with(stream, last):
            start = last
            parse_value(parser, head.value, 1)  # the first line names the session
        for line in json_lines(stream, start.position, start.count):
            if not line.complete:
                return
            here = ReadPosition(line.end, line.start, line.count, first, _digest(line.value), start.project)
            yield NewLine(parse_value(parser, line.value, line.count), here)


def _ends_with(stream: BinaryIO, last: ReadPosition) -> bool:
    """Whether the last line that was read is still there. It may have got its newline since."""
    line = next(json_lines(stream, last.line), None) if last.position else None
    found = line is not None and line.start == last.line and line.end - last.position in (0, 1)
    return found and line is not None and _digest(line.value) == last.last


def _digest(value: Any) -> str:
    try:
        text = "" if isinstance(value, Invalid) else json.dumps(value, sort_keys=True)
    except RecursionError:
        text = ""
    return blake2b(text.encode(), digest_size=16).hexdigest()
