"""Index reports, snippets and lines of notes, as dicts for programs and texts for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, table, visible, wrapped
from aforesaid.surfaces.formats.common import counted, plain

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.notes.indexer import IndexReport
    from aforesaid.notes.search import FileLines, FileResult
    from aforesaid.notes.state import NotesRoot

MODES = {"A": "hybrid", "B": "exact first", "C": "meaning first"}
MOST_SKIPPED = 20  # that people are shown; --json has all of them


def index_text(report: IndexReport) -> str:
    """What became of the files of a root, in a line, then what was left out and why."""
    counts = ((report.added, "new"), (report.changed, "changed"), (report.renamed, "renamed"), (report.removed, "gone"))
    told = ", ".join(f"{number:,} {word}" for number, word in (*counts, (report.unchanged, "as before")))
    would = "would be " if report.dry_run else ""
    embedded = f"{counted(report.chunks, 'chunk')}, {report.embedded:,} {would}embedded"
    lines = [f"{visible(report.root)}: {told}; {embedded}, {report.seconds:.1f} s"]
    lines += [f"  left out {visible(path)}: {why}" for path, why in report.skipped[:MOST_SKIPPED]]
    more = len(report.skipped) - MOST_SKIPPED
    lines += [f"  … and {more} more; --json lists them"] if more > 0 else []
    return "\n".join([*lines, *([f"  without vectors: {report.vector_off}"] if report.vector_off else [])])


def index_dict(report: IndexReport) -> dict[str, Any]:
    """The same for programs."""
    skipped = [{"path": path, "why": why} for path, why in report.skipped]
    return {**plain(report), "skipped": skipped}


def roots_text(roots: Sequence[NotesRoot]) -> str:
    """The roots that are indexed."""
    rows = [(visible(root.name), visible(root.folder)) for root in roots]
    return "\n".join(table(rows)) if rows else "No folder is indexed here; `aforesaid index PATH` takes one in."


def files_dict(result: FileResult) -> dict[str, Any]:
    """Snippets for programs, each with the place that `show` takes."""
    hits = []
    for rank, each in enumerate(result, 1):
        fields = {name: value for name, value in plain(each).items() if name != "record"}
        hits.append({"rank": rank, "place": each.place, **fields, "id": each.record.id, "key": each.record.key})
    about = {"query": result.query, "mode": result.mode, "expansions": list(result.expansions)}
    size = {"tokens": result.tokens, "left_out": result.left_out}
    return {**about, "hits": hits, **size, "freshness": plain(result.freshness)}


def files_text(result: FileResult, columns: int) -> str:
    """Snippets for people: place, score, tier, the words, and why."""
    lines = []
    for rank, each in enumerate(result, 1):
        lines.append(clip(f"{rank:>2}. {each.score:.3f}  {visible(each.place)}  {each.tier}", columns))
        lines.append(wrapped(each.text, columns, "    "))
        lines.append(clip(f"    {each.reason}", columns))
        lines += [clip(f"    also {', '.join(map(visible, each.others))}", columns)] if each.others else []
        lines.append("")
    tried = f"; variants: {', '.join(map(repr, result.expansions))}" if result.expansions else ""
    left = f"; {counted(result.left_out, 'hit')} left out" if result.left_out else ""
    head = f"mode {result.mode} ({MODES[result.mode]}){tried}; {result.tokens} tokens{left}"
    return "\n".join([*lines, clip(head, columns), result.freshness.line])


def lines_dict(found: FileLines) -> dict[str, Any]:
    """Lines of a note for programs."""
    return {"place": found.place, **plain(found)}


def lines_text(found: FileLines) -> str:
    """Lines of a note with their numbers, as they are in the file now."""
    first, last = found.lines
    width = len(str(last))
    lines = found.text.split("\n")
    numbers = [f"{number:>{width}}" for number in range(first, last + 1)]
    if len(lines) != len(numbers):  # a line was taken out as a whole
        numbers = [" " * width] * len(lines)
    return "\n".join(f"{number}  {visible(line)}" for number, line in zip(numbers, lines, strict=True))
