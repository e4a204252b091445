"""The formatter that every surface shares: a value in, a dict for JSON or a text for people out. Pure, no numpy.

A dict has every field of its value, so that a program can rely on the shape; a text shows what a person asks first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, one_line, pad, snippet, table, visible, width_of, wrapped
from aforesaid.types import Context, Freshness, Hit, IngestReport, Outcome, Record, SearchResult

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.errors import AforesaidError
    from aforesaid.maintenance.transfer import ImportReport
    from aforesaid.store.protocols import Problem, Space, StoreStats

GATE_TERMS = {
    "T": "technical share",
    "H": "novelty",
    "F": "said before",
    "S": "kept before",
    "R": "repetition, F·(1−S)",
    "Dnl": "dates, people, preferences",
    "P": "paths, errors, references",
    "A": "decisions, fixes",
    "Dtech": "definitions, structure",
    "Gconv": "of the conversation",
    "Gtech": "of the technical part",
    "G": "(1−T)·Gconv + T·Gtech",
}
STATUSES = ("stored", "duplicate", "echo", "skipped")
DECISIONS = {"admit": "admitted", "defer": "deferred", "reject": "refused"}
WHO_COLUMNS = 28  # of a list's session/role column
ID_COLUMNS = 24
LABEL_COLUMNS = 10  # of what a record's lines are called


def plain(value: Any) -> Any:
    """A value as JSON can hold it: dataclasses become dicts of all their fields, times ISO 8601 text."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Freshness):
        return {**_fields(value), "line": value.line}
    if isinstance(value, Record):
        return {"id": value.id, "key": value.key, **_fields(value)}
    if isinstance(value, Context):
        return {"text": value.text, **_fields(value)}
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def _fields(value: Any) -> dict[str, Any]:
    return {spec.name: plain(getattr(value, spec.name)) for spec in fields(value) if spec.init}


def stamp(time: datetime) -> str:
    """A time as tables show it, in UTC."""
    return time.strftime("%Y-%m-%d %H:%M")


def who(record: Record) -> str:
    """Where a record comes from: session and role, or scope and type."""
    place = record.session or (record.project if record.scope == "project" else record.scope)
    return "/".join(visible(part) for part in (place, record.role or record.claim_type or record.kind) if part)


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 turn, 2 turns."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


# Hits


def search_dict(result: SearchResult, **about: Any) -> dict[str, Any]:
    """A search result; `about` says who asked."""
    hits = [{"rank": rank, **plain(hit)} for rank, hit in enumerate(result, about.get("offset", 0) + 1)]
    head = {"query": result.query, "profile": result.profile, **about}
    head |= {"recovered": result.recovered} if result.recovered else {}
    return {**head, "hits": hits, "freshness": plain(result.freshness)}


def search_text(result: SearchResult, columns: int, *, first_rank: int = 1, explain: bool = False) -> str:
    """Hits, best first, each with its reason; then what the search could not see."""
    why = [f"Summaries gave way to their turns: {result.recovered}."] if result.recovered else []
    return "\n".join([*hits_text(result, columns, first_rank, explain), *why, result.freshness.line])


def hits_text(result: SearchResult, columns: int, first_rank: int = 1, explain: bool = False) -> list[str]:
    """Each hit: rank, score, time, id and origin; what it says; why it was found."""
    return [_hit_text(hit, rank, result.query, columns, explain) for rank, hit in enumerate(result, first_rank)]


def _hit_text(hit: Hit, rank: int, query: str, columns: int, explain: bool) -> str:
    record = hit.record
    head = f"{rank:>2}. {hit.score:.3f}  {stamp(record.time)}  {visible(record.id)}  {who(record)}"
    lines = [clip(head, columns), "    " + snippet(record.text, columns - 4, query), "    " + hit.reason]
    if explain:
        parts = " ".join(f"{name}={value:.4g}" for name, value in hit.parts.items())
        where = f"{record.kind}, scope {record.scope}, boundary {record.boundary}, key {record.key}"
        gate = [f"gate: {record.gate.decision}; {record.gate.reason}"] if record.gate else []
        lines += [wrapped(line, columns, "    ") for line in (f"parts: {parts}", where, *gate)]
    return "\n".join(lines) + "\n"


