"""Verbs for learning from use: feedback, calibration, and the decisions of the gate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aforesaid.errors import FormatError, InputError
from aforesaid.surfaces.formats import governance as shown
from aforesaid.surfaces.formats.records import page_json
from aforesaid.surfaces.turn_files import opened, read_lines
from aforesaid.surfaces.verbs import arguments as arg
from aforesaid.surfaces.verbs.declare import Argument, Tool, ToolForm, Verb

if TYPE_CHECKING:
    from aforesaid.memory import Memory
    from aforesaid.memory.calibration import RelevanceLabel

A_LABEL = 'A label is {"query": "where is the boat?", "id": "t7", "relevant": true}; "session" may be added.'


def read_labels(file: str) -> list[RelevanceLabel]:
    """The labels of a file; FormatError names the bad line."""
    from aforesaid.memory.calibration import RelevanceLabel

    labels = []
    with opened(file) as (name, stream):
        for number, line in enumerate(read_lines(stream, name), 1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
                relevant = found["relevant"]
                if relevant not in (True, False):
                    raise TypeError("relevant is neither true nor false")
                labels.append(RelevanceLabel(found["id"], bool(relevant), found.get("query", ""), found.get("session")))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                why = f"it has no {error}" if isinstance(error, KeyError) else str(error)
                raise FormatError(f"{name}:{number}: {why}.", A_LABEL) from error
    return labels


def read_weights(given: Sequence[str]) -> dict[str, float]:
    """NAME=NUMBER texts as a dict."""
    try:
        return {name.strip(): float(value) for name, _, value in (each.partition("=") for each in given)}
    except ValueError:
        raise InputError(f"{' '.join(given)!r} is not NAME=NUMBER.", "Write --weights gate.threshold=0.4.") from None


def reset(memory: Memory, gate: bool = False) -> tuple[str, ...]:
    """Remove the calibration of the scores, or of the gate."""
    return memory.gate.reset() if gate else memory.calibration.reset()


def gate_entry(memory: Memory, id: str, **who: Any) -> Any:  # noqa: A002 - the method's word
    """The gate's decision about one record."""
    from aforesaid.learning.gate_log import entry_of

    record = memory.get(id, **who)
    if record.gate is None:
        raise InputError(f"The gate did not judge {id!r}, a {record.kind}.", "It judges what users say in a session.")
    return entry_of(record, record.gate)


