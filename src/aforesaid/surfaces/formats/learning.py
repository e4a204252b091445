"""Feedback, calibration and the decisions of the gate as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, one_line, snippet, table, visible
from aforesaid.surfaces.formats.records import (
    DECISIONS,
    ID_COLUMNS,
    counted,
    gate_lines,
    gate_sign,
    next_page,
    stamp,
)
from aforesaid.surfaces.formats.values import to_json

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.learning.calibrate import CalibrationReport, Fit, GateReport, SideReport
    from aforesaid.learning.feedback import Feedback
    from aforesaid.learning.gate_log import LedgerEntry, Replay
    from aforesaid.surfaces.verbs.declare import View

TEXT_COLUMNS = 24  # the least that is shown of a turn's text


def feedback_text(said: Feedback) -> str:
    """What a signal changed."""
    if not said.counted:
        return f"{visible(said.id)}: {said.signal} was counted already; nothing changed"
    before, after = said.before, said.after
    merged = f", merged into {visible(said.into)}" if said.into else ""
    label = "; its scores are kept as a label" if said.label else ""
    scores = f"utility {before.utility:.2f} → {after.utility:.2f}, confidence {before.confidence:.2f} → "
    return f"{visible(said.id)}: {said.signal}{merged}; {scores}{after.confidence:.2f}{label}"


# Calibration


def calibration_text(report: CalibrationReport) -> str:
    """Each side: its labels, how raw and calibrated scores did on the held-out ones, and whether it was kept."""
    lines = [f"{report.method}, for policy version {visible(report.policy_version)}"]
    for side in report.sides:
        if side.before is None or side.after is None:
            lines.append(f"{side.side}: {side.refused}")
        else:
            lines.append(f"{side.side}: {counted(side.labels, 'label')}, {side.relevant} relevant; {_kept(side)}")
            rows = [("", "log loss", "Brier"), _fit_row("raw scores", side.before), _fit_row("calibrated", side.after)]
            lines += [f"  {line}" for line in table(rows)]
            lines.append(f"  on {counted(side.held_out, 'label')} held out; lower is better")
    return "\n".join(lines)


def calibration_note(report: CalibrationReport, view: View) -> str:
    """What to do when the result was not kept."""
    return "" if report.stored or view.given["dry_run"] else "Nothing was kept; --force keeps it all the same."


def _kept(side: SideReport) -> str:
    if side.stored:
        return "kept"
    return f"not kept: {side.refused}" if side.refused else "a dry run: not kept"


def _fit_row(name: str, fit: Fit) -> tuple[str, str, str]:
    return name, f"{fit.log_loss:.3f}", f"{fit.brier:.3f}"


def gate_calibration_text(report: GateReport) -> str:
    """The threshold that fits the labels, and what it would change."""
    version = f"policy version {visible(report.policy_version)}"
    kept = "kept" if report.stored else "a dry run: not kept"
    lines = [
        f"gate: {counted(report.labels, 'label')}, {report.useful} useful; {version}; {kept}",
        f"  threshold {report.before:.3f} → {report.after:.3f}",
        f"  right on {report.held_out} held out: {report.right_before:.0%} → {report.right_after:.0%}",
        f"  {report.replay.changes} of {counted(report.replay.turns, 'past decision')} would change",
    ]
    return "\n".join(lines)


# Decisions of the gate


def ledger_view(entries: Sequence[LedgerEntry], view: View) -> str:
    """One decision a line, newest first: G and its threshold, the turn, its first words."""
    rows = [
        (e.decision, f"{e.score:.3f}", gate_sign(e), f"{e.threshold:.2f}", stamp(e.time), _name(e), one_line(e.text))
        for e in entries
    ]
    lines = "\n".join(clip(line, view.columns) for line in table(rows))
    return lines + next_page(entries, view) or "No such decisions."


def entry_text(entry: LedgerEntry, columns: int) -> str:
    """One decision with its terms."""
    head = f"{visible(entry.id)}  {stamp(entry.time)}  {visible(entry.session or '')}/{visible(entry.role or '')}"
    words = f"  {snippet(entry.text, max(columns - 2, TEXT_COLUMNS))}"
    return "\n".join([head, words, f"  {entry.decision}: {visible(entry.reason)}", *gate_lines(entry)])


def replay_text(replay: Replay, columns: int) -> str:
    """Counts before and after, then the decisions that would change."""
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
    lines += [clip(f"  {line}", columns) for line in table(changed)]
    left = replay.changes - len(replay.changed)
    lines += [f"  … and {left} more; --limit shows them"] if left else []
    lines += [f"{counted(replay.unreadable, 'turn')} without readable terms left out"] if replay.unreadable else []
    return "\n".join(lines)


def replay_json(replay: Replay, view: View) -> dict[str, Any]:
    """A replay; the counts name every decision, also those with none."""
    counts = {name: {key: getattr(replay, name).get(key, 0) for key in DECISIONS} for name in ("before", "after")}
    return {**to_json(replay), **counts}


def _name(entry: LedgerEntry) -> str:
    return clip(visible(entry.id), ID_COLUMNS)
