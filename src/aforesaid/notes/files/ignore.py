"""What is never indexed, and what the people of a folder asked to leave out: `.gitignore` and `.aforesaidignore`.

The nearest ignore file that says something of a path decides; inside a file the last pattern does. `.aforesaidignore`
has the last word, so that a note that git ignores can be taken in again. A folder that is left out is not looked into.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILES = (".gitignore", ".aforesaidignore")  # the later has the last word
JUNK_FOLDERS = frozenset(
    {"node_modules", "logs", "__pycache__", "bower_components", "site-packages"}
)  # seed 004's, and others that hold nobody's notes; hidden folders (.git, .obsidian, .trash, .venv) go anyway
JUNK_ENDINGS = (".log",)
MAX_PATTERNS = 10_000


def is_junk(path: str) -> bool:
    """Whether a path of a folder is left out whatever anybody says: hidden, a log, or under a folder of packages."""
    *folders, name = PurePosixPath(path).parts or ("",)
    return is_junk_file(name) or any(map(is_junk_folder, folders))


def is_junk_folder(name: str) -> bool:
    """A folder that nobody keeps notes in."""
    return name.startswith(".") or name.lower() in JUNK_FOLDERS


def is_junk_file(name: str) -> bool:
    """A file that is no note by its name."""
    return name.startswith(".") or name.lower().endswith(JUNK_ENDINGS)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns of one ignore file, with the folder that they count from ("" for the root)."""

    folder: str
    spec: GitIgnoreSpec

    def says(self, path: str, is_folder: bool) -> bool | None:
        """True: leave it out. False: take it in. None: nothing said."""
        inside = path[len(self.folder) + 1 :] if self.folder else path
        found: bool | None = self.spec.check_file(f"{inside}/" if is_folder else inside).include
        return found


@dataclass(frozen=True, slots=True)
class Ignored:
    """The rules in force in a folder, outermost first, by the kind of file they come from."""

    layers: tuple[tuple[IgnoreRules, ...], ...] = field(default=((),) * len(IGNORE_FILES))

    def within(self, folder: str, texts: Sequence[str | None]) -> Ignored:
        """The rules in force in a folder that has these ignore files (None: it has none of that kind)."""
        if not any(texts):
            return self
        return Ignored(
            tuple(
                (*layer, rules) if text and (rules := parsed(folder, text)) else layer
                for layer, text in zip(self.layers, texts, strict=True)
            )
        )

    def leaves_out(self, path: str, *, is_folder: bool = False) -> bool:
        """Whether a path is to be left out."""
        for layer in reversed(self.layers):
            for rules in reversed(layer):
                said = rules.says(path, is_folder)
                if said is not None:
                    return said
        return False


def parsed(folder: str, text: str) -> IgnoreRules | None:
    """The rules of an ignore file; a pattern that cannot be read is passed over, as git does."""
    from pathspec import GitIgnoreSpec

    lines = [line for line in text.removeprefix("\ufeff").splitlines()[:MAX_PATTERNS] if line.strip()]
    try:
        return IgnoreRules(folder, GitIgnoreSpec.from_lines(lines)) if lines else None
    except (ValueError, re.error):
        return IgnoreRules(folder, GitIgnoreSpec.from_lines([line for line in lines if _readable(line)]))


def _readable(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True
