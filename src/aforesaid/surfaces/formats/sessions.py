"""What the verbs around a session say: documents, summaries, beginnings and ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, one_line, table, visible
from aforesaid.surfaces.formats.common import counted, ingest_dict, ingest_text, plain
from aforesaid.types import Record

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.compaction.compact import CompactReport
    from aforesaid.documents.loader import Authored, Loaded
    from aforesaid.memory.sessions import BootstrapReport, EndReport

# Authored documents

TIERS = ("lore", "hard", "soft")


def loaded_text(loaded: Loaded) -> str:
    """What became of a document, and what to look at."""
    counts = f"{loaded.added} new, {loaded.removed} gone, {loaded.same} as before"
    head = f"{loaded.name}: {counts}; hard rules {loaded.hard_tokens} of {loaded.hard_room} tokens"
    return "\n".join([head, *(f"  {line}" for line in loaded.conflicts)])


def lint_dict(authored: Authored) -> dict[str, Any]:
    """A document as its nodes, with what is wrong."""
    rows = [
        {"tier": TIERS[node.tier], "lines": list(node.lines), "tokens": size, "kind": node.kind, "reason": node.reason,
         "heading": node.heading, "text": node.text}
        for node, size in zip(authored.document.nodes, authored.tokens, strict=True)
    ]  # fmt: skip
    sums = {name: authored.cost(tier) for tier, name in enumerate(TIERS)}
    return {"document": authored.name, "nodes": rows, "tokens": sums, "problems": list(authored.problems)}


def line_span(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}-{last}"


def lint_text(authored: Authored, columns: int) -> str:
    """A line a node: its place, its tier and why, what it costs, how it begins; then sums and what is wrong."""
    rows = [
        (line_span(*node.lines), TIERS[node.tier], str(size), node.reason, one_line(node.text))
        for node, size in zip(authored.document.nodes, authored.tokens, strict=True)
    ]
    lines = [clip(line, columns) for line in table(rows)] if rows else ["  nothing in it"]
    sums = ", ".join(f"{name} {authored.cost(tier)}" for tier, name in enumerate(TIERS))
    total = f"tokens: {sums}; {authored.hard_room} are reserved for hard rules"
    return "\n".join([f"{authored.name}:", *lines, total, *authored.problems])


# Compaction


def turns_text(turns: Sequence[Record]) -> str:
    """Turns as they were said, one after the other."""
    return "\n".join(f"{turn.time:%Y-%m-%d %H:%M} {visible(turn.role or '')}: {visible(turn.text)}" for turn in turns)


def compact_text(report: CompactReport) -> str:
    """What became of a session's older turns, a line a summary."""
    made = f"{len(report.summaries)} {'summary' if len(report.summaries) == 1 else 'summaries'}"
    more = [f"{report.elevated} kept as guidance", *([f"{report.declined} declined"] if report.declined else [])]
    head = f"{report.session}: {counted(report.turns, 'older turn')}, {made}, {', '.join(more)}"
    rows = [
        (each.id, f"of {each.sources}", f"{each.tokens_before} → {each.tokens_after} tokens", each.method,
         f"confidence {each.confidence:.2f}")
        for each in report.summaries
    ]  # fmt: skip
    degraded = [f"degraded: {report.degraded}"] if report.degraded else []
    return "\n".join([head, *(table(rows) if rows else []), *degraded])


# Beginnings and ends


def begun_dict(begun: BootstrapReport) -> dict[str, Any]:
    """What a session begins with; of the turns taken, counts."""
    return {**plain(begun), "ingested": ingest_dict(begun.ingested)}


def begun_text(begun: BootstrapReport) -> str:
    """What a session begins with, and which documents failed."""
    head = f"{begun.session}: {counted(begun.turns, 'turn')} known"
    taken = [ingest_text(begun.ingested)] if len(begun.ingested) else [begun.freshness.line]
    failed = [f"not loaded: {visible(line)}" for line in begun.failed]
    return "\n".join([head, *map(loaded_text, begun.loaded), *failed, *taken])


def ended_text(ended: EndReport) -> str:
    """How a session was left."""
    caught_up = [f"{counted(ended.embedded, 'vector')} caught up on"] if ended.embedded else []
    return "\n".join([f"{ended.session}: {counted(ended.turns, 'turn')}", compact_text(ended.compacted), *caught_up,
                      ended.freshness.line])  # fmt: skip
