"""Fits from labels: probabilities for the scores of `pce`, and the gate's threshold (spec 4, 5.6).

labels → hold a quarter out → fit on the rest → compare with the raw scores → fit on all → store for this policy
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from aforesaid.engine.kept_values import GATE, TEXT, VECTOR, calibration, drop_calibration, put_calibration
from aforesaid.engine.request import Request
from aforesaid.engine.writer import writing
from aforesaid.errors import InputError
from aforesaid.ingest.gate import THRESHOLD, gate_rows
from aforesaid.learning.gate_log import GateReplay, replay
from aforesaid.learning.labels import GateLabel, Label, held_out, too_few
from aforesaid.math.calibration import Calibration, Method, isotonic_fit
from aforesaid.math.domain import SLACK, Flags, Floats
from aforesaid.math.pce import text_min_max, vector_share
from aforesaid.types import Filter, Progress, check_choice

Side: TypeAlias = Literal["both", "text", "vector"]
SIDES: tuple[Side, ...] = get_args(Side)
METHODS: tuple[Method, ...] = get_args(Method)
SLOT_NAMES = {"text": TEXT, "vector": VECTOR}
EVEN = 0.5  # admit a turn from this probability of being useful
SURE = 0.01  # log loss clips probabilities here, because one label in a hundred may be wrong


@dataclass(frozen=True, slots=True)
class Fit:
    """Errors of the probabilities on held-out labels; lower is better."""

    log_loss: float
    brier: float


@dataclass(frozen=True, slots=True)
class SideReport:
    """The calibration of one side: its labels, errors before and after on held-out labels, and why it was refused."""

    side: str
    labels: int
    relevant: int
    held_out: int = 0
    before: Fit | None = None
    after: Fit | None = None
    calibration: Calibration | None = None
    refused: str = ""
    stored: bool = False


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """The calibration of each side of the `pce` profile."""

    method: Method
    policy_version: str
    sides: tuple[SideReport, ...]

    @property
    def stored(self) -> bool:
        """Whether a calibration was stored."""
        return any(side.stored for side in self.sides)


@dataclass(frozen=True, slots=True)
class GateReport:
    """A threshold for the gate; `right` is the share of held-out labels that a threshold agrees with."""

    policy_version: str
    labels: int
    useful: int
    held_out: int
    before: float
    after: float
    right_before: float
    right_after: float
    replay: GateReplay
    stored: bool


def calibrate(
    request: Request,
    labels: Sequence[Label],
    method: Method = "isotonic",
    side: Side = "both",
    *,
    dry_run: bool = False,
    force: bool = False,
) -> CalibrationReport:
    """Fit each side with enough labels; store fits that are no worse than raw scores. Raises when none has enough."""
    check_choice(method, METHODS, "method")
    check_choice(side, SIDES, "side")
    version = request.policy_version
    names = [name for name in SLOT_NAMES if side in ("both", name)]
    labels = sorted(labels, key=repr)  # so that sums round the same way whatever order they come in
    reports = [_calibrate_side(name, labels, method, version, force=force, keep=not dry_run) for name in names]
    if all(report.calibration is None for report in reports):
        raise InputError(
            "; ".join(f"{report.side}: {report.refused}" for report in reports) + ".",
            "Give more feedback with its query, or a file of labels.",
        )
    with writing(request) as writer:
        for report in reports:
            if report.stored and report.calibration is not None:
                put_calibration(request, SLOT_NAMES[report.side], json.dumps(report.calibration.to_json()))
        counts = {report.side: report.labels for report in reports if report.stored}
        if counts:
            body = {"method": method, "labels": counts, "version": version}
            writer.commit(events=[request.event("calibrate", None, body)])
    return CalibrationReport(method, version, tuple(reports))


def calibrate_gate(
    request: Request, labels: Sequence[GateLabel], *, dry_run: bool = False, progress: Progress | None = None
) -> GateReport:
    """Store as threshold the least G with P(useful) ≥ 0.5; reports how past decisions would change."""
    labels = sorted(labels, key=repr)
    useful = np.array([label.useful for label in labels], dtype=np.bool_)
    few = too_few(useful, "useful")
    if few:
        raise InputError(f"gate: {few}.", "Give more feedback on turns that the gate weighed, or a file of labels.")
    scores = np.array([label.score for label in labels], dtype=np.float64)
    held = held_out(useful, labels)
    before = gate_rows(request).threshold
    tried, after = even_point(scores[~held], useful[~held]), even_point(scores, useful)
    if after is None:
        raise InputError(
            f"At no G are turns useful as often as not ({int(useful.sum())} of {useful.size}); the threshold stays.",
            "Label turns that should have been admitted too.",
        )
    changes = replay(request, Filter(request.tenant), {THRESHOLD: after}, limit=0, progress=progress)
    version = request.policy_version
    if not dry_run:
        with writing(request) as writer:
            kept = json.dumps({"threshold": after, "policy_version": version})
            put_calibration(request, GATE, kept)
            body = {"gate": after, "before": before, "labels": len(labels), "version": version}
            writer.commit(events=[request.event("calibrate", None, body)])
    return GateReport(
        version,
        len(labels),
        int(useful.sum()),
        int(held.sum()),
        before,
        after,
        right_before=_agreement(scores[held], useful[held], before),
        right_after=_agreement(scores[held], useful[held], tried),
        replay=changes,
        stored=not dry_run,
    )


def reset(request: Request, *, gate: bool = False) -> tuple[str, ...]:
    """Delete the score calibrations, or the gate's threshold; returns the names of the deleted ones."""
    names = (GATE,) if gate else tuple(SLOT_NAMES.values())
    with writing(request) as writer:
        there = tuple(name for name in names if calibration(request, name))
        for name in there:
            drop_calibration(request, name)
        if there:
            writer.commit(events=[request.event("calibrate", None, {"reset": list(there)})])
    return there


