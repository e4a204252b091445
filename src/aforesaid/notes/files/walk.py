"""Finds the notes in a folder, and reads a note. What cannot be read is reported as skipped.

The nearest ignore file with a matching pattern decides; inside a file, the last matching pattern. `.aforesaidignore`
wins over `.gitignore`, so that it can include a note that git ignores. Ignored folders are not read at all.

Links are followed only to targets inside the folder that were not seen before. So loops end, and nothing outside is
read. Files are opened without following a link, and only if they are regular files.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from aforesaid.errors import InputError
from aforesaid.settings.rows import FileRows

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_PATH_CHARS = 400  # a path is part of a record's id
MAX_DEPTH = 100
MAX_IGNORE_BYTES = 200_000
IGNORE_FILES = (".gitignore", ".aforesaidignore")  # the last one wins
JUNK_FOLDERS = frozenset(
    {"node_modules", "logs", "__pycache__", "bower_components", "site-packages"}
)  # those of spec O6, and others without notes; hidden folders (.git, .obsidian, .trash, .venv) are skipped anyway
JUNK_ENDINGS = (".log",)
MAX_PATTERNS = 10_000
CONTROL = frozenset(map(chr, (*range(32), *range(127, 160), 0x2028, 0x2029)))


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A note that was found. Its path is relative to the root and uses slashes."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file or `folder` that was skipped, and why. If `temporary`, the next run may be able to read it."""

    path: str
    why: str
    temporary: bool = False
    folder: bool = False


@dataclass(slots=True)
class Walked:
    """The notes that were found, and what was skipped."""

    found: list[NoteFile] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)


class Unreadable(Exception):  # noqa: N818 - every caller turns it into a line of a report
    """A file cannot be read as a note."""

    def __init__(self, why: str, *, temporary: bool = False) -> None:
        super().__init__(why)
        self.why, self.temporary = why, temporary


def is_junk(path: str) -> bool:
    """Whether a path is always ignored: hidden, a log, or in a folder of packages."""
    *folders, name = PurePosixPath(path).parts or ("",)
    return is_junk_file(name) or any(map(is_junk_folder, folders))


def is_junk_folder(name: str) -> bool:
    """Whether a folder is always ignored."""
    return name.startswith(".") or name.lower() in JUNK_FOLDERS


def is_junk_file(name: str) -> bool:
    """Whether a file is always ignored."""
    return name.startswith(".") or name.lower().endswith(JUNK_ENDINGS)


@dataclass(frozen=True, slots=True)
class Ignored:
    """The ignore rules of a folder: for each kind of ignore file, folders and their patterns, outermost first."""

    layers: tuple[tuple[tuple[str, GitIgnoreSpec], ...], ...] = ((),) * len(IGNORE_FILES)

    def within(self, folder: str, texts: Sequence[str | None]) -> Ignored:
        """The rules for a folder with these ignore files (None: it has none of that kind)."""
        return Ignored(
            tuple(
                (*layer, (folder, spec)) if text and (spec := _patterns(text)) else layer
                for layer, text in zip(self.layers, texts, strict=True)
            )
        )

    def ignores(self, path: str, *, is_folder: bool = False) -> bool:
        """Whether to ignore a path."""
        name = f"{path}/" if is_folder else path
        for layer in reversed(self.layers):
            for folder, spec in reversed(layer):
                ignored: bool | None = spec.check_file(name.removeprefix(f"{folder}/")).include
                if ignored is not None:
                    return ignored
        return False


def _patterns(text: str) -> GitIgnoreSpec | None:
    """The patterns of an ignore file. Invalid ones are skipped, as in git."""
    lines = [line for line in text.removeprefix("\ufeff").splitlines()[:MAX_PATTERNS] if line.strip()]
    return _spec(lines) or _spec([line for line in lines if _spec([line])])


def _spec(lines: Sequence[str]) -> GitIgnoreSpec | None:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except (ValueError, re.error):
        return None


def real_folder(path: str | Path) -> Path:
    """The folder with links resolved. Raises InputError when it does not exist."""
    try:
        folder = Path(path).expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"There is no folder {str(path)!r}.", "Give the folder that holds the notes.") from error
    if not folder.is_dir():
        raise InputError(f"{path} is not a folder.", "Give the folder that contains it; `aforesaid load` is for rules.")
    return folder


def endings_of(rows: FileRows) -> tuple[str, ...]:
    """The file endings of notes, each with its dot."""
    return tuple("." + ending.lower().lstrip(".") for ending in rows.endings.replace(",", " ").split())


def walk(root: Path, rows: FileRows) -> Walked:
    """All notes under a folder (with links resolved), sorted by path."""
    walker = _Walker(root, endings_of(rows))
    walker.folder("", Ignored(), 0)
    walker.links()
    walker.walked.found.sort(key=lambda found: found.path)
    walker.walked.skipped.sort(key=lambda skipped: skipped.path)
    return walker.walked


