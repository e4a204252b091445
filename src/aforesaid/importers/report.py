"""What an import is asked for and what it came to: the wish, a tally of each file, and marks to go on from."""

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

MOST_PROBLEMS = 100  # bad lines of a file that are kept word for word; the rest is counted


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something that could not be read."""

    where: str
    message: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file. Its state is taken, continued, unchanged, stopped, left or unreadable."""

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
    """The same while it is being counted."""

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
    def taken(self) -> int:
        """What is new."""
        return self.turns + self.claims

    def note_bad(self, where: str, message: str) -> None:
        """Count something that cannot be read."""
        self.bad += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(ImportProblem(where, message))

    def seen(self, time: datetime | None) -> None:
        """Widen the span of time."""
        if time is not None:
            self.first = min(self.first or time, time)
            self.last = max(self.last or time, time)

    def report(self, path: Path, form: str, state: str, why: str) -> FileReport:
        """What it came to."""
        return FileReport(
            str(path), form, state, why, self.turns, self.claims, self.known, dict(self.left), self.bad,
            tuple(self.problems), len(self.sessions), self.first, self.last,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """For whom to take what: a span of time, sessions that match a glob, so many at most."""

    who: Speaker = field(default_factory=Speaker)
    wanted: ImportOptions = field(default_factory=ImportOptions)
    since: datetime | None = None
    until: datetime | None = None
    session: str | None = None
    limit: int | None = None
    strict: bool = False
    dry_run: bool = False

    @property
    def choice(self) -> str:
        """What decides which items are taken; another choice reads a file from its start."""
        return repr((self.who, self.wanted, self.since, self.until, self.session))


@dataclass(frozen=True, slots=True)
class Intake:
    """What was taken from each file and what was left; the notes say what else there is to do."""

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
        """Turns and claims that were here already."""
        return sum(file.known for file in self.files)

    @property
    def left(self) -> dict[str, int]:
        """How much was left, by reason, the most first."""
        found: Counter[str] = Counter()
        for file in self.files:
            found.update(file.left)
        return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))

    @property
    def bad(self) -> int:
        """What could not be read."""
        return sum(file.bad for file in self.files)


@dataclass(frozen=True, slots=True)
class FilePosition:
    """How far a file was read: a place, a digest of what lies before it, and how much of it is here."""

    size: int
    mtime: int
    position: int
    fingerprint: str
    turns: int
    claims: int
    done: bool
    choice: str = ""

    def covers(self, stat: os.stat_result) -> bool:
        """Whether the file is as it was when it had been read to its end."""
        return self.done and (self.size, self.mtime) == (stat.st_size, stat.st_mtime_ns)


class ImportMarks:
    """How far files were imported for one owner. A mark counts only for the same choice of what to import."""

    def __init__(self, engine: Engine, who: Speaker, choice: str) -> None:
        self._engine, self._owner, self._choice = engine, owner_of("user", who.user, who.project), _digest(choice)

    def get(self, path: Path) -> FilePosition | None:
        """The mark of a file, if it has one that counts."""
        kept = self._engine.store.values.get(self._slot(path))
        try:
            mark = FilePosition(**json.loads(kept)) if kept else None
        except (ValueError, TypeError):  # as another version wrote it
            return None
        return mark if mark is not None and mark.choice == self._choice else None

    def put(self, path: Path, mark: FilePosition) -> None:
        """Remember how far a file was read."""
        self._engine.store.values.put(self._slot(path), json.dumps(asdict(replace(mark, choice=self._choice))))

    def _slot(self, path: Path) -> Slot:
        return Slot(ValueKind.POSITION, self._engine.tenant, self._owner, f"import/{_digest(str(path.resolve()))}")


def told_elsewhere(engine: Engine, who: Speaker, turns: Sequence[Turn]) -> set[tuple[str | None, str]]:
    """Session and id of the turns that this user has already under another project, or under none."""
    mine = Filter(engine.tenant, (owner_of("user", who.user, None),), ids=tuple(turn.id for turn in turns), echoes=True)
    found = engine.store.find(mine) if turns else []
    return {(record.session, record.id) for record in found if record.kind == "turn" and record.project != who.project}


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()