def even_point(scores: Floats, useful: Flags) -> float | None:
    """The least G with P(useful | G) ≥ 0.5, P by isotonic regression (spec 4); None when there is none."""
    xs, ys = isotonic_fit(scores, useful.astype(np.float64))
    reached = np.flatnonzero(ys >= EVEN)
    if not reached.size:
        return None
    first = int(reached[0])
    if first == 0 or ys[first] == EVEN:
        return float(xs[first])
    low, high = ys[first - 1], ys[first]
    return float(xs[first - 1] + (EVEN - low) / (high - low) * (xs[first] - xs[first - 1]))


def log_loss(probabilities: Floats, right: Flags) -> float:
    """−mean(y·log p + (1−y)·log(1−p)), p kept in [0.01, 0.99]."""
    p = np.clip(probabilities, SURE, 1.0 - SURE)
    return float(-np.log(np.where(right, p, 1.0 - p)).mean())


def brier(probabilities: Floats, right: Flags) -> float:
    """mean((p − y)²)."""
    return float(((probabilities - right) ** 2).mean())


def _calibrate_side(
    side: str, labels: Sequence[Label], method: Method, version: str, *, force: bool, keep: bool
) -> SideReport:
    """Calibrate one side: compare on held-out labels, then fit on all."""
    pairs = [(label.bm25 if side == "text" else label.cosine, label) for label in labels]
    known = [label for score, label in pairs if score is not None]
    raw = np.array([score for score, _ in pairs if score is not None], dtype=np.float64)
    right = np.array([label.relevant for label in known], dtype=np.bool_)
    few = too_few(right, "relevant")
    if few:
        return SideReport(side, len(known), int(right.sum()), refused=few)
    normalised = text_min_max(raw) if side == "text" else vector_share(raw)
    held = held_out(right, known)
    tried = Calibration.fit(method, raw[~held], right[~held], version).apply(raw[held])
    before, after = (Fit(log_loss(p, right[held]), brier(p, right[held])) for p in (normalised[held], tried))
    worse = after.log_loss > before.log_loss or after.brier > before.brier
    refused = "worse than the raw scores on the labels held out" if worse and not force else ""
    counts = (len(known), int(right.sum()), int(held.sum()))
    fitted = Calibration.fit(method, raw, right, version)
    return SideReport(side, *counts, before, after, fitted, refused, keep and not refused)


def _agreement(scores: Floats, useful: Flags, threshold: float | None) -> float:
    """The share of labels that a threshold agrees with. Without a threshold nothing is admitted."""
    admitted = np.zeros_like(useful) if threshold is None else scores + SLACK >= threshold
    return float((admitted == useful).mean())