class _Walker:
    def __init__(self, root: Path, endings: tuple[str, ...]) -> None:
        self.walked = Walked()
        self._root, self._endings = root, endings
        self._base = os.fspath(root)
        self._seen: set[str] = {self._base}
        self._links: list[tuple[str, Ignored, int]] = []

    def folder(self, inside: str, above: Ignored, depth: int) -> None:
        """Read a folder. Links are handled at the end, when all real files are known."""
        try:
            with os.scandir(self._at(inside)) as entries:
                here = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._skip(inside, _reason(error), temporary=True, folder=True)
            return
        names = {entry.name for entry in here}
        ignored = above.within(inside, [self._ignore_file(inside, name, names) for name in IGNORE_FILES])
        for entry in here:
            self._entry(entry, inside, ignored, depth)

    def _entry(self, entry: os.DirEntry[str], inside: str, ignored: Ignored, depth: int) -> None:
        path = f"{inside}/{entry.name}" if inside else entry.name
        try:
            if entry.is_symlink():
                self._links.append((path, ignored, depth))
            elif entry.is_dir(follow_symlinks=False):
                if is_junk_folder(entry.name) or ignored.ignores(path, is_folder=True):
                    return
                if depth >= MAX_DEPTH:
                    self._skip(path, f"more than {MAX_DEPTH} folders deep", folder=True)
                    return
                self._seen.add(self._at(path))
                self.folder(path, ignored, depth + 1)
            elif self._is_note(entry.name) and not ignored.ignores(path):
                self._file(path, entry.stat(follow_symlinks=False))
        except OSError as error:
            self._skip(path, _reason(error), temporary=True)

    def _file(self, path: str, found: os.stat_result) -> None:
        if why := name_problem(path):
            self._skip(path, why)
        elif not stat.S_ISREG(found.st_mode):
            self._skip(path, "not a plain file")
        else:
            self._seen.add(self._at(path))
            self.walked.found.append(NoteFile(path, found.st_size, found.st_mtime_ns))

    def links(self) -> None:
        """Follow links to targets inside the folder that were not found under their own name."""
        while self._links:
            path, ignored, depth = self._links.pop(0)
            name = path.rpartition("/")[2]
            if name.startswith("."):
                continue
            try:
                target = Path(self._at(path)).resolve(strict=True)
                is_folder = target.is_dir()
            except (OSError, RuntimeError):
                if self._is_note(name):
                    self._skip(path, "a link that leads nowhere")
                continue
            if is_junk_folder(name) if is_folder else not self._is_note(name):
                continue
            if ignored.ignores(path, is_folder=is_folder) or os.fspath(target) in self._seen:
                continue
            if not target.is_relative_to(self._root):
                self._skip(path, "a link that leads out of the folder", folder=is_folder)
            elif is_folder and depth < MAX_DEPTH and not self._root.is_relative_to(target):
                self._seen.add(os.fspath(target))
                self.folder(path, ignored, depth + 1)
            elif not is_folder:
                self._seen.add(os.fspath(target))
                self._file(path, target.stat())

    def _ignore_file(self, inside: str, name: str, names: set[str]) -> str | None:
        if name not in names:
            return None
        try:
            data = _bytes(Path(self._at(inside), name), self._root, MAX_IGNORE_BYTES)[0]
        except (Unreadable, OSError) as error:
            self._skip(f"{inside}/{name}".lstrip("/"), error.why if isinstance(error, Unreadable) else _reason(error))
            return None
        return data.decode(errors="replace")

    def _is_note(self, name: str) -> bool:
        return name.lower().endswith(self._endings) and not is_junk_file(name)

    def _at(self, inside: str) -> str:
        return f"{self._base}/{inside}" if inside else self._base

    def _skip(self, path: str, why: str, *, temporary: bool = False, folder: bool = False) -> None:
        self.walked.skipped.append(SkippedFile(printable(path) or ".", why, temporary, folder))


def name_problem(path: str) -> str:
    """Why a path cannot be part of a record's id; empty if it can."""
    if path.isascii() and path.isprintable() and "\\" not in path and len(path) <= MAX_PATH_CHARS:
        return ""
    if len(path) > MAX_PATH_CHARS:
        return f"its path has more than {MAX_PATH_CHARS} characters"
    try:
        path.encode()
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    if not CONTROL.isdisjoint(path):
        return "control characters in its name"
    return "a backslash in its name" if "\\" in path else ""


def printable(path: str) -> str:
    """A path for output, with unprintable characters escaped."""
    safe = path.encode(errors="backslashreplace").decode()
    return "".join(char.encode("unicode_escape").decode() if char in CONTROL else char for char in safe)


def read_note(root: Path, path: str, rows: FileRows) -> tuple[bytes, int]:
    """The bytes of a note, and its time in nanoseconds. Raises Unreadable with the reason."""
    try:
        data, mtime_ns = _bytes(root / path, root, rows.max_bytes)
    except OSError as error:
        raise Unreadable(_reason(error), temporary=True) from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable("UTF-16 text; save it as UTF-8")
    if b"\x00" in data:
        raise Unreadable("binary")
    return data, mtime_ns


def decode(data: bytes) -> str:
    """The text of a note. Raises Unreadable when it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8") from None


def _bytes(file: Path, root: Path, max_bytes: int) -> tuple[bytes, int]:
    """All bytes of a regular file under a root, and its time. Raises Unreadable if it changes while it is read."""
    target = file.resolve(strict=True)
    if not target.is_relative_to(root):
        raise Unreadable("a link that leads out of the folder")
    handle = os.open(target, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(handle, "rb") as stream:  # noqa: PTH123 - a handle has no path
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise Unreadable("not a plain file")
        if before.st_size > max_bytes:
            raise Unreadable(f"{before.st_size:,} bytes, more than files.max_bytes = {max_bytes:,}")
        data = stream.read(max_bytes + 1)
        after = os.fstat(handle)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or len(data) != after.st_size:
        raise Unreadable("changed while it was read; the next run takes it", temporary=True)
    return data, after.st_mtime_ns


def _reason(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"


def under(path: str, folders: Sequence[str]) -> bool:
    """Whether a path is in any of these folders."""
    return any(folder == "." or path == folder or path.startswith(f"{folder}/") for folder in folders)
