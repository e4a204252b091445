"""Documents, summaries and sessions as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, one_line, table, visible
from aforesaid.surfaces.formats.records import counted, ingest_json, ingest_text, stamp
from aforesaid.surfaces.formats.values import to_json
from aforesaid.types import Record

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.compaction.compact import CompactReport
    from aforesaid.documents.loader import Authored, Loaded
    from aforesaid.memory.sessions import BootstrapReport, EndReport
    from aforesaid.surfaces.verbs.declare import View

TIERS = ("lore", "hard", "soft")


def loaded_text(loaded: Loaded) -> str:
    """What changed in a document, and which rules contradict each other."""
    counts = f"{loaded.added} new, {loaded.removed} gone, {loaded.same} as before"
    head = f"{loaded.name}: {counts}; hard rules {loaded.hard_tokens} of {loaded.hard_room} tokens"
    return "\n".join([head, *(f"  {line}" for line in loaded.conflicts)])


def lint_json(authored: Authored) -> dict[str, Any]:
    """A document as its nodes, with its problems."""
    rows = [
        {"tier": TIERS[node.tier], "lines": list(node.lines), "tokens": size, "kind": node.kind, "reason": node.reason,
         "heading": node.heading, "text": node.text}
        for node, size in zip(authored.document.nodes, authored.tokens, strict=True)
    ]  # fmt: skip
    sums = {name: authored.cost(tier) for tier, name in enumerate(TIERS)}
    return {"document": authored.name, "nodes": rows, "tokens": sums, "problems": list(authored.problems)}


def lint_text(authored: Authored, columns: int) -> str:
    """One node a line: its lines, tier, tokens, reason and text; then the sums and the problems."""
    rows = [
        ("-".join(map(str, sorted(set(node.lines)))), TIERS[node.tier], str(size), node.reason, one_line(node.text))
        for node, size in zip(authored.document.nodes, authored.tokens, strict=True)
    ]
    lines = [clip(line, columns) for line in table(rows)] or ["  nothing in it"]
    sums = ", ".join(f"{name} {authored.cost(tier)}" for tier, name in enumerate(TIERS))
    total = f"tokens: {sums}; {authored.hard_room} are reserved for hard rules"
    return "\n".join([f"{authored.name}:", *lines, total, *authored.problems])


def turns_text(turns: Sequence[Record]) -> str:
    """Turns as they were said, one after the other."""
    return "\n".join(f"{stamp(turn.time)} {visible(turn.role or '')}: {visible(turn.text)}" for turn in turns)


def compact_text(report: CompactReport) -> str:
    """What happened to the older turns of a session, one summary a line."""
    made = f"{len(report.summaries)} {'summary' if len(report.summaries) == 1 else 'summaries'}"
    more = [f"{report.elevated} kept as guidance", *([f"{report.declined} declined"] if report.declined else [])]
    head = f"{report.session}: {counted(report.turns, 'older turn')}, {made}, {', '.join(more)}"
    rows = [
        (each.id, f"of {each.sources}", f"{each.tokens_before} → {each.tokens_after} tokens", each.method,
         f"confidence {each.confidence:.2f}")
        for each in report.summaries
    ]  # fmt: skip
    degraded = [f"degraded: {report.degraded}"] if report.degraded else []
    return "\n".join([head, *table(rows), *degraded])


def begun_json(begun: BootstrapReport, view: View) -> dict[str, Any]:
    """How a session begins; the stored turns are counted."""
    return {**to_json(begun), "ingested": ingest_json(begun.ingested)}


def begun_text(begun: BootstrapReport) -> str:
    """How a session begins, and which documents failed."""
    head = f"{begun.session}: {counted(begun.turns, 'turn')} known"
    taken = [ingest_text(begun.ingested)] if len(begun.ingested) else [begun.freshness.line]
    failed = [f"not loaded: {visible(line)}" for line in begun.failed]
    return "\n".join([head, *map(loaded_text, begun.loaded), *failed, *taken])


def ended_text(ended: EndReport) -> str:
    """What was done at the end of a session."""
    embedded = [f"{counted(ended.embedded, 'missing vector')} made"] if ended.embedded else []
    lines = [f"{ended.session}: {counted(ended.turns, 'turn')}", compact_text(ended.compacted), *embedded]
    return "\n".join([*lines, ended.freshness.line])
