"""A long JSON list read value by value, so that an export of any size fits in memory."""

from __future__ import annotations

import codecs
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

BLANK = re.compile(r"[ \t\r\n]*")


class NotJsonError(Exception):
    """The rest of the document cannot be read; the message says why."""


class JsonListReader:
    """The text of a document, read in chunks that grow with the value that does not fit: linear in its length."""

    def __init__(self, stream: IO[bytes], advance: Callable[[int], None], most_chars: int, chunk: int) -> None:
        self._stream = stream
        self._advance = advance
        self._most = most_chars
        self._chunk = chunk
        self._text = ""
        self._at = 0
        self._ended = False
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._scan = json.JSONDecoder().raw_decode

    def is_list(self) -> bool:
        """Whether the document is a list."""
        return self._peek() == "["

    def one(self) -> Any:
        """The document as one value."""
        value = self._value()
        if self._peek():
            raise NotJsonError("there is more behind the first value: it is neither JSON nor JSON lines.")
        return value

    def items(self) -> Iterator[Any]:
        """The values of a list, one by one."""
        self._at += 1
        if self._peek() == "]":
            return
        while True:
            yield self._value()
            sign = self._peek()
            if sign not in (",", "]"):
                raise NotJsonError("the list breaks off." if not sign else f"{sign!r} stands where a comma should.")
            self._at += 1
            if sign == "]":
                return

    def _peek(self) -> str:
        """The next character that is not blank; nothing at the end."""
        while True:
            found = BLANK.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._more(self._chunk)

    def _value(self) -> Any:
        wanted = self._chunk
        self._peek()
        while True:
            try:
                value, end = self._scan(self._text, self._at)
            except RecursionError:
                raise NotJsonError("it is nested too deeply.") from None
            except ValueError as error:
                if self._ended or len(self._text) - self._at > self._most:
                    raise NotJsonError(f"it is not JSON: {error}.") from None
                self._more(wanted)
                wanted *= 2
                continue
            if end < len(self._text) or self._ended:  # a number at the edge may go on
                self._at = end
                return value
            self._more(wanted)

    def _more(self, size: int) -> None:
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
