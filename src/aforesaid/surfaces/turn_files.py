"""Reads turns from files and pipes line by line: JSON lines or a plain transcript. It never reads ahead."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, Protocol, get_args

from aforesaid._util.ordinary_files import check_ordinary
from aforesaid.errors import FormatError, InputError
from aforesaid.importers.formats.jsonl import ChatMessages
from aforesaid.text.transcript import PlacedTurn, Transcript
from aforesaid.types import Turn

Format = Literal["auto", "jsonl", "transcript"]
FORMATS: tuple[Format, ...] = get_args(Format)
STDIN = "-"
MAX_LINE_BYTES = 64 << 20  # without a limit a file of zeros would fill the memory
ONE_A_LINE = "Write one JSON object a line; `jq -c '.[]'` unpacks a list."
JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")

Skip = Callable[[str, InputError], None]


@dataclass(frozen=True, slots=True)
class TurnAtLine:
    """A turn with its file and line."""

    where: str
    turn: Turn


class LineParser(Protocol):
    """Takes lines and returns complete turns. It can continue after an error."""

    def feed(self, line: str, number: int) -> PlacedTurn | None: ...
    def end(self) -> PlacedTurn | None: ...


class JsonLines:
    """One JSON object a line: turns of ours, or messages with `role` and `content`, which get stable ids."""

    def __init__(self, session: str) -> None:
        self._chat = ChatMessages(session)
        self._position = 0

    def feed(self, line: str, number: int) -> PlacedTurn | None:
        """The turn of a line; None for a blank one."""
        if not line.strip():
            return None
        self._position += 1  # bad lines count too, so that fixing one does not change the ids of the others
        try:
            found = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise FormatError(f"it is not JSON: {error}.", ONE_A_LINE) from error
        if not isinstance(found, dict):
            raise FormatError(f"it is JSON, but not an object: {line.strip()[:40]}", ONE_A_LINE)
        return PlacedTurn(number, self._chat.turn(found, self._position))

    def end(self) -> None:
        """Every turn was returned already."""


@contextmanager
def opened(name: str) -> Iterator[tuple[str, BinaryIO]]:
    """A file, or standard input for -, with its name for error messages."""
    if name == STDIN:
        if sys.stdin is None:
            raise InputError("There is no standard input.", "Name a file.")
        yield "<stdin>", sys.stdin.buffer
        return
    with _open(name) as stream:
        yield name, stream


def _open(name: str) -> BinaryIO:
    check_ordinary(Path(name), "Name a file, or - for standard input.")
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}.", "Check the path.") from error


def turns_of(file: str, session: str) -> Iterator[TurnAtLine]:
    """The turns of a file; `session` is for turns without one."""
    with opened(file) as (name, stream):
        yield from read_turns(stream, name, session)


def read_turns(
    stream: BinaryIO,
    name: str,
    session: str,
    form: Format = "auto",
    skip: Skip | None = None,
) -> Iterator[TurnAtLine]:
    """The turns of a stream as they arrive. A bad line raises FormatError with its number, or goes to `skip`."""
    parser: LineParser | None = None
    number = 0

    def refused(line: int, error: InputError) -> None:
        where = f"{name}:{line}"
        if skip is None:
            raise FormatError(f"{where}: {error.message}", error.remedy) from error
        skip(where, error)

    for number, data in enumerate(_raw_lines(stream), 1):
        try:
            line = decoded(data, first=number == 1)
            if parser is None:
                if not line.strip():
                    continue
                parser = _parser(line, name, session, form)
            placed = parser.feed(line, number)
        except InputError as error:
            refused(number, error)
            continue
        if placed is not None:
            yield TurnAtLine(f"{name}:{placed.line}", placed.turn)
    yield from _rest(parser, name, number, refused)


def _rest(
    parser: LineParser | None, name: str, line: int, refused: Callable[[int, InputError], None]
) -> Iterator[TurnAtLine]:
    while parser is not None:
        try:
            last = parser.end()
        except InputError as error:
            refused(line, error)
            continue
        if last is not None:
            yield TurnAtLine(f"{name}:{last.line}", last.turn)
        return


def _parser(line: str, name: str, session: str, form: Format) -> LineParser:
    json_like = line.lstrip().startswith("{") or name.lower().endswith(JSON_SUFFIXES)
    return JsonLines(session) if form == "jsonl" or (form == "auto" and json_like) else Transcript(session)


def read_lines(stream: BinaryIO, name: str) -> Iterator[str]:
    """The lines of a stream as text; FormatError names a line that is not UTF-8."""
    for number, data in enumerate(_raw_lines(stream), 1):
        try:
            yield decoded(data, first=number == 1)
        except FormatError as error:
            raise FormatError(f"{name}:{number}: {error.message}", error.remedy) from error


def decoded(data: bytes, *, first: bool = False) -> str:
    """A line as text without its end. A byte order mark at the start of the file is dropped."""
    if len(data) > MAX_LINE_BYTES:
        raise FormatError(f"the line is longer than {MAX_LINE_BYTES >> 20} MB.", "Is it a text file?")
    try:
        return data.decode("utf-8-sig" if first else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        bad = data[error.start]
        raise FormatError(
            f"byte {error.start + 1} of the line (0x{bad:02x}) is not UTF-8.",
            "Convert the file, with iconv for example.",
        ) from error


def _raw_lines(stream: BinaryIO) -> Iterator[bytes]:
    while data := stream.readline(MAX_LINE_BYTES + 1):
        yield data
        while len(data) > MAX_LINE_BYTES and not data.endswith(b"\n"):  # skip the rest of a line that is too long
            data = stream.readline(MAX_LINE_BYTES + 1)
            if not data:
                return