# Records


def record_text(record: Record, columns: int) -> str:
    """One record whole: whose it is, where it comes from, what the gate said, and its words."""
    rows = [
        ("kind", record.kind),
        ("time", _span(record)),
        ("whose", " ".join(f"{name}={value}" for name, value in _whose(record) if value)),
        ("kept", f"durable={'yes' if record.durable else 'no'} boundary={record.boundary} key={record.key}"),
        ("from", _provenance(record)),
        ("types", " ".join(filter(None, (record.claim_type, record.memory_type)))),
        ("worth", f"confidence={record.confidence:g} utility={record.utility:g}"),
        ("echo of", record.echo_of or ""),
        ("redacted", ", ".join(record.redactions)),
        ("meta", " ".join(f"{key}={value}" for key, value in record.meta.items())),
    ]
    lines = [visible(record.id)]
    lines += [f"  {pad(name, LABEL_COLUMNS)}{one_line(value)}" for name, value in rows if value]
    if record.gate:
        sign = "≥" if record.gate.score >= record.gate.threshold else "<"
        lines.append(f"  {pad('gate', LABEL_COLUMNS)}{record.gate.decision}: {record.gate.reason}")
        terms = [(name, f"{value:.3f}", GATE_TERMS.get(name, "")) for name, value in record.gate.signals.items()]
        lines += ["    " + line for line in table(terms)]
        lines.append(f"    G {sign} threshold {record.gate.threshold:g}")
    return "\n".join([*lines, "", wrapped(record.text, columns, "  ")])


def _span(record: Record) -> str:
    times = [("valid from", record.valid_from), ("until", record.valid_to), ("updated", record.updated)]
    more = [f"{name} {stamp(time)}" for name, time in times if time]
    return ", ".join([f"{record.time.strftime('%Y-%m-%d %H:%M:%S')} UTC", *more])


def _whose(record: Record) -> list[tuple[str, str | None]]:
    names = ("tenant", "scope", "user", "project", "session", "agent", "role", "bundle")
    return [(name, getattr(record, name)) for name in names]


def _provenance(record: Record) -> str:
    found = plain(record.provenance) or {}
    shown = {key: ",".join(map(str, value)) if isinstance(value, list) else value for key, value in found.items()}
    return " ".join(f"{key}={value}" for key, value in shown.items() if value)


def list_text(records: Sequence[Record], columns: int) -> str:
    """Records one a line; ● marks the durable ones, × those that something newer has replaced."""
    ids = min(max((width_of(record.id) for record in records), default=0), ID_COLUMNS)
    whos = min(max((width_of(who(record)) for record in records), default=0), WHO_COLUMNS)
    lines = []
    for record in records:
        mark = "×" if record.valid_to else "●" if record.durable else " "
        id_, origin = clip(visible(record.id), ids), clip(who(record), whos)
        head = f"{stamp(record.time)} {mark} {pad(id_, ids)}  {pad(origin, whos)}  "
        lines.append(clip(head + snippet(record.text, max(columns - width_of(head), 20)), columns))
    return "\n".join(lines)


# Contexts


def trace_text(context: Context, columns: int, *, left_out: int | None = None) -> str:
    """What was considered for a context, what was taken, and why not the rest (or the first few of it)."""
    lines = [context_line(context)]
    for taken, title in ((True, "taken"), (False, "left out")):
        items = [item for item in context.trace if item.taken is taken]
        shown = items if taken else items[:left_out]
        rows = [(item.part, visible(item.id), f"{item.tokens} tokens", item.reason) for item in shown]
        lines += [f"{title}:", *(clip(f"  {row}", columns) for row in table(rows))] if rows else []
        lines += [f"  … and {len(items) - len(shown)} more"] if len(items) > len(shown) else []
    return "\n".join(lines)


def context_line(context: Context) -> str:
    """One line on a context: how full it is, what it lacks."""
    used = f"{context.tokens} of {context.budget_tokens} tokens, {counted(len(context.records), 'record')}"
    kept = f"{context.kept_tokens} leading tokens as before" if context.kept_tokens else ""
    degraded = f"degraded: {context.degraded}" if context.degraded else ""
    fresh = context.freshness.line if context.freshness else ""
    return "; ".join(filter(None, (used, kept, degraded, fresh)))


