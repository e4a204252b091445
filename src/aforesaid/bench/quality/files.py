"""Opens question sets, compressed or not, and detects their format."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from aforesaid.errors import FormatError, InputError

COMPRESSED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}
KNOWN = "Known are LongMemEval, LoCoMo, SQuAD and BEAM files, BEAM folders, and BEIR folders with corpus.jsonl."


def read_text(path: Path) -> str:
    """The whole file as text. Raises FormatError when it is damaged or not text."""
    try:
        with COMPRESSED.get(path.suffix, open)(path, "rt", encoding="utf-8-sig") as stream:
            return str(stream.read())
    except (UnicodeDecodeError, EOFError, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise FormatError(f"{path} cannot be read: {error}.", "Fetch it again: UTF-8 text, gzip or xz.") from None


def read_lines(path: Path) -> Iterator[Any]:
    """The values of a file of JSON lines."""
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except json.JSONDecodeError as error:
                raise FormatError(f"{path}:{number} is not JSON: {error}.", "Fetch the file again.") from None


def read_rows(path: Path) -> list[Any]:
    """The values of a JSON file: the items of a list, the single value, or the value of each JSON line."""
    if any(suffix in (".jsonl", ".ndjson") for suffix in path.suffixes):
        return list(read_lines(path))
    try:
        value = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise FormatError(f"{path} is not JSON: {error}.", "Fetch the file again.") from None
    return value if isinstance(value, list) else [value]


def rows_format(path: Path, rows: list[Any]) -> str:
    """The format of a file, by its values."""
    keys = set(rows[0]) if rows and isinstance(rows[0], dict) else set()
    if "haystack_sessions" in keys or keys == {"session", "turns"}:
        return "longmemeval"
    if {"qa", "conversation"} <= keys:
        return "locomo"
    if {"chat", "probing_questions"} <= keys:
        return "beam"
    if "data" in keys:
        return "squad"
    raise InputError(f"{path} is of no known format.", f"{KNOWN} Or name it with --format.")


def folder_format(path: Path) -> str:
    """The format of a folder, by its files."""
    if find(path, "corpus.jsonl") is not None:
        return "beir"
    if next(path.rglob("chat.json"), None) is not None:
        return "beam"
    raise InputError(f"The folder {path} is of no known format.", f"{KNOWN} Or name one of its files.")


def find(folder: Path, name: str) -> Path | None:
    """A file of a folder, compressed or not; None when there is none."""
    return next((folder / (name + end) for end in ("", *COMPRESSED) if (folder / (name + end)).is_file()), None)
