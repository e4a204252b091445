"""Finds the files to import and detects the format of each by its content, not by its name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from aforesaid.errors import InputError
from aforesaid.importers.formats.chatgpt import ChatGPT
from aforesaid.importers.formats.claude_code import ClaudeCode
from aforesaid.importers.formats.codex import Codex
from aforesaid.importers.formats.growing_file import LineFile
from aforesaid.importers.formats.items import ImportOptions, Invalid, ItemParser
from aforesaid.importers.formats.json_document import LIST_FIELDS, DocumentFile, document_values, is_zip
from aforesaid.importers.formats.jsonl import Jsonl
from aforesaid.importers.formats.mem0 import Mem0
from aforesaid.importers.formats.openclaw import CURATED, OpenClaw, memory_files

Format = Literal["claude-code", "codex", "openclaw", "chatgpt", "mem0", "jsonl"]
FORMATS: tuple[Format, ...] = get_args(Format)
OWN = "aforesaid"  # our own export
PARSERS: dict[Format, Callable[[str, ImportOptions], ItemParser]] = {
    "claude-code": ClaudeCode, "codex": Codex, "openclaw": OpenClaw, "chatgpt": ChatGPT, "mem0": Mem0, "jsonl": Jsonl,
}  # fmt: skip
LINES = (".jsonl", ".ndjson")
SUFFIXES = (*LINES, ".json", ".zip")  # of the files to look at in a folder
TRANSCRIPTS = ("claude-code", "codex", "openclaw")  # JSON lines only; other files in their folders may hold credentials
IGNORED_NAMES = ("sessions.json", "models.json", "settings.json", "config.json", "package.json")
UNKNOWN = f"neither JSON lines with role and content, nor a file of {', '.join(FORMATS[:-1])}"
HEAD_LINES = 50  # to look at for the format
HEAD_BYTES = 80 << 20  # of those lines: a first message may contain an image
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
STEM_CHARS = 200  # of a file name that becomes a session's name


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to import, its format, and whether it has one value a line."""

    path: Path
    format: Format
    lines: bool

    def open(self, options: ImportOptions) -> LineFile | DocumentFile:
        """A reader for the file."""
        parser = PARSERS[self.format](self.path.stem[:STEM_CHARS], options)
        return LineFile(self.path, parser) if self.lines else DocumentFile(self.path, parser)


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that is not imported, and why. `failed` if it should have been: it was named, or could not be read."""

    path: Path
    why: str
    failed: bool = False


def places(form: Format, environment: Mapping[str, str], home: Path) -> list[Path]:
    """Where a program keeps its transcripts; empty for exports, which may be anywhere."""
    if form == "claude-code":
        return [Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects"]
    if form == "codex":
        return [Path(environment.get("CODEX_HOME") or home / ".codex") / "sessions"]
    if form == "openclaw":
        root = Path(environment.get("OPENCLAW_STATE_DIR") or home / ".openclaw")
        return [root / "workspace", root / "agents"]
    return []


def sources(path: Path, form: Format | None = None) -> Iterator[SourceFile | Unread]:
    """The files at a path, those of a folder in order. Raises InputError when the path does not exist."""
    if not path.exists():
        raise InputError(f"{path} cannot be read: it is not there.", "Check the path.")
    if not path.is_dir():
        found = source_of(path, form)
        yield replace(found, failed=True) if isinstance(found, Unread) else found
        return
    for file in _files(path, LINES if form in TRANSCRIPTS else SUFFIXES):
        found = source_of(file)
        if isinstance(found, SourceFile) and form not in (None, found.format):
            found = Unread(file, f"another format: {found.format}")
        yield found


def _files(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Files that may be transcripts or exports. Does not follow links to other folders."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith(suffixes) and name not in IGNORED_NAMES:
                yield Path(place) / name


def source_of(path: Path, form: Format | None = None) -> SourceFile | Unread:
    """Detects the format of a file; `form` overrides it."""
    try:
        found, lines = _detect(path)
    except OSError as error:
        return Unread(path, f"cannot be read: {error.strerror or error}", failed=True)
    except InputError as error:
        return Unread(path, error.message, failed=True)
    if form is not None and found != OWN:
        return SourceFile(path, form, lines)
    if found is None or found == OWN:
        return Unread(path, "an export of aforesaid" if found else UNKNOWN)
    return SourceFile(path, found, lines)  # type: ignore[arg-type]


def is_own(path: Path) -> bool:
    """Whether a file is our own export."""
    try:
        return path.is_file() and _detect(path)[0] == OWN
    except (OSError, InputError):
        return False


def is_workspace(path: Path, form: Format | None) -> bool:
    """Whether a folder is a workspace with memory files. Without a given format it must contain a MEMORY.md."""
    if form not in (None, "openclaw") or not path.is_dir():
        return False
    return bool(memory_files(path)) if form else (path / CURATED[0]).is_file()


def _detect(path: Path) -> tuple[str | None, bool]:
    """The format of a file (None if unknown), and whether it has one value a line."""
    if not path.is_file():
        raise InputError(f"{path} is not a file.", "Give a file or a folder.")
    if is_zip(path):
        return "chatgpt", False
    with path.open("rb") as stream:
        start = stream.read(4096).removeprefix(BYTE_ORDER_MARK).lstrip()
    if start[:1] != b"[" and start.splitlines()[:1] != [b"{"]:  # neither a list nor an object over several lines
        for value in _head(path):
            found = _format_of(value)
            if found is not None:
                return found, not any(isinstance(value.get(name), list) for name in LIST_FIELDS)
    if start[:1] in (b"[", b"{"):
        with path.open("rb") as stream:
            first = next(document_values(stream, lambda number: None), None)
        if not isinstance(first, Invalid):
            return _format_of(first), False
    return None, True


def _head(path: Path) -> Iterator[dict[str, Any]]:
    """The JSON objects among the first lines of a file."""
    remaining = HEAD_BYTES
    with path.open("rb") as stream:
        for _ in range(HEAD_LINES):
            data = stream.readline(remaining)
            remaining -= len(data)
            if not data or remaining <= 0:
                return
            try:
                value = json.loads(data.removeprefix(BYTE_ORDER_MARK).decode())
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value


def _format_of(value: Any) -> str | None:
    """The format that an object belongs to, by its fields; None when it could be anything."""
    if not isinstance(value, dict):
        return None
    kind = value.get("type")
    if "aforesaid" in value and "records" in value:
        return OWN
    if "mapping" in value or _lists(value, "conversations", "mapping"):
        return "chatgpt"
    if "memory" in value or _lists(value, "results", "memory") or _lists(value, "memories", "memory"):
        return "mem0"
    if kind in ("session_meta", "response_item", "event_msg", "turn_context") and "payload" in value:
        return "codex"
    if ("sessionId" in value or "leafUuid" in value or "parentUuid" in value) and isinstance(kind, str):
        return "claude-code"
    if (kind == "session" and "id" in value) or (kind == "message" and isinstance(value.get("message"), dict)):
        return "openclaw"
    if "instructions" in value and "timestamp" in value and "id" in value:
        return "codex"  # the head of an old rollout
    return "jsonl" if "role" in value or isinstance(value.get("messages"), list) else None


def _lists(value: Mapping[str, Any], name: str, field: str) -> bool:
    """Whether `value[name]` lists objects that have this field. An empty list does not count."""
    found = value.get(name)
    return isinstance(found, list) and any(isinstance(each, dict) and field in each for each in found[:10])
