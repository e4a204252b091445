"""What feedback, calibration and the gate's ledger say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, one_line, snippet, table, visible
from aforesaid.surfaces.formats.common import DECISIONS, GATE_TERMS, ID_COLUMNS, counted, plain, stamp

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.learning.calibrate import CalibrationReport, Fit, GateReport, SideReport
    from aforesaid.learning.feedback import Feedback
    from aforesaid.learning.gate_log import LedgerEntry, Replay

TEXT_COLUMNS = 24  # the least that is shown of a turn's words


def feedback_text(said: Feedback) -> str:
    """What a signal did to a record."""
    if not said.counted:
        return f"{visible(said.id)}: {said.signal} was counted already; nothing changed"
    before, after = said.before, said.after
    merged = f", merged into {visible(said.into)}" if said.into else ""
    label = "; its scores are kept as a label" if said.label else ""
    worth = f"utility {before.utility:.2f} → {after.utility:.2f}, confidence {before.confidence:.2f} → "
    return f"{visible(said.id)}: {said.signal}{merged}; {worth}{after.confidence:.2f}{label}"


# Calibration


def calibration_dict(report: CalibrationReport) -> dict[str, Any]:
    """A calibration with its figures and what was fitted."""
    return {**plain(report), "stored": report.stored}


def calibration_text(report: CalibrationReport) -> str:
    """Each side: its labels, how raw and fitted scores did on those held out, and what became of it."""
    lines = [f"{report.method}, for policy version {visible(report.policy_version)}"]
    for side in report.sides:
        if side.before is None or side.after is None:
            lines.append(f"{side.side}: {side.refused}")
        else:
            lines.append(f"{side.side}: {counted(side.labels, 'label')}, {side.relevant} relevant; {_outcome(side)}")
            rows = [("", "log loss", "Brier"), _fit_row("raw scores", side.before), _fit_row("calibrated", side.after)]
            lines += [f"  {line}" for line in table(rows)]
            lines.append(f"  on {counted(side.held_out, 'label')} held out; lower is better")
    return "\n".join(lines)


def _outcome(side: SideReport) -> str:
    if side.stored:
        return "kept"
    return f"not kept: {side.refused}" if side.refused else "a dry run: not kept"


def _fit_row(name: str, fit: Fit) -> tuple[str, str, str]:
    return name, f"{fit.log_loss:.3f}", f"{fit.brier:.3f}"


def gate_calibration_text(report: GateReport) -> str:
    """The threshold that labels speak for, and what it would change."""
    replay = report.replay
    return "\n".join(
        [
            f"gate: {counted(report.labels, 'label')}, {report.useful} useful; policy version "
            f"{visible(report.policy_version)}; {'kept' if report.stored else 'a dry run: not kept'}",
            f"  threshold {report.before:.3f} → {report.after:.3f}",
            f"  right on {report.held_out} held out: {report.right_before:.0%} → {report.right_after:.0%}",
            f"  {replay.changes} of {counted(replay.turns, 'past decision')} would be others",
        ]
    )


# The ledger


def ledger_text(entries: Sequence[LedgerEntry], columns: int) -> str:
    """Decisions one a line, newest first: G against its threshold, whose turn, how it begins."""
    rows = [
        (e.decision, f"{e.score:.3f}", _sign(e), f"{e.threshold:.2f}", stamp(e.time), _name(e), one_line(e.text))
        for e in entries
    ]
    return "\n".join(clip(line, columns) for line in table(rows)) if rows else ""


def entry_text(entry: LedgerEntry, columns: int) -> str:
    """One decision with its terms."""
    terms = [(name, f"{value:.3f}", GATE_TERMS.get(name, "")) for name, value in entry.signals.items()]
    head = f"{visible(entry.id)}  {stamp(entry.time)}  {visible(entry.session or '')}/{visible(entry.role or '')}"
    return "\n".join(
        [
            head,
            f"  {snippet(entry.text, max(columns - 2, TEXT_COLUMNS))}",
            f"  {entry.decision}: {visible(entry.reason)}",
            *(f"    {line}" for line in (table(terms) if terms else [])),
            f"    G {_sign(entry)} threshold {entry.threshold:g}",
        ]
    )


def replay_text(replay: Replay, columns: int) -> str:
    """Counts as they were and would be, then what would be decided otherwise."""
    named = ", ".join(f"{name}={value:g}" for name, value in replay.weights.items()) or "the settings in force"
    rows = [("", "was", "would be")]
    rows += [(name, str(replay.before.get(key, 0)), str(replay.after.get(key, 0))) for key, name in DECISIONS.items()]
    lines = [f"{counted(replay.turns, 'turn')} replayed with {named}", *(f"  {line}" for line in table(rows))]
    lines.append(f"{counted(replay.changes, 'decision')} would change")
    changed = [
        (f"{c.entry.decision} → {c.decision}", f"{c.entry.score:.3f} → {c.score:.3f}", _name(c.entry),
         one_line(c.entry.text))
        for c in replay.changed
    ]  # fmt: skip
    lines += [clip(f"  {line}", columns) for line in table(changed)] if changed else []
    left = replay.changes - len(replay.changed)
    lines += [f"  … and {left} more; --limit shows them"] if left else []
    lines += [f"{counted(replay.unreadable, 'turn')} without readable terms left out"] if replay.unreadable else []
    return "\n".join(lines)


def replay_dict(replay: Replay) -> dict[str, Any]:
    """A replay; every decision is counted, also those that nobody made."""
    return {**plain(replay), "before": _counts(replay.before), "after": _counts(replay.after)}


def _counts(found: Mapping[str, int]) -> dict[str, int]:
    return {decision: found.get(decision, 0) for decision in DECISIONS}


def _name(entry: LedgerEntry) -> str:
    return clip(visible(entry.id), ID_COLUMNS)


def _sign(entry: LedgerEntry) -> str:
    return "≥" if entry.score >= entry.threshold or entry.decision == "admit" else "<"
