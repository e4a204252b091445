"""Records, hits, contexts and ingest reports as text. A text shows first what a person asks first."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, one_line, snippet, table, visible, wrapped
from aforesaid.surfaces.formats.report import counted, report_text
from aforesaid.surfaces.formats.values import to_json
from aforesaid.types import (
    SUPERSEDED_BY,
    Context,
    GateDecision,
    Hit,
    IngestReport,
    Outcome,
    Provenance,
    Record,
    SearchResult,
)

if TYPE_CHECKING:
    from aforesaid.learning.gate_log import GateEntry
    from aforesaid.retrieval.activation import ActiveContext
    from aforesaid.surfaces.verbs.declare import View

GATE_TERMS = {
    "T": "technical share",
    "H": "novelty",
    "F": "stated before",
    "S": "stored before",
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
DOUBTFUL = 0.3  # a result with less confidence probably holds no answer
WHO_COLUMNS = 28  # of the session/role column of a list
ID_COLUMNS = 24


def stamp(time: datetime) -> str:
    """A time as tables show it, in UTC."""
    return time.strftime("%Y-%m-%d %H:%M")


def origin(record: Record) -> str:
    """Where a record comes from: session and role, or scope and type."""
    place = record.session or (record.project if record.scope == "project" else record.scope)
    return "/".join(visible(part) for part in (place, record.role or record.claim_type or record.kind) if part)


# Pages of a list


def page_json(name: str) -> Callable[[Any, View], dict[str, Any]]:
    """A page with its bounds; `name` is the key of the items."""
    return lambda found, view: {
        **{key: view.given[key] for key in ("user", "limit", "offset") if key in view.given},
        name: to_json(found),
    }


def next_page(found: Sequence[Any], view: View) -> str:
    """How to see the next page, if there may be one."""
    limit, offset = view.given["limit"], view.given["offset"]
    return f"\n{limit} shown; go on with --offset {offset + limit}" if len(found) == limit else ""


def owner_phrase(user: str | None) -> str:
    """Whose records were searched."""
    return f"of user {user!r}" if user else "without a user (those of a user need --user NAME)"


# Hits


def search_json(result: SearchResult, view: View) -> dict[str, Any]:
    """A search result, with who asked."""
    about = {name: view.given.get(name) for name in ("user", "project", "session")}
    offset = view.given.get("offset", 0)
    hits = [{"rank": rank, **to_json(hit)} for rank, hit in enumerate(result, offset + 1)]
    head = {"query": result.query, "profile": result.profile, **about, "offset": offset}
    head |= {"recovered": result.recovered} if result.recovered else {}
    head |= {"details": to_json(result.details)} if result.details else {}
    head |= {name: getattr(result, name) for name in ("confidence", "policy_version", "request_id", "trace_id")}
    if view.given.get("explain"):
        head["below_threshold"] = to_json(result.below_threshold)
        head["signals"] = dict(result.signals)
    return {**head, "hits": hits, "freshness": to_json(result.freshness)}


def search_view(result: SearchResult, view: View) -> str:
    """Hits for people; when there are none, why."""
    text = search_text(result, view.columns, view.given.get("offset", 0) + 1, view.given.get("explain", False))
    if len(result):
        return text
    records, whose = result.freshness.records, owner_phrase(view.given.get("user"))
    if not records:
        return f"Nothing found: {view.store} holds no records {whose}.\n{text}"
    return f"Nothing found among {counted(records, 'record')} {whose}. Try other words or fewer filters.\n{text}"


def search_text(result: SearchResult, columns: int, first_rank: int = 1, explain: bool = False) -> str:
    """Hits, best first, each with its reason; then what the search could not see."""
    why = [sure_line(result)] if len(result) else []
    why += [wrapped(f"signals: {_parts(result.signals)}", columns, "")] if explain else []
    why += [f"Summaries were replaced by their turns: {result.recovered}."] if result.recovered else []
    why += [clip(details_line(result.details), columns)] if result.details else []
    why += [ids_line(result)] if explain or result.profile == "pce" else []
    below = [_hit_text(hit, 0, result.query, columns, explain) for hit in result.below_threshold] if explain else []
    dropped = [f"{counted(len(below), 'candidate')} below the threshold:", *below] if below else []
    return "\n".join([*hits_text(result, columns, first_rank, explain), *dropped, *why, result.freshness.line])


def sure_line(result: SearchResult) -> str:
    """How likely the memory holds an answer."""
    doubt = "This memory probably does not hold the answer" if result.confidence < DOUBTFUL else "Holds an answer"
    return f"{doubt}: {result.confidence:.0%} likely."


def ids_line(result: SearchResult | ActiveContext) -> str:
    """The policy version of a result, and the ids that its events have."""
    trace = f"; trace: {result.trace_id}" if result.trace_id != result.request_id else ""
    return visible(f"policy: {result.policy_version}; request: {result.request_id}{trace}")


def details_line(details: Mapping[str, Any]) -> str:
    """What a profile did, in one line: the mode, the variants that were searched too, why it stopped."""
    shown = {name: ", ".join(map(repr, value)) if isinstance(value, list) else value for name, value in details.items()}
    return visible("; ".join(f"{name}: {value}" for name, value in shown.items() if value))


def hits_text(result: SearchResult, columns: int, first_rank: int = 1, explain: bool = False) -> list[str]:
    """Each hit: rank, score, confidence, time, id and origin; its text; why it was found."""
    return [_hit_text(hit, rank, result.query, columns, explain) for rank, hit in enumerate(result, first_rank)]


def _hit_text(hit: Hit, rank: int, query: str, columns: int, explain: bool) -> str:
    record = hit.record
    place = f"{rank:>2}." if rank else "  –"  # a candidate without a rank is no hit
    head = (
        f"{place} {hit.score:.3f}  {hit.confidence:>3.0%}  {stamp(record.time)}  {visible(record.id)}  {origin(record)}"
    )
    lines = [clip(head, columns), "    " + snippet(record.text, columns - 4, query), "    " + hit.reason]
    if explain:
        parts = _parts(hit.parts)
        where = f"{record.kind}, scope {record.scope}, boundary {record.boundary}, key {record.key}"
        gate = [f"gate: {record.gate.decision}; {record.gate.reason}"] if record.gate else []
        lines += [wrapped(line, columns, "    ") for line in (f"parts: {parts}", where, *gate)]
    return "\n".join(lines) + "\n"


def _parts(parts: Mapping[str, float]) -> str:
    return " ".join(f"{name}={value:.4g}" for name, value in parts.items())


# Records


def kept_text(record: Record, view: View) -> str:
    """A record that was just stored, in one line."""
    old = view.given.get("supersedes")
    place = f", in place of {old}" if old else ""
    until = f" until {stamp(record.expires)}" if record.expires else ""
    redacted = f"; redacted: {', '.join(record.redactions)}" if record.redactions else ""
    return f"stored {record.id}{place}{until}{redacted}"


def record_text(record: Record, columns: int) -> str:
    """One whole record: every field that has a value, then its text."""
    found = {name: value for name, value in to_json(record).items() if value and name != "text"}
    return f"{report_text(found, columns)}\n\n{wrapped(record.text, columns, '  ')}"


def provenance_pairs(source: Provenance | None) -> str:
    """Where a record comes from, in one line."""
    found = to_json(source) or {}
    shown = {key: ",".join(map(str, value)) if isinstance(value, list) else value for key, value in found.items()}
    return " ".join(f"{key}={value}" for key, value in shown.items() if value)


def gate_lines(gate: GateDecision | GateEntry) -> list[str]:
    """The terms of a decision, and its score against the threshold."""
    terms = [(name, f"{value:.3f}", GATE_TERMS.get(name, "")) for name, value in gate.signals.items()]
    return [f"    {line}" for line in (*table(terms), f"G {gate_sign(gate)} threshold {gate.threshold:g}")]


def gate_sign(gate: GateDecision | GateEntry) -> str:
    """How the score compares to the threshold."""
    return "≥" if gate.score >= gate.threshold or gate.decision == "admit" else "<"


def list_view(records: Sequence[Record], view: View) -> str:
    """A page of records for people."""
    if not records:
        return f"No such records {owner_phrase(view.given.get('user'))}."
    return list_text(records, view.columns) + next_page(records, view)


def list_text(records: Sequence[Record], columns: int) -> str:
    """Records one a line; ● marks durable ones, × replaced ones."""
    rows = []
    for record in records:
        old = record.valid_to is not None or SUPERSEDED_BY in record.meta
        head = f"{stamp(record.time)} {'×' if old else '●' if record.durable else ' '} "
        names = clip(visible(record.id), ID_COLUMNS), clip(origin(record), WHO_COLUMNS)
        rows.append((head + names[0], names[1], one_line(record.text)))
    return "\n".join(clip(line, columns) for line in table(rows))


def turns_text(turns: Sequence[Record]) -> str:
    """Turns with time and speaker, one after the other."""
    return "\n".join(f"{stamp(turn.time)} {visible(turn.role or '')}: {visible(turn.text)}" for turn in turns)


# Contexts


def context_view(context: Context, view: View) -> str:
    """The text of a context. A terminal gets no control characters from it; a program gets the exact text."""
    text = visible(context.text) if sys.stdout.isatty() else context.text
    return f"{text}\n\n{trace_text(context, view.columns)}" if view.given.get("trace") else text


def context_note(context: Context, view: View) -> str:
    """One line about the context, unless the trace shows it."""
    return "" if view.given.get("trace") else context_line(context)


def trace_text(context: Context, columns: int) -> str:
    """What was considered for a context, what was included, and why not the rest."""
    lines = [context_line(context)]
    for taken, title in ((True, "taken"), (False, "left out")):
        items = [item for item in context.trace if item.taken is taken]
        rows = [(item.part, visible(item.id), f"{item.tokens} tokens", item.reason) for item in items]
        lines += [f"{title}:", *(clip(f"  {row}", columns) for row in table(rows))] if rows else []
    return "\n".join(lines)


def context_line(context: Context) -> str:
    """One line on a context: how full it is, and what it lacks."""
    used = f"{context.tokens} of {context.budget_tokens} tokens, {counted(len(context.records), 'record')}"
    kept = f"{context.kept_tokens} leading tokens as before" if context.kept_tokens else ""
    degraded = f"degraded: {context.degraded}" if context.degraded else ""
    fresh = context.freshness.line if context.freshness else ""
    how = "tokens are estimated" if context.counted_by == "estimate" else f"counted by {context.counted_by}"
    return "; ".join(filter(None, (used, kept, degraded, fresh, how)))


# Ingested turns


def ingest_json(report: IngestReport, errors: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """Counts of an ingest."""
    found: dict[str, Any] = {"turns": len(report), **{status: report.count(status) for status in STATUSES}}
    found["gate"] = {name: report.count(decision) for decision, name in DECISIONS.items()}
    found["redacted"] = sum(bool(outcome.redactions) for outcome in report)
    found["errors"] = [{"where": where, "message": message} for where, message in errors]
    return found | {"freshness": to_json(report.freshness)}


def outcomes_text(outcomes: Iterable[Outcome], columns: int) -> list[str]:
    """The decision and reason for each turn, one a line."""
    rows = [(each.gate.decision if each.gate else each.status, one_line(each.id), each.reason) for each in outcomes]
    return [clip(line, columns) for line in table(rows)]