FEEDBACK = Verb(
    "feedback", "feedback", "Report whether a record was useful.",
    """The same signal counts once a minute.

    It changes how the record is ranked, never its text. A duplicate is merged into the record that it repeats.
    """,
    (
        arg.ID,
        Argument(
            "signal", kind="choice", positional=True, required=True,
            choices=("helpful", "harmful", "outdated", "duplicate"), tool=ToolForm("How useful the record was."),
        ),
        *arg.WHERE,
        Argument(
            "of", "The record that a duplicate repeats; that one stays.", metavar="ID",
            tool=ToolForm("With `duplicate`: the id of the record that stays.", name="duplicate_of"),
        ),
        Argument(
            "query", "The query that found it; its scores become a label for `calibrate`.", metavar="TEXT",
            tool=ToolForm("The query that found it, to learn from.", most=4000),
        ),
        arg.NOW,
    ),
    'aforesaid feedback s1-t07 helpful --query "where does she live?" --user ana',
    grant="write", effect="adds", embeds="query",
    tool=Tool(
        "Report whether a recalled record was useful; this changes how it is ranked, never its text. Use it after you "
        "used a hit (helpful), or found it misleading (harmful) or no longer true (outdated).",
        "FeedbackAnswer",
    ),
)  # fmt: skip
LABELS = Argument("labels", positional=True, parse=read_labels)
GATE = Argument("gate", "Use the gate's threshold instead of scores.", "flag")
FORCE = Argument("force", "Keep the result even if it is worse on held-out labels.", "flag")
DRY_RUN = Argument("dry_run", "Only report; keep nothing.", "flag")
CALIBRATE = Verb(
    "calibrate", "calibration.fit", "Fit scores, or the gate's threshold, to labels.",
    """The labels come from feedback, or from a file of JSON lines.

    The scores of the profile `pce` become probabilities, kept for the current policy version. The exit code is 1 when
    they are not better than before. A line of the file has a query, the id of a record, and whether it is relevant.
    """,
    (
        LABELS, *arg.WHO,
        Argument("method", "The method of calibration.", "choice", default="isotonic", choices=("isotonic", "platt")),
        Argument("side", "The scores to calibrate.", "choice", default="both", choices=("both", "text", "vector")),
        DRY_RUN,
        FORCE,
    ),
    "aforesaid calibrate --dry-run\n  aforesaid calibrate labels.jsonl --method platt --user ana\n"
    "  aforesaid calibrate --model",
    grant="admin", effect="governs", embeds="labels", progress="Calibrating",
    to_text=lambda report, view: shown.calibration_text(report, view.columns), note=shown.calibration_note,
    fails=lambda report, view: not (report.stored or view.given["dry_run"]),
    modes=(
        Verb(
            "reset_calibration", "calibration.reset", "Remove the calibration.",
            arguments=(GATE, replace(FORCE, view=True)),
            grant="admin", effect="governs", call=reset,
            to_json=lambda gone, view: {"reset": list(gone)},
            to_text=lambda gone, view: f"removed {', '.join(gone)}" if gone else "there was nothing to remove",
            by=Argument("reset", "Remove the calibration.", "flag"),
        ),
        Verb(
            "calibrate_gate", "gate.calibrate", "Fit the gate's threshold to labels.",
            arguments=(LABELS, *arg.WHO, DRY_RUN),
            grant="admin", effect="governs", progress="Calibrating",
            to_text=lambda found, view: shown.gate_calibration_text(found, view.columns),
            by=GATE,
        ),
        Verb(
            "measure_model", "calibration.measure_model", "Measure what the cosines of the embedding model mean.",
            arguments=(DRY_RUN,),
            grant="admin", effect="governs", opens="make", embeds=True, progress="Measuring",
            to_text=lambda report, view: shown.model_text(report), note=shown.model_note,
            by=Argument("model", "Measure the embedding model, and show what each cosine threshold becomes.", "flag"),
        ),
    ),
)  # fmt: skip
GATE_LIST = Verb(
    "gate list", "gate.log", "List the gate's decisions, newest first.",
    "With the score G and its threshold. Forgotten turns are not listed.",
    (
        arg.USER, arg.SESSION,
        Argument("decision", "Only these decisions.", "choice", choices=("admit", "defer", "reject")),
        *arg.SPAN, *arg.PAGE_50,
    ),
    "aforesaid gate list --user ana --decision reject --since 2026-05-01",
    to_json=page_json("entries"), to_text=shown.ledger_view,
)  # fmt: skip
GATE_SHOW = Verb(
    "gate show", "get", "Show one decision with its terms.",
    arguments=(arg.ID, *arg.WHERE),
    example="aforesaid gate show s1-t07 --user ana",
    call=gate_entry, to_text=lambda entry, view: shown.entry_text(entry, view.columns),
)  # fmt: skip
GATE_REPLAY = Verb(
    "gate replay", "gate.replay", "Repeat past decisions with other weights.",
    """Uses the stored terms; nothing is changed.

    gate.threshold and the six gate.weight_… settings can be replayed; the others keep their current values. Other
    settings of the gate changed the terms themselves and cannot be replayed. Each decision is replayed alone: that a
    different memory would make other turns look new is ignored.
    """,
    (
        Argument(
            "weights", "Another gate setting; may be repeated.", many=True, metavar="NAME=VALUE", parse=read_weights
        ),
        arg.USER, arg.SESSION, *arg.SPAN,
        Argument("limit", "Show at most this many changes.", "integer", default=20, least=0),
    ),
    "aforesaid gate replay --weights gate.threshold=0.4 --user ana\n"
    "  aforesaid gate replay --weights gate.weight_novelty=0.5 --weights gate.weight_natural=0.1 --user ana",
    progress="Replaying", to_json=shown.replay_json, to_text=shown.replay_text,
)  # fmt: skip

VERBS = (FEEDBACK, CALIBRATE, GATE_LIST, GATE_SHOW, GATE_REPLAY)
GROUPS = {"gate": "Show the gate's decisions, and repeat them with other weights."}
