"""What people have already, from other programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from aforesaid._util.lazy import Lazy
from aforesaid.errors import InputError
from aforesaid.ingest.pipeline import Speaker
from aforesaid.memory.base import Base, Time, as_name
from aforesaid.types import as_time, check_choice

if TYPE_CHECKING:
    from aforesaid.importers import report as intake
    from aforesaid.importers import runner as taking
    from aforesaid.importers.formats import items
else:
    intake, items = Lazy("aforesaid.importers.report"), Lazy("aforesaid.importers.formats.items")
    taking = Lazy("aforesaid.importers.runner")

Form = Literal["auto", "claude-code", "codex", "openclaw", "chatgpt", "mem0", "jsonl"]
AUTO: Form = "auto"


class Imports(Base):
    """Taking in transcripts, exports and other memories."""

    def import_from(
        self,
        path: str | Path | Sequence[str | Path] | None = None,
        format: Form = AUTO,  # noqa: A002 - the word people use
        *,
        user: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        session: str | None = None,
        include: Sequence[str] = (),
        tools: bool = True,
        limit: int | None = None,
        strict: bool = False,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> intake.Intake:
        """Take what other programs keep in files and folders; again, and only what is new is taken.

        Without a path, the place where the program of that format keeps its own. `session` is a glob, `include` any of
        thinking, sidechains and branches. What was taken is on disk batch by batch; an interrupted run goes on later.
        """
        from aforesaid.importers.formats.detect import FORMATS, is_workspace, sources

        check_choice(format, (AUTO, *FORMATS), "format")
        for name in include:
            check_choice(name, items.OPTIONAL, "include")
        if limit is not None and limit < 1:
            raise InputError(f"limit is {limit}.", "Give at least 1, or leave it out.")
        named = next((form for form in FORMATS if form == format), None)
        paths = import_paths(path, format)
        found = [source for each in paths for source in sources(each, named)]
        who = Speaker(as_name(user, "user"), as_name(project, "project"), as_name(agent, "agent"))
        plan = intake.ImportPlan(
            who,
            items.ImportOptions(self.settings.imports.tool_chars, tools, **dict.fromkeys(include, True)),
            as_time(since, "since") if since is not None else None,
            as_time(until, "until") if until is not None else None,
            session,
            limit,
            strict,
            dry_run,
        )
        taken = taking.import_files(self._engine, found, plan, progress)
        folders = [each for each in paths if is_workspace(each, named)]
        return replace(taken, notes=tuple(self._indexed(folders, user, project, dry_run)))

    def _indexed(self, folders: Sequence[Path], user: str | None, project: str | None, dry_run: bool) -> list[str]:
        """Memory files stay where they are, and stay the truth: they are indexed, not copied."""
        index: Callable[..., Any] | None = getattr(self, "index", None)
        notes = []
        for folder in folders:
            if index is None:
                notes.append(f"{folder} has memory files, which stay the truth: `aforesaid index {folder}` reads them.")
                continue
            try:
                found = index(folder, user=user, project=project, dry_run=dry_run)
            except InputError as error:
                notes.append(f"The memory files of {folder} were not indexed: {error.message} {error.remedy}".strip())
                continue
            done = "to be indexed" if dry_run else "indexed"
            news = f"{found.touched} new or changed, {found.unchanged} as before"
            notes.append(f"The memory files of {folder} stay the truth; {done}: {news}.")
        return notes


def import_paths(path: str | Path | Sequence[str | Path] | None, form: str) -> list[Path]:
    """The paths that were given, or where the program keeps its files."""
    if path is not None:
        several = [path] if isinstance(path, str | Path) else path
        return [Path(each).expanduser() for each in several]
    from aforesaid.importers.formats.detect import FORMATS, places

    named = next((each for each in FORMATS if each == form), None)
    known = places(named, os.environ, Path.home()) if named else []
    if not known:
        raise InputError("There is nothing to import: no path was given.", "Name a file or a folder.")
    there = [each for each in known if each.exists()]
    if not there:
        raise InputError(f"There is nothing at {' or '.join(map(str, known))}.", "Name the file or folder.")
    return there
