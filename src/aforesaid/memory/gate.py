"""`memory.gate`: the filter that marks each message as durable or not, and its log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import get_args

from aforesaid.engine.request import Request
from aforesaid.errors import InputError
from aforesaid.learning import calibrate, gate_log
from aforesaid.learning.labels import GateLabel, feedback_gate_labels
from aforesaid.memory.calibration import RelevanceLabel
from aforesaid.memory.handle import Handle
from aforesaid.memory.visibility import find_visible, visible
from aforesaid.retrieval.search import Page
from aforesaid.types import Decision, Filter, Progress, TimeLike, check_choice


class GateHandle(Handle):
    """The gate of one tenant: its log, replay with other settings, and its threshold."""

    def log(
        self,
        *,
        user: str | None = None,
        session: str | None = None,
        decision: Decision | None = None,
        since: TimeLike | None = None,
        until: TimeLike | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> list[gate_log.GateEntry]:
        """List what the gate decided, newest first, with the terms of each decision.

        Args:
            decision: Only `admit`, `defer` or `reject`.
        """
        if decision is not None:
            check_choice(decision, get_args(Decision), "decision")
        page = Page(limit, offset)
        request = self._engine.request()
        every = gate_log.entries(request, _turns(request, user, session, since, until))
        return list(islice((entry for entry in every if decision in (None, entry.decision)), page.offset, page.end))

    def replay(
        self,
        weights: Mapping[str, float],
        *,
        user: str | None = None,
        session: str | None = None,
        since: TimeLike | None = None,
        until: TimeLike | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> gate_log.GateReplay:
        """Return how the gate would have decided with other settings, and which decisions change. Changes nothing.

        Args:
            weights: The other values of `gate.*` settings: the threshold and the branch weights.
            limit: How many changed decisions to list; all if left out.
        """
        request = self._engine.request()
        where = _turns(request, user, session, since, until)
        return gate_log.replay(request, where, weights, limit=limit, progress=progress)

    def calibrate(
        self,
        labels: Iterable[GateLabel | RelevanceLabel] | None = None,
        *,
        dry_run: bool = False,
        user: str | None = None,
        project: str | None = None,
        progress: Progress | None = None,
    ) -> calibrate.GateReport:
        """Set the gate's threshold to where a message is as likely useful as not. Return what changes.

        Args:
            labels: Judged messages, or their scores; by default the labels from `feedback`.

        Raises:
            InputError: A label names a message that the gate did not score.
        """
        request = self._engine.request()
        if labels is None:
            found = feedback_gate_labels(request)
        else:
            found = [_label(request, label, user, project) for label in labels]
        return self._engine.run(
            lambda request: calibrate.calibrate_gate(request, found, dry_run=dry_run, progress=progress)
        )

    def reset(self) -> tuple[str, ...]:
        """Go back to the threshold of the settings. Return the names of the stored values that were removed."""
        return self._engine.run(lambda request: calibrate.reset(request, gate=True))


def _turns(
    request: Request, user: str | None, session: str | None, since: TimeLike | None, until: TimeLike | None
) -> Filter:
    return visible(request, user=user, session=session, kinds=("turn",), since=since, until=until, superseded=True)


def _label(request: Request, label: GateLabel | RelevanceLabel, user: str | None, project: str | None) -> GateLabel:
    if isinstance(label, GateLabel):
        return label
    record = find_visible(request, label.id, user=user, project=project, session=label.session, least_chars=None)
    if record.gate is None or record.gate.decision == "defer":
        raise InputError(
            f"The gate has no score for {record.id!r}: {'it waits for a vector' if record.gate else 'not scored'}.",
            "Leave it out of the labels; `aforesaid gate list` shows which messages have a score.",
        )
    return GateLabel(record.gate.score, label.relevant, record.key)
