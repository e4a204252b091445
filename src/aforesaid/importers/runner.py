"""Resumable import of transcripts and exports: read → select → store in batches → save the position."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from aforesaid.engine.engine import Engine
from aforesaid.engine.request import Request
from aforesaid.engine.writer import log_event
from aforesaid.errors import ConflictError, DeniedError, FormatError, InputError
from aforesaid.importers.formats.detect import SourceFile, Unread
from aforesaid.importers.formats.growing_file import LineFile, ParsedValue
from aforesaid.importers.formats.items import ImportedClaim, Invalid, Item, Skipped, Title
from aforesaid.importers.formats.json_document import DocumentFile
from aforesaid.importers.report import FilePosition, FileReport, ImporterReport, ImportPlan, SavedPositions
from aforesaid.ingest.claims import Claim, Owner, draft_claim, remember
from aforesaid.ingest.pipeline import ingest
from aforesaid.types import EventFilter, Filter, Progress, Provenance, Turn, owner_of

OUTSIDE = "outside the time span"
UNDATED = "no time, and a span was asked for"
OTHER_SESSION = "other session"
TOO_LONG = "longer than ingest.max_text_chars"
CHANGED = "stored before with other words"
DENIED = "denied by the policy"
TITLE_CHARS = 200
AGENTS = ("claude-code", "codex", "openclaw", "chatgpt")  # formats of one program, with unique ids

TurnName = tuple[str | None, str]  # session and id


def import_files(
    engine: Engine, found: Sequence[SourceFile | Unread], plan: ImportPlan, progress: Progress | None = None
) -> ImporterReport:
    """Import files one after the other. Skips what is already stored, and does not read again what was read before."""
    run = _Run(engine, plan, progress, sum(_size(source) for source in found))
    for source in found:
        if run.full:
            break
        run.import_file(source)
    run.log()
    sessions = set[str]().union(*(file.session_names for file in run.reports))
    return ImporterReport(tuple(run.reports), len(sessions), run.full, plan.dry_run)


def _size(source: SourceFile | Unread) -> int:
    try:
        return source.path.stat().st_size if isinstance(source, SourceFile) else 0
    except OSError:
        return 0


class _Run:
    """One import: the reports so far, and the items that wait to be stored."""

    def __init__(self, engine: Engine, plan: ImportPlan, progress: Progress | None, total: int) -> None:
        self._engine = engine
        self._plan = plan
        self._progress = progress
        self._total = total
        self._done = 0  # bytes of the files before this one
        self._new = 0  # new items of all files
        self._positions = SavedPositions(engine, plan.who, plan.choice)
        self._file = FileReport("")
        self._waiting: list[tuple[str, Turn | ImportedClaim]] = []
        self._titles: list[Title] = []
        self.reports: list[FileReport] = []

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return self._plan.limit is not None and self._new >= self._plan.limit

    @property
    def _room(self) -> int:
        """How many items may wait to be stored: more than a batch only inside one value."""
        batch = 2 * self._engine.settings.ingest.batch
        return batch if self._plan.limit is None else max(min(batch, self._plan.limit - self._new), 1)

    def import_file(self, source: SourceFile | Unread) -> None:
        """Import one file. If it cannot be read, report it."""
        self._file, self._waiting, self._titles = FileReport(str(source.path)), [], []
        self.reports.append(self._file)
        if isinstance(source, Unread):
            if source.failed and self._plan.strict:
                raise InputError(f"{source.path}: {source.why}", "Leave --strict out to go on with the rest.")
            self._file.state, self._file.why = "unreadable" if source.failed else "left", source.why
            return
        self._file.format = source.format
        try:
            self._file.state = self._read(source)
        except OSError as error:
            self._file.state, self._file.why = "unreadable", f"cannot be read: {error.strerror or error}"
        except FormatError as error:
            if self._plan.strict:
                raise
            self._file.state, self._file.why = "unreadable", error.message
        self._done += _size(source)

    def _read(self, source: SourceFile) -> str:
        stat = source.path.stat()
        saved = self._positions.get(source.path)
        if saved is not None and saved.covers(stat):
            self._file.known += saved.stored
            return "unchanged"
        reader = source.open(self._plan.options)
        if saved is not None and saved.fingerprint != reader.fingerprint_at(saved.position):
            saved = None  # the file was rewritten
        start = saved.position if saved else 0
        self._file.known += saved.stored if saved else 0
        for value in reader.values(start):
            self._show_progress(reader.read, reader.size, stat.st_size)
            self._add(value)
            if self.full:
                return "stopped"  # perhaps inside a conversation, which the next run reads again
            if len(self._waiting) >= self._engine.settings.ingest.batch:
                self._save(source, stat, reader)
        self._save(source, stat, reader, done=True)
        return "continued" if start else "taken"

    def _save(
        self, source: SourceFile, stat: os.stat_result, reader: LineFile | DocumentFile, *, done: bool = False
    ) -> None:
        """Store waiting items, then the position. After a crash between the two, items are only read again."""
        self._flush()
        if self._plan.dry_run or self.full:
            return
        stored = self._file.turns + self._file.claims + self._file.known
        here = FilePosition(stat.st_size, stat.st_mtime_ns, reader.position, reader.fingerprint, stored, done)
        self._positions.put(source.path, here)

    def _show_progress(self, read: int, size: int, weight: int) -> None:
        if self._progress is not None:
            self._progress(self._done + int(weight * min(read / size, 1)) if size else self._done, self._total)

    def _add(self, value: ParsedValue) -> None:
        for item in value.items:
            if self.full:
                return
            self._item(item, value.where)
            if len(self._waiting) >= self._room:
                self._flush()

    def _item(self, item: Item, where: str) -> None:
        if isinstance(item, Invalid):
            if self._plan.strict:
                raise FormatError(f"{where}: {item.message}", "Leave --strict out to skip what is bad.")
            self._file.add_problem(where, item.message)
        elif isinstance(item, Skipped):
            self._file.left[item.reason] += 1
        elif isinstance(item, Title):
            self._titles.append(item)
        elif reason := self._skip_reason(item):
            self._file.left[reason] += 1
        else:
            self._waiting.append((where, item))

    def _skip_reason(self, content: Turn | ImportedClaim) -> str | None:
        plan = self._plan
        if len(content.text) > self._engine.settings.ingest.max_text_chars:
            return TOO_LONG
        if plan.session is not None and not (isinstance(content, Turn) and fnmatchcase(content.session, plan.session)):
            return OTHER_SESSION
        if plan.since is None and plan.until is None:
            return None
        if content.time is None:
            return UNDATED
        early = plan.since is not None and content.time < plan.since
        return OUTSIDE if early or (plan.until is not None and content.time > plan.until) else None

    def _flush(self) -> None:
        """Store the waiting items in their order."""
        waiting, self._waiting = self._waiting, []
        turns = [(where, what) for where, what in waiting if isinstance(what, Turn)]
        size = self._engine.settings.ingest.batch
        for place in range(0, len(turns), size):
            self._turns(turns[place : place + size])
        for where, what in waiting:
            if isinstance(what, ImportedClaim):
                self._claim(where, what)
        self._save_titles()

    def _turns(self, waiting: Sequence[tuple[str, Turn]]) -> None:
        """Store a batch in one transaction; if a turn is refused, store them one by one."""
        try:
            self._ingest([turn for _, turn in waiting])
        except InputError:
            for where, turn in waiting:
                try:
                    self._ingest([turn])
                except ConflictError:
                    self._file.left[CHANGED] += 1
                except InputError as error:
                    self._item(Invalid(error.message), where)

    def _ingest(self, turns: Sequence[Turn]) -> None:
        here, elsewhere = self._stored(turns)
        for turn in turns:
            if (turn.session, turn.id) in elsewhere:
                self._count(turn, new=False)
        new = [turn for turn in turns if (turn.session, turn.id) not in elsewhere]
        if self._plan.dry_run:
            for name, turn in {(turn.session, turn.id): turn for turn in new}.items():
                self._count(turn, new=name not in here)
            return
        who = self._plan.who
        if self._file.format in AGENTS and who.agent is None:
            who = replace(who, agent=self._file.format)
        for turn, outcome in zip(new, ingest(self._engine, new, who), strict=True):
            if outcome.status == "skipped":
                self._file.left[DENIED if outcome.reason.startswith("denied") else outcome.reason] += 1
            else:
                self._count(turn, new=outcome.status != "duplicate")

    def _stored(self, turns: Sequence[Turn]) -> tuple[set[TurnName], set[TurnName]]:
        """Session and id of turns that this user has in the same project, and of those in another or in none.

        A hook or another import may have stored them there. Only ids that an agent makes are unique across projects.
        """
        who, engine = self._plan.who, self._engine
        owner, ids = owner_of("user", who.user, None), tuple(turn.id for turn in turns)
        mine = Filter(engine.tenant, (owner,), kinds=("turn",), ids=ids, echoes=True, withheld=True)
        here: set[TurnName] = set()
        elsewhere: set[TurnName] = set()
        for record in engine.store.find(mine):
            (here if record.project == who.project else elsewhere).add((record.session, record.id))
        return here, elsewhere if self._file.format in AGENTS else set()

    def _count(self, turn: Turn, *, new: bool) -> None:
        self._file.turns += new
        self._file.known += not new
        self._new += new
        self._file.add_time(turn.time)
        self._file.add_session(turn.session)

    def _claim(self, where: str, found: ImportedClaim) -> None:
        """Store a claim of another memory for the user of the plan, or else for its own user."""
        who = self._plan.who
        claim = Claim(
            found.text,
            Owner("user", who.user or found.user, None),
            "fact",
            who.boundary,
            found.time or self._engine.clock(),
            found.meta,
            Provenance(who=found.user or who.user, method=f"import:{self._file.format}"),
            who.allow,
        )
        try:
            known = self._engine.run(lambda request: self._remember(request, claim))
        except DeniedError:
            self._file.left[DENIED] += 1
            return
        except InputError as error:
            self._item(Invalid(error.message), where)
            return
        self._file.claims += not known
        self._file.known += known
        self._new += not known
        self._file.add_time(found.time)

    def _remember(self, request: Request, claim: Claim) -> bool:
        """Store a claim unless it is there already; returns whether it was."""
        known = bool(request.store.get([draft_claim(request, claim).key]))
        if not known and not self._plan.dry_run:
            remember(request, claim)
        return known

    def _save_titles(self) -> None:
        """Record the titles of sessions from which something was imported."""
        for title in self._titles:
            if not self._plan.dry_run and title.session in self._file.session_names:
                self._engine.run(lambda request, title=title: _note_title(request, title))  # type: ignore[misc]
        self._titles = [title for title in self._titles if title.session not in self._file.session_names]

    def log(self) -> None:
        """Append an event if anything was imported."""
        turns, claims = sum(r.turns for r in self.reports), sum(r.claims for r in self.reports)
        if not self._plan.dry_run and (turns or claims):
            forms = sorted({report.format for report in self.reports if report.turns or report.claims})
            body = {"formats": forms, "files": len(self.reports), "turns": turns, "claims": claims}
            self._engine.run(lambda request: log_event(request, "import", None, body))


def _note_title(request: Request, title: Title) -> None:
    """Record the title of a session, unless it is recorded already."""
    text = request.guard.clean(title.text[: 10 * TITLE_CHARS]).text[:TITLE_CHARS]
    before = request.store.log.find(EventFilter(request.tenant, topic="title", subject=title.session, limit=1))
    if not before or before[0].body.get("title") != text:
        log_event(request, "title", title.session, {"title": text})
