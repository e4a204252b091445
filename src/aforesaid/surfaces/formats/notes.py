"""Documents, index reports, snippets and lines of notes as JSON and text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, visible, wrapped
from aforesaid.surfaces.formats.records import record_text
from aforesaid.surfaces.formats.report import counted, report_text
from aforesaid.surfaces.formats.values import to_json
from aforesaid.types import Record

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.documents.loader import ParsedDocument
    from aforesaid.notes.indexer import IndexReport
    from aforesaid.notes.search import NoteLines, NotesResult, Snippet
    from aforesaid.notes.state import NotesRoot
    from aforesaid.surfaces.verbs.declare import View

MODES = {"A": "hybrid", "B": "exact first", "C": "meaning first"}
TIERS = ("lore", "hard", "soft")
NO_FOLDER = "No folder is indexed here; `aforesaid index PATH` adds one."


def lint_json(authored: ParsedDocument) -> dict[str, Any]:
    """A document as its nodes, with its problems."""
    rows = [
        {"tier": TIERS[node.tier], "lines": list(node.lines), "tokens": size, "kind": node.kind, "reason": node.reason,
         "heading": node.heading, "text": node.text}
        for node, size in zip(authored.document.nodes, authored.tokens, strict=True)
    ]  # fmt: skip
    sums = {name: authored.cost(tier) for tier, name in enumerate(TIERS)}
    return {"document": authored.name, "nodes": rows, "tokens": sums, "problems": list(authored.problems)}


def lint_text(authored: ParsedDocument, columns: int) -> str:
    """A document with one line for each node."""
    found = lint_json(authored)
    nodes = [
        {"lines": "-".join(map(str, sorted(set(node["lines"])))), "tier": node["tier"], "tokens": node["tokens"],
         "reason": node["reason"], "text": node["text"]}
        for node in found["nodes"]
    ]  # fmt: skip
    return report_text(found | {"nodes": nodes}, columns)


def index_json(found: Sequence[IndexReport | NotesRoot], view: View) -> list[Any]:
    """Reports of an index run, or the indexed folders."""
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
        lines.append(clip(f"{rank:>2}. {each.score:.3f}  {visible(each.place)}  {_group(each)}", columns))
        lines.append(wrapped(each.text, columns, "    "))
        lines.append(clip(f"    {each.reason}", columns))
        lines += [clip(f"    also {', '.join(map(visible, each.others))}", columns)] if each.others else []
        lines.append("")
    tried = f"; variants: {', '.join(map(repr, result.expansions))}" if result.expansions else ""
    left = f"; {counted(result.left_out, 'hit')} left out" if result.left_out else ""
    stop = f"; stopped: {visible(result.stopped)}" if result.stopped else ""
    stop += f"; without variants of a model: {visible(result.degraded)}" if result.degraded else ""
    groups = list(dict.fromkeys(each.group for each in result))
    order = f"; by score within {', '.join(groups[:-1])} and {groups[-1]}" if len(groups) > 1 else ""
    head = f"mode {result.mode} ({MODES[result.mode]}){order}{tried}{stop}; {result.tokens} tokens{left}"
    nothing = "Nothing found in notes. Try other words, or add a folder with `aforesaid index PATH`."
    return "\n".join([*(lines or [nothing]), clip(head, columns), result.freshness.line])


def _group(each: Snippet) -> str:
    """The tier of a snippet, and what else decided its place."""
    return each.tier if each.group == each.tier else f"{each.tier} ({each.group})"


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
