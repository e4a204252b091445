"""`aforesaid feedback`, `calibrate` and `gate`: learning from use, and what the gate decided."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from aforesaid.errors import FormatError, InputError
from aforesaid.surfaces.cli.app import App, progress
from aforesaid.surfaces.cli.options import caller, page, span, time_option, verb
from aforesaid.surfaces.formats import common as shown
from aforesaid.surfaces.formats import learning as learned
from aforesaid.surfaces.turn_files import opened, read_lines
from aforesaid.types import Decision

if TYPE_CHECKING:
    from aforesaid.math.calibration import Method
    from aforesaid.math.usefulness import Signal
    from aforesaid.memory.calibration import RelevanceLabel

SIGNALS = ("helpful", "harmful", "outdated", "duplicate")
A_LABEL = 'A label is {"query": "where is the boat?", "id": "t7", "relevant": true}; "session" may name one more.'


@verb("feedback", 'aforesaid feedback s1-t07 helpful --query "where does she live?" --user ana')
@click.argument("id_", metavar="ID")
@click.argument("signal", type=click.Choice(SIGNALS))
@caller("user", "project", "session")
@click.option("--of", metavar="ID", help="The record that a duplicate repeats; it stays.")
@click.option("--query", metavar="TEXT", help="What it was found by: its scores become a label for `calibrate`.")
@time_option("--now", "When this is said.  [default: the clock]")
@click.pass_obj
def feedback(
    app: App,
    id_: str,
    signal: Signal,
    user: str | None,
    project: str | None,
    session: str | None,
    of: str | None,
    query: str | None,
    now: datetime | None,
) -> None:
    """Say what a record was worth. The same signal counts once a minute.

    It changes how the record is ranked, never what it says. A duplicate is merged into the record it repeats.
    """
    with app.open(existing=True, any_embedder=query is None) as memory:
        said = memory.feedback(id_, signal, user=user, project=project, session=session, of=of, query=query, now=now)
    app.say(shown.plain(said), learned.feedback_text(said))


@verb("calibrate", "aforesaid calibrate --dry-run\n  aforesaid calibrate labels.jsonl --method platt --user ana")
@click.argument("labels", required=False)
@caller("user", "project")
@click.option("--method", type=click.Choice(["isotonic", "platt"]), default="isotonic", show_default=True, help="How.")
@click.option("--side", type=click.Choice(["both", "text", "vector"]), default="both", show_default=True, help="What.")
@click.option("--gate", is_flag=True, help="The gate's threshold instead of scores.")
@click.option("--dry-run", is_flag=True, help="Report, and keep nothing.")
@click.option("--force", is_flag=True, help="Keep it even if it is worse on the labels held out.")
@click.option("--reset", is_flag=True, help="Go back to what stands without labels.")
@click.pass_context
def calibrate(
    ctx: click.Context,
    labels: str | None,
    user: str | None,
    project: str | None,
    method: Method,
    side: Any,
    gate: bool,
    dry_run: bool,
    force: bool,
    reset: bool,
) -> None:
    """Fit scores, or the gate's threshold, to labels. Those of feedback, or of a file of JSON lines.

    The scores of the `pce` profile become probabilities, kept for the policy version in force; exit code 1 when they
    are no better than before. A line of the file names a query, a record's id, and whether it is relevant.
    """
    app = ctx.ensure_object(App)
    if reset and (labels or dry_run):
        raise InputError("--reset takes neither labels nor --dry-run.", "Reset first, then calibrate.")
    given = list(_judged(labels)) if labels else None
    with app.open(existing=True, any_embedder=given is None or gate) as memory:
        if reset:
            gone = memory.gate.reset() if gate else memory.calibration.reset()
            app.say({"reset": list(gone)}, f"removed {', '.join(gone)}" if gone else "there was nothing to remove")
            return
        with progress("Calibrating", hidden=app.json) as bar:
            if gate:
                found = memory.gate.calibrate(given, dry_run=dry_run, user=user, project=project, progress=bar)
            else:
                report = memory.calibration.fit(
                    given, method=method, side=side, dry_run=dry_run, force=force, user=user, project=project,
                    progress=bar,
                )  # fmt: skip
    if gate:
        app.say(shown.plain(found), learned.gate_calibration_text(found))
        return
    app.say(learned.calibration_dict(report), learned.calibration_text(report))
    if not (report.stored or dry_run):
        app.note("Nothing was kept; --force keeps it all the same.")
        ctx.exit(1)


def _judged(file: str) -> Iterator[RelevanceLabel]:
    """The labels of a file; FormatError names the line that is none."""
    from aforesaid.memory.calibration import RelevanceLabel

    with opened(file) as (name, stream):
        for number, line in enumerate(read_lines(stream, name), 1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
                relevant = found["relevant"]
                if relevant not in (True, False):
                    raise TypeError("relevant is neither true nor false")
                yield RelevanceLabel(found["id"], bool(relevant), found.get("query", ""), found.get("session"))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                why = f"it has no {error}" if isinstance(error, KeyError) else str(error)
                raise FormatError(f"{name}:{number}: {why}.", A_LABEL) from error


@click.group()
def gate() -> None:
    """Show what the gate decided, and what other weights would."""


@verb("list", "aforesaid gate list --user ana --decision reject --since 2026-05-01")
@caller("user", "session")
@click.option("--decision", type=click.Choice(["admit", "defer", "reject"]), help="Only these.")
@span
@page(50)
@click.pass_obj
def list_(
    app: App,
    user: str | None,
    session: str | None,
    decision: Decision | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    offset: int,
) -> None:
    """List decisions, newest first. With G and its threshold; forgotten turns are gone from here too."""
    with app.open(existing=True, any_embedder=True) as memory:
        entries = memory.gate.log(
            user=user, session=session, decision=decision, since=since, until=until, limit=limit, offset=offset
        )
    more = f"\n{limit} shown; go on with --offset {offset + limit}" if len(entries) == limit else ""
    text = learned.ledger_text(entries, app.columns) + more or "No such decisions."
    app.say({"user": user, "limit": limit, "offset": offset, "entries": shown.plain(entries)}, text)


@verb("show", "aforesaid gate show s1-t07 --user ana")
@click.argument("id_", metavar="ID")
@caller("user", "project", "session")
@click.pass_obj
def show(app: App, id_: str, user: str | None, project: str | None, session: str | None) -> None:
    """Show one decision with its terms."""
    from aforesaid.learning.gate_log import entry_of

    with app.open(existing=True, any_embedder=True) as memory:
        record = memory.get(id_, user=user, project=project, session=session)
    if record.gate is None:
        raise InputError(f"The gate did not weigh {id_!r}, a {record.kind}.", "It weighs what people say in a session.")
    entry = entry_of(record, record.gate)
    app.say(shown.plain(entry), learned.entry_text(entry, app.columns))


@verb(
    "replay",
    "aforesaid gate replay --weights gate.threshold=0.4 --user ana\n"
    "  aforesaid gate replay --weights gate.weight_novelty=0.5 --weights gate.weight_natural=0.1 --user ana",
)
@click.option("--weights", multiple=True, metavar="NAME=VALUE", help="Another gate setting; may be repeated.")
@caller("user", "session")
@span
@click.option("--limit", type=click.IntRange(0), default=20, show_default=True, metavar="N", help="Changes to show.")
@click.pass_obj
def replay(
    app: App,
    weights: Sequence[str],
    user: str | None,
    session: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
) -> None:
    """Decide again with other weights. From the stored terms; nothing is changed.

    gate.threshold and the six gate.weight_… can be replayed. What is not named is as it is in force. Other settings of
    the gate made the terms themselves and cannot be told from them. Decisions are replayed one by one: that another
    memory would make other turns look new is left out.
    """
    chosen = dict(map(_weight, weights))
    with (
        app.open(existing=True, any_embedder=True) as memory,
        progress("Replaying", hidden=app.json) as bar,
    ):
        found = memory.gate.replay(
            chosen, user=user, session=session, since=since, until=until, limit=limit, progress=bar
        )
    app.say(learned.replay_dict(found), learned.replay_text(found, app.columns))


def _weight(given: str) -> tuple[str, float]:
    name, _, value = given.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise InputError(f"{given!r} is not NAME=NUMBER.", "Write --weights gate.threshold=0.4.") from None


for command in (list_, show, replay):
    gate.add_command(command)
