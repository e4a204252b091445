"""What people have already, taken in: read → chosen → stored in batches → marked, so that the next run goes on there.

A mark holds sizes and digests, never a path or a name: what is forgotten later must not be found in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from aforesaid.engine.engine import Engine
from aforesaid.engine.request import Request
from aforesaid.engine.writer import commit
from aforesaid.errors import ConflictError, DeniedError, FormatError, InputError
from aforesaid.importers.formats.detect import SourceFile, Unread
from aforesaid.importers.formats.document_file import DocumentFile
from aforesaid.importers.formats.growing_file import LineFile, ParsedValue
from aforesaid.importers.formats.items import ImportedClaim, ImportedItem, Invalid, Item, Skipped, Title
from aforesaid.importers.report import (
    FilePosition,
    FileReport,
    ImportMarks,
    ImportRequest,
    Intake,
    Tally,
    told_elsewhere,
)
from aforesaid.ingest.claims import Claim, Owner, drafted, remember
from aforesaid.ingest.pipeline import Speaker, ingest
from aforesaid.types import EventFilter, Progress, Provenance, Record, Turn

OUTSIDE = "outside the time span"
UNDATED = "no time, and a span was asked for"
OTHER_SESSION = "other session"
TOO_LONG = "longer than ingest.max_text_chars"
CHANGED = "stored before with other words"
DENIED = "denied by the policy"
TITLE_CHARS = 200
AGENTS = ("claude-code", "codex", "openclaw", "chatgpt")  # formats that one program writes


def take_in(
    engine: Engine, found: Sequence[SourceFile | Unread], wish: ImportRequest, progress: Progress | None = None
) -> Intake:
    """Take files one after the other; what is here already stays, and what was read before is not read again."""
    run = _Run(engine, wish, progress, sum(_size(source) for source in found))
    for source in found:
        if run.full:
            break
        run.file(source)
    run.note()
    return Intake(tuple(run.reports), len(run.sessions), run.full, wish.dry_run)


def _size(source: SourceFile | Unread) -> int:
    try:
        return source.path.stat().st_size if isinstance(source, SourceFile) else 0
    except OSError:
        return 0


class _Run:
    """One call: the files so far, and what waits to be stored."""

    def __init__(self, engine: Engine, wish: ImportRequest, progress: Progress | None, total: int) -> None:
        self._engine = engine
        self._wish = wish
        self._progress = progress
        self._total = total
        self._done = 0  # bytes of the files before this one,
        self._before = 0  # and what was new in them
        self._marks = ImportMarks(engine, wish.who, wish.choice)
        self._tally = Tally()
        self._waiting: list[tuple[str, Turn | ImportedClaim]] = []
        self._titles: list[Title] = []
        self._source: SourceFile | None = None
        self.reports: list[FileReport] = []
        self.sessions: set[str] = set()

    @property
    def full(self) -> bool:
        """Whether as much was taken as was asked for."""
        return self._wish.limit is not None and self._taken >= self._wish.limit

    @property
    def _taken(self) -> int:
        return self._before + self._tally.taken

    @property
    def _room(self) -> int:
        """How many may wait before they must be stored: more than a batch only inside one step."""
        batch = 2 * self._engine.settings.ingest.batch
        return batch if self._wish.limit is None else max(min(batch, self._wish.limit - self._taken), 1)

    def file(self, source: SourceFile | Unread) -> None:
        """Take one file; one that cannot be read is reported, and the rest goes on."""
        self._tally = Tally()
        if isinstance(source, Unread):
            if source.failed and self._wish.strict:
                raise InputError(f"{source.path}: {source.why}", "Leave --strict out to go on with the rest.")
            state = "unreadable" if source.failed else "left"
            self.reports.append(self._tally.report(source.path, "", state, source.why))
            return
        self._source = source
        try:
            state, why = self._read(source), ""
        except OSError as error:
            state, why = "unreadable", f"cannot be read: {error.strerror or error}"
        except FormatError as error:
            if self._wish.strict:
                raise
            state, why = "unreadable", error.message
        self.reports.append(self._tally.report(source.path, source.format, state, why))
        self._before += self._tally.taken
        self._tally, self._waiting, self._titles = Tally(), [], []
        self._done += _size(source)

    def _read(self, source: SourceFile) -> str:
        stat = source.path.stat()
        mark = self._marks.get(source.path)
        if mark is not None and mark.covers(stat):
            self._tally.known += mark.turns + mark.claims
            return "unchanged"
        reader = source.open(self._wish.wanted)
        goes_on = mark is not None and mark.fingerprint == reader.fingerprint_at(mark.position)
        start = mark.position if mark is not None and goes_on else 0
        earlier = (mark.turns, mark.claims) if mark is not None and goes_on else (0, 0)
        self._tally.known += sum(earlier)
        for step in reader.values(start):
            self._report(reader.read, reader.size, stat.st_size)
            self._step(step)
            if self.full:
                return "stopped"  # maybe in the middle of a conversation: the next run reads it again
            if len(self._waiting) >= self._engine.settings.ingest.batch:
                self._mark(source, stat, reader, earlier)
        self._mark(source, stat, reader, earlier, done=True)
        return "continued" if start else "taken"

    def _mark(
        self,
        source: SourceFile,
        stat: os.stat_result,
        reader: LineFile | DocumentFile,
        earlier: tuple[int, int],
        *,
        done: bool = False,
    ) -> None:
        """Store what waits, then how far the file was read: a crash between the two costs only a second look."""
        self._flush()
        if self._wish.dry_run or self.full:
            return
        tally = self._tally
        here = earlier[0] + tally.turns + tally.same_turns, earlier[1] + tally.claims + tally.same_claims
        mark = FilePosition(stat.st_size, stat.st_mtime_ns, reader.position, reader.fingerprint, *here, done)
        self._marks.put(source.path, mark)

    def _report(self, read: int, size: int, weight: int) -> None:
        if self._progress is not None:
            self._progress(self._done + int(weight * min(read / size, 1)) if size else self._done, self._total)

    def _step(self, step: ParsedValue) -> None:
        for item in step.items:
            if self.full:
                return
            self._item(item, step.where)
            if len(self._waiting) >= self._room:
                self._flush()

    def _item(self, item: Item, where: str) -> None:
        if isinstance(item, Invalid):
            if self._wish.strict:
                raise FormatError(f"{where}: {item.message}", "Leave --strict out to skip what is bad.")
            self._tally.note_bad(where, item.message)
        elif isinstance(item, Skipped):
            self._tally.left[item.reason] += 1
        elif isinstance(item, Title):
            self._titles.append(item)
        else:
            self._choose(item, where)

    def _choose(self, item: ImportedItem, where: str) -> None:
        why = self._unwanted(item.content)
        if why:
            self._tally.left[why] += 1
        else:
            self._waiting.append((where, item.content))

    def _unwanted(self, what: Turn | ImportedClaim) -> str | None:
        wish = self._wish
        if len(what.text) > self._engine.settings.ingest.max_text_chars:
            return TOO_LONG
        if wish.session is not None and not (isinstance(what, Turn) and fnmatchcase(what.session, wish.session)):
            return OTHER_SESSION
        if wish.since is None and wish.until is None:
            return None
        if what.time is None:
            return UNDATED
        early = wish.since is not None and what.time < wish.since
        return OUTSIDE if early or (wish.until is not None and what.time > wish.until) else None

    def _flush(self) -> None:
        """Store what waits, in the order in which it came."""
        waiting, self._waiting = self._waiting, []
        turns = [(where, what) for where, what in waiting if isinstance(what, Turn)]
        size = self._engine.settings.ingest.batch
        for place in range(0, len(turns), size):
            self._turns(turns[place : place + size])
        for where, what in waiting:
            if isinstance(what, ImportedClaim):
                self._claim(where, what)
        self._call()

    def _turns(self, waiting: Sequence[tuple[str, Turn]]) -> None:
        """Store a batch, which happens whole or not at all; when one turn is refused, the others one by one."""
        if self._wish.dry_run:
            self._would(turn for _, turn in waiting)
            return
        try:
            self._ingest([turn for _, turn in waiting])
        except InputError:
            for where, turn in waiting:
                try:
                    self._ingest([turn])
                except ConflictError:
                    self._tally.left[CHANGED] += 1
                except InputError as error:
                    self._item(Invalid(error.message), where)

    def _ingest(self, turns: Sequence[Turn]) -> None:
        new = self._not_elsewhere(turns)
        for turn, outcome in zip(new, ingest(self._engine, new, self._who), strict=True):
            if outcome.status == "skipped":
                self._tally.left[DENIED if outcome.reason.startswith("denied") else outcome.reason] += 1
            else:
                self._turn(turn, new=outcome.status != "duplicate")

    def _not_elsewhere(self, turns: Sequence[Turn]) -> list[Turn]:
        """Without those that a hook, or another import, stored under another project: a session is taken once."""
        if self._source is None or self._source.format not in AGENTS:
            return list(turns)  # ids that mean something in their own file only
        known = told_elsewhere(self._engine, self._wish.who, turns)
        for turn in turns:
            if (turn.session, turn.id) in known:
                self._turn(turn, new=False)
        return [turn for turn in turns if (turn.session, turn.id) not in known]

    @property
    def _who(self) -> Speaker:
        """Whose turns they are; the agent is the program that wrote the file, where it is one."""
        who, form = self._wish.who, self._source.format if self._source else ""
        return replace(who, agent=form) if form in AGENTS and who.agent is None else who

    def _would(self, turns: Iterable[Turn]) -> None:
        """What would become of turns, as far as that can be told without storing them."""
        who, engine = self._wish.who, self._engine
        keys = {}
        for turn in self._not_elsewhere(list(turns)):
            record = Record(turn.id, "turn", "", engine.clock(), engine.tenant, user=who.user, project=who.project,
                            session=turn.session)  # fmt: skip
            keys[record.key] = turn
        there = {record.key for record in engine.store.get(list(keys))}
        for key, turn in keys.items():
            self._turn(turn, new=key not in there)

    def _turn(self, turn: Turn, *, new: bool) -> None:
        self._tally.turns += new
        self._tally.same_turns += not new
        self._tally.known += not new
        self._tally.seen(turn.time)
        self._tally.sessions.add(turn.session)
        self.sessions.add(turn.session)

    def _claim(self, where: str, said: ImportedClaim) -> None:
        """Another memory's claim, stored as its own user's unless somebody else was named."""
        who, format_ = self._wish.who, self._source.format if self._source else ""
        claim = Claim(
            said.text,
            Owner("user", who.user or said.user, None),
            "fact",
            who.boundary,
            said.time or self._engine.clock(),
            said.meta,
            Provenance(who=said.user or who.user, method=f"import:{format_}"),
            who.allow,
        )
        try:
            known = self._engine.run(lambda request: self._remember(request, claim))
        except DeniedError:
            self._tally.left[DENIED] += 1
            return
        except InputError as error:
            self._item(Invalid(error.message), where)
            return
        self._tally.claims += not known
        self._tally.same_claims += known
        self._tally.known += known
        self._tally.seen(said.time)

    def _remember(self, request: Request, claim: Claim) -> bool:
        """Store a claim unless it is there already; returns whether it was."""
        known = bool(request.store.get([drafted(request, claim).key]))
        if not known and not self._wish.dry_run:
            remember(request, claim)
        return known

    def _call(self) -> None:
        """Note what sessions are called, once, if anything of them was taken."""
        for title in self._titles:
            if not self._wish.dry_run and title.session in self._tally.sessions:
                self._engine.run(lambda request, title=title: _note_title(request, title))  # type: ignore[misc]
        self._titles = [title for title in self._titles if title.session not in self._tally.sessions]

    def note(self) -> None:
        """Leave a line in the log, if anything was taken."""
        turns, claims = sum(r.turns for r in self.reports), sum(r.claims for r in self.reports)
        if not self._wish.dry_run and (turns or claims):
            forms = sorted({report.format for report in self.reports if report.turns or report.claims})
            body = {"formats": forms, "files": len(self.reports), "turns": turns, "claims": claims}
            self._engine.run(lambda request: commit(request, events=[request.event("import", None, body)]))


def _note_title(request: Request, title: Title) -> None:
    """Record the title of a session, unless it is recorded already."""
    text = request.guard.clean(title.text[: 10 * TITLE_CHARS]).text[:TITLE_CHARS]
    before = request.store.log.find(EventFilter(request.tenant, topic="title", subject=title.session, limit=1))
    if not before or before[0].body.get("title") != text:
        commit(request, events=[request.event("title", title.session, {"title": text})])
