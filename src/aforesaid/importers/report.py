"""What to import, the report of an import, and the saved positions to resume from."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from pathlib import Path

from aforesaid.engine.engine import Engine
from aforesaid.importers.formats.items import ImportOptions
from aforesaid.ingest.pipeline import Speaker
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import Filter, Turn, owner_of

MAX_PROBLEMS = 100  # of a file to report in full; the rest is only counted


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something that could not be read."""

    where: str
    message: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """The result of one file. Its state is taken, continued, unchanged, stopped, left or unreadable."""

    path: str
    format: str
    state: str
    why: str = ""
    turns: int = 0
    claims: int = 0
    known: int = 0
    left: Mapping[str, int] = field(default_factory=dict)
    bad: int = 0
    problems: tuple[ImportProblem, ...] = ()
    sessions: int = 0
    first: datetime | None = None
    last: datetime | None = None


@dataclass
class Tally:
    """The counts of a file while it is read."""

    turns: int = 0
    claims: int = 0
    known: int = 0
    same_turns: int = 0
    same_claims: int = 0
    bad: int = 0
    left: Counter[str] = field(default_factory=Counter)
    problems: list[ImportProblem] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)
    first: datetime | None = None
    last: datetime | None = None

    @property
    def new(self) -> int:
        """New turns and claims."""
        return self.turns + self.claims

    def add_problem(self, where: str, message: str) -> None:
        """Count a value that cannot be read."""
        self.bad += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(ImportProblem(where, message))

    def add_time(self, time: datetime | None) -> None:
        """Extend the time span."""
        if time is not None:
            self.first = min(self.first or time, time)
            self.last = max(self.last or time, time)

    def report(self, path: Path, form: str, state: str, why: str) -> FileReport:
        """The report of the file."""
        return FileReport(
            str(path), form, state, why, self.turns, self.claims, self.known, dict(self.left), self.bad,
            tuple(self.problems), len(self.sessions), self.first, self.last,
        )  # fmt: skip


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
class Intake:
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
        found: Counter[str] = Counter()
        for file in self.files:
            found.update(file.left)
        return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))

    @property
    def bad(self) -> int:
        """The number of values that could not be read."""
        return sum(file.bad for file in self.files)


@dataclass(frozen=True, slots=True)
class FilePosition:
    """How far a file was read, a digest of the bytes before that position, and how much of it is stored."""

    size: int
    mtime: int
    position: int
    fingerprint: str
    turns: int
    claims: int
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


def stored_elsewhere(engine: Engine, who: Speaker, turns: Sequence[Turn]) -> set[tuple[str | None, str]]:
    """Session and id of turns that this user already has under another project, or under none."""
    mine = Filter(engine.tenant, (owner_of("user", who.user, None),), ids=tuple(turn.id for turn in turns), echoes=True)
    found = engine.store.find(mine) if turns else []
    return {(record.session, record.id) for record in found if record.kind == "turn" and record.project != who.project}


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()
