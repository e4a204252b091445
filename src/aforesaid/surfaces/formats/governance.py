"""Policies, task contexts, rollbacks, and the decisions of the gate as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, one_line, snippet, table, visible
from aforesaid.surfaces.formats.records import (
    DECISIONS,
    ID_COLUMNS,
    details_line,
    gate_lines,
    gate_sign,
    ids_line,
    next_page,
    provenance_pairs,
    stamp,
)
from aforesaid.surfaces.formats.report import counted, report_text
from aforesaid.surfaces.formats.values import to_json

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.engine.thresholds import ModelReport
    from aforesaid.governance.apply_policy import PolicyValidation
    from aforesaid.governance.promotion import RollbackReport
    from aforesaid.learning.calibrate import CalibrationReport, GateReport
    from aforesaid.learning.gate_log import GateEntry, GateReplay
    from aforesaid.policy.repository import AdoptedPolicy
    from aforesaid.retrieval.activation import ActiveContext
    from aforesaid.surfaces.verbs.declare import View

UNCLEAN = "Some records contain text that the policy redacts: `aforesaid validate --stored --mend` removes it."
TEXT_COLUMNS = 24  # the least that is shown of a turn's text


def history_text(found: Sequence[AdoptedPolicy]) -> str:
    """One policy a line."""
    rows = [(str(each.number), each.version, stamp(each.time), each.digest[:12], each.by) for each in found]
    return "\n".join(table(rows)) or "No policy was given."


def validation_text(found: PolicyValidation) -> str:
    """The text after redaction, its privacy class, and the rules that it breaks."""
    rows = (
        ("redacted", found.found),
        ("not allowed to be kept", found.write),
        ("kept, but hidden", found.read),
    )
    lines = [f"{label}: {', '.join(names)}" for label, names in rows if names]
    return "\n".join([visible(found.text), f"class {found.boundary}", *lines])


def rollback_text(done: RollbackReport) -> str:
    """The claim that ended, the one that is valid again, and the records that may be wrong now."""
    lines = [f"ended {done.ended.id}"]
    lines += [f"valid again: {done.restored.id}"] if done.restored else []
    lines += [f"stale: {', '.join(done.stale)}"] if done.stale else []
    lines += [f"marked in active contexts: {', '.join(done.contexts)}"] if done.contexts else []
    return "\n".join(lines)


def active_text(context: ActiveContext, columns: int) -> str:
    """The items by rank, each with its reason; then how long the context is kept."""
    lines = []
    for item in context.items:
        record = item.record
        source = provenance_pairs(item.provenance)
        head = f"{item.rank:>2}. {item.score:.3f}  {record.claim_type or record.kind}  {visible(record.id)}"
        head += f"  {item.scope}{f' ({source})' if source else ''}"
        lines += [clip(head, columns), "    " + snippet(record.text, columns - 4, ""), "    " + item.reason]
    uses = "" if context.uses_left is None else f", {counted(context.uses_left, 'more use')}"
    below = f"; {context.below_threshold} below the threshold" if context.below_threshold else ""
    last = f"{context.id}: {context.intent}, until {stamp(context.expires)}{uses}{below}"
    return "\n".join([*lines, last, details_line(context.details), ids_line(context)])


def calibration_text(report: CalibrationReport, columns: int) -> str:
    """How well raw and calibrated scores fit the held-out labels, without the numbers of the calibration."""
    found = to_json(report)
    sides = [{name: value for name, value in side.items() if name != "calibration"} for side in found["sides"]]
    return report_text(found | {"sides": sides}, columns)


def calibration_note(report: CalibrationReport, view: View) -> str:
    """What to do when the result was not kept."""
    return "" if report.stored or view.given["dry_run"] else "Nothing was kept; --force keeps it all the same."


def gate_calibration_text(report: GateReport, columns: int) -> str:
    """The threshold that fits the labels, and what it would change."""
    changes = f"{report.replay.changes} of {counted(report.replay.turns, 'past decision')} would change"
    return report_text(to_json(report) | {"replay": changes}, columns)


def model_text(report: ModelReport) -> str:
    """The cosines of unrelated and related texts, then each threshold with its place and its cosine."""
    pairs = [("compared", "unrelated", "related")]
    pairs += [(name, f"{ends.unrelated:.3f}", f"{ends.related:.3f}") for name, ends in report.ends.items()]
    rows = [("threshold", "place", "cosine")]
    rows += [(each.setting, f"{each.place:g}", f"{each.cosine:.3f}") for each in report.thresholds]
    kept = "stored" if report.stored else "a dry run: not stored"
    return "\n".join([f"{visible(report.model)}: {kept}", "", *table(pairs), "", *table(rows)])


def model_note(report: ModelReport, view: View) -> str:
    """A remark when the settings do not use the measurement."""
    return "" if report.used else "search.thresholds = literal: the numbers of the settings are used as cosines."


# Decisions of the gate


def ledger_view(entries: Sequence[GateEntry], view: View) -> str:
    """One decision a line, newest first: G and its threshold, the turn, its first words."""
    rows = [
        (e.decision, f"{e.score:.3f}", gate_sign(e), f"{e.threshold:.2f}", stamp(e.time), _name(e), one_line(e.text))
        for e in entries
    ]
    lines = "\n".join(clip(line, view.columns) for line in table(rows))
    return lines + next_page(entries, view) or "No such decisions."


def entry_text(entry: GateEntry, columns: int) -> str:
    """One decision with its terms."""
    head = f"{visible(entry.id)}  {stamp(entry.time)}  {visible(entry.session or '')}/{visible(entry.role or '')}"
    words = f"  {snippet(entry.text, max(columns - 2, TEXT_COLUMNS))}"
    return "\n".join([head, words, f"  {entry.decision}: {visible(entry.reason)}", *gate_lines(entry)])


def replay_text(replay: GateReplay, view: View) -> str:
    """Counts before and after, then the decisions that would change."""
    changed = [
        (f"{c.entry.decision} → {c.decision}", f"{c.entry.score:.3f} → {c.score:.3f}", _name(c.entry),
         one_line(c.entry.text))
        for c in replay.changed
    ]  # fmt: skip
    left = replay.changes - len(replay.changed)
    more = [f"… and {left} more; --limit shows them"] if left else []
    counts = report_text(replay_json(replay, view) | {"changed": ""}, view.columns)
    return "\n".join([counts, *(clip(line, view.columns) for line in table(changed)), *more])


def replay_json(replay: GateReplay, view: View) -> dict[str, Any]:
    """A replay; the counts name every decision, also those with none."""
    counts = {name: {key: getattr(replay, name).get(key, 0) for key in DECISIONS} for name in ("before", "after")}
    return {**to_json(replay), **counts}


def _name(entry: GateEntry) -> str:
    return clip(visible(entry.id), ID_COLUMNS)
