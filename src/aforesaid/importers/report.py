"""What to import, the report of an import, and the saved positions to resume from."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from pathlib import Path

from aforesaid.engine.engine import Engine
from aforesaid.importers.formats.items import ImportOptions
from aforesaid.ingest.pipeline import Speaker
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import owner_of

MAX_PROBLEMS = 100  # of a file to report in full; the rest is only counted


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something that could not be read."""

    where: str
    message: str


@dataclass(slots=True)
class FileReport:
    """The result of one file. Its state is taken, continued, unchanged, stopped, left or unreadable."""

    path: str
    format: str = ""
    state: str = ""
    why: str = ""
    turns: int = 0
    claims: int = 0
    known: int = 0
    left: Counter[str] = field(default_factory=Counter)
    bad: int = 0
    problems: list[ImportProblem] = field(default_factory=list)
    sessions: int = 0
    first: datetime | None = None
    last: datetime | None = None
    session_names: set[str] = field(default_factory=set, init=False)

    def add_problem(self, where: str, message: str) -> None:
        """Count a value that cannot be read."""
        self.bad += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(ImportProblem(where, message))

    def add_session(self, session: str) -> None:
        """Count a session once."""
        self.session_names.add(session)
        self.sessions = len(self.session_names)

    def add_time(self, time: datetime | None) -> None:
        """Extend the time span."""
        if time is not None:
            self.first = min(self.first or time, time)
            self.last = max(self.last or time, time)


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What to import and for whom: a time span, sessions that match a glob, at most `limit` items."""

    who: Speaker = field(default_factory=Speaker)
    options: ImportOptions = field(default_factory=ImportOptions)
    since: datetime | None = None
    until: datetime | None = None
    session: str | None = None
    limit: int | None = None
    strict: bool = False
    dry_run: bool = False

    @property
    def choice(self) -> str:
        """Everything that decides which items are imported. If it changes, files are read from their start."""
        return repr((self.who, self.options, self.since, self.until, self.session))


@dataclass(frozen=True, slots=True)
class ImporterReport:
    """The result of an import, file by file. `notes` are hints for the user."""

    files: tuple[FileReport, ...]
    sessions: int = 0
    stopped: bool = False
    dry_run: bool = False
    notes: tuple[str, ...] = ()

    @property
    def turns(self) -> int:
        """New turns."""
        return sum(file.turns for file in self.files)

    @property
    def claims(self) -> int:
        """New claims."""
        return sum(file.claims for file in self.files)

    @property
    def known(self) -> int:
        """Turns and claims that were already stored."""
        return sum(file.known for file in self.files)

    @property
    def left(self) -> dict[str, int]:
        """The number of skipped items by reason, largest first."""
        found = sum((file.left for file in self.files), Counter[str]())
        return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))

    @property
    def bad(self) -> int:
        """The number of values that could not be read."""
        return sum(file.bad for file in self.files)


@dataclass(frozen=True, slots=True)
class FilePosition:
    """How far a file was read, a digest of the bytes before that position, and how many items are stored."""

    size: int
    mtime: int
    position: int
    fingerprint: str
    stored: int
    done: bool
    choice: str = ""

    def covers(self, stat: os.stat_result) -> bool:
        """Whether the file was read to its end and has not changed since."""
        return self.done and (self.size, self.mtime) == (stat.st_size, stat.st_mtime_ns)


class SavedPositions:
    """The saved positions of one owner.

    They are valid for the same plan, and until everything of the owner is deleted. They contain digests, no paths or
    names, so that nothing of a deleted record remains in them.
    """

    def __init__(self, engine: Engine, who: Speaker, choice: str) -> None:
        self._engine, self._owner, self._choice = engine, owner_of("user", who.user, who.project), _digest(choice)

    def get(self, path: Path) -> FilePosition | None:
        """The saved position of a file, if it is valid."""
        saved = self._engine.store.values.get(self._slot(path))
        try:
            position = FilePosition(**json.loads(saved)) if saved else None
        except (ValueError, TypeError):  # written by another version
            return None
        return position if position is not None and position.choice == self._choice else None

    def put(self, path: Path, position: FilePosition) -> None:
        """Save how far a file was read."""
        self._engine.store.values.put(self._slot(path), json.dumps(asdict(replace(position, choice=self._choice))))

    def _slot(self, path: Path) -> Slot:
        return Slot(ValueKind.POSITION, self._engine.tenant, self._owner, f"import/{_digest(str(path.resolve()))}")


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()