# What became of turns


def ingest_dict(report: IngestReport, errors: Sequence[tuple[str, str]] = (), outcomes: bool = False) -> dict[str, Any]:
    """Counts of an ingest; every turn's outcome if asked."""
    found: dict[str, Any] = {"turns": len(report), **{status: report.count(status) for status in STATUSES}}
    found["gate"] = {name: report.count(decision) for decision, name in DECISIONS.items()}
    found["redacted"] = sum(bool(outcome.redactions) for outcome in report)
    found["errors"] = [{"where": where, "message": message} for where, message in errors]
    found["freshness"] = plain(report.freshness)
    return {**found, "outcomes": plain(report.outcomes)} if outcomes else found


def ingest_text(report: IngestReport) -> str:
    """What became of the turns, in three lines."""
    statuses = ", ".join(f"{report.count(status)} {status}" for status in STATUSES)
    decisions = ", ".join(f"{report.count(decision)} {name}" for decision, name in DECISIONS.items())
    redacted = sum(bool(outcome.redactions) for outcome in report)
    lines = [f"{counted(len(report), 'turn')}: {statuses}", f"gate: {decisions}; secrets redacted in {redacted}"]
    return "\n".join([*lines, *([report.freshness.line] if report.freshness else [])])


def outcomes_text(outcomes: Iterable[Outcome], columns: int) -> list[str]:
    """Each turn's decision and reason, one a line."""
    rows = [(outcome.gate.decision if outcome.gate else outcome.status, one_line(outcome.id), outcome.reason)
            for outcome in outcomes]  # fmt: skip
    return [clip(line, columns) for line in table(rows)] if rows else []


# Care


def stats_dict(stats: StoreStats, spaces: Sequence[Space], **about: Any) -> dict[str, Any]:
    """What a store holds."""
    return {**about, **plain(stats), "spaces": plain(spaces)}


def stats_text(stats: StoreStats, spaces: Sequence[Space], **about: Any) -> str:
    """What a store holds, one thing a line."""
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(stats.kinds.items()))
    rows = [(name, str(value)) for name, value in about.items()]
    rows += [
        ("records", f"{stats.records:,}{f' ({kinds})' if kinds else ''}"),
        ("vectors", f"{stats.vectors:,}{f', {stats.pending:,} still to come' if stats.pending else ''}"),
        *(("embedder", f"{s.name}, {s.dimensions} dimensions{'' if s.active else ' (not active)'}") for s in spaces),
        ("edges", f"{stats.edges:,}"),
        ("events", f"{stats.events:,}"),
        ("on disk", size(stats.bytes_on_disk)),
        ("schema", str(stats.schema)),
    ]
    return "\n".join(table(rows))


def size(number: float) -> str:
    """Bytes for people."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{number:.0f} bytes" if unit == "bytes" else f"{number:.1f} {unit}"


def problems_text(problems: Sequence[Problem], records: int) -> str:
    """What `verify` found."""
    if not problems:
        return f"no problems in {counted(records, 'record')}"
    lines = [f"{'mended' if item.mended else 'problem'}: {item.what} ({item.where})" for item in problems]
    left = sum(not item.mended for item in problems)
    return "\n".join([*lines, f"{counted(len(problems), 'problem')}, {len(problems) - left} mended, {left} left"])


def import_text(report: ImportReport) -> str:
    """What an import took."""
    taken = ", ".join(f"{value} {name}" for name, value in plain(report).items() if name != "known")
    return f"imported {taken}; {report.known} records were here already"


# Errors


def error_dict(error: AforesaidError) -> dict[str, Any]:
    """An error as programs read it."""
    return {"error": {"type": type(error).__name__, "message": error.message, "remedy": error.remedy}}


def error_text(error: AforesaidError) -> str:
    """An error as people read it: what is wrong, then what to do."""
    remedy = f"\n  {visible(error.remedy)}" if error.remedy else ""
    return f"error: {visible(error.message)}{remedy}"
