"""Index reports, snippets and lines of notes as JSON and text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, table, visible, wrapped
from aforesaid.surfaces.formats.records import counted, record_text
from aforesaid.surfaces.formats.values import to_json
from aforesaid.types import Record

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.notes.indexer import IndexReport
    from aforesaid.notes.search import NoteLines, NotesResult
    from aforesaid.notes.state import NotesRoot
    from aforesaid.surfaces.verbs.declare import View

MODES = {"A": "hybrid", "B": "exact first", "C": "meaning first"}
MOST_SKIPPED = 20  # shown to people; --json has all of them
NO_FOLDER = "No folder is indexed here; `aforesaid index PATH` adds one."


def index_text(report: IndexReport) -> str:
    """What changed under a folder, in one line; then what was left out and why."""
    counts = ((report.added, "new"), (report.changed, "changed"), (report.renamed, "renamed"), (report.removed, "gone"))
    files = ", ".join(f"{number:,} {word}" for number, word in (*counts, (report.unchanged, "as before")))
    would = "would be " if report.dry_run else ""
    embedded = f"{counted(report.chunks, 'chunk')}, {report.embedded:,} {would}embedded"
    lines = [f"{visible(report.root)}: {files}; {embedded}, {report.seconds:.1f} s"]
    lines += [f"  left out {visible(path)}: {why}" for path, why in report.skipped[:MOST_SKIPPED]]
    more = len(report.skipped) - MOST_SKIPPED
    lines += [f"  … and {more} more; --json lists them"] if more > 0 else []
    return "\n".join([*lines, *([f"  without vectors: {report.vector_off}"] if report.vector_off else [])])


def index_view(found: Sequence[IndexReport | NotesRoot], view: View) -> str:
    """Reports of an index run, or the indexed folders."""
    if not view.given.get("path"):
        return "\n".join(table((visible(root.name), visible(root.folder)) for root in found)) or NO_FOLDER  # type: ignore[union-attr]
    return "\n".join(map(index_text, found))  # type: ignore[arg-type]


def index_json(found: Sequence[IndexReport | NotesRoot], view: View) -> list[Any]:
    """The same for programs."""
    return [index_report_json(each) if view.given.get("path") else to_json(each) for each in found]


def index_report_json(report: Any) -> dict[str, Any]:
    """One report of an index run."""
    return {**to_json(report), "skipped": [{"path": path, "why": why} for path, why in report.skipped]}


def files_json(result: NotesResult, view: View) -> dict[str, Any]:
    """Snippets, each with the place that `show` takes."""
    hits = []
    for rank, each in enumerate(result, 1):
        fields = {name: value for name, value in to_json(each).items() if name != "record"}
        hits.append({"rank": rank, "place": each.place, **fields, "id": each.record.id, "key": each.record.key})
    return {**{name: value for name, value in to_json(result).items() if name != "snippets"}, "hits": hits}


def files_view(result: NotesResult, view: View) -> str:
    """Snippets for people: place, score, tier, text and reason; when there are none, what to try."""
    columns, lines = view.columns, []
    for rank, each in enumerate(result, 1):
        lines.append(clip(f"{rank:>2}. {each.score:.3f}  {visible(each.place)}  {each.tier}", columns))
        lines.append(wrapped(each.text, columns, "    "))
        lines.append(clip(f"    {each.reason}", columns))
        lines += [clip(f"    also {', '.join(map(visible, each.others))}", columns)] if each.others else []
        lines.append("")
    tried = f"; variants: {', '.join(map(repr, result.expansions))}" if result.expansions else ""
    left = f"; {counted(result.left_out, 'hit')} left out" if result.left_out else ""
    head = f"mode {result.mode} ({MODES[result.mode]}){tried}; {result.tokens} tokens{left}"
    nothing = "Nothing found in notes. Try other words, or add a folder with `aforesaid index PATH`."
    return "\n".join([*(lines or [nothing]), clip(head, columns), result.freshness.line])


def names_a_file(name: str) -> bool:
    """Whether an argument of `show` is a path, with or without lines, and not the id of a record."""
    from aforesaid.notes.search import parse_place

    path, first, _ = parse_place(name)
    return "#" not in name and (first is not None or "/" in path or path.endswith((".md", ".markdown", ".txt")))


def record_or_lines_text(found: Record | NoteLines, view: View) -> str:
    """A record, or lines of a note with their numbers, as they are in the file now."""
    if isinstance(found, Record):
        return record_text(found, view.columns)
    first, last = found.lines
    width = len(str(last))
    lines = found.text.split("\n")
    numbers = [f"{number:>{width}}" for number in range(first, last + 1)]
    if len(lines) != len(numbers):  # redaction removed a whole line
        numbers = [" " * width] * len(lines)
    return "\n".join(f"{number}  {visible(line)}" for number, line in zip(numbers, lines, strict=True))


def changed_note(found: Record | NoteLines, view: View) -> str:
    """A warning when the file of these lines changed since it was indexed."""
    if isinstance(found, Record) or not found.changed:
        return ""
    return f"{found.path} changed since it was indexed; `aforesaid index` updates it"
