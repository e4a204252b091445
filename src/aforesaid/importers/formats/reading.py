"""Files of values: JSON lines that may still grow, and JSON documents, also inside a zip. One value at a time."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO

from aforesaid.errors import FormatError, InputError
from aforesaid.importers.formats.items import UNFINISHED, Bad, Item, ItemParser, Left

MAX_LINE_BYTES = 64 << 20  # no message is that long; without a bound a file of zeros would fill the memory
MAX_VALUE_CHARS = 256 << 20  # of one value of a document: a whole conversation, or an object around all of them
MAX_UNPACKED_BYTES = 8 << 30  # of a zip's member
MAX_RATIO = 200  # of its size to its packed size; conversations shrink to a fifth, bombs to a thousandth
FREE_BYTES = 10 << 20  # a member below this size is no bomb, whatever its ratio
CHUNK_CHARS = 1 << 20
CONVERSATIONS = re.compile(r"conversations(?:-\d{1,6})?\.json")
LISTS = ("results", "memories", "conversations")  # under which an object keeps the values that count
ZIP = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class ParsedValue:
    """One value of a file: what it held, where it stood, and the place behind it from which to go on later."""

    position: int
    where: str
    items: tuple[Item, ...]


def fingerprint(path: Path, length: int | None = None) -> str:
    """A digest of a file's first bytes, or of all of them; nothing for a file that is shorter."""
    found = blake2b(digest_size=16)
    left = path.stat().st_size if length is None else length
    with path.open("rb") as stream:
        while left and (data := stream.read(min(left, 1 << 20))):
            found.update(data)
            left -= len(data)
    return found.hexdigest() if not left or length is None else ""


class LineFile:
    """A file of JSON lines; a place in it is a number of bytes."""

    def __init__(self, path: Path, parser: ItemParser) -> None:
        self._path = path
        self._parser = parser
        self._digest = blake2b(digest_size=16)
        self.size = path.stat().st_size
        self.read = 0

    @property
    def position(self) -> int:
        """The place behind what was read last."""
        return self.read

    @property
    def fingerprint(self) -> str:
        """A digest of the bytes up to that place."""
        return self._digest.hexdigest()

    def since(self, position: int) -> str:
        """The digest that the file has up to a place, if it is that long."""
        return fingerprint(self._path, position)

    def steps(self, after: int = 0) -> Iterator[ParsedValue]:
        """Every line behind a place that is not blank; the last one only when it is complete.

        Lines before that place are shown to the parser, which may learn from them, and not asked for what they hold.
        """
        count = number = 0
        with self._path.open("rb") as stream:
            while data := stream.readline(MAX_LINE_BYTES + 1):
                number += 1
                where, ended = f"{self._path}:{number}", data.endswith(b"\n")
                if len(data) > MAX_LINE_BYTES:
                    self._pass(data, stream)
                    count += 1
                    if self.read <= after:
                        continue
                    yield ParsedValue(self.read, where, (Bad(f"the line is longer than {MAX_LINE_BYTES >> 20} MB."),))
                    continue
                count += bool(data.strip())
                value = _value(data, first=number == 1) if data.strip() else None
                if isinstance(value, Bad) and not ended:
                    yield ParsedValue(self.read, where, (Left(UNFINISHED),))
                    return
                self._seen(data)
                if data.strip() and self.read > after:
                    items = [value] if isinstance(value, Bad) else parsed(self._parser, value, count)
                    yield ParsedValue(self.read, where, tuple(items))
                elif data.strip() and not isinstance(value, Bad):
                    with suppress(InputError):
                        self._parser.feed(value, count)

    def _seen(self, data: bytes) -> None:
        self._digest.update(data)
        self.read += len(data)

    def _pass(self, data: bytes, stream: BinaryIO) -> None:
        """Read past a line that is refused, without holding it."""
        self._seen(data)
        while not data.endswith(b"\n") and (data := stream.readline(CHUNK_CHARS)):
            self._seen(data)


def _value(data: bytes, *, first: bool) -> Any:
    """The value of a line, or Bad."""
    try:
        return json.loads(data.decode("utf-8-sig" if first else "utf-8"))
    except UnicodeDecodeError as error:
        return Bad(f"byte {error.start + 1} of the line (0x{data[error.start]:02x}) is not UTF-8.")
    except (ValueError, RecursionError) as error:
        return Bad(f"it is not JSON: {error}.")


def parsed(parser: ItemParser, value: Any, number: int) -> list[Item]:
    """What a value holds; what is wrong with it is one more item, not an exception."""
    items: list[Item] = []
    try:
        for item in parser.feed(value, number):
            items.append(item)  # noqa: PERF402 - what came before an error counts
    except InputError as error:
        items.append(Bad(error.message))
    except RecursionError:
        items.append(Bad("it is nested too deeply."))
    return items


class DocumentFile:
    """A JSON document with a list of values, or a zip with such documents; a place in it is how many came before."""

    def __init__(self, path: Path, parser: ItemParser) -> None:
        self._path = path
        self._parser = parser
        self._zipped = is_zip(path)
        self._whole = ""
        self.position = 0
        self.size = sum(member.file_size for member in _members(path)) if self._zipped else path.stat().st_size
        self.read = 0

    @property
    def fingerprint(self) -> str:
        """A digest of the whole file."""
        self._whole = self._whole or fingerprint(self._path)
        return self._whole

    def since(self, position: int) -> str:
        """The digest that the file has now: a document changes as a whole."""
        return self.fingerprint

    def steps(self, after: int = 0) -> Iterator[ParsedValue]:
        """Every value of every document, but for the first ones."""
        for name, opened in documents(self._path):
            with opened() as stream:
                for place, value in enumerate(values(stream, self._advance)):
                    self.position += 1
                    if self.position <= after:
                        continue
                    items = [value] if isinstance(value, Bad) else parsed(self._parser, value, self.position)
                    yield ParsedValue(self.position, f"{name}[{place}]", tuple(items))

    def _advance(self, number: int) -> None:
        self.read += number


def is_zip(path: Path) -> bool:
    """Whether a file is a zip, by its first bytes."""
    with path.open("rb") as stream:
        return stream.read(len(ZIP)) == ZIP


def documents(path: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The JSON documents at a path, each with its name: the file itself, or the conversations inside a zip."""
    if not is_zip(path):
        yield str(path), lambda: path.open("rb")
        return
    for member in _members(path):
        yield f"{path}!{member.filename}", lambda member=member: _unpacked(path, member)  # type: ignore[misc]


def _members(path: Path) -> list[zipfile.ZipInfo]:
    """The conversations of an export; FormatError for a zip that is damaged, or built to do harm."""
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


def values(stream: IO[bytes], advance: Callable[[int], None]) -> Iterator[Any]:
    """The values that a document lists, each read when it is asked for; Bad at the first that cannot be read."""
    from aforesaid.importers.formats.listing import JsonListReader, NotJsonError

    listing = JsonListReader(stream, advance, MAX_VALUE_CHARS, CHUNK_CHARS)
    try:
        if listing.is_list():
            yield from listing.items()
            return
        whole = listing.one()
    except NotJsonError as error:
        yield Bad(str(error))
        return
    held = whole if isinstance(whole, dict) else {}
    yield from next((held[name] for name in LISTS if isinstance(held.get(name), list)), [whole])
