"""JSON documents, plain or inside the zip of an export, read one value at a time."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from aforesaid.errors import FormatError
from aforesaid.importers.formats.growing_file import ParsedValue, fingerprint, parse_value
from aforesaid.importers.formats.items import Invalid, ItemParser
from aforesaid.importers.formats.json_list import JsonListReader, NotJsonError

MAX_VALUE_CHARS = 256 << 20  # of one value: a whole conversation, or an object that contains all of them
MAX_UNPACKED_BYTES = 8 << 30  # of a file in a zip
MAX_RATIO = 200  # of its size to its packed size; conversations shrink to a fifth, zip bombs to a thousandth
FREE_BYTES = 10 << 20  # a smaller file is no bomb, whatever its ratio
CHUNK_CHARS = 1 << 20
CONVERSATIONS = re.compile(r"conversations(?:-\d{1,6})?\.json")
LIST_FIELDS = ("results", "memories", "conversations")  # where an object may keep its list of values
ZIP = b"PK\x03\x04"


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
        for name, opened in documents(self._path):
            with opened() as stream:
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


def documents(path: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The name and opener of each JSON document: the file itself, or the conversations inside a zip."""
    if not is_zip(path):
        yield str(path), lambda: path.open("rb")
        return
    for member in _members(path):
        yield f"{path}!{member.filename}", lambda member=member: _unpacked(path, member)  # type: ignore[misc]


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


@contextmanager
def _unpacked(path: Path, member: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
    with zipfile.ZipFile(path) as archive, archive.open(member) as stream:
        yield stream


def document_values(stream: IO[bytes], advance: Callable[[int], None]) -> Iterator[Any]:
    """The values that a document lists, read one by one. Ends with an Invalid if the rest cannot be read."""
    reader = JsonListReader(stream, advance, MAX_VALUE_CHARS, CHUNK_CHARS)
    try:
        if reader.is_list():
            yield from reader.items()
            return
        whole = reader.one()
    except NotJsonError as error:
        yield Invalid(str(error))
        return
    fields = whole if isinstance(whole, dict) else {}
    yield from next((fields[name] for name in LIST_FIELDS if isinstance(fields.get(name), list)), [whole])
