"""Files that are never indexed, and the rules of `.gitignore` and `.aforesaidignore`.

The nearest ignore file with a matching pattern decides; inside a file, the last matching pattern. `.aforesaidignore`
wins over `.gitignore`, so that it can include a note that git ignores. Ignored folders are not read at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILES = (".gitignore", ".aforesaidignore")  # the last one wins
JUNK_FOLDERS = frozenset(
    {"node_modules", "logs", "__pycache__", "bower_components", "site-packages"}
)  # those of spec O6, and others without notes; hidden folders (.git, .obsidian, .trash, .venv) are skipped anyway
JUNK_ENDINGS = (".log",)
MAX_PATTERNS = 10_000


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
class IgnoreRules:
    """The patterns of one ignore file and its folder ("" for the root)."""

    folder: str
    spec: GitIgnoreSpec

    def check(self, path: str, is_folder: bool) -> bool | None:
        """True: ignore it. False: include it. None: no pattern matches."""
        inside = path[len(self.folder) + 1 :] if self.folder else path
        found: bool | None = self.spec.check_file(f"{inside}/" if is_folder else inside).include
        return found


@dataclass(frozen=True, slots=True)
class Ignored:
    """The rules that apply in a folder, outermost first, for each kind of ignore file."""

    layers: tuple[tuple[IgnoreRules, ...], ...] = field(default=((),) * len(IGNORE_FILES))

    def within(self, folder: str, texts: Sequence[str | None]) -> Ignored:
        """The rules for a folder with these ignore files (None: it has none of that kind)."""
        if not any(texts):
            return self
        return Ignored(
            tuple(
                (*layer, rules) if text and (rules := parse_rules(folder, text)) else layer
                for layer, text in zip(self.layers, texts, strict=True)
            )
        )

    def ignores(self, path: str, *, is_folder: bool = False) -> bool:
        """Whether to ignore a path."""
        for layer in reversed(self.layers):
            for rules in reversed(layer):
                found = rules.check(path, is_folder)
                if found is not None:
                    return found
        return False


def parse_rules(folder: str, text: str) -> IgnoreRules | None:
    """The rules of an ignore file. Invalid patterns are skipped, as in git."""
    from pathspec import GitIgnoreSpec

    lines = [line for line in text.removeprefix("\ufeff").splitlines()[:MAX_PATTERNS] if line.strip()]
    try:
        return IgnoreRules(folder, GitIgnoreSpec.from_lines(lines)) if lines else None
    except (ValueError, re.error):
        return IgnoreRules(folder, GitIgnoreSpec.from_lines([line for line in lines if _is_valid(line)]))


def _is_valid(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True
