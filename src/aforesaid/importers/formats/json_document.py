"""JSON documents, plain or inside the zip of an export, read one value at a time."""

from __future__ import annotations

import codecs
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from aforesaid.errors import FormatError
from aforesaid.importers.formats.growing_file import ParsedValue, fingerprint, parse_value
from aforesaid.importers.formats.items import Invalid, ItemParser

MAX_VALUE_CHARS = 256 << 20  # of one value: a whole conversation, or an object that contains all of them
MAX_UNPACKED_BYTES = 8 << 30  # of a file in a zip
MAX_RATIO = 200  # of its size to its packed size; conversations shrink to a fifth, zip bombs to a thousandth
FREE_BYTES = 10 << 20  # a smaller file is no bomb, whatever its ratio
CHUNK_CHARS = 1 << 20
CONVERSATIONS = re.compile(r"conversations(?:-\d{1,6})?\.json")
LIST_FIELDS = ("results", "memories", "conversations")  # where an object may keep its list of values
ZIP = b"PK\x03\x04"
BLANK = re.compile(r"[ \t\r\n]*")


class DocumentFile:
    """A JSON document with a list of values, or a zip of them. Its position is the number of values read."""

    def __init__(self, path: Path, parser: ItemParser) -> None:
        self._path = path
        self._parser = parser
        self._fingerprint = ""
        self.position = 0
        self.size = sum(member.file_size for member in _members(path)) if is_zip(path) else path.stat().st_size
        self.read = 0

    @property
    def fingerprint(self) -> str:
        """A digest of the whole file."""
        self._fingerprint = self._fingerprint or fingerprint(self._path)
        return self._fingerprint

    def fingerprint_at(self, position: int) -> str:
        """The digest of the whole file: a document changes as a whole."""
        return self.fingerprint

    def values(self, after: int = 0) -> Iterator[ParsedValue]:
        """The values of every document, without the first `after`."""
        for name, stream in documents(self._path):
            for index, value in enumerate(document_values(stream, self._advance)):
                self.position += 1
                if self.position > after:
                    yield ParsedValue(f"{name}[{index}]", parse_value(self._parser, value, self.position))

    def _advance(self, number: int) -> None:
        self.read += number


def is_zip(path: Path) -> bool:
    """Whether a file starts like a zip."""
    with path.open("rb") as stream:
        return stream.read(len(ZIP)) == ZIP


def documents(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """The name and content of each JSON document: the file itself, or the conversations inside a zip."""
    if not is_zip(path):
        with path.open("rb") as stream:
            yield str(path), stream
        return
    with zipfile.ZipFile(path) as archive:
        for member in _members(path):
            with archive.open(member) as stream:
                yield f"{path}!{member.filename}", stream


def _members(path: Path) -> list[zipfile.ZipInfo]:
    """The conversation files of an export. Raises FormatError for a damaged or malicious zip."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = [info for info in archive.infolist() if CONVERSATIONS.fullmatch(PurePosixPath(info.filename).name)]
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise FormatError(f"{path} cannot be unpacked: {error}.", "Download the export again.") from error
    if not found:
        raise FormatError(f"{path} holds no conversations.json.", "Give the zip of a ChatGPT export.")
    for info in found:
        _check_member(path, info)
    return sorted(found, key=lambda info: info.filename)


def _check_member(path: Path, info: zipfile.ZipInfo) -> None:
    name = info.filename
    if name.startswith("/") or "\\" in name or ":" in name or ".." in PurePosixPath(name).parts:
        raise FormatError(f"{path} holds a file that leads elsewhere: {name[:80]!r}.", "It is not a ChatGPT export.")
    if info.flag_bits & 1:
        raise FormatError(f"{name} in {path} is encrypted.", "Unpack it yourself, and give conversations.json.")
    ratio = info.file_size / max(info.compress_size, 1)
    if info.file_size > MAX_UNPACKED_BYTES or (info.file_size > FREE_BYTES and ratio > MAX_RATIO):
        raise FormatError(
            f"{name} in {path} would unpack to {info.file_size:,} bytes, {ratio:,.0f} times its packed size.",
            "If you trust it, unpack it yourself and give conversations.json.",
        )


def document_values(stream: IO[bytes], advance: Callable[[int], None]) -> Iterator[Any]:
    """The values that a document lists, read one by one. Ends with an Invalid if the rest cannot be read."""
    try:
        yield from JsonListReader(stream, advance, MAX_VALUE_CHARS, CHUNK_CHARS).values()
    except NotJsonError as error:
        yield Invalid(str(error))


class NotJsonError(Exception):
    """The rest of the document cannot be read; the message says why."""


class JsonListReader:
    """Reads a document in chunks. While a value does not fit, the chunks grow, so that the time stays linear."""

    def __init__(self, stream: IO[bytes], advance: Callable[[int], None], max_chars: int, chunk: int) -> None:
        self._stream = stream
        self._advance = advance
        self._max = max_chars
        self._chunk = chunk
        self._text = ""
        self._at = 0
        self._ended = False
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._decode = json.JSONDecoder().raw_decode

    def values(self) -> Iterator[Any]:
        """The values of a list one by one, the values of the list in an object, or the document as one value."""
        if self._peek() == "[":
            yield from self._items()
            return
        whole = self._value()
        if self._peek():
            raise NotJsonError("there is more behind the first value: it is neither JSON nor JSON lines.")
        fields = whole if isinstance(whole, dict) else {}
        yield from next((fields[name] for name in LIST_FIELDS if isinstance(fields.get(name), list)), [whole])

    def _items(self) -> Iterator[Any]:
        self._at += 1
        if self._peek() == "]":
            return
        while True:
            yield self._value()
            sign = self._peek()
            if sign not in (",", "]"):
                raise NotJsonError("the list breaks off." if not sign else f"found {sign!r} instead of a comma.")
            self._at += 1
            if sign == "]":
                return

    def _peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            found = BLANK.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._read(self._chunk)

    def _value(self) -> Any:
        size = self._chunk
        self._peek()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except RecursionError:
                raise NotJsonError("it is nested too deeply.") from None
            except ValueError as error:
                if self._ended or len(self._text) - self._at > self._max:
                    raise NotJsonError(f"it is not JSON: {error}.") from None
                self._read(size)
                size *= 2
                continue
            if end < len(self._text) or self._ended:  # a number at the edge may continue in the next chunk
                self._at = end
                return value
            self._read(size)

    def _read(self, size: int) -> None:
        try:
            data = self._stream.read(size)
            self._advance(len(data))
            self._ended = not data
            self._text = self._text[self._at :] + self._decoder.decode(data, final=not data)
        except UnicodeDecodeError:
            raise NotJsonError("it is not UTF-8.") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise NotJsonError(f"it cannot be unpacked: {error}.") from None
        self._at = 0
