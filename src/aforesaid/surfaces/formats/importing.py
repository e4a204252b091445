"""What an import took and left, as data and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, one_line, table
from aforesaid.surfaces.formats.common import counted, plain, stamp

if TYPE_CHECKING:
    from aforesaid.importers.report import FileReport, Intake

LISTED_FILES = 30  # with something new, or that failed
LISTED_PROBLEMS = 20
QUIET = ("unchanged", "left")  # states of files that are only counted


def intake_dict(intake: Intake) -> dict[str, Any]:
    """An import as programs read it: the totals, then every file."""
    times = [time for file in intake.files for time in (file.first, file.last) if time is not None]
    return {
        "turns": intake.turns,
        "claims": intake.claims,
        "known": intake.known,
        "left": intake.left,
        "bad": intake.bad,
        "sessions": intake.sessions,
        "first": plain(min(times)) if times else None,
        "last": plain(max(times)) if times else None,
        "dry_run": intake.dry_run,
        "stopped": intake.stopped,
        "notes": list(intake.notes),
        "files": plain(intake.files),
    }


def intake_text(intake: Intake, columns: int) -> str:
    """An import as people read it: a row for each file with news, what is bad, then the totals and what was left."""
    lines = [clip(line, columns) for line in _file_rows(intake)]
    lines += _problem_lines(intake, columns)
    taken = " and ".join([counted(intake.turns, "turn"), *([counted(intake.claims, "claim")] if intake.claims else [])])
    verb = "would take" if intake.dry_run else "took"
    nothing = "nothing new" if not intake.turns + intake.claims else f"{taken}{_span(intake)}"
    lines.append(f"{verb} {nothing}; {intake.known:,} known already{_from(intake)}")
    if intake.left:
        lines.append("left:")
        lines += [f"  {row}" for row in table((f"{number:,}", why) for why, number in intake.left.items())]
    if intake.stopped:
        lines.append("Stopped at the limit; run it again to go on.")
    return "\n".join([*lines, *intake.notes])


def _span(intake: Intake) -> str:
    times = [time for file in intake.files for time in (file.first, file.last) if time is not None]
    span = f", {stamp(min(times))} to {stamp(max(times))}" if times else ""
    return f" of {counted(intake.sessions, 'session')}{span}" if intake.sessions else span


def _from(intake: Intake) -> str:
    """How many files there were, and how many of them had no news."""
    states = [file.state for file in intake.files]
    parts = [f"{states.count(state):,} {state}" for state in ("unchanged", "left", "unreadable") if state in states]
    return f" ({counted(len(states), 'file')}{': ' if parts else ''}{', '.join(parts)})"


def _file_rows(intake: Intake) -> list[str]:
    news = [file for file in intake.files if file.state not in QUIET]
    rows = [_row(file) for file in news[:LISTED_FILES]]
    if not rows:
        return []
    head = ("new", "known", "left", "bad", "format", "state", "file")
    more = [f"… and {len(news) - LISTED_FILES} more files"] if len(news) > LISTED_FILES else []
    return [*table([head, *rows]), *more, ""]


def _row(file: FileReport) -> tuple[str, ...]:
    numbers = (file.turns + file.claims, file.known, sum(file.left.values()), file.bad)
    name = one_line(file.path) + (f" ({one_line(file.why)})" if file.why else "")
    return (*(f"{number:,}" for number in numbers), file.format or "-", file.state, name)


def _problem_lines(intake: Intake, columns: int) -> list[str]:
    found = [problem for file in intake.files for problem in file.problems]
    if not found:
        return []
    shown = [clip(f"  {one_line(each.where)}: {one_line(each.message)}", columns) for each in found[:LISTED_PROBLEMS]]
    more = [f"  … and {intake.bad - LISTED_PROBLEMS} more"] if intake.bad > LISTED_PROBLEMS else []
    return ["skipped what cannot be read:", *shown, *more, ""]
