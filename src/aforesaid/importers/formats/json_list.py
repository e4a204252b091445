"""Reads a long JSON list value by value, so that an export of any size fits in memory."""

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

    def is_list(self) -> bool:
        """Whether the document is a list."""
        return self._peek() == "["

    def one(self) -> Any:
        """The whole document as one value."""
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
