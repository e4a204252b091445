"""Which files there are, and what each one is: found by what it holds, not by its name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from recollect.errors import InputError
from recollect.imports.chatgpt import ChatGPT
from recollect.imports.claude_code import ClaudeCode
from recollect.imports.codex import Codex
from recollect.imports.items import Bad, Parser, Wanted
from recollect.imports.jsonl import Jsonl
from recollect.imports.mem0 import Mem0
from recollect.imports.openclaw import OpenClaw, memory_files
from recollect.imports.reading import DocumentFile, LineFile, documents, is_zip, values

Format = Literal["claude-code", "codex", "openclaw", "chatgpt", "mem0", "jsonl"]
FORMATS: tuple[Format, ...] = get_args(Format)
OWN = "recollect"  # an export of our own
PARSERS: dict[Format, Callable[[str, Wanted], Parser]] = {
    "claude-code": ClaudeCode, "codex": Codex, "openclaw": OpenClaw, "chatgpt": ChatGPT, "mem0": Mem0, "jsonl": Jsonl,
}  # fmt: skip
SUFFIXES = (".jsonl", ".ndjson", ".json", ".zip")  # what is looked at in a folder
BESIDE = ("sessions.json", "models.json", "settings.json", "config.json", "package.json")  # of no interest there
HEAD_LINES = 50  # that are looked at to tell one kind of transcript from another
HEAD_BYTES = 4 << 20
STEM_CHARS = 200  # of a file's name as a session


@dataclass(frozen=True, slots=True)
class Source:
    """A file, what it is, and whether its values stand one a line."""

    path: Path
    format: Format
    lines: bool

    def open(self, wanted: Wanted) -> LineFile | DocumentFile:
        """The file as a reader of that kind."""
        parser = PARSERS[self.format](self.path.stem[:STEM_CHARS], wanted)
        return LineFile(self.path, parser) if self.lines else DocumentFile(self.path, parser)


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that is left as a whole, and why; `failed` if it should have been readable."""

    path: Path
    why: str
    failed: bool = False


def places(form: Format, environment: Mapping[str, str], home: Path) -> list[Path]:
    """Where a program keeps what it has; nothing for exports, which lie where somebody put them."""
    if form == "claude-code":
        return [Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects"]
    if form == "codex":
        return [Path(environment.get("CODEX_HOME") or home / ".codex") / "sessions"]
    if form == "openclaw":
        root = Path(environment.get("OPENCLAW_STATE_DIR") or home / ".openclaw")
        return [root / "workspace", root / "agents"]
    return []


def sources(path: Path, form: Format | None = None) -> Iterator[Source | Unread]:
    """What is to be read at a path, a folder's files in order; InputError when there is nothing there."""
    if not path.exists():
        raise InputError(f"{path} cannot be read: it is not there.", "Check the path.")
    if not path.is_dir():
        yield source_of(path, form)
        return
    for file in _files(path):
        yield source_of(file, form)


def _files(folder: Path) -> Iterator[Path]:
    """Files that may be transcripts or exports; links to other folders are not followed."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith(SUFFIXES) and name not in BESIDE:
                yield Path(place) / name


def source_of(path: Path, form: Format | None = None) -> Source | Unread:
    """What a file is; `form` says so where somebody knows."""
    try:
        found, lines = _sniffed(path)
    except OSError as error:
        return Unread(path, f"cannot be read: {error.strerror or error}", failed=True)
    except InputError as error:
        return Unread(path, error.message, failed=True)
    if form is not None and found != OWN:
        return Source(path, form, lines and form not in ("chatgpt", "mem0"))
    if found is None or found == OWN:
        return Unread(path, "an export of recollect" if found else "no format that is known here")
    return Source(path, found, lines)  # type: ignore[arg-type]


def is_own(path: Path) -> bool:
    """Whether a file is an export of our own."""
    try:
        return path.is_file() and _sniffed(path)[0] == OWN
    except (OSError, InputError):
        return False


def has_memory_files(path: Path) -> bool:
    """Whether a folder is a workspace with memory files."""
    return path.is_dir() and bool(memory_files(path))


def _sniffed(path: Path) -> tuple[str | None, bool]:
    """The format of a file, and whether it has one value a line."""
    if not path.is_file():
        raise InputError(f"{path} is not a file.", "Give a file or a folder.")
    if is_zip(path):
        return "chatgpt", False
    with path.open("rb") as stream:
        sign = stream.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    found = _kinds_of_lines(path) if sign != b"[" else []
    if sign == b"[" or (sign == b"{" and not found[:1]):  # a list, or an object over several lines
        first = _first(path)
        if not isinstance(first, Bad):
            return _kind(first), False
    return next(filter(None, found), None), not _wraps(path, found)


def _wraps(path: Path, found: Sequence[str | None]) -> bool:
    """Whether the only line of a file is an object around a list of the values that count."""
    return found[:1] in (["chatgpt"], ["mem0"]) and _kind(_first(path)) is not None and _outer(path) not in (None, "")


def _first(path: Path) -> Any:
    """The first value of a document; Bad if it is none, None if it is empty."""
    with path.open("rb") as stream:
        return next(iter(values(stream, lambda number: None)), None)


def _kinds_of_lines(path: Path) -> list[str | None]:
    """What the first lines of a file are, as far as they are JSON objects; nothing if the very first is none."""
    kinds: list[str | None] = []
    left = HEAD_BYTES
    with path.open("rb") as stream:
        for number in range(HEAD_LINES):
            data = stream.readline(left)
            left -= len(data)
            if not data or left <= 0:
                break
            try:
                value = json.loads(data.decode("utf-8-sig" if number == 0 else "utf-8")) if data.strip() else {}
            except (ValueError, RecursionError):
                if not kinds:
                    kinds.append(None)
                continue
            kinds.append(_kind(value))
            if kinds[-1] is not None:
                break
    return kinds


def _kind(value: Any) -> str | None:
    """What an object belongs to, by its fields; None when it could be anything."""
    if not isinstance(value, dict):
        return None
    kind = value.get("type")
    if "recollect" in value and "records" in value:
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
    """Whether an object keeps values with such a field under that name; an empty list says nothing."""
    found = value.get(name)
    return isinstance(found, list) and any(isinstance(each, dict) and field in each for each in found[:10])
