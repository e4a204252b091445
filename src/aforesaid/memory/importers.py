"""`memory.importers`: conversations and memories of other programs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from aforesaid.errors import InputError
from aforesaid.importers import report, runner
from aforesaid.importers.formats import items
from aforesaid.importers.formats.detect import FORMATS, is_workspace, places, sources
from aforesaid.ingest.pipeline import Speaker
from aforesaid.memory.handle import Handle
from aforesaid.memory.visibility import optional_id, optional_time
from aforesaid.types import Progress, TimeLike, check_choice

ImportFormat = Literal["auto", "claude-code", "codex", "openclaw", "chatgpt", "mem0", "jsonl"]
AUTO: ImportFormat = "auto"


class ImportersHandle(Handle):
    """Import from other programs. An import can be repeated and resumed."""

    def run(
        self,
        path: str | Path | Sequence[str | Path] | None = None,
        format: ImportFormat = AUTO,
        *,
        user: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        since: TimeLike | None = None,
        until: TimeLike | None = None,
        session: str | None = None,
        include: Sequence[str] = (),
        tools: bool = True,
        limit: int | None = None,
        strict: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> report.ImporterReport:
        """Import files of other programs. Return what was imported and skipped. Run it again to import what is new.

        It stores batch by batch, so an interrupted run can be resumed.

        Args:
            path: A file or folder, or several; by default where the program of `format` keeps its own.
            format: `claude-code`, `codex`, `openclaw`, `chatgpt`, `mem0` or `jsonl`; `auto` detects it.
            project: The project it belongs to; by default what the files say.
            agent: The agent that took part; by default what the files say.
            session: Only sessions whose name matches this glob.
            include: Optional parts to import too: `thinking`, `sidechains`, `branches`.
            tools: Import tool calls and their results.
            limit: Stop after this many messages.
            strict: Fail at the first line that cannot be read, instead of skipping it.
            progress: Called with (done, total) in bytes read.

        Raises:
            InputError: There is nothing to import at that path.
            FormatError: With `strict`, a line cannot be read.
        """
        check_choice(format, (AUTO, *FORMATS), "format")
        for name in include:
            check_choice(name, items.OPTIONAL, "include")
        if limit is not None and limit < 1:
            raise InputError(f"limit is {limit}.", "Give at least 1, or leave it out.")
        named = next((form for form in FORMATS if form == format), None)
        paths = import_paths(path, format)
        found = [source for each in paths for source in sources(each, named)]
        plan = report.ImportPlan(
            Speaker(optional_id(user, "user"), optional_id(project, "project"), optional_id(agent, "agent")),
            items.ImportOptions(self._engine.settings.imports.tool_chars, tools, **dict.fromkeys(include, True)),
            optional_time(since, "since"),
            optional_time(until, "until"),
            session,
            limit,
            strict,
            dry_run,
        )
        imported = runner.import_files(self._engine, found, plan, progress)
        folders = [each for each in paths if is_workspace(each, named)]
        return replace(imported, notes=tuple(self._index(each, user, project, dry_run) for each in folders))

    def _index(self, folder: Path, user: str | None, project: str | None, dry_run: bool) -> str:
        """Index the memory files of a workspace, and say so. The files are not copied."""
        from aforesaid.memory.notes import NotesHandle

        try:
            found = NotesHandle(self._engine).index(folder, user=user, project=project, dry_run=dry_run)
        except InputError as error:
            return f"The memory files of {folder} were not indexed: {error.message} {error.remedy}".strip()
        done = "would be" if dry_run else "were"
        counts = f"{found.touched} new or changed, {found.unchanged} unchanged"
        return f"The memory files of {folder} {done} indexed in place: {counts}."


def import_paths(path: str | Path | Sequence[str | Path] | None, form: str) -> list[Path]:
    """Return the given paths or, without any, the places where the program of this format keeps its files."""
    if path is not None:
        several = [path] if isinstance(path, str | Path) else path
        return [Path(each).expanduser() for each in several]
    named = next((each for each in FORMATS if each == form), None)
    known = places(named, os.environ, Path.home()) if named else []
    if not known:
        raise InputError("There is nothing to import: no path was given.", "Name a file or a folder.")
    there = [each for each in known if each.exists()]
    if not there:
        where = " or ".join(map(str, known))
        raise InputError(f"There is nothing at {where}. Is {form} installed?", "Give the path of its files.")
    return there
